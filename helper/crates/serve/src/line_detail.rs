//! How a line came to run: inlined calls, callers and callees, for its hover.

use analysis::{Amount, Amounts, InstructionsAndCycles, PlaceOf};
use statistics::Interval;
use wire::{
    InlineChain, LineDetail, LineDetailRequest, LineHolder, LineMeasure, LineRatio, LineReason,
    Neighbour, Place,
};

use super::amounts::{count, known};
use super::failure::Failure;
use super::measured::Measured;
use super::open_run::OpenRun;

const LIMIT_DEFAULT: usize = 5;
const LIMIT_MAX: usize = 1000;

/// A line without samples has empty lists and the total of the run.
pub fn of(run: &OpenRun, request: &LineDetailRequest) -> Result<LineDetail, Failure> {
    let measured = Measured::of(run, request.value)?;
    let limit = match request.limit {
        0 => LIMIT_DEFAULT,
        limit => (limit as usize).min(LIMIT_MAX),
    };
    let at = run
        .file_at(&request.path)
        .and_then(|file| Some((file, run.recorded_line(file, request.line)?)));
    let changed = at.is_some_and(|(_, aligned)| aligned.changed);
    let at = at.map(|(file, aligned)| (file, aligned.line));
    let found = at
        .map(|(file, line)| {
            analysis::line_detail(&run.analyzed, measured.measure, file, line, limit)
        })
        .unwrap_or_default();
    let neighbours = |found: Vec<analysis::Neighbour>| {
        found
            .into_iter()
            .map(|neighbour| Neighbour {
                place: Some(place(run, neighbour.place)),
                samples: count(measured.known(neighbour.amount).samples),
                value: neighbour.amount.value,
                kernel: neighbour.kernel,
            })
            .collect()
    };
    let amounts = measured.known_both(found.amounts);
    let measures = at
        .map(|(file, line)| analysis::line_measures(&run.analyzed, file, line))
        .unwrap_or_default();
    let per_cycle = InstructionsAndCycles::of(&run.analyzed)
        .map(|of| of.of_line(&measures))
        .unwrap_or_default();
    Ok(LineDetail {
        self_samples: count(amounts.self_.samples),
        total_samples: count(amounts.total.samples),
        samples_unknown: !measured.is_counted(),
        complete: measured.is_complete(),
        self_value: amounts.self_.value,
        total_value: amounts.total.value,
        run_total_value: measured.total().value,
        unit: run.analyzed.unit(measured.measure).to_owned(),
        inline_chains: found
            .inline_chains
            .into_iter()
            .map(|chain| InlineChain {
                places: chain.places.into_iter().map(|of| place(run, of)).collect(),
                samples: if measured.is_counted() {
                    count(chain.samples)
                } else {
                    0
                },
            })
            .collect(),
        callers: neighbours(found.callers),
        callees: neighbours(found.callees),
        measures: measures
            .into_iter()
            .map(|of| line_measure(run, of))
            .collect(),
        self_per_cycle: per_cycle.self_.map(ratio),
        total_per_cycle: per_cycle.total.map(ratio),
        changed,
    })
}

fn ratio(of: Interval) -> LineRatio {
    let Interval { value, low, high } = of;
    LineRatio { value, low, high }
}

fn line_measure(run: &OpenRun, of: analysis::LineMeasure) -> LineMeasure {
    let samples = |amount| count(known(&run.analyzed, of.measure, amount).samples);
    let places = |all: &mut dyn Iterator<Item = (PlaceOf, Amount)>| {
        let most = all.take(HOLDERS_MAX);
        most.map(|(at, amount)| LineHolder {
            place: Some(place(run, at)),
            value: amount.value,
            samples: samples(amount),
        })
        .collect()
    };
    let Amounts { self_, total } = of.amounts;
    LineMeasure {
        value: of.measure as u32,
        self_samples: samples(self_),
        total_samples: samples(total),
        self_value: self_.value,
        total_value: total.value,
        run_total_value: of.run_total.value,
        reasons: (of.reasons.iter())
            .map(|&(reason, amount)| LineReason {
                reason: reason.to_owned(),
                value: amount.value,
                samples: samples(amount),
            })
            .collect(),
        holders: places(&mut of.holders.iter().map(|&(holder, amount)| {
            let at = PlaceOf {
                function: holder.function.to_owned(),
                path: holder.file.to_owned(),
                line: holder.line,
            };
            (at, amount)
        })),
        wakers: places(&mut of.wakers.iter().map(|&(waker, amount)| {
            let at = PlaceOf {
                function: waker.function.to_owned(),
                path: waker.file.to_owned(),
                line: waker.line,
            };
            (at, amount)
        })),
    }
}

/// Of the holders of locks, and of those who ended waits, those with most time.
const HOLDERS_MAX: usize = 5;

/// With the path where the file is now, if it was found.
fn place(run: &OpenRun, of: PlaceOf) -> Place {
    let now = run.path_of_recorded(&of.path);
    Place {
        function: of.function,
        path: if now.is_empty() { of.path } else { now },
        line: of.line,
    }
}
