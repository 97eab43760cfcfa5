//! The system calls that serving needs, once everything is attached. Any other one ends the process: what may be wrong
//! with it then can open no file, run no program, and talk to nobody.

use std::io;

/// Allowed with any arguments.
const ALLOWED: &[libc::c_long] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_ppoll,
    libc::SYS_epoll_pwait,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_epoll_wait,
    libc::SYS_clock_gettime,
    libc::SYS_futex,
    libc::SYS_brk,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_madvise,
    libc::SYS_close,
    libc::SYS_sigaltstack,
    libc::SYS_rt_sigreturn,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

// include/uapi/linux/bpf.h: what works on maps and programs that are open already. None makes, loads, finds or pins one.
const BPF_MAP_LOOKUP_ELEM: u32 = 1;
const BPF_MAP_UPDATE_ELEM: u32 = 2;
const BPF_MAP_DELETE_ELEM: u32 = 3;
const BPF_MAP_GET_NEXT_KEY: u32 = 4; // lists the processes that are followed
const BPF_PROG_TEST_RUN: u32 = 10; // names a kernel address
const BPF_LINK_CREATE: u32 = 28;
const PERF_EVENT_IOC_DISABLE: u32 = 0x2401;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e; // AUDIT_ARCH_X86_64
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7; // AUDIT_ARCH_AARCH64

// Offsets in struct seccomp_data; of an argument, its low half (both machines are little-endian).
const NUMBER: u32 = 0;
const ARCH: u32 = 4;
const fn argument(n: u32) -> u32 {
    16 + 8 * n
}

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const IF_ANY_BIT: u16 = (libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

const fn statement(code: u16, k: u32) -> libc::sock_filter {
    libc::sock_filter {
        code,
        jt: 0,
        jf: 0,
        k,
    }
}

/// Skips `jt` instructions if it holds, else `jf`.
const fn jump(code: u16, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter { code, jt, jf, k }
}

const ALLOW: libc::sock_filter = statement(RETURN, libc::SECCOMP_RET_ALLOW);
const KILL: libc::sock_filter = statement(RETURN, libc::SECCOMP_RET_KILL_PROCESS);

/// What is needed beside all that every recording needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Later {
    Nothing,
    /// Probes in files that come later, with programs that were loaded before: no capability is needed for that.
    Probes,
}

/// For [`Later::Probes`]: receives a file, and asks what it is.
const ALLOWED_FOR_PROBES: &[libc::c_long] = &[
    libc::SYS_recvmsg,
    libc::SYS_statx,
    libc::SYS_fstat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_newfstatat,
];

/// The filter, from the first instruction to the last, which kills.
fn filter(later: Later) -> Vec<libc::sock_filter> {
    let has_probes = later == Later::Probes;
    let mut code = vec![
        statement(LOAD, ARCH),
        jump(IF_EQUAL, ARCHITECTURE, 1, 0),
        KILL,
        statement(LOAD, NUMBER),
    ];
    let of_probes = ALLOWED_FOR_PROBES.iter().filter(|_| has_probes);
    for number in ALLOWED.iter().chain(of_probes) {
        code.extend([jump(IF_EQUAL, *number as u32, 0, 1), ALLOW]);
    }
    let first_is = |number: libc::c_long, which: u32, values: &[u32]| {
        let mut block = vec![statement(LOAD, argument(which))];
        for value in values {
            block.extend([jump(IF_EQUAL, *value, 0, 1), ALLOW]);
        }
        block.push(KILL);
        block.insert(0, jump(IF_EQUAL, number as u32, 0, block.len() as u8));
        block
    };
    let mut bpf = vec![
        BPF_MAP_LOOKUP_ELEM,
        BPF_MAP_UPDATE_ELEM,
        BPF_MAP_DELETE_ELEM,
        BPF_MAP_GET_NEXT_KEY,
        BPF_PROG_TEST_RUN,
    ];
    bpf.extend(has_probes.then_some(BPF_LINK_CREATE));
    code.extend(first_is(libc::SYS_bpf, 0, &bpf));
    let mut fcntl = Vec::new();
    fcntl.extend(has_probes.then_some(libc::F_GETFL as u32));
    // A debug build of std asks whether a descriptor is open before it closes it.
    fcntl.extend(cfg!(debug_assertions).then_some(libc::F_GETFD as u32));
    code.extend(first_is(libc::SYS_fcntl, 1, &fcntl));
    code.extend(first_is(libc::SYS_ioctl, 1, &[PERF_EVENT_IOC_DISABLE]));
    // Memory, but none that can be executed and none of a file.
    code.extend([
        jump(IF_EQUAL, libc::SYS_mmap as u32, 0, 5),
        statement(LOAD, argument(2)),
        jump(IF_ANY_BIT, libc::PROT_EXEC as u32, 3, 0),
        statement(LOAD, argument(3)),
        jump(IF_ANY_BIT, libc::MAP_ANONYMOUS as u32, 0, 1),
        ALLOW,
    ]);
    code.push(KILL);
    code
}

/// From now on and for good. Takes no_new_privs.
///
/// # Errors
/// A kernel without seccomp filters.
pub fn allow_only_serving(later: Later) -> io::Result<()> {
    let mut code = filter(later);
    let program = libc::sock_fprog {
        len: code.len() as u16,
        filter: code.as_mut_ptr(),
    };
    // SAFETY: the program points to `len` live instructions, which the kernel checks and copies.
    let set = unsafe {
        libc::prctl(
            libc::PR_SET_SECCOMP,
            libc::SECCOMP_MODE_FILTER,
            &raw const program,
        )
    };
    if set < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How a child ends that makes this system call behind the filter: by a signal, or with 7 when it lives on.
    fn end_of_child(later: Later, number: libc::c_long, arguments: [usize; 4]) -> (i32, i32) {
        // SAFETY: the child makes system calls only, no memory is allocated between fork and the filter but by the
        // filter's own vector, which malloc's fork handlers make safe.
        unsafe {
            let child = libc::fork();
            if child == 0 {
                libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
                if allow_only_serving(later).is_err() {
                    libc::_exit(9);
                }
                let [a, b, c, d] = arguments;
                libc::syscall(number, a, b, c, d, -1_isize, 0_usize);
                libc::_exit(7);
            }
            let mut status = 0;
            assert_eq!(libc::waitpid(child, &mut status, 0), child);
            if libc::WIFSIGNALED(status) {
                return (libc::WTERMSIG(status), 0);
            }
            (0, libc::WEXITSTATUS(status))
        }
    }

    const KILLED: (i32, i32) = (libc::SIGSYS, 0);
    const GOES_ON: (i32, i32) = (0, 7);

    #[test]
    fn only_a_recording_that_may_put_probes_later_can_do_so() {
        for (number, arguments) in [
            (libc::SYS_recvmsg, [99, 0, 0, 0]),
            (libc::SYS_bpf, [28, 0, 0, 0]), // BPF_LINK_CREATE
            (libc::SYS_fcntl, [99, libc::F_GETFL as usize, 0, 0]),
            (libc::SYS_statx, [99, 0, 0, 0]),
        ] {
            let end = |later| end_of_child(later, number, arguments);
            assert_eq!(end(Later::Probes), GOES_ON, "{number}");
            assert_eq!(end(Later::Nothing), KILLED, "{number}");
        }
    }

    #[test]
    fn what_serving_needs_goes_on_and_every_other_call_ends_the_process() {
        let path = c"/etc/hostname".as_ptr() as usize;
        let private = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as usize;
        for (number, arguments, end) in [
            (libc::SYS_read, [99, 0, 0, 0], GOES_ON),
            (libc::SYS_bpf, [1, 0, 0, 0], GOES_ON),
            (libc::SYS_bpf, [4, 0, 0, 0], GOES_ON),
            (libc::SYS_ioctl, [99, 0x2401, 0, 0], GOES_ON),
            (libc::SYS_mmap, [0, 4096, 3, private], GOES_ON),
            (libc::SYS_mmap, [0, 4096, 7, private], KILLED),
            (libc::SYS_mmap, [0, 4096, 1, 1], KILLED),
            (libc::SYS_mprotect, [0, 4096, 4, 0], KILLED),
            (libc::SYS_openat, [usize::MAX - 99, path, 0, 0], KILLED),
            (libc::SYS_execve, [path, 0, 0, 0], KILLED),
            (libc::SYS_socket, [1, 1, 0, 0], KILLED),
            (libc::SYS_bpf, [0, 0, 0, 0], KILLED), // BPF_MAP_CREATE
            (libc::SYS_bpf, [5, 0, 0, 0], KILLED), // BPF_PROG_LOAD
            (libc::SYS_bpf, [6, 0, 0, 0], KILLED), // BPF_OBJ_PIN
            (libc::SYS_perf_event_open, [0, 0, 0, 0], KILLED),
            (libc::SYS_ioctl, [99, 0x2400, 0, 0], KILLED), // PERF_EVENT_IOC_ENABLE
            (libc::SYS_clone, [0, 0, 0, 0], KILLED),
            (libc::SYS_ptrace, [0, 0, 0, 0], KILLED),
            (libc::SYS_kill, [0, 0, 0, 0], KILLED),
            (libc::SYS_pidfd_open, [1, 0, 0, 0], KILLED),
            (libc::SYS_process_vm_readv, [1, 0, 0, 0], KILLED),
            (libc::SYS_setuid, [0, 0, 0, 0], KILLED),
            (libc::SYS_mount, [0, 0, 0, 0], KILLED),
            (libc::SYS_unlinkat, [0, 0, 0, 0], KILLED),
            (libc::SYS_io_uring_setup, [0, 0, 0, 0], KILLED),
        ] {
            for later in [Later::Nothing, Later::Probes] {
                let ended = end_of_child(later, number, arguments);
                assert_eq!(ended, end, "{later:?} {number} {arguments:x?}");
            }
        }
    }
}
