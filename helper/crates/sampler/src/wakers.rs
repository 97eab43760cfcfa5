//! Who ends waits (bpf/wakers.h). What interrupts are about is found here, by the kernel's functions: which of them ran is nobody
//! else's business, since the interrupted task may be anybody's.

use std::collections::HashMap;

use libbpf_rs::Link;
use records::{SampleRecord, SamplerError, SamplerStep, WokenBy};

use crate::bpf::Bpf;
use crate::end::errno_of;

/// While one is attached, wake-ups of the machine are looked at.
pub struct Wakers {
    is_wanted: bool,
    /// They were wanted, and the kernel does not do it.
    pub refused: Option<SamplerError>,
    link: Option<Link>,
    meanings: Meanings,
}

impl Wakers {
    /// `refused`: why the kernel does not load what sees them.
    pub fn new(is_wanted: bool, refused: Option<SamplerError>) -> Wakers {
        Wakers {
            is_wanted,
            refused,
            link: None,
            meanings: Meanings::default(),
        }
    }

    pub fn attach(&mut self, bpf: &Bpf) {
        if !self.is_wanted || self.refused.is_some() {
            return;
        }
        match bpf.skeleton.progs.note_waker.attach() {
            Ok(link) => self.link = Some(link),
            Err(error) => {
                self.refused = Some(SamplerError {
                    step: SamplerStep::AttachWakers,
                    errno: errno_of(&error),
                    pid: 0,
                });
            }
        }
    }

    pub fn detach(&mut self) {
        self.link = None;
    }

    /// Makes of what the BPF program knew what the engine may know. `kernel`: addresses, innermost first. `name_of` is asked once for
    /// each.
    pub fn complete(
        &mut self,
        sample: &mut SampleRecord,
        kernel: &[u64],
        mut name_of: impl FnMut(u64) -> Option<String>,
    ) {
        let code = |shift: u32| WokenBy::from_code((sample.worth.value >> shift) as u8);
        let (by, of_task) = (code(0), code(8));
        let meanings: Vec<Meaning> = (kernel.iter().enumerate())
            .map(|(depth, address)| {
                // Callers hold return addresses: the call is before them.
                let address = address - u64::from(depth > 0);
                self.meanings.of(address, &mut name_of)
            })
            .collect();
        let by = match by.unwrap_or(WokenBy::Interrupt) {
            WokenBy::Interrupt => of_interrupt(&meanings)
                .or(of_task)
                .unwrap_or(WokenBy::Interrupt),
            WokenBy::Kernel => cause_in(&meanings).unwrap_or(WokenBy::Kernel),
            by => by,
        };
        sample.worth.value = by as u64;
        if !matches!(by, WokenBy::Thread | WokenBy::Exit) {
            sample.user.clear();
        }
        if by > WokenBy::Kernel {
            (sample.pid, sample.tid, sample.comm) = (0, 0, [0; 16]);
        }
    }
}

/// What a function of the kernel says of a wake-up from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Nothing,
    Cause(WokenBy),
    /// The task that runs does it: it has made a system call, or its memory was not there.
    OfTask,
    /// It does here what it has put off itself, as sending to a socket of this machine.
    PutOff,
    /// What is outside of it was interrupted.
    Interrupt,
}

/// Beginnings of names of kernel functions (Linux 6.1 to 7.3).
const MEANINGS: &[(&str, Meaning)] = &[
    ("__local_bh_enable", Meaning::PutOff),
    ("irq_exit", Meaning::Interrupt),
    ("__irq_exit", Meaning::Interrupt),
    ("run_ksoftirqd", Meaning::Interrupt),
    ("common_interrupt", Meaning::Interrupt),
    ("asm_common_interrupt", Meaning::Interrupt),
    ("sysvec_", Meaning::Interrupt),
    ("__sysvec_", Meaning::Interrupt),
    ("asm_sysvec_", Meaning::Interrupt),
    ("do_interrupt_handler", Meaning::Interrupt),
    ("el0_interrupt", Meaning::Interrupt),
    ("el1_interrupt", Meaning::Interrupt),
    ("exit_to_user_mode", Meaning::OfTask),
    ("irqentry_exit_to_user", Meaning::OfTask),
    ("do_syscall_", Meaning::OfTask),
    ("do_int80_", Meaning::OfTask),
    ("exc_", Meaning::OfTask),
    ("asm_exc_", Meaning::OfTask),
    ("do_user_addr_fault", Meaning::OfTask),
    ("do_page_fault", Meaning::OfTask),
    ("do_mem_abort", Meaning::OfTask),
    ("el0_", Meaning::OfTask),
    ("hrtimer_", Meaning::Cause(WokenBy::Timer)),
    ("__hrtimer_", Meaning::Cause(WokenBy::Timer)),
    ("process_timeout", Meaning::Cause(WokenBy::Timer)),
    ("timerfd_", Meaning::Cause(WokenBy::Timer)),
    ("call_timer_fn", Meaning::Cause(WokenBy::Timer)),
    ("__run_timer", Meaning::Cause(WokenBy::Timer)),
    ("run_timer_", Meaning::Cause(WokenBy::Timer)),
    ("it_real_fn", Meaning::Cause(WokenBy::Timer)),
    ("posix_timer_fn", Meaning::Cause(WokenBy::Timer)),
    ("blk_", Meaning::Cause(WokenBy::Disk)),
    ("blkdev_", Meaning::Cause(WokenBy::Disk)),
    ("bio_", Meaning::Cause(WokenBy::Disk)),
    ("end_bio_", Meaning::Cause(WokenBy::Disk)),
    ("dio_", Meaning::Cause(WokenBy::Disk)),
    ("iomap_", Meaning::Cause(WokenBy::Disk)),
    ("mpage_", Meaning::Cause(WokenBy::Disk)),
    ("end_buffer_", Meaning::Cause(WokenBy::Disk)),
    ("folio_", Meaning::Cause(WokenBy::Disk)),
    ("nvme_", Meaning::Cause(WokenBy::Disk)),
    ("scsi_", Meaning::Cause(WokenBy::Disk)),
    ("virtblk_", Meaning::Cause(WokenBy::Disk)),
    ("sock_", Meaning::Cause(WokenBy::Network)),
    ("sk_", Meaning::Cause(WokenBy::Network)),
    ("tcp_", Meaning::Cause(WokenBy::Network)),
    ("udp_", Meaning::Cause(WokenBy::Network)),
    ("netif_", Meaning::Cause(WokenBy::Network)),
    ("__netif_", Meaning::Cause(WokenBy::Network)),
    ("napi_", Meaning::Cause(WokenBy::Network)),
    ("net_rx_", Meaning::Cause(WokenBy::Network)),
];

/// By address, which stays here.
#[derive(Default)]
struct Meanings(HashMap<u64, Meaning>);

impl Meanings {
    fn of(&mut self, address: u64, name_of: &mut impl FnMut(u64) -> Option<String>) -> Meaning {
        let known = self.0.entry(address);
        *known.or_insert_with(|| name_of(address).map_or(Meaning::Nothing, |name| meaning(&name)))
    }
}

fn meaning(name: &str) -> Meaning {
    let known = MEANINGS.iter().find(|(start, _)| name.starts_with(start));
    known.map_or(Meaning::Nothing, |(_, meaning)| *meaning)
}

/// What the innermost function says that says anything.
fn cause_in(meanings: &[Meaning]) -> Option<WokenBy> {
    meanings.iter().find_map(|meaning| match meaning {
        Meaning::Cause(by) => Some(*by),
        _ => None,
    })
}

/// None: the task that ran has done it itself.
fn of_interrupt(meanings: &[Meaning]) -> Option<WokenBy> {
    let is_cause = |meaning: &Meaning| matches!(meaning, Meaning::Nothing | Meaning::Cause(_));
    let border = meanings.iter().position(|meaning| !is_cause(meaning));
    let cause = cause_in(&meanings[..border.unwrap_or(meanings.len())]);
    match border.map(|at| meanings[at]) {
        Some(Meaning::OfTask) => None,
        // To this machine itself; what a timer or a disk puts off is served at any time.
        Some(Meaning::PutOff) if cause == Some(WokenBy::Network) => None,
        _ => Some(cause.unwrap_or(WokenBy::Interrupt)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(functions: &[&str]) -> Option<WokenBy> {
        let meanings: Vec<_> = functions.iter().map(|name| meaning(name)).collect();
        of_interrupt(&meanings)
    }

    #[test]
    fn an_interrupt_is_known_by_the_innermost_function_that_says_it() {
        let timer = [
            "try_to_wake_up",
            "hrtimer_wakeup",
            "__hrtimer_run_queues",
            "sysvec_apic_timer_interrupt",
            "exc_page_fault",
        ];
        assert_eq!(found(&timer), Some(WokenBy::Timer));
        let disk = ["try_to_wake_up", "blkdev_bio_end_io_simple", "bio_endio"];
        assert_eq!(found(&disk), Some(WokenBy::Disk));
        let other = ["try_to_wake_up", "ata_eh", "__irq_exit_rcu", "tcp_sendmsg"];
        assert_eq!(
            found(&other),
            Some(WokenBy::Interrupt),
            "what is outside was interrupted"
        );
    }

    #[test]
    fn what_is_sent_to_a_socket_of_this_machine_is_the_work_of_who_sends() {
        let receive = [
            "try_to_wake_up",
            "sock_def_readable",
            "tcp_v4_rcv",
            "net_rx_action",
        ];
        let sent = [
            &receive[..],
            &["do_softirq", "__local_bh_enable_ip", "ip_output"],
        ]
        .concat();
        assert_eq!(found(&sent), None);
        let came = [&receive[..], &["__irq_exit_rcu", "__local_bh_enable_ip"]].concat();
        assert_eq!(found(&came), Some(WokenBy::Network));
    }
}
