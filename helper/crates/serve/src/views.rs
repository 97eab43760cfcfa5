//! Views for the webview: built once for each run or comparison and value, sent as bytes.

use std::sync::Arc;

use analysis::NamedFunction;
use wire::{Message, ViewRequest, view_request::Kind};

use super::allocation_sites;
use super::amounts::Columns;
use super::blame_view;
use super::built_views::{
    BuiltView, CONTENT_BYTES_MAX, ComparedWords, FrameTableBuilder, Rows, flame_graph_view,
};
use super::counted_calls;
use super::failure::Failure;
use super::lock_view;
use super::measured::Measured;
use super::session::Session;
use super::wait_view;

/// As many as the contract has.
const HIDDEN_MAX: usize = 256;

pub fn view(session: &Session, request: &ViewRequest) -> Result<Arc<BuiltView>, Failure> {
    let kind = Kind::try_from(request.kind)
        .map_err(|_| Failure::protocol(format!("There is no view of kind {}.", request.kind)))?;
    let hidden = hidden(kind, &request.hidden)?;
    match kind {
        Kind::FlameGraph | Kind::Functions => {
            let run = session.run(request.run)?;
            let of = Measured::of(&run, Some(request.value))?;
            Ok(run.views().get(kind, of.measure, &hidden, || match kind {
                Kind::FlameGraph => flame_graph(of, &hidden),
                _ => functions(of),
            }))
        }
        Kind::Locks | Kind::Waits | Kind::Blame => {
            let run = session.run(request.run)?;
            Ok(run.views().get(kind, run.measure, &[], || match kind {
                Kind::Locks => lock_view::of(&run.analyzed),
                Kind::Blame => blame_view::of(&run.analyzed),
                _ => wait_view::of(&run.analyzed),
            }))
        }
        Kind::Allocations => {
            let run = session.run(request.run)?;
            allocation_sites::check(&run.analyzed)?;
            // It is of no measure: one table for all of them.
            Ok(run.views().get(kind, 0, &hidden, || {
                allocation_sites::allocations(&run.analyzed)
            }))
        }
        Kind::ComparedFlameGraph | Kind::ComparedFunctions | Kind::ComparedLines => {
            Ok(session.comparison(request.comparison)?.view(kind, &hidden))
        }
    }
}

/// Rather than of a comparison.
pub fn is_of_run(kind: i32) -> bool {
    use Kind::{Allocations, Blame, FlameGraph, Functions, Locks, Waits};
    matches!(
        Kind::try_from(kind),
        Ok(FlameGraph | Functions | Waits | Blame | Locks | Allocations)
    )
}

/// Tables hide nothing: they have a row for each function.
fn hidden(kind: Kind, named: &[wire::NamedFunction]) -> Result<Vec<NamedFunction>, Failure> {
    if named.len() > HIDDEN_MAX {
        return Err(Failure::protocol(format!(
            "At most {HIDDEN_MAX} functions can be hidden; {} were named.",
            named.len()
        )));
    }
    Ok(match kind {
        Kind::FlameGraph | Kind::ComparedFlameGraph => (named.iter())
            .map(|function| NamedFunction::new(&function.name, &function.module))
            .collect(),
        _ => Vec::new(),
    })
}

fn flame_graph(of: Measured, hidden: &[NamedFunction]) -> BuiltView {
    let graph = analysis::flame_graph_without(&of.run.analyzed, of.measure, hidden);
    flame_graph_view(
        graph,
        &of.run.analyzed.measures()[of.measure],
        ComparedWords::default(),
    )
}

fn functions(of: Measured) -> BuiltView {
    let mut rows = analysis::function_table(&of.run.analyzed, of.measure);
    loop {
        let view = function_view(of, &rows);
        if view.content.len() <= CONTENT_BYTES_MAX || rows.is_empty() {
            return view;
        }
        // The coldest functions go.
        rows.truncate(rows.len() / 4 * 3);
    }
}

fn function_view(of: Measured, rows: &[analysis::FunctionRow]) -> BuiltView {
    let (analyzed, measure) = (&of.run.analyzed, of.measure);
    let mut frames = FrameTableBuilder::default();
    let mut columns = Columns::default();
    for row in rows {
        let function = analyzed.function(row.function);
        frames.push(
            [function.name, function.module, function.file].map(|id| analyzed.text(id)),
            function.line,
            analysis::FrameKind::from(function.kind) as u32,
        );
        if function.is_collapsed {
            frames.mark_collapsed();
        }
        columns.push(&of.known_both(row.amounts));
    }
    let total = of.total();
    let mut message = wire::FunctionTable {
        frames: Some(frames.table),
        r#type: analyzed.value_name(measure).to_owned(),
        unit: analyzed.unit(measure).to_owned(),
        total_value: total.value,
        total_samples: total.samples,
        self_value: columns.self_value,
        total_value_of_row: columns.total_value,
        self_samples: columns.self_samples,
        total_samples_of_row: columns.total_samples,
        samples_unknown: !of.is_counted(),
        ..wire::FunctionTable::default()
    };
    counted_calls::fill_in(of, rows, &mut message);
    BuiltView {
        content: message.encode_to_vec(),
        rows: Rows::of_frames(message.frames.unwrap_or_default()),
    }
}
