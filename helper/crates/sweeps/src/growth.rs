//! Which functions' CPU time follows a parameter: ln(CPU time per run or unit) = a + Σ b·ln(parameter), fitted over the cells,
//! each weighted by its samples. A slope b is the exponent of a power law: 1 grows in proportion.
//!
//! The variance of ln(n) for a count n is 1/n; where the cells scatter more than that, the slopes' errors grow by as much.

use super::figures::{CellFigures, FunctionName};

/// A function whose CPU time follows a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Growing {
    pub function: FunctionName,
    /// Index into the parameters.
    pub parameter: usize,
    pub exponent: f64,
    /// 95 %.
    pub low: f64,
    pub high: f64,
    /// Self CPU time by cell, per run or unit.
    pub cpu_ns: Vec<f64>,
    /// Its mean over the cells with the parameter's least value, and with its greatest.
    pub from_ns: f64,
    pub to_ns: f64,
}

/// A cell counts for a function with so many samples.
const LEAST_SAMPLES: u64 = 20;
/// A function of less than this part of the CPU time in every cell is not worth a line.
const LEAST_SHARE: f64 = 0.01;
/// Slower growth is not told, however certain.
const LEAST_EXPONENT: f64 = 0.1;

/// At a false discovery rate of 5 % over functions and parameters; strongest growth first, what shrinks stands last. `per`: by what each cell's time is divided.
pub fn growing(cells: &[CellFigures], per: &[f64]) -> Vec<Growing> {
    let columns = numeric_parameters(cells);
    if columns.is_empty() {
        return Vec::new();
    }
    let mut functions: Vec<&FunctionName> = cells.iter().flat_map(|c| c.functions.keys()).collect();
    functions.sort_unstable();
    functions.dedup();
    let totals: Vec<u64> = (cells.iter())
        .map(|cell| cell.functions.values().map(|time| time.cpu_ns).sum())
        .collect();
    let (mut found, mut p) = (Vec::new(), Vec::new());
    for function in functions {
        let times: Vec<_> = (cells.iter())
            .map(|cell| cell.functions.get(function).copied().unwrap_or_default())
            .collect();
        let share = |(time, total): (&super::figures::SelfTime, &u64)| {
            time.cpu_ns as f64 / (*total).max(1) as f64
        };
        if times
            .iter()
            .zip(&totals)
            .all(|pair| share(pair) < LEAST_SHARE)
        {
            continue;
        }
        let cpu_ns: Vec<f64> = (times.iter().zip(per))
            .map(|(time, per)| time.cpu_ns as f64 / per)
            .collect();
        let used: Vec<usize> = (0..cells.len())
            .filter(|at| times[*at].samples >= LEAST_SAMPLES && per[*at] > 0.0)
            .collect();
        let rows: Vec<Vec<f64>> = (used.iter())
            .map(|at| {
                std::iter::once(1.0)
                    .chain(columns.iter().map(|(_, x)| x[*at]))
                    .collect()
            })
            .collect();
        let y: Vec<f64> = used.iter().map(|at| cpu_ns[*at].ln()).collect();
        let weights: Vec<f64> = used.iter().map(|at| times[*at].samples as f64).collect();
        let Some(fit) = Fit::of(&rows, &y, &weights) else {
            continue;
        };
        for (column, (parameter, x)) in columns.iter().enumerate() {
            let (exponent, error) = (fit.slopes[column + 1], fit.errors[column + 1]);
            let half = error * critical(fit.df);
            let (from_ns, to_ns) = ends(x, &cpu_ns);
            p.push(statistics::two_sided_p(exponent / error, fit.df));
            found.push(Growing {
                function: function.clone(),
                parameter: *parameter,
                exponent,
                low: exponent - half,
                high: exponent + half,
                cpu_ns: cpu_ns.clone(),
                from_ns,
                to_ns,
            });
        }
    }
    let mut q = statistics::benjamini_hochberg(&p).into_iter();
    found.retain(|growing| {
        let is_sure = q.next().is_some_and(|q| q < 0.05);
        is_sure && growing.exponent.abs() >= LEAST_EXPONENT
    });
    found.sort_by(|a, b| {
        let by_exponent = b.exponent.total_cmp(&a.exponent);
        by_exponent.then_with(|| a.function.cmp(&b.function))
    });
    found
}

/// Means over the cells where `x` is least, and where it is greatest.
fn ends(x: &[f64], values: &[f64]) -> (f64, f64) {
    let mean_at = |end: f64| {
        let there: Vec<f64> = (x.iter().zip(values))
            .filter(|(x, value)| **x == end && value.is_finite())
            .map(|(_, value)| *value)
            .collect();
        there.iter().sum::<f64>() / there.len() as f64
    };
    let least = x.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (mean_at(least), mean_at(greatest))
}

/// Index and logarithms by cell, of parameters that are numbers above 0 with more than one value.
fn numeric_parameters(cells: &[CellFigures]) -> Vec<(usize, Vec<f64>)> {
    let count = cells.first().map_or(0, |cell| cell.parameters.len());
    (0..count)
        .filter_map(|parameter| {
            let numbers: Option<Vec<f64>> = (cells.iter())
                .map(|cell| {
                    let number: f64 = cell.parameters.get(parameter)?.1.parse().ok()?;
                    (number.is_finite() && number > 0.0).then(|| number.ln())
                })
                .collect();
            let numbers = numbers?;
            let varies = numbers.iter().any(|n| *n != numbers[0]);
            varies.then_some((parameter, numbers))
        })
        .collect()
}

/// |t| that is exceeded in 5 of 100 cases, by halving.
fn critical(df: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1000.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match statistics::two_sided_p(middle, df) > 0.05 {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

/// Weighted least squares.
struct Fit {
    slopes: Vec<f64>,
    errors: Vec<f64>,
    df: f64,
}

impl Fit {
    /// None: fewer rows than are needed to see how well it fits, or columns that cannot be told apart.
    fn of(rows: &[Vec<f64>], y: &[f64], weights: &[f64]) -> Option<Fit> {
        let width = rows.first()?.len();
        let df = rows.len().checked_sub(width).filter(|df| *df > 0)? as f64;
        let mut normal = vec![vec![0.0; width]; width];
        let mut right = vec![0.0; width];
        for ((row, y), weight) in rows.iter().zip(y).zip(weights) {
            for i in 0..width {
                right[i] += weight * row[i] * y;
                for j in 0..width {
                    normal[i][j] += weight * row[i] * row[j];
                }
            }
        }
        let inverse = inverse(normal)?;
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let slopes: Vec<f64> = inverse.iter().map(|row| dot(row, &right)).collect();
        let square: f64 = (rows.iter().zip(y).zip(weights))
            .map(|((row, y), weight)| weight * (y - dot(row, &slopes)).powi(2))
            .sum();
        let scatter = (square / df).max(1.0);
        let errors = (0..width)
            .map(|i| (scatter * inverse[i][i]).sqrt())
            .collect();
        Some(Fit { slopes, errors, df })
    }
}

/// By elimination with the largest pivot. None: singular.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let width = matrix.len();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.extend((0..width).map(|j| if i == j { 1.0 } else { 0.0 }));
    }
    let scale = matrix
        .iter()
        .flatten()
        .fold(0.0f64, |most, x| most.max(x.abs()));
    for column in 0..width {
        let size = |row: &usize| matrix[*row][column].abs();
        let pivot = (column..width).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        if matrix[pivot][column].abs() <= 1e-10 * scale {
            return None;
        }
        matrix.swap(column, pivot);
        let divisor = matrix[column][column];
        matrix[column].iter_mut().for_each(|x| *x /= divisor);
        let pivot_row = matrix[column].clone();
        for (i, row) in matrix.iter_mut().enumerate().filter(|(i, _)| *i != column) {
            let factor = row[column];
            debug_assert_ne!(i, column);
            row.iter_mut()
                .zip(&pivot_row)
                .for_each(|(x, p)| *x -= factor * p);
        }
    }
    Some(
        matrix
            .into_iter()
            .map(|row| row[width..].to_vec())
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::super::figures::SelfTime;
    use super::*;

    fn cell(n: &str, threads: &str, samples: &[(&str, u64)]) -> CellFigures {
        let time = |(name, samples): &(&str, u64)| {
            let time = SelfTime {
                samples: *samples,
                cpu_ns: samples * 1_000_000,
            };
            (((*name).to_owned(), "program".to_owned()), time)
        };
        CellFigures {
            sweep: "s".to_owned(),
            cell: 1,
            parameters: vec![
                ("n".to_owned(), n.to_owned()),
                ("threads".to_owned(), threads.to_owned()),
            ],
            executions: vec![],
            functions: samples.iter().map(time).collect(),
        }
    }

    #[test]
    fn exponents_are_found_and_what_is_flat_or_rare_is_left_out() {
        let mut cells = Vec::new();
        for (n, size) in [("100", 1), ("200", 2), ("400", 4)] {
            for threads in ["1", "2"] {
                let samples = [
                    ("linear", 100 * size),
                    ("square", 50 * size * size),
                    ("flat", 400),
                    ("rare", size),
                ];
                cells.push(cell(n, threads, &samples));
            }
        }
        let found = growing(&cells, &[1.0; 6]);
        let told: Vec<(&str, usize, f64)> = (found.iter())
            .map(|g| {
                (
                    g.function.0.as_str(),
                    g.parameter,
                    (g.exponent * 1000.0).round() / 1000.0,
                )
            })
            .collect();
        assert_eq!(told, [("square", 0, 2.0), ("linear", 0, 1.0)]);
        assert_eq!((found[0].from_ns, found[0].to_ns), (50e6, 800e6));
        assert!(
            found[0].low < 2.0 && 2.0 < found[0].high && found[0].low > 1.5,
            "{found:?}"
        );
    }

    #[test]
    fn words_and_too_few_cells_say_nothing() {
        let cells = [
            cell("100", "a", &[("f", 100)]),
            cell("200", "b", &[("f", 900)]),
        ];
        assert_eq!(growing(&cells, &[1.0; 2]), []);
    }

    #[test]
    fn an_inverse_is_one() {
        let found = inverse(vec![vec![0.0, 2.0], vec![4.0, 1.0]]).unwrap();
        assert_eq!(found, [[-0.125, 0.25], [0.5, 0.0]]);
        assert_eq!(inverse(vec![vec![1.0, 2.0], vec![2.0, 4.0]]), None);
    }
}
