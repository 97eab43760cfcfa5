//! Counted calls as a run has them: in its description, and as a sample of each counted function at the line where it is defined.

use std::collections::BTreeMap;

use profile::run::{CallCounts, CallTimes, CalledFunction as Saved, ThreadCalls};
use profile::{CALLS, KindColumns, LineOf, ProfileBuilder, Sums};
use symbolize::Frame;

use crate::calls::{CalledFunction, Calls, NotCounted, NotTimed};
use crate::modules::{ModuleIndex, Modules};
use crate::shown_path::shown_path;
use crate::symbols::Symbols;

/// Adds a sample for each function that was called. It has no thread: its calls are those of all threads.
/// `mapping_of`: the mapping of a module.
pub fn add_samples(
    builder: &mut ProfileBuilder,
    calls: &Calls,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
    columns: &KindColumns,
    mapping_of: impl Fn(ModuleIndex) -> Option<u32>,
) {
    for of in calls.functions.iter().filter(|of| of.calls > 0) {
        let line = match definition(of, symbols) {
            Some(frame) => {
                let file = frame.file.as_deref().unwrap_or("");
                let line = frame.function_line;
                LineOf {
                    function: builder.add_function(&frame.name, &frame.system_name, file, line),
                    line,
                    column: 0,
                }
            }
            None => LineOf {
                function: builder.add_function(&of.name, &of.system_name, "", 0),
                line: 0,
                column: 0,
            },
        };
        let vaddr = of.vaddr.unwrap_or(0);
        let location = builder.add_location(mapping_of(of.module), vaddr, &[line]);
        let sums = Sums {
            samples: 0,
            weight: of.calls,
            value: of.calls,
        };
        builder.push_sample(&[location], &columns.values(CALLS, &sums), &[]);
    }
}

/// As a run has them; None: none were asked for.
pub fn saved(
    calls: &Calls,
    modules: &Modules,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
) -> Option<CallCounts> {
    let functions = calls.functions.iter().map(|of| {
        let definition = definition(of, symbols);
        Saved {
            name: of.name.clone(),
            system_name: of.system_name.clone(),
            module: shown_path(&modules.get(of.module).path),
            calls: of.calls,
            same_code: of.same_code.clone(),
            inlined: of.inlined,
            may_be_inlined: of.may_be_inlined,
            not_counted: of.not_counted.map_or("", NotCounted::sentence).to_owned(),
            file: (definition.and_then(|of| of.file.as_deref()))
                .map_or_else(String::new, str::to_owned),
            line: definition.map_or(0, |of| of.function_line),
            times: of.times.as_ref().map(times),
            not_timed: of.not_timed.map_or("", NotTimed::sentence).to_owned(),
        }
    });
    let threads = calls.of_threads.iter().filter(|(_, calls)| **calls > 0);
    let threads = threads.map(|((function, pid, tid), calls)| ThreadCalls {
        function: *function,
        pid: *pid,
        tid: *tid,
        calls: *calls,
    });
    (!calls.functions.is_empty()).then(|| CallCounts {
        functions: functions.collect(),
        threads: threads.collect(),
    })
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
