//! Instructions per cycle of functions and lines, where a run has samples of both counters.

use std::collections::HashMap;
use std::hash::Hash;

use statistics::{Interval, poisson_ratio_interval};

use crate::amounts::{Amount, Amounts};
use crate::analyzed::Analyzed;
use crate::frames::{FunctionId, Measure, PlaceId};
use crate::function_table::function_table;
use crate::line_measures::LineMeasure;
use crate::line_table::line_table;

/// Of one function or line. Each covers what the number of samples leaves open; `None`: a counter has no samples there.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct InstructionsPerCycle {
    pub self_: Option<Interval>,
    pub total: Option<Interval>,
}

/// The two counters of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstructionsAndCycles {
    instructions: Measure,
    cycles: Measure,
}

impl InstructionsAndCycles {
    /// `None`: the run has not both, or does not say how many samples each has.
    pub fn of(analyzed: &Analyzed) -> Option<InstructionsAndCycles> {
        let find = |name: &str| {
            let measure = analyzed.profile().find_sample_type(name, "count")?;
            analyzed.is_counted(measure).then_some(measure)
        };
        Some(InstructionsAndCycles {
            instructions: find("instructions")?,
            cycles: find("cycles")?,
        })
    }

    pub fn of_functions(self, analyzed: &Analyzed) -> HashMap<FunctionId, InstructionsPerCycle> {
        let rows = |measure| function_table(analyzed, measure).into_iter();
        self.joined(|measure| {
            rows(measure)
                .map(|row| (row.function, row.amounts))
                .collect()
        })
    }

    pub fn of_lines(self, analyzed: &Analyzed) -> HashMap<PlaceId, InstructionsPerCycle> {
        let rows = |measure| line_table(analyzed, measure).into_iter();
        self.joined(|measure| rows(measure).map(|row| (row.id, row.amounts)).collect())
    }

    /// Of one line, from all its measures.
    pub fn of_line(self, measures: &[LineMeasure]) -> InstructionsPerCycle {
        let find = |measure| measures.iter().find(|of| of.measure == measure);
        let amounts = |measure| find(measure).map_or_else(Amounts::default, |of| of.amounts);
        both(amounts(self.instructions), amounts(self.cycles))
    }

    fn joined<Id: Copy + Eq + Hash>(
        self,
        amounts: impl Fn(Measure) -> HashMap<Id, Amounts>,
    ) -> HashMap<Id, InstructionsPerCycle> {
        let (instructions, cycles) = (amounts(self.instructions), amounts(self.cycles));
        let of = |(id, of): (&Id, &Amounts)| Some((*id, both(*instructions.get(id)?, *of)));
        cycles.iter().filter_map(of).collect()
    }
}

fn both(instructions: Amounts, cycles: Amounts) -> InstructionsPerCycle {
    InstructionsPerCycle {
        self_: per_cycle(instructions.self_, cycles.self_),
        total: per_cycle(instructions.total, cycles.total),
    }
}

/// The counts divided, with the interval of the ratio of the numbers of samples. Each sample stands for about as many events as the
/// others of its counter: the kernel changes the number slowly.
fn per_cycle(instructions: Amount, cycles: Amount) -> Option<Interval> {
    if instructions.samples == 0 || cycles.value == 0 {
        return None;
    }
    let samples = poisson_ratio_interval(instructions.samples, cycles.samples)?;
    let value = instructions.value as f64 / cycles.value as f64;
    let scale = value / samples.value;
    Some(Interval {
        value,
        low: samples.low * scale,
        high: samples.high * scale,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{LineOf, ProfileBuilder};

    const TYPES: [(&str, &str); 6] = [
        ("samples", "count"),
        ("cpu", "nanoseconds"),
        ("cycles_samples", "count"),
        ("cycles", "count"),
        ("instructions_samples", "count"),
        ("instructions", "count"),
    ];

    #[test]
    fn events_are_divided_and_the_interval_is_of_the_samples() {
        let of = |samples, value| Amount { samples, value };
        let ratio = per_cycle(of(10, 3_000_000), of(10, 1_500_000)).expect("samples of both");
        assert!((ratio.value - 2.0).abs() < 1e-12);
        // 10 of 20 lie between 27.196 and 72.804 %: a ratio between 0.37355 and 2.67701 for 1.
        assert!((ratio.low - 2.0 * 0.37355).abs() < 1e-4, "{ratio:?}");
        assert!((ratio.high - 2.0 * 2.67701).abs() < 1e-4, "{ratio:?}");
        assert_eq!(per_cycle(of(0, 0), of(10, 1)), None);
        assert_eq!(per_cycle(of(10, 1), of(0, 0)), None);
    }

    #[test]
    fn functions_and_lines_have_what_both_counters_sampled_there() {
        let mut builder = ProfileBuilder::new(&TYPES);
        let mut location = |name: &str, line| {
            let function = builder.add_function(name, name, "/src/loop.c", line);
            let column = 0;
            let of = LineOf {
                function,
                line,
                column,
            };
            builder.add_location(None, u64::from(line), &[of])
        };
        let (fast, slow, main) = (
            location("fast", 1),
            location("slow", 2),
            location("main", 9),
        );
        for (at, [cycles, instructions]) in [(fast, [2, 8]), (slow, [8, 2])] {
            let row = [0, 0, cycles, cycles * 1000, 0, 0];
            builder.add_sample(&[at, main], &row, &[]);
            let row = [0, 0, 0, 0, instructions, instructions * 1000];
            builder.add_sample(&[at, main], &row, &[]);
        }
        let analyzed = Analyzed::new(builder.finish());
        let counters = InstructionsAndCycles::of(&analyzed).expect("both counters");
        let functions = counters.of_functions(&analyzed);
        let ratio = |of: Option<Interval>| of.map(|of| of.value);
        let mut found: Vec<(&str, _, _)> = (functions.iter())
            .map(|(id, of)| {
                let name = analyzed.text(analyzed.function(*id).name);
                (name, ratio(of.self_), ratio(of.total))
            })
            .collect();
        found.sort_by_key(|of| of.0);
        let expected = [
            ("fast", Some(4.0), Some(4.0)),
            ("main", None, Some(1.0)),
            ("slow", Some(0.25), Some(0.25)),
        ];
        assert_eq!(found, expected);
        let lines = counters.of_lines(&analyzed);
        assert_eq!(lines.len(), 3);
        let file = analyzed.find_file("/src/loop.c").ok().flatten();
        let measures = crate::line_measures(&analyzed, file.expect("the file"), 2);
        assert_eq!(ratio(counters.of_line(&measures).self_), Some(0.25));
    }

    #[test]
    fn one_counter_has_no_ratio() {
        let profile = ProfileBuilder::new(&TYPES[..4]).finish();
        assert_eq!(InstructionsAndCycles::of(&Analyzed::new(profile)), None);
    }
}
