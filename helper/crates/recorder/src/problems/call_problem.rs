//! What counts of calls may lack, as facts and as sentences.

use std::time::Duration;

/// Of counted calls.
#[derive(Debug, Clone, PartialEq)]
pub enum CallProblem {
    /// In programs that the user may not inspect.
    NotAllowed { calls: u64 },
    /// Counting took much of the program's time.
    Many {
        from: Duration,
        per_second: f64,
        /// Of a count, if it is known.
        price_ns: Option<u32>,
    },
    /// Processes that the target has started were not counted in this file.
    WithoutChildren { module: String },
    /// Of the functions that were asked for.
    LeftOut { functions: usize, all: usize },
    /// Places where functions that are counted were inlined.
    InlinedLeftOut { places: u32, all: u32 },
    /// Of those that are counted.
    NotTimed { functions: usize, all: usize },
    /// They were called too often.
    NoLongerTimed {
        function: String,
        others: usize,
        from: Duration,
        /// Of timing a call, if it is known.
        price_ns: Option<u32>,
    },
    /// Files that were mapped after the functions were chosen.
    LoadedLater { module: String, others: usize },
    /// Patterns that mean no function of the program.
    Missing { patterns: Vec<String> },
}

impl CallProblem {
    /// As the user reads it.
    pub fn sentence(&self) -> String {
        match self {
            CallProblem::NotAllowed { calls } => format!(
                "{calls} calls were made by programs that you may not inspect (different rights, or protected memory). They were not counted."
            ),
            CallProblem::Many {
                from,
                per_second,
                price_ns,
            } => format!(
                "The counted functions were called up to {per_second:.0} times per second (more than 100,000 from {:.1} s on). Each count takes about {} us of the program's CPU time, which is part of the figures. Count functions that are called less often.",
                from.as_secs_f64(),
                price_ns.map_or("1".to_owned(), microseconds)
            ),
            CallProblem::WithoutChildren { module } => format!(
                "Calls in {module} were counted in the recorded process only, not in those that it has started: the file belongs to another user."
            ),
            CallProblem::LeftOut { functions, all } => format!(
                "{functions} of the {all} functions that --calls matches were not counted. lineheat report --calls says why."
            ),
            CallProblem::InlinedLeftOut { places, all } => format!(
                "Counted functions were inlined at {all} places. Calls at {places} of these were not counted. lineheat report --calls says why."
            ),
            CallProblem::NotTimed { functions, all } => format!(
                "Calls of {functions} of the {all} counted functions were not timed. lineheat report --calls says why."
            ),
            CallProblem::NoLongerTimed {
                function,
                others,
                from,
                price_ns,
            } => {
                let others = match others {
                    0 => String::new(),
                    1 => " and 1 other function".to_owned(),
                    others => format!(" and {others} other functions"),
                };
                let each = price_ns.map_or_else(String::new, |ns| {
                    format!(", about {} us for each call", microseconds(ns))
                });
                format!(
                    "Calls of {function}{others} were timed until {:.1} s only, and counted to the end: timing so many took much of the program's time{each}. Time functions that are called less often.",
                    from.as_secs_f64()
                )
            }
            CallProblem::LoadedLater { module, others } => {
                let others = match others {
                    0 => String::new(),
                    1 => " and 1 other file".to_owned(),
                    others => format!(" and {others} other files"),
                };
                format!(
                    "Calls in {module}{others} were not counted, if --calls matches functions there: a library must be loaded when the program starts."
                )
            }
            CallProblem::Missing { patterns } => format!(
                "No calls were counted for {}: neither the program nor a library that it loads at its start has such a function.",
                patterns.join(", ")
            ),
        }
    }
}

/// With a decimal where that is more than the digit before it.
fn microseconds(ns: u32) -> String {
    let us = f64::from(ns) / 1e3;
    match us < 9.95 {
        true => format!("{us:.1}"),
        false => format!("{us:.0}"),
    }
}
