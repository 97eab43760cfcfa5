//! The lines of a comparison: matched, counted and tested apart from the functions, for whoever asks.

use crate::amounts::Amounts;
use crate::analyzed::Analyzed;
use crate::both::both;
use crate::comparison::{ComparedLines, Comparison};
use crate::counts::count_groups;
use crate::frames::{ChainFrame, NO_PLACE};
use crate::learnt_rows::learn_lines;
use crate::line_pairs::match_lines;
use crate::nested::judge_lines;

impl Comparison {
    /// Lines are compared when somebody first asks for them.
    pub(crate) fn lines(&self) -> &ComparedLines {
        self.lines.get_or_init(|| ComparedLines::of(self))
    }
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
