//! A command that is run several times into one run.

use std::collections::HashMap;
use std::time::Duration;

use records::{FromSampler, SampleRecord};
use target::Exit;

/// One finished run of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repetition {
    /// Since the start of the recording.
    pub start: Duration,
    pub wall: Duration,
    /// CPU time that was used before the program began is not in it.
    pub exit: Exit,
}

#[derive(Debug)]
pub struct Repetitions {
    pub wanted: u32,
    pub done: Vec<Repetition>,
    started: Duration,
    /// CPU time of the present process before its program began.
    before: Duration,
    /// The same of all repetitions after the first, which alone was not sampled then.
    pub before_in_all: Duration,
}

/// Beyond this a new process is not kept from its program, whatever the sampling rate.
const CPU_TIME_BEFORE_MAX: Duration = Duration::from_millis(10);

impl Repetitions {
    pub fn new(wanted: u32) -> Repetitions {
        Repetitions {
            wanted,
            done: Vec::new(),
            started: Duration::ZERO,
            before: Duration::ZERO,
            before_in_all: Duration::ZERO,
        }
    }

    /// CPU time that the process of the next repetition is to use before its program begins. A new process's first
    /// sample is due one period after its fork: with this, another part of the period falls into the program each time
    /// (multiples of the golden ratio spread evenly). Without it each repetition would be sampled at the same places,
    /// and its first period never.
    pub fn cpu_time_before_next(&self, sample_hz: u32) -> Duration {
        const GOLDEN_RATIO: f64 = 0.618_033_988_749_895;
        let part = (self.done.len() as f64 * GOLDEN_RATIO).fract();
        let period = Duration::from_secs(1) / sample_hz.max(1);
        period.mul_f64(part).min(CPU_TIME_BEFORE_MAX)
    }

    pub fn begin(&mut self, started: Duration, before: Duration) {
        self.started = started;
        self.before = before;
        if !self.done.is_empty() {
            self.before_in_all += before;
        }
    }

    /// Returns the exit without what was before the program.
    pub fn end(&mut self, ended: Duration, exit: Exit) -> Exit {
        let exit = if self.done.is_empty() {
            exit
        } else {
            exit.without(self.before)
        };
        self.done.push(Repetition {
            start: self.started,
            wall: ended.saturating_sub(self.started),
            exit,
        });
        exit
    }

    pub fn is_complete(&self) -> bool {
        self.done.len() >= self.wanted as usize
    }

    /// A sentence: why no more repetitions followed the last.
    pub fn failure(&self, exit: Exit) -> String {
        let how = match exit.signal {
            0 => format!("exited with {}", exit.code),
            signal => format!("was ended by signal {signal}"),
        };
        let (number, wanted) = (self.done.len(), self.wanted);
        format!(
            "Repetition {number} of {wanted} {how}: no more were made, what was recorded is kept."
        )
    }

    /// What all finished runs have used, with the exit of the last.
    pub fn total(&self) -> Option<Exit> {
        let last = self.done.last()?.exit;
        Some(Exit {
            user_ns: self.done.iter().map(|r| r.exit.user_ns).sum(),
            system_ns: self.done.iter().map(|r| r.exit.system_ns).sum(),
            ..last
        })
    }
}

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
    use records::StackEnd;

    use super::*;

    #[test]
    fn the_places_of_the_first_sample_are_spread_over_the_period() {
        let mut repetitions = Repetitions::new(10);
        let exit = Exit {
            code: 0,
            signal: 0,
            user_ns: 5_000_000,
            system_ns: 0,
        };
        let mut tenths = [0; 10];
        for _ in 0..10 {
            let before = repetitions.cpu_time_before_next(1000);
            tenths[(before.as_micros() / 100) as usize] += 1;
            repetitions.begin(Duration::ZERO, before);
            repetitions.end(Duration::from_millis(6), exit);
        }
        assert!(tenths.iter().all(|n| (0..=2).contains(n)), "{tenths:?}");
        assert!(repetitions.is_complete());
        let total = repetitions.total().unwrap();
        let before = repetitions.before_in_all.as_nanos() as u64;
        assert_eq!(total.user_ns, 50_000_000 - before);
    }

    #[test]
    fn samples_of_ourselves_and_of_a_child_before_its_exec_are_left_out() {
        let sample = |pid, time_ns| {
            FromSampler::Sample(SampleRecord {
                time_ns,
                pid,
                tid: pid,
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
