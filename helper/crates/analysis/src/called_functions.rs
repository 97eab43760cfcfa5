//! Functions whose calls were counted, with what was sampled under them.

use std::collections::HashMap;
use std::iter;

use profile::run::CalledFunction;
use statistics::{Interval, poisson_interval};

use crate::amounts::Amounts;
use crate::analyzed::Analyzed;
use crate::frames::Measure;
use crate::function_table::function_table;

/// A function that was asked for.
pub struct CalledRow<'a> {
    pub counted: &'a CalledFunction,
    /// File name of its module, without folders.
    pub module: &'a str,
    /// By process and thread, as far as there was room for these.
    pub threads: Vec<ThreadOfCalls>,
    pub amounts: Amounts,
    /// Of the measure, a call: its total by its calls. The interval is what the number of samples leaves open. `None`: there were no
    /// samples or no calls, the profile does not say how many samples, or some calls are not counted: the time of these is known,
    /// their number is not.
    pub per_call: Option<Interval>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadOfCalls {
    pub pid: u32,
    pub tid: u32,
    pub calls: u64,
}

/// Most calls first, and what was not counted last. `None`: no calls were counted, or these are a part of a run only, while calls are
/// of the whole.
pub fn called_functions(analyzed: &Analyzed, measure: Measure) -> Option<Vec<CalledRow<'_>>> {
    let run = (analyzed.profile().run.as_ref()).filter(|_| !analyzed.is_selection())?;
    let counts = run.calls.as_ref()?;
    let mut amounts: HashMap<(&str, &str), Amounts> = HashMap::new();
    for row in function_table(analyzed, measure) {
        let function = analyzed.function(row.function);
        let name = (analyzed.text(function.name), analyzed.text(function.module));
        // Functions of one name in several files have one count, too.
        let sum = amounts.entry(name).or_default();
        sum.self_.add(row.amounts.self_);
        sum.total.add(row.amounts.total);
    }
    let mut rows: Vec<CalledRow> = (0..)
        .zip(&counts.functions)
        .map(|(number, counted)| {
            let module = counted.module.rsplit('/').next().unwrap_or("");
            // Debug information may have one of the other names of the code, inlined into the first: the most is all of it.
            let names = iter::once(&counted.name).chain(&counted.same_code);
            let amounts = names
                .filter_map(|name| amounts.get(&(name.as_str(), module)).copied())
                .max_by_key(|amounts| amounts.total.value)
                .unwrap_or_default();
            let of_it = counts.threads.iter().filter(|of| of.function == number);
            CalledRow {
                counted,
                module,
                threads: of_it
                    .map(|of| ThreadOfCalls {
                        pid: of.pid,
                        tid: of.tid,
                        calls: of.calls,
                    })
                    .collect(),
                amounts,
                per_call: per_call(analyzed, measure, counted, amounts),
            }
        })
        .collect();
    rows.sort_by(|a, b| {
        let key = |row: &CalledRow| (row.counted.not_counted.is_empty(), row.counted.calls);
        (key(b).cmp(&key(a))).then_with(|| a.counted.name.cmp(&b.counted.name))
    });
    Some(rows)
}

fn per_call(
    analyzed: &Analyzed,
    measure: Measure,
    counted: &CalledFunction,
    amounts: Amounts,
) -> Option<Interval> {
    let samples = analyzed.known_samples(measure, amounts.total)?;
    let all_counted = counted.inlined_calls.len() == counted.inlined as usize;
    if samples == 0 || counted.calls == 0 || !all_counted || !counted.own_not_counted.is_empty() {
        return None;
    }
    let of_sample = amounts.total.value as f64 / samples as f64 / counted.calls as f64;
    let of = poisson_interval(samples);
    Some(Interval {
        value: of.value * of_sample,
        low: of.low * of_sample,
        high: of.high * of_sample,
    })
}
