//! Where threads waited, as the page shows it.

use analysis::{Analyzed, FrameKind, wait_rows};
use wire::Message;

use super::built_views::{BuiltView, FrameTableBuilder, Rows};

/// Those with most time.
const ROWS_MAX: usize = 10_000;
const NATIVE: u32 = FrameKind::Native as u32;

pub fn of(analyzed: &Analyzed) -> BuiltView {
    let rows = wait_rows(analyzed);
    let busy = rows.iter().filter(|row| !row.is_idle);
    let mut message = wire::WaitTable {
        total: busy.map(|row| row.amount.value).sum(),
        ..wire::WaitTable::default()
    };
    let mut places = FrameTableBuilder::default();
    for row in rows.iter().take(ROWS_MAX) {
        let (texts, line) = row.place.map_or(([""; 3], 0), |at| {
            let texts = [at.function, at.module, at.file].map(|id| analyzed.text(id));
            (texts, at.line)
        });
        places.push(texts, line, NATIVE);
        message.reason.push(places.id(row.reason.name()));
        message.waited.push(row.amount.value);
        message.wait_count.push(row.amount.samples);
        message.mean.push(row.mean_ns().unwrap_or(0));
        message.threads.push(row.threads as u32);
        message.idle.push(row.is_idle.into());
    }
    message.places = Some(places.table.clone());
    BuiltView {
        content: message.encode_to_vec(),
        rows: Rows::of_frames(places.table),
    }
}
