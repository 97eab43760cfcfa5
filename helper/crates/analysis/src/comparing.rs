//! Two sides become a comparison: matched, counted, tested, and judged.

use std::sync::{Arc, OnceLock};

use crate::amounts::{Amount, Amounts};
use crate::analyzed::Analyzed;
use crate::both::both;
use crate::comparison::{ComparedSide, Comparison};
use crate::counts::count_groups;
use crate::earlier_runs::{EarlierRun, EarlierRuns};
use crate::evidence::{Evidence, Test};
use crate::execution::Execution;
use crate::frames::{ChainFrame, Measure};
use crate::learnt_rows::learn_functions;
use crate::matching::match_functions;
use crate::matching_files::match_files;
use crate::moved_cost::note_moved_cost;
use crate::nested::judge_nested_totals;
use crate::normalisation::{Normalisation, allowed, units};
use crate::parts::{Parts, length_ns};
use crate::renames::pair_renamed;
use crate::side::Side;
use crate::side_names::SideNames;
use crate::tally::{Groups, tally_groups};
use crate::verdict_on_whole::whole;
use crate::whole::Whole;
use crate::windows::CutTime;

impl Comparison {
    /// Compares what [`Side::about`] says, else CPU time or the default value of the sides. `normalisation`: `None` takes the best.
    ///
    /// # Errors
    /// A sentence, when the sides hold different kinds of values, or do not know what they are to be normalised by.
    pub fn new(
        base: Side,
        new: Side,
        normalisation: Option<Normalisation>,
    ) -> Result<Comparison, String> {
        Comparison::knowing(EarlierRuns::default(), base, new, normalisation)
    }

    /// The same with what earlier runs tell of the noise between executions, where they are wanted
    /// ([`EarlierRuns::are_wanted`]).
    ///
    /// # Errors
    /// As [`Comparison::new`].
    pub fn knowing(
        earlier: EarlierRuns,
        base: Side,
        new: Side,
        normalisation: Option<Normalisation>,
    ) -> Result<Comparison, String> {
        let measures = [&base, &new].map(|side| side.measure);
        let unit = common_unit([&base, &new], measures)?;
        let (mut base, mut new, mut earlier) = (base, new, earlier);
        let parts = Parts::of([&base, &new])?;
        let names = (parts.as_ref()).map_or(SideNames::RUNS, |parts| parts.names);
        if parts.is_some() {
            earlier = EarlierRuns::default();
        }
        let covered = parts.and_then(|parts| parts.covered);
        let cut = covered.as_ref().map(|covered| {
            let ranges = covered.each_ref().map(Vec::as_slice);
            CutTime::of(&base.analyzed, names.words(), ranges)
        });
        if let Some([of_base, of_new]) = &covered {
            (base, new) = (
                base.into_one(length_ns(of_base)),
                new.into_one(length_ns(of_new)),
            );
        }
        base.measure_executions();
        new.measure_executions();
        let mut normalisations = allowed([&base, &new]);
        if covered.is_some() && normalisations.contains(&Normalisation::Wall) {
            // A part is no execution of anything.
            normalisations.retain(|one| *one != Normalisation::Run);
        }
        if covered.is_some() {
            // CPU time per second also tells what else the machine did, and which thread it favoured; shares do not.
            normalisations.sort_by_key(|one| *one != Normalisation::Share);
        }
        let normalisation = chosen(normalisation, &normalisations)?;
        let (runs, new_runs) = (Arc::clone(&base.analyzed), Arc::clone(&new.analyzed));
        let (base_run, new_run): (&Analyzed, &Analyzed) = (&runs, &new_runs);

        let files = match_files(base_run, new_run);
        let mut functions = match_functions(base_run, new_run, &files);
        let renamed_notes = pair_renamed([base_run, new_run], measures, &mut functions);

        let places = base_run.places().len() + new_run.places().len();
        let rows = functions.pairs.len().max(places);
        let mut evidence = Evidence::of([&base, &new], measures, rows, cut);
        evidence.learn(earlier.noise, normalisation);
        let count = functions.pairs.len();
        let of_function = |frame: &ChainFrame| Some(frame.function);
        let [base_columns, new_columns] = &evidence.columns;
        let [mut base_counts, new_counts] = both(
            || {
                count_groups(
                    base_run,
                    base_columns,
                    (&functions.base_pair, count),
                    of_function,
                )
            },
            || {
                count_groups(
                    new_run,
                    new_columns,
                    (&functions.new_pair, count),
                    of_function,
                )
            },
        );

        // The files of a side may have been sampled at different rates.
        let value_of_sample = |one: &Execution| one.value.max(1) as f64 / one.samples.max(1) as f64;
        let values_of_sample: Vec<f64> = ([&base, &new].iter())
            .flat_map(|side| &side.executions)
            .map(|one| {
                evidence
                    .value_of_count
                    .unwrap_or_else(|| value_of_sample(one))
            })
            .collect();
        let sizes = match (normalisation, evidence.test) {
            (Normalisation::Share, Test::Executions) => {
                let (base, new) = (&base_counts.self_, &new_counts.self_);
                (evidence.found_sizes(base, new, functions.pairs.len())).map(|sizes| {
                    (sizes.iter().zip(&values_of_sample))
                        .map(|(size, value)| size * value)
                        .collect::<Vec<f64>>()
                })
            }
            _ => None,
        };
        let units = units([&base, &new], normalisation, sizes.as_deref());
        let profiles = match evidence.learns_rows() {
            true => earlier.profiles,
            false => Vec::new(),
        };
        let earlier = EarlierRun::all(profiles, [base_run, new_run], normalisation);
        let [base, new] = [(base, 0), (new, 1)].map(|(side, index)| ComparedSide {
            analyzed: Arc::clone(&side.analyzed),
            side,
            measure: measures[index],
            units: units.sum(index),
            total: Amount::default(),
        });
        let mut comparison = Comparison {
            names,
            base,
            new,
            functions,
            files,
            lines: OnceLock::new(),
            earlier,
            function_noise: Vec::new(),
            function_amounts: Vec::new(),
            function_effects: Vec::new(),
            function_notes: renamed_notes,
            evidence: Evidence::of_nothing(),
            unit,
            units,
            normalisations,
            whole: Whole::UNKNOWN,
        };
        comparison.add_up();
        let totals = [&comparison.base, &comparison.new].map(|side| side.total.value as f64);
        evidence.relate(totals, &comparison.units.of_execution, &values_of_sample);
        comparison.evidence = evidence;
        learn_functions(&comparison, &mut base_counts);
        comparison.function_noise = base_counts.total.noise.clone();
        comparison.function_effects =
            comparison.effects(&base_counts, &new_counts, &comparison.function_amounts);
        note_moved_cost(&mut comparison, [&base_counts, &new_counts]);
        comparison.whole = whole(&comparison);
        judge_nested_totals(&mut comparison, [&base_counts, &new_counts]);
        Ok(comparison)
    }

    /// Amounts of both sides by pairs of functions.
    fn add_up(&mut self) {
        let pairs = self.functions.pairs.len();
        let [base, new] = both(
            || sums_by_pair(&mut self.base, &self.functions.base_pair, pairs),
            || sums_by_pair(&mut self.new, &self.functions.new_pair, pairs),
        );
        self.function_amounts = base.into_iter().zip(new).map(|(b, n)| [b, n]).collect();
    }
}

fn common_unit(sides: [&Side; 2], measures: [Measure; 2]) -> Result<String, String> {
    let [base, new] = [0, 1].map(|index| {
        let (run, measure) = (&sides[index].analyzed, measures[index]);
        (
            run.value_name(measure).to_owned(),
            run.unit(measure).to_owned(),
        )
    });
    if base == new {
        return Ok(base.1);
    }
    Err(format!(
        "Cannot compare: the base contains {}/{} and the new run {}/{}.",
        base.0, base.1, new.0, new.1
    ))
}

fn chosen(
    asked: Option<Normalisation>,
    allowed: &[Normalisation],
) -> Result<Normalisation, String> {
    let missing = match asked {
        None => return Ok(allowed[0]),
        Some(asked) if allowed.contains(&asked) => return Ok(asked),
        Some(Normalisation::Work) => {
            "the work of every execution on both sides: record with --work or --work-from"
        }
        Some(Normalisation::Wall) => "the wall time of every execution on both sides",
        Some(Normalisation::Run | Normalisation::Share) => {
            "samples in every execution on both sides"
        }
    };
    Err(format!("This normalization requires {missing}."))
}

fn sums_by_pair(side: &mut ComparedSide, pair_of: &[u32], pairs: usize) -> Vec<Amounts> {
    if side.measure >= side.analyzed.profile().sample_types.len() {
        return vec![Amounts::default(); pairs];
    }
    let total = side.analyzed.total(side.measure);
    side.total = side.per_unit(total);
    let sums = pair_sums(&side.analyzed, side.measure, pair_of, pairs);
    (sums.into_iter())
        .map(|amounts| side.amounts_per_unit(amounts))
        .collect()
}

/// By pair of functions. Where each is of one function of the side, that is the function's.
fn pair_sums(run: &Analyzed, measure: Measure, pair_of: &[u32], pairs: usize) -> Vec<Amounts> {
    let Some(tally) = run.tally(measure) else {
        return vec![Amounts::default(); pairs];
    };
    let mut sums = vec![Amounts::default(); pairs];
    let mut is_taken = vec![false; pairs];
    for (&pair, &amounts) in pair_of.iter().zip(&tally.functions) {
        if std::mem::replace(&mut is_taken[pair as usize], true) {
            let mut groups = Groups::new(pair_of, pairs);
            let amounts = run.stacks().amounts(run, measure);
            tally_groups(run, &amounts, |_| true, &mut groups, None);
            return groups.sums;
        }
        sums[pair as usize] = amounts;
    }
    sums
}
