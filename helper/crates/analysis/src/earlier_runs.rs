//! Earlier runs of the program that is compared: those that tell something of executions that were not made.

use profile::Profile;

use crate::analyzed::Analyzed;
use crate::counts::{Columns, Counted, count_groups};
use crate::frames::ChainFrame;
use crate::learnt_noise::{Builds, FEW_EXECUTIONS, LearntNoise};
use crate::normalisation::Normalisation;
use crate::side::Side;
use crate::turns::turns;

/// What the runs beside those that are compared tell of executions that were not made.
#[derive(Default)]
pub struct EarlierRuns {
    pub noise: LearntNoise,
    /// Of the same work; see [`LearntNoise::of_the_same_work`].
    pub profiles: Vec<Profile>,
}

impl EarlierRuns {
    /// Whether a comparison of these wants to know them: if drift may separate the sides, and executions are few or those of one
    /// side were all made before those of the other, so that they cannot show it. Earlier runs tell of the default measure.
    pub fn are_wanted(sides: [&Side; 2]) -> bool {
        if (sides.iter()).any(|side| side.measure != side.analyzed.default_measure()) {
            return false;
        }
        if are_blocks(sides) {
            return true;
        }
        let are_few = (sides.iter()).all(|side| side.executions.len() <= FEW_EXECUTIONS);
        let are_single = sides.iter().all(|side| side.executions.len() == 1);
        are_few && (are_single || turns(&sides[0].executions, &sides[1].executions).is_empty())
    }
}

fn are_blocks(sides: [&Side; 2]) -> bool {
    let starts = sides.map(|side| side.executions.iter().map(|one| one.started_ns));
    let [base, new] = starts.map(|starts| (starts.clone().min(), starts.max()));
    match (base, new) {
        ((Some(base_first), Some(base_last)), (Some(new_first), Some(new_last))) => {
            base_first.min(new_first) > 0 && (base_last < new_first || new_last < base_first)
        }
        _ => false,
    }
}

pub(crate) struct EarlierRun {
    pub side: Side,
    pub build: usize,
    pub is_of_new: bool,
    /// By execution.
    pub units: Vec<f64>,
}

impl EarlierRun {
    /// Those of `profiles` that hold the compared value and can be normalised as the comparison is.
    pub fn all(
        profiles: Vec<Profile>,
        sides: [&Analyzed; 2],
        normalisation: Normalisation,
    ) -> Vec<EarlierRun> {
        let kind = |run: &Analyzed| {
            let measure = run.default_measure();
            (
                run.value_name(measure).to_owned(),
                run.unit(measure).to_owned(),
            )
        };
        let mut builds = Builds::default();
        let new_build = (sides[1].profile().run.as_ref()).map(|run| builds.number(run));
        (profiles.into_iter())
            .filter_map(|profile| {
                let build = builds.number(profile.run.as_ref()?);
                let mut side = Side::of(vec![profile]).ok()?;
                if kind(&side.analyzed) != kind(sides[0]) {
                    return None;
                }
                side.measure_executions();
                let units = units_of(&side, normalisation);
                let are_known = units.iter().all(|&units| units.is_finite() && units > 0.0);
                are_known.then(|| EarlierRun {
                    is_of_new: new_build == Some(build),
                    side,
                    build,
                    units,
                })
            })
            .collect()
    }

    pub fn counted(
        &self,
        groups: (&[u32], usize),
        id_of: fn(&ChainFrame) -> Option<u32>,
    ) -> Counted {
        let columns = Columns::of_executions(&self.side, self.side.analyzed.default_measure());
        count_groups(&self.side.analyzed, &columns, groups, id_of)
    }
}

/// By execution, what its counts are divided by; the same for all recordings, unlike the units of a comparison.
fn units_of(side: &Side, normalisation: Normalisation) -> Vec<f64> {
    (side.executions.iter())
        .map(|one| match normalisation {
            Normalisation::Work => one.work,
            Normalisation::Run => f64::from(one.runs.max(1)),
            Normalisation::Wall => one.wall_ns as f64,
            Normalisation::Share => one.value as f64,
        })
        .collect()
}
