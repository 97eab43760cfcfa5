//! What the threads of a run waited for at the lines of one file.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use profile::{Family, WaitReason};

use crate::amounts::Amount;
use crate::analyzed::Analyzed;
use crate::file_heat::alignment;
use crate::frames::{FileId, Measure};
use crate::idle_threads::apart;
use crate::thread_times::{ThreadTimes, waits_of_threads};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WaitsOnLines {
    /// Ascending, numbered as in the text now.
    pub lines: Vec<WaitingLine>,
    /// How long the threads that are not idle lived, together, in nanoseconds.
    pub threads_ns: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingLine {
    pub line: u32,
    /// Edited since the recording.
    pub changed: bool,
    /// Of all threads that are not idle.
    pub waited: Amount,
    /// They add up to `waited`; most time first.
    pub reasons: Vec<(WaitReason, Amount)>,
}

/// What stands beside the heat of `measure`: nothing but beside CPU time, since all waits are figures of their own measure.
///
/// Of the selection. A wait is at the line of the program that wanted to wait, as in `wait_rows`; where a thread lost its CPU is a
/// matter of chance and at no line. `text_now`: as for `file_heat`. No lines: nothing waited there, or waits were not recorded.
pub fn waits_on_lines(
    analyzed: &Analyzed,
    measure: Measure,
    file: FileId,
    text_now: Option<&str>,
) -> WaitsOnLines {
    if analyzed.measures().get(measure).map(|of| of.family) != Some(Family::Cpu) {
        return WaitsOnLines::default();
    }
    let (busy, _) = apart(waits_of_threads(analyzed).unwrap_or_default());
    let path = analyzed.file_id(file);
    let mut by_line: BTreeMap<u32, BTreeMap<WaitReason, Amount>> = BTreeMap::new();
    let waits = busy.iter().flat_map(|thread| &thread.waits);
    for waits in waits.filter(|waits| waits.reason != WaitReason::RunQueue) {
        let Some(place) = (waits.place).filter(|at| at.file == path && at.line != 0) else {
            continue;
        };
        let reasons = by_line.entry(place.line).or_default();
        reasons.entry(waits.reason).or_default().add(waits.amount);
    }
    if by_line.is_empty() {
        return WaitsOnLines::default();
    }
    let alignment = alignment(analyzed, file, text_now);
    let lines = (by_line.into_iter()).filter_map(|(line, reasons)| {
        let now = alignment.to_new(line)?;
        let mut reasons: Vec<(WaitReason, Amount)> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, amount)| Reverse(amount.value));
        let mut waited = Amount::default();
        for (_, amount) in &reasons {
            waited.add(*amount);
        }
        Some(WaitingLine {
            line: now.line,
            changed: now.changed,
            waited,
            reasons,
        })
    });
    let mut lines: Vec<WaitingLine> = lines.collect();
    lines.sort_by_key(|line| line.line);
    let lives = busy.iter().map(ThreadTimes::life_ns);
    WaitsOnLines {
        lines,
        threads_ns: lives.fold(0, u64::saturating_add),
    }
}
