//! The end of waiting time (bpf/waits.h): what goes on when sampling ends, and threads that were never seen.

use std::io;

use libbpf_rs::{Iter, ProgramInput};

use crate::bpf::Bpf;
use crate::followed::run_over_tasks;

/// A look at all tasks that was prepared while that was allowed.
pub struct LastLook(Iter);

impl Bpf {
    /// To be prepared with the rights that iterators take.
    ///
    /// # Errors
    /// As bpf(2).
    pub fn prepare_last_look(&self) -> io::Result<LastLook> {
        self.tasks(&self.skeleton.progs.count_threads_not_run)
            .map(LastLook)
    }

    /// Ends the waits that go on at `ended_ns` (CLOCK_MONOTONIC), when no event is enabled any more.
    pub fn end_open_waits(&mut self, mut last_look: LastLook, ended_ns: u64) {
        // If it fails, threads that have never run are not counted; they are in no figure.
        let _ = run_over_tasks(&mut last_look.0);
        if let Some(bss) = self.skeleton.maps.bss_data.as_mut() {
            bss.sampling_ended_ns = ended_ns;
        }
        // If it fails, the engine has waits without an end, and says how many.
        let end = &self.skeleton.progs.end_open_waits;
        let _ = end.test_run(ProgramInput::default());
    }
}
