//! The lines of a comparison: matched, counted and tested apart from the functions, for whoever asks.

use crate::analyzed::{Analyzed, ChainFrame, NO_PLACE};
use crate::comparison::{Comparison, both};
use crate::counts::count_groups;
use crate::earlier_runs::learn_lines;
use crate::effect::Effects;
use crate::line_pairs::{LineMatch, match_lines};
use crate::nested::judge_lines;
use crate::tally::Amounts;

pub(crate) struct ComparedLines {
    pub matched: LineMatch,
    /// By pair of lines.
    pub amounts: Vec<[Amounts; 2]>,
    pub effects: Vec<Effects>,
}

impl ComparedLines {
    pub fn of(comparison: &Comparison) -> ComparedLines {
        let runs: [&Analyzed; 2] = [comparison.base(), comparison.new_run()];
        let matched = match_lines(runs[0], runs[1], &comparison.files);
        let count = matched.pairs.len();
        let of_place = |frame: &ChainFrame| (frame.place != NO_PLACE).then_some(frame.place);
        let [base, new] = &comparison.evidence.columns;
        let [mut base, new] = both(
            || count_groups(runs[0], base, (&matched.base_pair, count), of_place),
            || count_groups(runs[1], new, (&matched.new_pair, count), of_place),
        );
        learn_lines(comparison, &matched, &mut base);
        let amounts: Vec<[Amounts; 2]> = (matched.pairs.iter())
            .map(|pair| {
                let sides = [(&comparison.base, pair.base), (&comparison.new, pair.new)];
                sides.map(|(side, place)| side.amounts_per_unit(side.amounts_of_place(place)))
            })
            .collect();
        let effects = comparison.effects(&base, &new, &amounts);
        let mut lines = ComparedLines {
            matched,
            amounts,
            effects,
        };
        judge_lines(comparison, &mut lines);
        lines
    }
}
