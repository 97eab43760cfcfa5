//! Sweeps that the editor asked for, and their tables.

use std::path::PathBuf;
use std::sync::Arc;

use recorder::RecordOptions;
use sweeps::{Asked, Cell, Parameter, cells, check_use, record_sweep, replaced, sweep_table};
use wire::reply::Body;
use wire::{GrowingFunction, RecordRequest, SweepRequest, SweepRow, SweepTable, SweepTableRequest};

use super::failure::{Failure, FailureKind};
use super::recording::{ended, in_background, options, output, told};
use super::replies::Replies;
use super::session::Session;
use super::telling::Telling;

/// Starts the sweep of request `id`; one reply a cell says that its run is saved.
pub fn start(session: &Arc<Session>, replies: &Replies, id: u32, request: SweepRequest) {
    let (asked, all) = match prepare(request) {
        Ok(prepared) => prepared,
        Err(failure) => return replies.fail(id, failure),
    };
    let runs = all.iter().filter_map(|one| one.output.clone()).collect();
    in_background(session, replies, id, runs, move |replies, control| {
        let total = asked.cells.len() as u32;
        let mut all: Vec<Option<RecordOptions>> = all.into_iter().map(Some).collect();
        let next = |at: usize, _: &Cell| all[at].take().expect("each cell is recorded once");
        let telling = Telling::start(replies, id);
        let outcomes = record_sweep(&asked, next, &control, |said| {
            let cell = said.cell as u32 + 1;
            match told(said.event) {
                Body::RecordingProgress(progress) => {
                    let cells = total;
                    let progress = wire::RecordingProgress {
                        cell,
                        cells,
                        ..progress
                    };
                    telling.tell(Body::RecordingProgress(progress));
                }
                Body::RecordingStarted(_) if cell > 1 => {} // the sweep has
                body => telling.tell(body),
            }
        });
        drop(telling);
        let mut failure = None;
        let mut last: Option<Body> = None;
        for outcome in outcomes {
            match outcome {
                Ok(recorded) => {
                    let body = Body::RecordingEnded(ended(&recorded));
                    if let Some(before) = last.replace(body) {
                        replies.tell(id, before);
                    }
                }
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        match (failure, last) {
            (Some(error), last) => {
                if let Some(body) = last {
                    replies.tell(id, body);
                }
                Err(error.into())
            }
            (None, Some(body)) => Ok(body),
            (None, None) => Err(Failure::protocol("The sweep has no combinations to run.")),
        }
    });
}

fn prepare(request: SweepRequest) -> Result<(Asked, Vec<RecordOptions>), Failure> {
    let wrong = |sentence: String| Failure::protocol(format!("Cannot run the sweep: {sentence}."));
    let record = (request.record).ok_or_else(|| {
        Failure::protocol("A sweep needs a program with arguments that contain the parameters.")
    })?;
    if record.program.is_empty() {
        return Err(Failure::protocol(
            "A sweep runs a program; it cannot attach to a process.",
        ));
    }
    let parameters: Vec<Parameter> = (request.parameters.into_iter())
        .map(|p| Parameter {
            name: p.name,
            values: p.values,
        })
        .collect();
    let cells = cells(&parameters).map_err(wrong)?;
    let texts: Vec<&str> = record
        .args
        .iter()
        .chain(record.env.values())
        .map(String::as_str)
        .collect();
    check_use(&parameters, texts.into_iter()).map_err(wrong)?;
    let first = output(&record);
    let name = first
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let sweep = name.strip_suffix(".pb.gz").unwrap_or(&name).to_owned();
    let all = cells.iter().enumerate().map(|(at, cell)| {
        let path = first.with_file_name(format!("{sweep}-{:03}.pb.gz", at + 1));
        options(&RecordRequest {
            args: record
                .args
                .iter()
                .map(|text| replaced(text, cell))
                .collect(),
            env: (record.env.iter())
                .map(|(name, value)| (name.clone(), replaced(value, cell)))
                .collect(),
            output: path.to_string_lossy().into_owned(),
            name: match request.name.as_str() {
                "" => cell.name(),
                name => format!("{name}: {}", cell.name()),
            },
            ..record.clone()
        })
    });
    let all = all.collect::<Result<_, _>>()?;
    Ok((Asked { sweep, cells }, all))
}

/// # Errors
/// When a run cannot be read, or they are not of one sweep.
pub fn table(request: &SweepTableRequest) -> Result<SweepTable, Failure> {
    let paths: Vec<PathBuf> = request.paths.iter().map(PathBuf::from).collect();
    let table = sweep_table(&paths).map_err(|message| Failure {
        kind: FailureKind::BadProfile,
        message,
        advice: "Choose the runs of one sweep.".to_owned(),
    })?;
    let per = if table.per_unit {
        "unit of work"
    } else {
        "execution"
    };
    let rows = table.rows.into_iter().map(|row| SweepRow {
        path: row.path.to_string_lossy().into_owned(),
        values: row.values,
        runs: row.runs as u32,
        mean_wall_ns: row.wall_ns.mean,
        sd_wall_ns: row.wall_ns.sd,
        mean_cpu_ns: row.cpu_ns.mean,
        sd_cpu_ns: row.cpu_ns.sd,
        best: row.best,
        like_best: row.like_best,
    });
    let growing = table.growing.into_iter().map(|found| GrowingFunction {
        name: found.function.0,
        module: found.function.1,
        parameter: table.parameters[found.parameter].clone(),
        exponent: found.exponent,
        cpu_ns: found.cpu_ns,
    });
    Ok(SweepTable {
        rows: rows.collect(),
        growing: growing.collect(),
        value: format!("wall time per {per}"),
        parameters: table.parameters,
    })
}
