//! What the values of a comparison are per: a unit of work, a run, a second, or a share.

use crate::execution::Execution;
use crate::side::Side;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Normalisation {
    /// CPU time per unit of work.
    Work,
    /// CPU time per execution of the command, each of which does the same work.
    Run,
    /// CPU time per second of wall time.
    Wall,
    /// The new side brought to the size of the base: shares of the total. Everything seems to move when one function
    /// grows; with several executions each, the size is therefore found from what did not change.
    Share,
}

/// The normalisation in force, and by what each value is divided.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Units {
    pub normalisation: Normalisation,
    /// "execution", "unit of work", "million units of work" …
    pub per: String,
    /// By execution of base and of new.
    pub of_execution: [Vec<f64>; 2],
}

impl Units {
    /// Of a side.
    pub fn sum(&self, side: usize) -> f64 {
        self.of_execution[side].iter().sum()
    }
}

/// Those that the executions of both sides allow, the best first.
///
/// Without known work it is the run, not a size that is found from the profiles: a library size hides a change of the
/// whole, which in a program that does the same work each time is just what is asked for.
pub(crate) fn allowed(sides: [&Side; 2]) -> Vec<Normalisation> {
    let all = |known: fn(&Execution) -> bool| {
        (sides.iter()).all(|side| side.executions.iter().all(known))
    };
    let mut allowed = Vec::new();
    if all(|one| one.work > 0.0) {
        allowed.push(Normalisation::Work);
    }
    let has_wall = all(|one| one.wall_ns > 0);
    if has_wall && !all(|one| one.is_complete) {
        allowed.extend([Normalisation::Wall, Normalisation::Run]);
    } else {
        allowed.push(Normalisation::Run);
        if has_wall {
            allowed.push(Normalisation::Wall);
        }
    }
    if all(|one| one.value > 0) {
        allowed.push(Normalisation::Share);
    }
    allowed
}

/// `sizes`: of all executions, those of base first, where shares are to follow what did not change.
pub(crate) fn units(
    sides: [&Side; 2],
    normalisation: Normalisation,
    sizes: Option<&[f64]>,
) -> Units {
    let of = |unit: &dyn Fn(&Execution) -> f64| {
        sides.map(|side| side.executions.iter().map(unit).collect::<Vec<f64>>())
    };
    let (per, of_execution) = match normalisation {
        Normalisation::Work => {
            let (many, word) = many_units(sides);
            (word, of(&|one| one.work / many))
        }
        Normalisation::Run => ("execution", of(&|one| f64::from(one.runs.max(1)))),
        Normalisation::Wall => ("wall second", of(&|one| one.wall_ns as f64 / 1e9)),
        Normalisation::Share => ("share", shares(sides, sizes)),
    };
    Units {
        normalisation,
        per: per.to_owned(),
        of_execution,
    }
}

/// Values are whole nanoseconds: of so many units together that even a small function has some digits.
fn many_units(sides: [&Side; 2]) -> (f64, &'static str) {
    const DIGITS: f64 = 1e7;
    let least = sides
        .map(|side| {
            let value: f64 = side.executions.iter().map(|one| one.value as f64).sum();
            let work: f64 = side.executions.iter().map(|one| one.work).sum();
            value / work
        })
        .into_iter()
        .fold(f64::INFINITY, f64::min);
    let sizes = [
        (1.0, "unit of work"),
        (1e3, "thousand units of work"),
        (1e6, "million units of work"),
    ];
    (sizes.into_iter())
        .find(|(many, _)| least * many >= DIGITS)
        .unwrap_or((1e9, "thousand million units of work"))
}

/// Sizes such that the executions of the base are 1 on average.
fn shares(sides: [&Side; 2], sizes: Option<&[f64]>) -> [Vec<f64>; 2] {
    let base_runs = sides[0].executions.len();
    let mut sizes: Vec<f64> = match sizes {
        Some(sizes) => sizes.to_vec(),
        None => (sides.iter())
            .flat_map(|side| side.executions.iter().map(|one| one.value as f64))
            .collect(),
    };
    let mean = sizes[..base_runs].iter().sum::<f64>() / base_runs as f64;
    sizes.iter_mut().for_each(|size| *size /= mean);
    let new = sizes.split_off(base_runs);
    [sizes, new]
}
