//! The end of page faults and system calls.

use records::Counter;

use super::{Session, monotonic_ns};

impl Session {
    /// When no event is enabled any more.
    pub(super) fn end_sampled_events(&mut self) {
        if self.attachment.faults.are_seen() {
            self.faults_counted = self.attachment.faults.count();
            self.bpf.send_rest_of_faults();
        }
        if let Some(probes) = self.syscall_probes.take() {
            self.syscalls_skipped = probes.skipped();
            self.bpf.send_rest_of_syscalls(monotonic_ns());
        }
    }

    /// The kernel counts page faults also where it lets no program run.
    pub(super) fn counters(&self) -> [u64; Counter::ALL.len()] {
        let mut counters = self.bpf.counters();
        let seen =
            counters[Counter::Faults as usize] + counters[Counter::FaultsNotAllowed as usize];
        let missed = self.faults_counted.saturating_sub(seen);
        counters[Counter::Faults as usize] += missed;
        counters[Counter::LostFaults as usize] += missed;
        counters[Counter::SkippedSyscalls as usize] = self.syscalls_skipped;
        counters
    }
}
