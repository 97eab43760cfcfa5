//! Page faults and system calls (bpf/sampled_events.h): those of each thread, and those of the machine that are asked whose they are.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use libbpf_rs::{Link, ProgramInput};
use perf_events::event;
use records::{SamplerError, SamplerStep};

use crate::bpf::{Bpf, Reports};
use crate::end::{End, errno_of, failed};

/// Page faults: each thread has two events of its own for them.
pub struct Faults {
    is_wanted: bool,
    /// They were wanted, and the kernel does not do it.
    pub refused: Option<SamplerError>,
    events: Vec<[OwnedFd; 2]>,
    /// Never enabled.
    discarded: Vec<[OwnedFd; 2]>,
}

impl Faults {
    /// `refused`: why the kernel loads nothing that sees them.
    pub fn new(is_wanted: bool, refused: Option<SamplerError>) -> Faults {
        Faults {
            is_wanted,
            refused: refused.filter(|_| is_wanted),
            events: Vec::new(),
            discarded: Vec::new(),
        }
    }

    pub fn are_seen(&self) -> bool {
        self.is_wanted && self.refused.is_none()
    }

    /// Sees those of the thread and of all that it will start, if they are wanted. If the kernel refuses, no thread's are seen: a part
    /// of them would be taken for all.
    ///
    /// # Errors
    /// Only ESRCH: there is no such thread.
    pub fn attach(&mut self, bpf: &mut Bpf, tid: u32) -> Result<(), End> {
        if !self.are_seen() {
            return Ok(());
        }
        match [open(bpf, tid, false), open(bpf, tid, true)] {
            [Ok(minor), Ok(major)] => self.events.push([minor, major]),
            [Err(End::Failed(step, errno, pid)), _] | [_, Err(End::Failed(step, errno, pid))]
                if errno != libc::ESRCH =>
            {
                self.refused = Some(SamplerError { step, errno, pid });
                self.discarded.append(&mut self.events);
            }
            [Err(other), _] | [_, Err(other)] => return Err(other),
        }
        Ok(())
    }

    /// Takes the last attached thread back.
    pub fn discard_last(&mut self) {
        self.discarded.extend(self.events.pop());
    }

    pub fn events(&self) -> impl Iterator<Item = &OwnedFd> {
        self.events.iter().flatten()
    }

    /// How many there were, as the kernel counts them.
    pub fn count(&self) -> u64 {
        self.events()
            .map(|e| event::read_count(e).unwrap_or(0))
            .sum()
    }
}

fn open(bpf: &mut Bpf, tid: u32, is_major: bool) -> Result<OwnedFd, End> {
    let step = SamplerStep::OpenFaultEvent;
    let event = event::open_fault_event(tid, is_major).map_err(|e| failed(step, &e))?;
    let reports = match is_major {
        true => Reports::MajorFaults,
        false => Reports::MinorFaults,
    };
    let attached = bpf.attach(&event, reports);
    attached.map_err(|e| End::Failed(step, errno_of(&e), 0))?;
    Ok(event)
}

/// While it lives, the system calls of the machine are looked at.
pub struct SyscallProbes {
    _links: [Link; 2],
    /// What the kernel says of the program that sees them begin, when it is read.
    description: Option<File>,
}

impl SyscallProbes {
    /// Calls, of any process, for which the kernel did not run it, since it was in the midst of another one on that CPU.
    pub fn skipped(&self) -> u64 {
        let mut text = [0; 4096];
        let mut file = self.description.as_ref();
        let bytes = file.as_mut().and_then(|file| file.read(&mut text).ok());
        skipped_by(&String::from_utf8_lossy(&text[..bytes.unwrap_or(0)]))
    }
}

/// As in `/proc/PID/fdinfo/` of a program.
fn skipped_by(description: &str) -> u64 {
    let mut lines = description.lines();
    let misses = lines.find_map(|line| line.strip_prefix("recursion_misses:"));
    misses.map_or(0, |number| number.trim().parse().unwrap_or(0))
}

impl Bpf {
    /// # Errors
    /// Why the kernel refuses.
    pub fn attach_syscalls(&self) -> Result<SyscallProbes, SamplerError> {
        let refused = |e| SamplerError {
            step: SamplerStep::AttachSyscalls,
            errno: errno_of(&e),
            pid: 0,
        };
        let programs = &self.skeleton.progs;
        // Who returns before it has entered is let go.
        let exit = programs.exit_syscall.attach().map_err(refused)?;
        let enter = programs.enter_syscall.attach().map_err(refused)?;
        let descriptor = programs.enter_syscall.as_fd().as_raw_fd();
        Ok(SyscallProbes {
            _links: [enter, exit],
            description: File::open(format!("/proc/self/fdinfo/{descriptor}")).ok(),
        })
    }

    /// Has that sent that no sample stands for, when no event is enabled any more.
    pub fn send_rest_of_faults(&self) {
        // If it fails, the engine has fewer than the kernel has counted, and says how many.
        let send = &self.skeleton.progs.send_rest_of_faults;
        let _ = send.test_run(ProgramInput::default());
    }

    /// The same of system calls. `ended_ns` (CLOCK_MONOTONIC): for those that go on.
    pub fn send_rest_of_syscalls(&mut self, ended_ns: u64) {
        if let Some(bss) = self.skeleton.maps.bss_data.as_mut() {
            bss.sampling_ended_ns = ended_ns;
        }
        let send = &self.skeleton.progs.send_rest_of_syscalls;
        let _ = send.test_run(ProgramInput::default());
    }
}

#[cfg(test)]
mod tests {
    use super::skipped_by;

    #[test]
    fn the_kernel_says_how_often_it_did_not_run_a_program() {
        let text = "pos:\t0\nprog_type:\t17\nrecursion_misses:\t42\nverified_insns:\t9\n";
        assert_eq!(skipped_by(text), 42);
        assert_eq!(skipped_by("prog_type:\t17\n"), 0);
    }
}
