//! Puts a program at places in a file.

use std::fs::File;
use std::os::fd::AsRawFd;

use libbpf_rs::{Link, ProgramMut, UprobeMultiOpts};
use records::{CallPlace, SamplerStep};

use crate::end::{End, errno_of};

/// None: the process has ended. `pid` -1: in all.
pub fn attach_to(
    program: &ProgramMut,
    file: &File,
    pid: i32,
    places: &[CallPlace],
) -> Result<Option<Link>, End> {
    let options = UprobeMultiOpts {
        offsets: places.iter().map(|place| place.offset as usize).collect(),
        cookies: places.iter().map(|place| place.cookie()).collect(),
        ..UprobeMultiOpts::default()
    };
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    match program.attach_uprobe_multi_with_opts(pid, path, "", options) {
        Ok(link) => Ok(Some(link)),
        Err(e) if pid > 0 && errno_of(&e) == libc::ESRCH => Ok(None),
        Err(e) => Err(End::Failed(SamplerStep::AttachCallProbes, errno_of(&e), 0)),
    }
}
