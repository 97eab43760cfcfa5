//! Waiting time by what caused it, as the page shows it.

use std::collections::HashMap;

use analysis::{Analyzed, Blame, BlamedOn, FrameKind, WaitPlace, blame, knows_wakers};
use runs::waker_text;
use wire::Message;

use super::built_views::{BuiltView, FrameTableBuilder, Rows, frames_of_both};

/// Those with most time.
const ROWS_MAX: usize = 10_000;
/// As many lines as a tooltip has room for.
const TOP_LINES: usize = 8;
const NATIVE: u32 = FrameKind::Native as u32;

/// As `BlameTable.evidence`.
const HELD: u32 = 0;
const ENDED: u32 = 1;
const NO_LINE: u32 = 2;
const IDLE: u32 = 3;

pub fn of(analyzed: &Analyzed) -> BuiltView {
    let rows = blame(analyzed);
    let busy = rows.iter().filter(|row| row.on != BlamedOn::Idle);
    let mut message = wire::BlameTable {
        total: busy.map(|row| row.amount.value).sum(),
        lack: lack(analyzed, &rows),
        ..wire::BlameTable::default()
    };
    let modules = modules(analyzed);
    let (mut causes, mut waiting, mut top) =
        <(FrameTableBuilder, FrameTableBuilder, FrameTableBuilder)>::default();
    for (number, row) in (0..).zip(rows.iter().take(ROWS_MAX)) {
        let cause = Cause::of(row.on);
        let module = modules.get(&(cause.function, cause.file)).copied();
        let texts = [cause.function, module.unwrap_or_default(), cause.file];
        causes.push(texts, cause.line, NATIVE);
        push_place(analyzed, &mut waiting, row.waiting[0].0);
        for &(place, amount) in row.waiting.iter().take(TOP_LINES) {
            push_place(analyzed, &mut top, place);
            message.top_row.push(number);
            message.top_waited.push(amount.value);
        }
        message.evidence.push(cause.evidence);
        message.ended_by.push(causes.id(&cause.ended_by));
        message.reasons.push(causes.id(&row.reasons.join(", ")));
        message.lines.push(row.waiting.len() as u32);
        message.waited.push(row.amount.value);
        message.wait_count.push(row.amount.samples);
        message.threads.push(row.threads as u32);
    }
    let frames = frames_of_both(&causes.table, &waiting.table);
    message.causes = Some(causes.table);
    message.waiting = Some(waiting.table);
    message.top_lines = Some(top.table);
    BuiltView {
        content: message.encode_to_vec(),
        rows: Rows::of_frames(frames),
    }
}

#[derive(Default)]
struct Cause<'a> {
    function: &'a str,
    file: &'a str,
    line: u32,
    evidence: u32,
    ended_by: String,
}

impl<'a> Cause<'a> {
    fn of(on: BlamedOn<'a>) -> Cause<'a> {
        match on {
            BlamedOn::Holder(of) => Cause {
                function: of.function,
                file: of.file,
                line: of.line,
                evidence: HELD,
                ..Cause::default()
            },
            BlamedOn::Waker(of) => Cause {
                function: of.function,
                file: of.file,
                line: of.line,
                evidence: ENDED,
                ..Cause::default()
            },
            BlamedOn::Nobody { ended_by, .. } => Cause {
                evidence: NO_LINE,
                ended_by: ended_by.map(waker_text).unwrap_or_default(),
                ..Cause::default()
            },
            BlamedOn::Idle => Cause {
                evidence: IDLE,
                ..Cause::default()
            },
        }
    }
}

fn push_place(analyzed: &Analyzed, frames: &mut FrameTableBuilder, place: Option<WaitPlace>) {
    let (texts, line) = place.map_or(([""; 3], 0), |at| {
        let texts = [at.function, at.module, at.file].map(|id| analyzed.text(id));
        (texts, at.line)
    });
    frames.push(texts, line, NATIVE);
}

/// By name and file of a function: what held a lock or ended a wait is known by these.
fn modules(analyzed: &Analyzed) -> HashMap<(&str, &str), &str> {
    let all = analyzed.functions().iter().map(|of| {
        let [name, file, module] = [of.name, of.file, of.module].map(|id| analyzed.text(id));
        ((name, file), module)
    });
    all.collect()
}

/// A run that was not saved at its end has neither holders nor wakers, whatever was recorded.
fn lack(analyzed: &Analyzed, rows: &[Blame]) -> String {
    let is_ours = (analyzed.profile().run.as_ref()).is_some_and(|run| !run.partial);
    if !is_ours || rows.is_empty() || knows_wakers(analyzed) {
        return String::new();
    }
    "Only lock holders are known. To see what ended the other waits, record with --wakeups."
        .to_owned()
}
