//! Two runs, or two sets of runs, side by side: what is the same, the sums of both, and what may be said of the differences.
//!
//! Values are the measured ones (CPU nanoseconds in our runs) per what [`Normalisation`] says. Sign: new − base.

use std::sync::{Arc, OnceLock};

use profile::{Counting, MeasureInfo};
use statistics::RunNoise;

use crate::amounts::{Amount, Amounts};
use crate::analyzed::Analyzed;
use crate::counts::Counted;
use crate::earlier_runs::EarlierRun;
use crate::effect::Effects;
use crate::evidence::Evidence;
use crate::execution::Execution;
use crate::frames::{Measure, PlaceId};
use crate::line_pairs::{LineMatch, LinePair};
use crate::matching::FunctionMatch;
use crate::matching_files::FilePair;
use crate::normalisation::{Normalisation, Units};
use crate::side::Side;
use crate::side_names::SideNames;
use crate::whole::Whole;

/// As of the values of a profile: what a double counts.
const VALUE_MAX: u64 = (1 << 53) - 1;

pub struct Comparison {
    pub(crate) names: SideNames,
    pub(crate) base: ComparedSide,
    pub(crate) new: ComparedSide,
    pub(crate) functions: FunctionMatch,
    pub(crate) files: Vec<FilePair>,
    /// By pair of functions.
    pub(crate) function_amounts: Vec<[Amounts; 2]>,
    pub(crate) function_effects: Vec<Effects>,
    /// "renamed from …", "cost moved here from …"; empty: nothing.
    pub(crate) function_notes: Vec<String>,
    pub(crate) lines: OnceLock<ComparedLines>,
    pub(crate) earlier: Vec<EarlierRun>,
    /// By pair of functions, of their totals; empty: nothing was learnt.
    pub(crate) function_noise: Vec<RunNoise>,
    pub(crate) evidence: Evidence,
    pub(crate) unit: String,
    pub(crate) units: Units,
    pub(crate) normalisations: Vec<Normalisation>,
    pub(crate) whole: Whole,
}

pub(crate) struct ComparedSide {
    pub side: Side,
    pub analyzed: Arc<Analyzed>,
    pub measure: Measure,
    /// What a sum over all samples is divided by.
    pub units: f64,
    pub total: Amount,
}

/// What is known of lines, once somebody has asked.
pub(crate) struct ComparedLines {
    pub matched: LineMatch,
    /// By pair of lines.
    pub amounts: Vec<[Amounts; 2]>,
    pub effects: Vec<Effects>,
}

impl ComparedSide {
    /// A sum over all executions of the side, per unit. Samples stay those of all executions.
    pub fn per_unit(&self, amount: Amount) -> Amount {
        Amount {
            samples: amount.samples,
            value: ((amount.value as f64 / self.units).round() as u64).min(VALUE_MAX),
        }
    }

    /// Of all executions; zero where there is no place.
    pub fn amounts_of_place(&self, place: Option<PlaceId>) -> Amounts {
        let tally = self.analyzed.tally(self.measure);
        let amounts = (tally.zip(place)).map(|(tally, place)| tally.places[place as usize]);
        amounts.unwrap_or_default()
    }

    pub fn amounts_per_unit(&self, amounts: Amounts) -> Amounts {
        Amounts {
            self_: self.per_unit(amounts.self_),
            total: self.per_unit(amounts.total),
        }
    }
}

impl Comparison {
    pub(crate) fn effects(
        &self,
        base: &Counted,
        new: &Counted,
        amounts: &[[Amounts; 2]],
    ) -> Vec<Effects> {
        let mut effects = self.evidence.effects(base, new, amounts);
        for (effects, [base, new]) in effects.iter_mut().zip(amounts) {
            effects.reconcile(base.total, new.total);
        }
        effects
    }

    /// The function that a pair of lines belongs to.
    pub(crate) fn pair_of_line(&self, line: &LinePair) -> Option<u32> {
        match (line.new, line.base) {
            (Some(place), _) => {
                let function = self.new_run().function_of_place(place);
                Some(self.functions.new_pair[function as usize])
            }
            (None, Some(place)) => {
                let function = self.base().function_of_place(place);
                Some(self.functions.base_pair[function as usize])
            }
            (None, None) => None,
        }
    }

    /// What the sides are called.
    pub fn names(&self) -> SideNames {
        self.names
    }

    pub fn base(&self) -> &Analyzed {
        &self.base.analyzed
    }

    pub fn new_run(&self) -> &Analyzed {
        &self.new.analyzed
    }

    /// Values are per unit.
    pub fn base_total(&self) -> Amount {
        self.base.total
    }

    pub fn new_total(&self) -> Amount {
        self.new.total
    }

    /// The samples of an amount of either side. `None`: not known.
    pub fn known_samples(&self, amount: Amount) -> Option<u64> {
        (self.base.analyzed.known_samples(self.base.measure, amount))
            .and(self.new.analyzed.known_samples(self.new.measure, amount))
    }

    /// Whether amounts of both sides say how many samples they rest on.
    pub fn is_counted(&self) -> bool {
        (self.base.analyzed.is_counted(self.base.measure))
            && self.new.analyzed.is_counted(self.new.measure)
    }

    /// What is compared, as the base has it.
    pub fn measure_info(&self) -> MeasureInfo {
        let of = self.base.analyzed.measures().get(self.base.measure);
        let mut of = of.cloned().unwrap_or_default();
        if !self.is_counted() {
            of.counting = Counting::Unknown;
        }
        of
    }

    /// "cpu", "alloc_space" …
    pub fn value_name(&self) -> &str {
        self.base.analyzed.value_name(self.base.measure)
    }

    /// "nanoseconds" …
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// What values are per: "execution", "unit of work" …
    pub fn per(&self) -> &str {
        &self.units.per
    }

    pub fn normalisation(&self) -> Normalisation {
        self.units.normalisation
    }

    /// Those that the runs allow, the best first.
    pub fn normalisations(&self) -> &[Normalisation] {
        &self.normalisations
    }

    pub fn whole(&self) -> &Whole {
        &self.whole
    }

    /// The executions of base and of new, the warm-up ones first, and the value of each per unit (0 of a warm-up).
    pub fn executions(&self) -> [Vec<(Execution, f64)>; 2] {
        [(&self.base, 0), (&self.new, 1)].map(|(side, index)| {
            let warm_up = side.side.warm_up.iter().map(|one| (*one, 0.0));
            let sampled = (side.side.executions.iter())
                .zip(&self.units.of_execution[index])
                .map(|(one, units)| (*one, one.value as f64 / units));
            warm_up.chain(sampled).collect()
        })
    }

    /// Part of both totals, 0..1, whose innermost function exists on both sides. 1 when there is nothing to match.
    pub fn matched_share(&self) -> f64 {
        let all = self.base.total.value as f64 + self.new.total.value as f64;
        let matched: f64 = (self.functions.pairs.iter().zip(&self.function_amounts))
            .filter(|(pair, _)| pair.base.is_some() && pair.new.is_some())
            .map(|(_, [base, new])| base.self_.value as f64 + new.self_.value as f64)
            .sum();
        if all == 0.0 {
            1.0
        } else {
            // The sum of nothing is −0.0.
            (matched / all).min(1.0).abs()
        }
    }
}
