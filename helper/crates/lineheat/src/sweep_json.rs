//! A sweep's table as JSON. A figure that is not known is null.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use sweeps::{SweepRow, SweepTable};

use crate::json::{SCHEMA, object};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Sweep<'a> {
    schema: u32,
    parameters: &'a [String],
    /// What the times are per.
    unit: &'a str,
    cells: Vec<Cell<'a>>,
    growing: Vec<Growing<'a>>,
    problems: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Cell<'a> {
    run: Cow<'a, str>,
    /// By the name of the parameter.
    values: BTreeMap<&'a str, &'a str>,
    runs: usize,
    mean_wall_ns: f64,
    sd_wall_ns: f64,
    mean_cpu_ns: f64,
    sd_cpu_ns: f64,
    best: bool,
    like_best: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Growing<'a> {
    name: &'a str,
    module: &'a str,
    parameter: &'a str,
    exponent: f64,
    low: f64,
    high: f64,
    /// By cell.
    cpu_ns: &'a [f64],
}

pub fn json(table: &SweepTable) -> Value {
    object(&Sweep {
        schema: SCHEMA,
        parameters: &table.parameters,
        unit: if table.per_unit {
            "unit of work"
        } else {
            "run"
        },
        cells: table.rows.iter().map(|row| cell(table, row)).collect(),
        growing: (table.growing.iter())
            .map(|found| Growing {
                name: &found.function.0,
                module: &found.function.1,
                parameter: &table.parameters[found.parameter],
                exponent: found.exponent,
                low: found.low,
                high: found.high,
                cpu_ns: &found.cpu_ns,
            })
            .collect(),
        problems: &table.problems,
    })
}

fn cell<'a>(table: &'a SweepTable, row: &'a SweepRow) -> Cell<'a> {
    let pairs = table.parameters.iter().zip(&row.values);
    Cell {
        run: row.path.to_string_lossy(),
        values: pairs.map(|(name, value)| (&**name, &**value)).collect(),
        runs: row.runs,
        mean_wall_ns: row.wall_ns.mean,
        sd_wall_ns: row.wall_ns.sd,
        mean_cpu_ns: row.cpu_ns.mean,
        sd_cpu_ns: row.cpu_ns.sd,
        best: row.best,
        like_best: row.like_best,
    }
}
