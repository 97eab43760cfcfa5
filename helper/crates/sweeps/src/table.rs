//! The table of a sweep, from its saved runs.

use std::path::PathBuf;

use statistics::{benjamini_hochberg, compare_runs, summary};

use super::figures::{CellFigures, figures};
use super::growth::{Growing, growing};

/// What a sweep shows.
pub struct SweepTable {
    /// Names.
    pub parameters: Vec<String>,
    /// In the order of the sweep.
    pub rows: Vec<SweepRow>,
    /// The work is known, so that times are per unit of it; else they are per run.
    pub per_unit: bool,
    pub growing: Vec<Growing>,
    /// Sentences.
    pub problems: Vec<String>,
}

/// One combination.
pub struct SweepRow {
    pub path: PathBuf,
    pub values: Vec<String>,
    pub runs: usize,
    pub wall_ns: Spread,
    pub cpu_ns: Spread,
    /// Least mean wall time.
    pub best: bool,
    /// Not distinguishable from the best.
    pub like_best: bool,
}

/// NaN where it is not known.
#[derive(Debug, Clone, Copy)]
pub struct Spread {
    pub mean: f64,
    pub sd: f64,
}

/// # Errors
/// A sentence, when a run cannot be read or they are not of one sweep.
pub fn sweep_table(paths: &[PathBuf]) -> Result<SweepTable, String> {
    let mut cells: Vec<(PathBuf, CellFigures)> = (paths.iter())
        .map(|path| Ok((path.clone(), figures(path)?)))
        .collect::<Result<_, String>>()?;
    cells.sort_by_key(|(_, cell)| cell.cell);
    let names = |cell: &CellFigures| -> Vec<String> {
        cell.parameters
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    };
    let Some((first_path, first)) = cells.first() else {
        return Err("give at least one run of a sweep".to_owned());
    };
    let other = |(_, cell): &&(PathBuf, CellFigures)| {
        cell.sweep != first.sweep || names(cell) != names(first)
    };
    if let Some((path, _)) = cells.iter().find(other) {
        let (first, path) = (first_path.display(), path.display());
        return Err(format!(
            "{path} and {first} belong to different sweeps; give the runs of one sweep"
        ));
    }
    let parameters = names(first);
    let per_unit = cells.iter().all(|(_, cell)| cell.work().is_some());
    let (paths, cells): (Vec<PathBuf>, Vec<CellFigures>) = cells.into_iter().unzip();
    let per: Vec<f64> = (cells.iter())
        .map(|cell| match cell.work().filter(|_| per_unit) {
            Some(work) => work,
            None => cell.executions.len() as f64,
        })
        .collect();
    let growing = growing(&cells, &per);
    let walls: Vec<Vec<f64>> = cells.iter().map(|cell| walls(cell, per_unit)).collect();
    let rows = (paths.into_iter().zip(&cells).zip(&walls)).map(|((path, cell), walls)| SweepRow {
        path,
        values: cell
            .parameters
            .iter()
            .map(|(_, value)| value.clone())
            .collect(),
        runs: cell.executions.len(),
        wall_ns: spread(walls),
        cpu_ns: spread(&cpu_times(cell, per_unit)),
        best: false,
        like_best: false,
    });
    let mut rows: Vec<SweepRow> = rows.collect();
    mark_best(&mut rows, &walls);
    let problems = problems(&rows);
    Ok(SweepTable {
        parameters,
        rows,
        per_unit,
        growing,
        problems,
    })
}

fn walls(cell: &CellFigures, per_unit: bool) -> Vec<f64> {
    let each = cell.executions.iter();
    each.map(|e| e.wall_ns as f64 / if per_unit { e.work } else { 1.0 })
        .collect()
}

fn cpu_times(cell: &CellFigures, per_unit: bool) -> Vec<f64> {
    let each = cell.executions.iter();
    let cpu = |e: &profile::Execution| (e.user_ns + e.system_ns) as f64;
    each.map(|e| cpu(e) / if per_unit { e.work } else { 1.0 })
        .collect()
}

fn spread(values: &[f64]) -> Spread {
    let unknown = Spread {
        mean: f64::NAN,
        sd: f64::NAN,
    };
    summary(values).map_or(unknown, |figures| Spread {
        mean: figures.mean,
        sd: figures.standard_deviation,
    })
}

/// The quickest, and those that a Welch t on the logarithms cannot tell from it (false discovery rate 5 % over the cells).
fn mark_best(rows: &mut [SweepRow], walls: &[Vec<f64>]) {
    let known = (0..rows.len()).filter(|at| rows[*at].wall_ns.mean.is_finite());
    let mean = |at: &usize| rows[*at].wall_ns.mean;
    let Some(best) = known.min_by(|a, b| mean(a).total_cmp(&mean(b))) else {
        return;
    };
    rows[best].best = true;
    let repeated = |at: &usize| *at != best && walls[*at].len() > 1 && walls[best].len() > 1;
    let others: Vec<usize> = (0..rows.len()).filter(repeated).collect();
    let p: Vec<f64> = (others.iter())
        .map(|at| compare_runs(&walls[best], &walls[*at], &[]).map_or(1.0, |effect| effect.p))
        .collect();
    for (at, q) in others.into_iter().zip(benjamini_hochberg(&p)) {
        rows[at].like_best = q >= 0.05;
    }
}

fn problems(rows: &[SweepRow]) -> Vec<String> {
    let mut problems = Vec::new();
    if rows.iter().any(|row| row.runs == 0) {
        problems.push("A cell without figures has no successful execution.".to_owned());
    }
    if rows.len() > 1 && rows.iter().any(|row| row.runs == 1) {
        problems
            .push("One execution per cell cannot show noise. Use --repeat 3 or more.".to_owned());
    }
    problems
}
