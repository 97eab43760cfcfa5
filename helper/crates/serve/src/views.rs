//! Views for the webview: built once for each run or comparison and value, sent as bytes.

use std::sync::Arc;

use analysis::{Measure, NamedFunction};
use wire::{Message, ViewRequest, view_request::Kind};

use super::amounts::Columns;
use super::built_views::{BuiltView, CONTENT_BYTES_MAX, FrameTableBuilder, Rows, flame_graph_view};
use super::failure::Failure;
use super::open_run::OpenRun;
use super::session::Session;

/// As many as the contract has.
const HIDDEN_MAX: usize = 256;

pub fn view(session: &Session, request: &ViewRequest) -> Result<Arc<BuiltView>, Failure> {
    let kind = Kind::try_from(request.kind)
        .map_err(|_| Failure::protocol(format!("There is no view of kind {}.", request.kind)))?;
    let hidden = hidden(kind, &request.hidden)?;
    match kind {
        Kind::FlameGraph | Kind::Functions => {
            let run = session.run(request.run)?;
            let measure = measure(&run, request.value)?;
            Ok(run.views().get(kind, measure, &hidden, || match kind {
                Kind::FlameGraph => flame_graph(&run, measure, &hidden),
                _ => functions(&run, measure),
            }))
        }
        Kind::ComparedFlameGraph | Kind::ComparedFunctions | Kind::ComparedLines => {
            Ok(session.comparison(request.comparison)?.view(kind, &hidden))
        }
    }
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

pub(super) fn measure(run: &OpenRun, value: u32) -> Result<Measure, Failure> {
    let values = run.analyzed.profile().sample_types.len();
    if (value as usize) < values {
        return Ok(value as usize);
    }
    Err(Failure::not_found(format!(
        "The run has {values} measures; there is no number {value}."
    )))
}

fn flame_graph(run: &OpenRun, measure: Measure, hidden: &[NamedFunction]) -> BuiltView {
    let graph = analysis::flame_graph_without(&run.analyzed, measure, hidden);
    flame_graph_view(
        graph,
        run.analyzed.value_name(measure),
        run.analyzed.unit(measure),
    )
}

fn functions(run: &OpenRun, measure: Measure) -> BuiltView {
    let mut rows = analysis::function_table(&run.analyzed, measure);
    loop {
        let view = function_view(run, measure, &rows);
        if view.content.len() <= CONTENT_BYTES_MAX || rows.is_empty() {
            return view;
        }
        // The coldest functions go.
        rows.truncate(rows.len() / 4 * 3);
    }
}

fn function_view(run: &OpenRun, measure: Measure, rows: &[analysis::FunctionRow]) -> BuiltView {
    let analyzed = &run.analyzed;
    let mut frames = FrameTableBuilder::default();
    let mut columns = Columns::default();
    for row in rows {
        let function = analyzed.function(row.function);
        frames.push(
            [function.name, function.module, function.file].map(|id| analyzed.text(id)),
            function.line,
            analysis::FrameKind::from(function.kind) as u32,
        );
        columns.push(&row.amounts);
    }
    let total = analyzed.total(measure);
    let message = wire::FunctionTable {
        frames: Some(frames.table),
        r#type: analyzed.value_name(measure).to_owned(),
        unit: analyzed.unit(measure).to_owned(),
        total_value: total.value,
        total_samples: total.samples,
        self_value: columns.self_value,
        total_value_of_row: columns.total_value,
        self_samples: columns.self_samples,
        total_samples_of_row: columns.total_samples,
    };
    BuiltView {
        content: message.encode_to_vec(),
        rows: Rows::of_frames(message.frames.unwrap_or_default()),
    }
}
