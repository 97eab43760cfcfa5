//! How a line came to run: inlined calls, callers and callees, for its hover.

use analysis::PlaceOf;
use wire::{InlineChain, LineDetail, LineDetailRequest, Neighbour, Place};

use super::amounts::count;
use super::open_run::OpenRun;

const LIMIT_DEFAULT: usize = 5;
const LIMIT_MAX: usize = 1000;

/// A line without samples has empty lists and the total of the run.
pub fn of(run: &OpenRun, request: &LineDetailRequest) -> LineDetail {
    let limit = match request.limit {
        0 => LIMIT_DEFAULT,
        limit => (limit as usize).min(LIMIT_MAX),
    };
    let found = run
        .file_at(&request.path)
        .and_then(|file| Some((file, run.recorded_line(file, request.line)?)))
        .map(|(file, line)| analysis::line_detail(&run.analyzed, run.measure, file, line, limit))
        .unwrap_or_default();
    let neighbours = |found: Vec<analysis::Neighbour>| {
        found
            .into_iter()
            .map(|neighbour| Neighbour {
                place: Some(place(run, neighbour.place)),
                samples: count(neighbour.amount.samples),
                value: neighbour.amount.value,
                kernel: neighbour.kernel,
            })
            .collect()
    };
    LineDetail {
        self_samples: count(found.amounts.self_.samples),
        total_samples: count(found.amounts.total.samples),
        self_value: found.amounts.self_.value,
        total_value: found.amounts.total.value,
        run_total_value: run.analyzed.total(run.measure).value,
        unit: run.analyzed.unit(run.measure).to_owned(),
        inline_chains: found
            .inline_chains
            .into_iter()
            .map(|chain| InlineChain {
                places: chain.places.into_iter().map(|of| place(run, of)).collect(),
                samples: count(chain.samples),
            })
            .collect(),
        callers: neighbours(found.callers),
        callees: neighbours(found.callees),
    }
}

/// With the path where the file is now, if it was found.
fn place(run: &OpenRun, of: PlaceOf) -> Place {
    let now = run.path_of_recorded(&of.path);
    Place {
        function: of.function,
        path: if now.is_empty() { of.path } else { now },
        line: of.line,
    }
}
