//! Counted calls as a run has them: in its description, and as a sample of each counted function at the line where it is defined.

use std::collections::BTreeMap;

use profile::run::{
    CallCounts, CallPrice, CallTimes, CalledFunction as Saved, InlinedCalls, ThreadCalls,
    UncountedPlaces,
};
use profile::{CALLS, KindColumns, LabelValue, LineOf, ProfileBuilder, REPETITION, Sums};
use symbolize::Frame;

use crate::calls::{self, CalledFunction, Calls, NotCounted, NotTimed};
use crate::modules::{ModuleIndex, Modules};
use crate::shown_path::shown_path;
use crate::symbols::Symbols;

/// Adds a sample for each function that was called, and of several executions, for each of these. It has no thread: its calls
/// are those of all threads.
/// `mapping_of`: the mapping of a module.
pub fn add_samples(
    builder: &mut ProfileBuilder,
    calls: &Calls,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
    columns: &KindColumns,
    mapping_of: impl Fn(ModuleIndex) -> Option<u32>,
) {
    for (number, of) in calls.functions.iter().enumerate() {
        let all = calls.all_of(number);
        if all == 0 {
            continue;
        }
        let frame = definition(of, symbols);
        let (name, system_name) = frame.map_or((&*of.name, &*of.system_name), |frame| {
            (&*frame.name, &*frame.system_name)
        });
        let (file, line) = place_of(of, frame);
        let line = LineOf {
            function: builder.add_function(name, system_name, file, line),
            line,
            column: 0,
        };
        let vaddr = of.vaddr.unwrap_or(0);
        let location = builder.add_location(mapping_of(of.module), vaddr, &[line]);
        // Without executions, one sample for all.
        let parts = calls
            .by_repetition(number)
            .unwrap_or_else(|| [(0, all)].into());
        for (repetition, calls) in parts {
            let sums = Sums {
                samples: 0,
                weight: calls,
                value: calls,
            };
            let label = (REPETITION, LabelValue::Number(repetition.into(), ""));
            let labels = &[label][usize::from(repetition == 0)..];
            builder.push_sample(&[location], &columns.values(CALLS, &sums), labels);
        }
    }
}

/// As a run has them; None: none were asked for.
pub fn saved(
    calls: &Calls,
    modules: &Modules,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
) -> Option<CallCounts> {
    let functions = calls.functions.iter().enumerate().map(|(number, of)| {
        let (file, line) = place_of(of, definition(of, symbols));
        Saved {
            name: of.name.clone(),
            system_name: of.system_name.clone(),
            module: shown_path(&modules.get(of.module).path),
            calls: calls.all_of(number),
            same_code: of.same_code.clone(),
            inlined: of.inlined,
            may_be_inlined: of.may_be_inlined,
            not_counted: of.not_counted.map_or("", NotCounted::sentence).to_owned(),
            file: file.to_owned(),
            line,
            times: of.times.as_ref().map(times),
            not_timed: of.not_timed.map_or("", NotTimed::sentence).to_owned(),
            inlined_calls: calls.inlined_in(number).map(inlined).collect(),
            uncounted_places: (of.uncounted.iter())
                .map(|(why, places)| UncountedPlaces {
                    why: why.words().to_owned(),
                    places: *places,
                })
                .collect(),
            own_not_counted: of
                .own_not_counted
                .map_or("", NotCounted::sentence)
                .to_owned(),
        }
    });
    (!calls.functions.is_empty()).then(|| CallCounts {
        functions: functions.collect(),
        threads: of_threads(calls),
        price: calls.price.map(|of| CallPrice {
            counted_ns: of.counted_ns,
            timed_ns: of.timed_ns,
        }),
    })
}

fn inlined(of: &calls::InlinedCalls) -> InlinedCalls {
    InlinedCalls {
        caller: of.caller.clone(),
        file: of.file.clone(),
        line: of.line,
        calls: of.calls,
    }
}

fn of_threads(calls: &Calls) -> Vec<ThreadCalls> {
    let mut by_function = BTreeMap::<(usize, u32, u32), u64>::new();
    for ((number, pid, tid), counted) in &calls.of_threads {
        if let Some(function) = calls.function_of(*number).filter(|_| *counted > 0) {
            *by_function.entry((function, *pid, *tid)).or_default() += counted;
        }
    }
    let threads = by_function
        .into_iter()
        .map(|((function, pid, tid), calls)| ThreadCalls {
            function: function as u32,
            pid,
            tid,
            calls,
        });
    threads.collect()
}

/// File and line of a definition; empty and 0: unknown.
fn place_of<'a>(of: &'a CalledFunction, frame: Option<&'a Frame>) -> (&'a str, u32) {
    let defined = of.defined.as_ref().map(|(file, line)| (&**file, *line));
    let of_frame = |frame: &'a Frame| (frame.file.as_deref().unwrap_or(""), frame.function_line);
    frame.map(of_frame).or(defined).unwrap_or(("", 0))
}

fn times(of: &records::CallTimes) -> CallTimes {
    let (bucket, calls) = of.buckets.iter().copied().unzip();
    CallTimes {
        sum_ns: of.sum_ns,
        shortest_ns: of.shortest_ns,
        longest_ns: of.longest_ns,
        unfinished: of.unfinished,
        no_room: of.no_room,
        ended_ns: of.ended_ns,
        bucket,
        calls,
    }
}

/// What the debug information says of the function itself: code that was inlined where it begins is left out.
fn definition<'a>(
    of: &CalledFunction,
    symbols: &'a BTreeMap<ModuleIndex, Symbols>,
) -> Option<&'a Frame> {
    let symbols = symbols.get(&of.module)?;
    symbols.found.chains.get(symbols.place(of.vaddr?)?)?.last()
}
