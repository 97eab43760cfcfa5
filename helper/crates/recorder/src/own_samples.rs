//! What is sampled of ourselves while programs are launched.

use std::collections::HashMap;

use records::{FromSampler, SampleRecord};

/// Samples of our own process, whose launching thread is sampled so that its children are: not the target's.
#[derive(Debug)]
pub struct OwnSamples {
    own_pid: u32,
    /// When each of our children became the target; until then it is we.
    children: HashMap<u32, u64>,
    pub left_out: u64,
}

impl OwnSamples {
    pub fn of(own_pid: u32) -> OwnSamples {
        OwnSamples {
            own_pid,
            children: HashMap::new(),
            left_out: 0,
        }
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
            }
            FromSampler::Mapped { pid, .. } => return *pid == self.own_pid,
            FromSampler::Sample(sample) if self.is_own(sample) => {
                self.left_out += 1;
                return true;
            }
            _ => {}
        }
        false
    }

    fn is_own(&self, sample: &SampleRecord) -> bool {
        let before_exec = |since_ns: &u64| sample.time_ns < *since_ns;
        sample.pid == self.own_pid || self.children.get(&sample.pid).is_some_and(before_exec)
    }
}

#[cfg(test)]
mod tests {
    use records::{StackEnd, Worth};

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
}
