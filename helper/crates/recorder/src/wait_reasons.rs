//! Why a thread waited, from what the kernel knew when it lost its CPU: the first of these that holds. It could have run; it waited
//! for a disk; its system call says it; the kernel's functions do, as in a page fault.

use std::collections::HashMap;

use profile::WaitReason;
use records::WaitCause;

/// `by_functions`: what the kernel's functions say.
pub fn reason_of(cause: WaitCause, by_functions: Option<WaitReason>) -> WaitReason {
    if cause.was_preempted {
        return WaitReason::RunQueue;
    }
    if cause.waits_for_disk {
        return WaitReason::Disk;
    }
    let Some(syscall) = cause.syscall else {
        return by_functions.unwrap_or(WaitReason::Other);
    };
    match syscall.into() {
        libc::SYS_futex if cause.waits_for_owner => WaitReason::Lock,
        libc::SYS_futex => WaitReason::Condition,
        libc::SYS_nanosleep | libc::SYS_clock_nanosleep => WaitReason::Sleep,
        libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 | libc::SYS_ppoll | libc::SYS_pselect6 => {
            WaitReason::Poll
        }
        #[cfg(target_arch = "x86_64")]
        libc::SYS_epoll_wait | libc::SYS_poll | libc::SYS_select => WaitReason::Poll,
        libc::SYS_wait4 | libc::SYS_waitid => WaitReason::Child,
        _ => by_functions.unwrap_or(WaitReason::Other),
    }
}

/// Beginnings of names of kernel functions (Linux 6.1 to 7.3) that wait for nothing else.
const WAITING_FUNCTIONS: &[(&str, WaitReason)] = &[
    ("pipe_", WaitReason::Pipe),
    ("anon_pipe_", WaitReason::Pipe),
    ("fifo_", WaitReason::Pipe),
    ("n_tty_", WaitReason::Tty),
    ("tty_", WaitReason::Tty),
    ("sk_wait_", WaitReason::Network),
    ("sk_stream_wait_", WaitReason::Network),
    ("__skb_wait_for_", WaitReason::Network),
    ("inet_", WaitReason::Network),
    ("tcp_", WaitReason::Network),
    ("unix_", WaitReason::Network),
    ("sock_", WaitReason::Network),
    // As in posix_spawn(3), until the child executes its program.
    ("wait_for_vfork_done", WaitReason::Child),
    ("handle_mm_fault", WaitReason::PageFault),
    ("exc_page_fault", WaitReason::PageFault),
    ("do_page_fault", WaitReason::PageFault),
    ("do_user_addr_fault", WaitReason::PageFault),
];

/// Kernel functions whose name says what is waited for, by the sampler's ids.
#[derive(Default)]
pub struct KernelFunctions(HashMap<u32, WaitReason>);

impl KernelFunctions {
    pub fn note(&mut self, id: u32, name: &str) {
        let known = (WAITING_FUNCTIONS.iter()).find(|(start, _)| name.starts_with(start));
        if let Some((_, reason)) = known {
            self.0.insert(id, *reason);
        }
    }

    /// By the innermost of a stack's functions that says it.
    pub fn wait_for(&self, stack: &[u32]) -> Option<WaitReason> {
        stack.iter().find_map(|id| self.0.get(id).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_syscall(number: libc::c_long) -> WaitCause {
        WaitCause {
            syscall: Some(number as u32),
            ..WaitCause::default()
        }
    }

    #[test]
    fn what_holds_first_is_the_reason() {
        let sleeps = in_syscall(libc::SYS_nanosleep);
        assert_eq!(reason_of(sleeps, None), WaitReason::Sleep);
        let on_disk = WaitCause {
            waits_for_disk: true,
            ..sleeps
        };
        assert_eq!(reason_of(on_disk, None), WaitReason::Disk);
        let preempted = WaitCause {
            was_preempted: true,
            ..on_disk
        };
        assert_eq!(reason_of(preempted, None), WaitReason::RunQueue);
        let fault = Some(WaitReason::PageFault);
        assert_eq!(
            reason_of(WaitCause::default(), fault),
            WaitReason::PageFault
        );
        let futex = in_syscall(libc::SYS_futex);
        assert_eq!(reason_of(futex, None), WaitReason::Condition);
        let lock = WaitCause {
            waits_for_owner: true,
            ..futex
        };
        assert_eq!(reason_of(lock, None), WaitReason::Lock);
    }

    #[test]
    fn what_a_read_waits_for_is_known_by_the_kernels_functions() {
        let mut functions = KernelFunctions::default();
        functions.note(1, "schedule");
        functions.note(2, "anon_pipe_read");
        functions.note(3, "unix_stream_read_generic");
        let read = |stack: &[u32]| reason_of(in_syscall(libc::SYS_read), functions.wait_for(stack));
        assert_eq!(read(&[1, 2]), WaitReason::Pipe);
        assert_eq!(read(&[1, 3]), WaitReason::Network);
        assert_eq!(read(&[1]), WaitReason::Other);
    }
}
