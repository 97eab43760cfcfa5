//! What is sampled of ourselves while programs are launched.

use std::collections::HashMap;

use records::{FromSampler, SampleKind, SampleRecord};

/// Samples of our own process, whose launching thread is sampled so that its children are: not the target's.
#[derive(Debug)]
pub struct OwnSamples {
    own_pid: u32,
    /// When each of our children became the target; until then it is we.
    children: HashMap<u32, u64>,
    /// When each of them was let go: it waits for us before.
    released: HashMap<u32, u64>,
    pub left_out: u64,
}

impl OwnSamples {
    pub fn of(own_pid: u32) -> OwnSamples {
        OwnSamples {
            own_pid,
            children: HashMap::new(),
            released: HashMap::new(),
            left_out: 0,
        }
    }

    /// A program that we have launched runs from now on.
    pub fn release(&mut self, pid: u32, time_ns: u64) {
        self.released.insert(pid, time_ns);
    }

    /// Whether this is about us; to be asked about every message, in order.
    pub fn takes(&mut self, message: &FromSampler) -> bool {
        match message {
            FromSampler::Forked {
                pid, parent_pid, ..
            } if *parent_pid == self.own_pid => {
                self.children.insert(*pid, u64::MAX);
            }
            FromSampler::Executed { pid, time_ns } => {
                if let Some(since_ns) = self.children.get_mut(pid) {
                    *since_ns = (*since_ns).min(*time_ns);
                }
            }
            FromSampler::Exited { pid, .. } => {
                self.children.remove(pid);
                self.released.remove(pid);
            }
            FromSampler::Mapped { pid, .. } => return *pid == self.own_pid,
            FromSampler::Sample(sample) if sample.worth.kind == SampleKind::Wait => {
                return self.is_own_wait(sample.pid, sample.time_ns);
            }
            FromSampler::Sample(sample) if sample.worth.kind == SampleKind::WakeUp => {
                return sample.pid == self.own_pid;
            }
            FromSampler::WaitEnd(end) => return self.is_own_wait(end.pid, end.began_ns),
            FromSampler::Sample(sample) if self.is_own(sample) => {
                self.left_out += 1;
                return true;
            }
            _ => {}
        }
        false
    }

    fn is_own_wait(&self, pid: u32, began_ns: u64) -> bool {
        let released_ns = self.released.get(&pid).copied().unwrap_or(u64::MAX);
        pid == self.own_pid || (self.children.contains_key(&pid) && began_ns < released_ns)
    }

    fn is_own(&self, sample: &SampleRecord) -> bool {
        let before_exec = |since_ns: &u64| sample.time_ns < *since_ns;
        sample.pid == self.own_pid || self.children.get(&sample.pid).is_some_and(before_exec)
    }
}

#[cfg(test)]
mod tests {
    use records::{StackEnd, WaitCause, WaitEnd, Worth};

    use super::*;

    #[test]
    fn samples_of_ourselves_and_of_a_child_before_its_exec_are_left_out() {
        let sample = |pid, time_ns| {
            FromSampler::Sample(SampleRecord {
                time_ns,
                pid,
                tid: pid,
                worth: Worth::of_cpu(1_001_001),
                end: StackEnd::Root,
                comm: [0; 16],
                kernel: vec![],
                user: vec![],
            })
        };
        let forked = FromSampler::Forked {
            time_ns: 1,
            pid: 8,
            parent_pid: 7,
        };
        let mut own = OwnSamples::of(7);
        assert!(!own.takes(&forked));
        assert!(own.takes(&sample(7, 2)));
        assert!(own.takes(&sample(8, 2)));
        assert!(!own.takes(&FromSampler::Executed { time_ns: 5, pid: 8 }));
        assert!(own.takes(&sample(8, 4)), "taken before, told after");
        assert!(!own.takes(&sample(8, 6)));
        assert!(!own.takes(&sample(9, 6)));
        assert_eq!(own.left_out, 3);
    }

    #[test]
    fn waits_of_a_child_that_is_not_let_go_yet_are_waits_for_us() {
        let end = |pid, began_ns| {
            FromSampler::WaitEnd(WaitEnd {
                began_ns,
                pid,
                tid: pid,
                comm: [0; 16],
                waits: 1,
                span_ns: 5,
                waited_ns: 5,
                queued_ns: 0,
                cause: WaitCause::default(),
                has_stack: true,
                place: 0,
                holder: None,
                woken: None,
            })
        };
        let mut own = OwnSamples::of(7);
        own.takes(&FromSampler::Forked {
            time_ns: 1,
            pid: 8,
            parent_pid: 7,
        });
        assert!(own.takes(&end(8, 2)));
        own.release(8, 6);
        assert!(own.takes(&end(8, 5)));
        assert!(!own.takes(&end(8, 6)));
        assert!(!own.takes(&end(9, 1)), "of a program that runs");
        assert_eq!(own.left_out, 0, "no sample");
    }
}
