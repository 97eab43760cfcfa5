//! Which repetition a sample is of: that of its process, or of the process that started it.

use std::collections::HashMap;

use records::FromSampler;

#[derive(Debug, Default)]
pub struct ProcessRepetitions {
    of_pid: HashMap<u32, u32>,
    /// Those that have ended, too. None: the number was that of processes of several repetitions.
    ever: HashMap<u32, Option<u32>>,
    /// When each repetition began, by the clock of samples.
    starts_ns: Vec<u64>,
}

impl ProcessRepetitions {
    /// The process of the next repetition is there.
    pub fn launched(&mut self, pid: u32) {
        let number = self.starts_ns.len() as u32 + 1;
        self.note(pid, number);
    }

    fn note(&mut self, pid: u32, number: u32) {
        self.of_pid.insert(pid, number);
        let ever = self.ever.entry(pid).or_insert(Some(number));
        *ever = ever.filter(|known| *known == number);
    }

    /// Of a process that may have ended. None: it is not known.
    pub fn of_any(&self, pid: u32) -> Option<u32> {
        self.ever.get(&pid).copied().flatten()
    }

    /// Its program begins.
    pub fn began(&mut self, time_ns: u64) {
        self.starts_ns.push(time_ns);
    }

    /// To be told every message, in order.
    pub fn hear(&mut self, message: &FromSampler) {
        match message {
            FromSampler::Forked {
                pid, parent_pid, ..
            } => {
                if let Some(&number) = self.of_pid.get(parent_pid) {
                    self.note(*pid, number);
                }
            }
            FromSampler::Exited { pid, .. } => {
                self.of_pid.remove(pid);
            }
            _ => {}
        }
    }

    /// From 1. A process that is not known, because it has ended before its last samples arrived or its fork was lost, is of
    /// the repetition that ran at that time.
    pub fn of(&self, pid: u32, time_ns: u64) -> u32 {
        let at_that_time = || {
            let begun = |start_ns: &u64| *start_ns <= time_ns;
            (self.starts_ns.partition_point(begun) as u32).max(1)
        };
        (self.of_pid.get(&pid).copied()).unwrap_or_else(at_that_time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_repetition_has_started_is_of_it_even_when_it_lives_on() {
        let mut repetitions = ProcessRepetitions::default();
        repetitions.launched(10);
        repetitions.began(100);
        repetitions.hear(&FromSampler::Forked {
            time_ns: 110,
            pid: 11,
            parent_pid: 10,
        });
        repetitions.hear(&FromSampler::Exited {
            time_ns: 190,
            pid: 10,
        });
        repetitions.launched(20);
        repetitions.began(200);
        let of = |pid, time_ns| repetitions.of(pid, time_ns);
        assert_eq!(of(11, 250), 1);
        assert_eq!(of(20, 201), 2);
        assert_eq!(of(10, 180), 1, "told after its end");
        assert_eq!(of(99, 50), 1, "before all");
        assert_eq!(
            [10, 11, 20, 99].map(|pid| repetitions.of_any(pid)),
            [Some(1), Some(1), Some(2), None]
        );
        repetitions.launched(11);
        assert_eq!(
            repetitions.of_any(11),
            None,
            "one number of two repetitions"
        );
    }
}
