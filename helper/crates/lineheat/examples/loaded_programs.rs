//! The BPF programs that are in the kernel, of all users: a line each, its id and the uid of who loaded it (bpf(2)).

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};

use libc::c_long;

// `enum bpf_cmd` of linux/bpf.h
const PROG_GET_NEXT_ID: c_long = 11;
const PROG_GET_FD_BY_ID: c_long = 13;
const OBJ_GET_INFO_BY_FD: c_long = 15;

pub struct LoadedProgram {
    pub id: u32,
    pub uid: u32,
}

/// # Errors
/// What the kernel answered: listing programs needs `cap_sys_admin`.
pub fn loaded_programs() -> io::Result<Vec<LoadedProgram>> {
    let mut programs = Vec::new();
    let mut last = 0;
    while let Some(id) = next_id(last)? {
        last = id;
        // One that was unloaded meanwhile is none any more.
        if let Ok(uid) = uid_of(id) {
            programs.push(LoadedProgram { id, uid });
        }
    }
    Ok(programs)
}

fn next_id(after: u32) -> io::Result<Option<u32>> {
    let mut attributes = [after, 0, 0, 0];
    match bpf(PROG_GET_NEXT_ID, &mut attributes) {
        Ok(_) => Ok(Some(attributes[1])),
        Err(e) if e.raw_os_error() == Some(libc::ENOENT) => Ok(None),
        Err(e) => Err(e),
    }
}

fn uid_of(id: u32) -> io::Result<u32> {
    let fd = bpf(PROG_GET_FD_BY_ID, &mut [id, 0, 0, 0])?;
    // SAFETY: the kernel has just given us this descriptor, nobody else owns it.
    let program = unsafe { File::from_raw_fd(fd) };
    // The start of `struct bpf_prog_info`; `created_by_uid` stands 48 bytes from it.
    let mut info = [0u32; 16];
    let address = info.as_mut_ptr() as u64;
    let mut attributes = [
        program.as_raw_fd() as u32,
        size_of_val(&info) as u32,
        address as u32,
        (address >> 32) as u32,
    ];
    bpf(OBJ_GET_INFO_BY_FD, &mut attributes)?;
    Ok(info[48 / 4])
}

fn bpf(command: c_long, attributes: &mut [u32; 4]) -> io::Result<i32> {
    // SAFETY: the attributes are live and as long as said; what the kernel writes besides goes to `info`, which lives
    // until the call is over.
    let result = unsafe {
        libc::syscall(
            libc::SYS_bpf,
            command,
            attributes.as_mut_ptr(),
            size_of_val(attributes),
        )
    };
    match result {
        -1 => Err(io::Error::last_os_error()),
        result => Ok(result as i32),
    }
}

#[allow(dead_code)] // a test uses the rest of this file
fn main() -> io::Result<()> {
    for LoadedProgram { id, uid } in loaded_programs()? {
        println!("{id} {uid}");
    }
    Ok(())
}
