//! Waits for locks as the page shows them.

use analysis::{Analyzed, FrameKind, LockHolderOf, lock_waits};
use wire::Message;

use super::built_views::{BuiltView, FrameTableBuilder, Rows, frames_of_both};

/// Those with most time. A convoy has some; thousands are many locks in many places, and their tail says nothing.
const ROWS_MAX: usize = 10_000;
const NATIVE: u32 = FrameKind::Native as u32;

/// As `LockTable.held`.
const HELD_AT: u32 = 0;
const HELD_BY: u32 = 1;
const NOT_NAMED: u32 = 2;

pub fn of(analyzed: &Analyzed) -> BuiltView {
    let rows = lock_waits(analyzed);
    let (mut waiting, mut holder) = (FrameTableBuilder::default(), FrameTableBuilder::default());
    let mut message = wire::LockTable {
        total: rows.iter().map(|row| row.amount.value).sum(),
        ..wire::LockTable::default()
    };
    for row in rows.iter().take(ROWS_MAX) {
        let (texts, line) = row.waiting.map_or(([""; 3], 0), |at| {
            let texts = [at.function, at.module, at.file].map(|id| analyzed.text(id));
            (texts, at.line)
        });
        waiting.push(texts, line, NATIVE);
        let (held, thread, at) = match row.holder {
            LockHolderOf::NotNamed => (NOT_NAMED, "", Default::default()),
            LockHolderOf::Known(of) if of.function.is_empty() => (HELD_BY, of.thread, of),
            LockHolderOf::Known(of) => (HELD_AT, of.thread, of),
        };
        holder.push([at.function, "", at.file], at.line, NATIVE);
        message.thread.push(holder.id(thread));
        message.held.push(held);
        message.waited.push(row.amount.value);
        message.wait_count.push(row.amount.samples);
        message.longest.push(row.longest_ns);
        message.threads.push(row.threads as u32);
    }
    let frames = frames_of_both(&waiting.table, &holder.table);
    message.waiting = Some(waiting.table);
    message.holder = Some(holder.table);
    BuiltView {
        content: message.encode_to_vec(),
        rows: Rows::of_frames(frames),
    }
}
