//! The runs of a sweep: one a cell, in turns as far as there is room for so many samplers.

use std::sync::mpsc::Receiver;

use profile::run::SweepCell;
use recorder::{
    Control, EndReason, IN_TURNS_MAX, RecordError, RecordOptions, Recorded, record_in_turns,
};

use super::cells::Cell;

/// A cell's recording, told with its number, from 0.
pub struct Event {
    pub cell: usize,
    pub event: recorder::Event,
}

/// The sweep that is to be made.
pub struct Asked {
    /// The same in all its runs.
    pub sweep: String,
    pub cells: Vec<Cell>,
}

/// Records every cell; `options` makes each one's. Ends early when a cell cannot be recorded or somebody says stop.
pub fn record_sweep(
    asked: &Asked,
    mut options: impl FnMut(usize, &Cell) -> RecordOptions,
    control: &Receiver<Control>,
    mut on_event: impl FnMut(Event),
) -> Vec<Result<Recorded, RecordError>> {
    let mut outcomes = Vec::new();
    let total = asked.cells.len();
    let numbers: Vec<usize> = (0..total).collect();
    for part in numbers.chunks(IN_TURNS_MAX) {
        let all: Vec<RecordOptions> = (part.iter())
            .map(|at| {
                let cell = &asked.cells[*at];
                RecordOptions {
                    sweep: Some(SweepCell {
                        sweep: asked.sweep.clone(),
                        parameters: cell.wire(),
                        cell: *at as u32 + 1,
                        cells: total as u32,
                    }),
                    ..options(*at, cell)
                }
            })
            .collect();
        let first = part[0];
        let done = record_in_turns(all, control, |n, event| {
            on_event(Event {
                cell: first + n,
                event,
            })
        });
        let goes_on = done.iter().all(|outcome| {
            let complete = |r: &Recorded| r.end_reason == EndReason::Exited;
            outcome.as_ref().is_ok_and(complete)
        });
        outcomes.extend(done);
        if !goes_on {
            break;
        }
    }
    outcomes
}
