//! Exact counts of the calls of chosen functions. `choosing` finds the functions and the instructions where they are counted.

mod choosing;
mod code;
mod inlined;
mod refusals;
mod timing;

use std::collections::BTreeMap;
use std::time::Duration;

use probe_places::NoPlace;
use records::{CallPrice, CallTimes, CallsOfThread};

use super::modules::ModuleIndex;

pub use choosing::{FileOfCalls, choose};
pub use inlined::{InlinedCalls, UncountedPlace};
pub use refusals::{check, of_attaching, of_file};
pub use timing::NotTimed;

/// A function that was asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CalledFunction {
    pub name: String,
    pub system_name: String,
    pub module: ModuleIndex,
    /// Where its code begins; of several copies, the first. None: it has none of its own.
    pub vaddr: Option<u64>,
    /// Other names of the same code.
    pub same_code: Vec<String>,
    /// Where it is defined, file and line, if it has no code of its own.
    pub defined: Option<(String, u32)>,
    /// Places where it was inlined.
    pub inlined: u32,
    /// Of these, how many are not counted, by reason.
    pub uncounted: BTreeMap<UncountedPlace, u32>,
    /// There may be more of them.
    pub may_be_inlined: bool,
    pub not_counted: Option<NotCounted>,
    /// Why its own code is not counted, while calls that were inlined are.
    pub own_not_counted: Option<NotCounted>,
    /// Of its own code.
    pub calls: u64,
    /// None: its calls are not timed.
    pub times: Option<CallTimes>,
    /// Why, if this was asked for.
    pub not_timed: Option<NotTimed>,
}

/// Why a function is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotCounted {
    InlinedEverywhere,
    NoPlace(NoPlace),
}

/// More calls a second than this take much of a program's time.
const CALLS_PER_SECOND_MAX: f64 = 100_000.0;

#[derive(Default)]
pub struct Calls {
    /// Those that are counted, by their number; then the others.
    pub functions: Vec<CalledFunction>,
    /// How many of them are counted.
    pub counted: usize,
    /// Their inlined calls that are counted: these have the numbers from `counted` on.
    pub inlined: Vec<InlinedCalls>,
    /// By number (of the function or of inlined calls), process and thread.
    pub of_threads: BTreeMap<(u32, u32, u32), u64>,
    /// By process, which execution of several it belongs to.
    pub repetitions: BTreeMap<u32, u32>,
    /// Files that are counted in the attached processes only, since they belong to somebody else.
    pub without_children: Vec<ModuleIndex>,
    /// Patterns without a function.
    pub missing: Vec<String>,
    /// How many modules there were when the functions were chosen: those of a later one are not counted.
    pub modules: usize,
    last: (Duration, u64),
    pub many: Option<ManyCalls>,
    /// What each cost here, if it could be measured.
    pub price: Option<CallPrice>,
}

/// Counting them took much of the program's time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ManyCalls {
    /// Since the recording began.
    pub from: Duration,
    /// At most, of all functions.
    pub per_second: f64,
}

impl Calls {
    /// What the sampler has counted until `at`, since the recording began.
    pub fn take_totals(&mut self, totals: &[(u32, u64)], at: Duration) {
        for (number, calls) in totals {
            self.raise(*number, *calls);
        }
        let total = self.total();
        let (before, so_many) = std::mem::replace(&mut self.last, (at, total));
        let seconds = at.saturating_sub(before).as_secs_f64();
        let per_second = total.saturating_sub(so_many) as f64 / seconds.max(0.1);
        if per_second > CALLS_PER_SECOND_MAX {
            let many = self.many.get_or_insert(ManyCalls {
                from: before,
                per_second,
            });
            many.per_second = many.per_second.max(per_second);
        }
    }

    /// As they are by now. `started_ns`: of the recording (CLOCK_MONOTONIC).
    pub fn take_times(&mut self, mut times: CallTimes, started_ns: u64) {
        if times.ended_ns > 0 {
            times.ended_ns = times.ended_ns.saturating_sub(started_ns).max(1);
        }
        let function = self.functions.get_mut(times.function as usize);
        if let Some(of) = function.filter(|of| of.times.is_some()) {
            of.times = Some(times);
        }
    }

    pub fn take_threads(&mut self, calls: &[CallsOfThread]) {
        for of in calls {
            let key = (of.function, of.pid, of.tid);
            self.of_threads.insert(key, of.calls);
        }
        // A target that goes on running has made more calls since the totals were read.
        let mut sums = BTreeMap::<u32, u64>::new();
        for ((function, ..), calls) in &self.of_threads {
            *sums.entry(*function).or_default() += calls;
        }
        for (number, sum) in sums {
            self.raise(number, sum);
        }
    }

    fn raise(&mut self, number: u32, calls: u64) {
        let place = (number as usize).checked_sub(self.counted);
        let counted = match place {
            None => (self.functions.get_mut(number as usize)).map(|function| &mut function.calls),
            Some(at) => self.inlined.get_mut(at).map(|inlined| &mut inlined.calls),
        };
        if let Some(counted) = counted {
            *counted = (*counted).max(calls);
        }
    }

    /// The function that calls with this number are of.
    pub fn function_of(&self, number: u32) -> Option<usize> {
        match (number as usize).checked_sub(self.counted) {
            None => Some(number as usize),
            Some(at) => self.inlined.get(at).map(|inlined| inlined.function),
        }
    }

    pub fn inlined_in(&self, function: usize) -> impl Iterator<Item = &InlinedCalls> {
        (self.inlined.iter()).filter(move |inlined| inlined.function == function)
    }

    /// Of a function, inlined ones included.
    pub fn all_of(&self, function: usize) -> u64 {
        let inlined = self.inlined_in(function).map(|inlined| inlined.calls);
        self.functions.get(function).map_or(0, |of| of.calls) + inlined.sum::<u64>()
    }

    /// Of a function, inlined ones included, by execution. None: they are not known of each.
    pub fn by_repetition(&self, function: usize) -> Option<BTreeMap<u32, u64>> {
        let mut by_repetition = BTreeMap::new();
        for ((number, pid, _), calls) in &self.of_threads {
            if self.function_of(*number) == Some(function) && *calls > 0 {
                *by_repetition
                    .entry(*self.repetitions.get(pid)?)
                    .or_default() += calls;
            }
        }
        (by_repetition.values().sum::<u64>() == self.all_of(function)).then_some(by_repetition)
    }

    pub fn total(&self) -> u64 {
        let own = self.functions.iter().map(|function| function.calls);
        own.chain(self.inlined.iter().map(|inlined| inlined.calls))
            .sum()
    }
}

impl CalledFunction {
    fn add_uncounted(&mut self, places: impl Iterator<Item = UncountedPlace>) {
        for why in places {
            *self.uncounted.entry(why).or_default() += 1;
        }
    }
}

impl NotCounted {
    /// For the reader of a report.
    pub fn sentence(self) -> &'static str {
        match self {
            NotCounted::InlinedEverywhere => {
                "Every call was inlined. Forbid that (noinline) to count them."
            }
            NotCounted::NoPlace(NoPlace::SingleStepped) => {
                "It has no instruction where a count costs little: elsewhere, each call would take up to 25 us more."
            }
            NotCounted::NoPlace(NoPlace::NotOnce) => {
                "It has no instruction that each call passes exactly once and where a count costs little."
            }
            NotCounted::NoPlace(NoPlace::NotDecoded) => "Its code could not be read.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(name: &str) -> CalledFunction {
        CalledFunction {
            name: name.to_owned(),
            ..CalledFunction::default()
        }
    }

    #[test]
    fn inlined_calls_have_the_numbers_behind_those_of_the_functions() {
        let inlined = |function| InlinedCalls {
            function,
            caller: "main".to_owned(),
            file: String::new(),
            line: 0,
            calls: 0,
        };
        let mut calls = Calls {
            functions: vec![function("f"), function("g"), function("not counted")],
            counted: 2,
            inlined: vec![inlined(1), inlined(0), inlined(1)],
            ..Calls::default()
        };
        calls.take_totals(
            &[(0, 1), (1, 10), (2, 100), (4, 1000), (5, 7)],
            Duration::from_secs(1),
        );
        assert_eq!([0, 1, 2].map(|of| calls.all_of(of)), [1, 1110, 0]);
        assert_eq!(calls.total(), 1111);
        assert_eq!(
            [0, 2, 3, 5].map(|of| calls.function_of(of)),
            [Some(0), Some(1), Some(0), None]
        );
    }

    #[test]
    fn calls_of_each_execution_are_known_if_those_of_all_threads_are() {
        let of = |number, pid, calls| CallsOfThread {
            function: number,
            pid,
            tid: pid,
            calls,
        };
        let mut calls = Calls {
            functions: vec![function("f")],
            counted: 1,
            repetitions: [(10, 1), (20, 2)].into(),
            ..Calls::default()
        };
        calls.take_threads(&[of(0, 10, 4), of(0, 20, 5)]);
        assert_eq!(calls.by_repetition(0), Some([(1, 4), (2, 5)].into()));
        calls.take_totals(&[(0, 10)], Duration::from_secs(1));
        assert_eq!(
            calls.by_repetition(0),
            None,
            "there was no room for a thread"
        );
        calls.take_threads(&[of(0, 30, 1)]);
        assert_eq!(
            calls.by_repetition(0),
            None,
            "of a process that is not known"
        );
    }

    #[test]
    fn threads_that_were_read_later_than_the_totals_raise_them() {
        let mut calls = Calls {
            functions: vec![function("f")],
            counted: 1,
            ..Calls::default()
        };
        let of = |tid, calls| CallsOfThread {
            function: 0,
            pid: 1,
            tid,
            calls,
        };
        calls.take_totals(&[(0, 10)], Duration::from_secs(1));
        calls.take_threads(&[of(1, 4), of(2, 5)]);
        assert_eq!(calls.total(), 10, "there was no room for a thread");
        calls.take_threads(&[of(1, 7)]);
        assert_eq!(calls.total(), 12);
    }

    #[test]
    fn the_rate_is_noted_when_it_takes_much_of_the_time() {
        let mut calls = Calls {
            functions: vec![function("f"), function("g")],
            counted: 2,
            ..Calls::default()
        };
        let at = Duration::from_millis;
        calls.take_totals(&[(0, 5_000)], at(250));
        calls.take_totals(&[(1, 20_000)], at(500));
        assert_eq!((calls.total(), calls.many), (25_000, None));
        calls.take_totals(&[(0, 55_000)], at(750));
        let many = calls.many.expect("200,000 a second");
        assert_eq!((many.from, many.per_second), (at(500), 200_000.0));
        calls.take_totals(&[(0, 60_000), (9, 1)], at(1000));
        assert_eq!(calls.many, Some(many), "less, and a number that is none");
    }
}
