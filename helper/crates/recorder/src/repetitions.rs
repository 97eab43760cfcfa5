//! A command that is run several times into one run.

use std::time::Duration;

use statistics::{Summary, summary};
use target::Exit;

/// One run of the command that has ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repetition {
    /// Since the start of the recording.
    pub start: Duration,
    pub wall: Duration,
    /// CPU time that was used before the program began is not in it.
    pub exit: Exit,
    /// Units; 0: unknown.
    pub work: f64,
    /// It failed or was stopped: in no figure.
    pub cut: bool,
}

impl Repetition {
    pub fn cpu_ns(&self) -> u64 {
        self.exit.user_ns + self.exit.system_ns
    }

    #[cfg(test)]
    pub fn that_used(cpu_ns: u64) -> Repetition {
        Repetition {
            start: Duration::ZERO,
            wall: Duration::from_nanos(cpu_ns),
            exit: Exit {
                code: 0,
                signal: 0,
                user_ns: cpu_ns,
                system_ns: 0,
            },
            work: 0.0,
            cut: false,
        }
    }
}

#[derive(Debug)]
pub struct Repetitions {
    pub wanted: u32,
    /// Runs before the first, without samples.
    pub warm_ups: Vec<Repetition>,
    pub done: Vec<Repetition>,
    started: Duration,
    /// CPU time of the present process before its program began.
    before: Duration,
    /// The same of all repetitions after the first, which alone was not sampled then.
    pub before_in_all: Duration,
    /// Each run is told, be it the only one.
    told: bool,
}

/// Beyond this a new process is not kept from its program, whatever the sampling rate.
const CPU_TIME_BEFORE_MAX: Duration = Duration::from_millis(10);

impl Repetitions {
    pub fn new(wanted: u32, warm_ups: Vec<Repetition>, told: bool) -> Repetitions {
        Repetitions {
            wanted,
            warm_ups,
            done: Vec::new(),
            started: Duration::ZERO,
            before: Duration::ZERO,
            before_in_all: Duration::ZERO,
            told,
        }
    }

    /// Whether the run tells its repetitions, and by their label which samples are of which.
    pub fn are_told(&self) -> bool {
        self.wanted > 1 || !self.warm_ups.is_empty() || self.told
    }

    /// Of the repetition that runs now or is to run next, from 1.
    pub fn number(&self) -> u32 {
        self.done.len() as u32 + 1
    }

    /// Those that count.
    pub fn whole(&self) -> impl Iterator<Item = &Repetition> {
        self.done.iter().filter(|r| !r.cut)
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

    /// `stopped`: the run did not end by itself. Returns the exit without what was before the program.
    pub fn end(&mut self, ended: Duration, exit: Exit, work: f64, stopped: bool) -> Exit {
        let exit = if self.done.is_empty() {
            exit
        } else {
            exit.without(self.before)
        };
        self.done.push(Repetition {
            start: self.started,
            wall: ended.saturating_sub(self.started),
            exit,
            work,
            cut: stopped || self.wanted > 1 && has_failed(exit),
        });
        exit
    }

    pub fn is_complete(&self) -> bool {
        self.done.len() >= self.wanted as usize
    }

    /// User and system time, in ns, of those that count. None: there is none.
    pub fn cpu_so_far(&self) -> Option<Summary> {
        let cpu: Vec<f64> = self.whole().map(|r| r.cpu_ns() as f64).collect();
        summary(&cpu)
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

pub fn has_failed(exit: Exit) -> bool {
    (exit.code, exit.signal) != (0, 0)
}

pub fn how_failed(exit: Exit) -> String {
    match exit.signal {
        0 => format!("exited with {}", exit.code),
        signal => format!("was killed by signal {signal}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_of_the_first_sample_are_spread_over_the_period() {
        let mut repetitions = Repetitions::new(10, vec![], false);
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
            repetitions.end(Duration::from_millis(6), exit, 0.0, false);
        }
        assert!(tenths.iter().all(|n| (0..=2).contains(n)), "{tenths:?}");
        assert!(repetitions.is_complete());
        let total = repetitions.total().unwrap();
        let before = repetitions.before_in_all.as_nanos() as u64;
        assert_eq!(total.user_ns, 50_000_000 - before);
    }
}
