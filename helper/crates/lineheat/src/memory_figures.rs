//! How much memory a run allocated, and how far the estimates may be off.

use analysis::{Amount, MemoryKind};
use runs::relative_memory_error;

use crate::selected_run::SelectedRun;

/// One of the sums of a run.
pub struct MemoryFigure {
    pub kind: MemoryKind,
    pub bytes: u64,
    pub objects: u64,
    pub samples: u64,
    /// Standard error, relative; `None`: there are no samples.
    pub error: Option<f64>,
}

/// Of what is selected. Empty: the run is not ours, or has no memory.
pub fn memory_figures(run: &SelectedRun) -> Vec<MemoryFigure> {
    let analyzed = &run.analyzed;
    let figure = |kind: MemoryKind| {
        let [space, objects] = kind.measures(analyzed);
        let bytes = analyzed.total(space?);
        Some(MemoryFigure {
            kind,
            bytes: bytes.value,
            objects: objects.map_or(0, |measure| analyzed.total(measure).value),
            samples: bytes.samples,
            error: relative_error(run, bytes),
        })
    };
    match interval(run) {
        Some(_) => shown_kinds(run).filter_map(figure).collect(),
        None => Vec::new(),
    }
}

/// The peak is that of the whole run.
pub fn shown_kinds(run: &SelectedRun) -> impl Iterator<Item = MemoryKind> {
    let is_part_of_time = run.analyzed.is_part_of_time();
    let kinds = MemoryKind::ALL.into_iter();
    kinds.filter(move |kind| *kind != MemoryKind::Peak || !is_part_of_time)
}

/// Bytes between samples, on average. `None`: the run is not ours, or memory was not recorded.
pub fn interval(run: &SelectedRun) -> Option<u64> {
    let recorded = run.analyzed.profile().run.as_ref()?;
    Some(recorded.allocation_interval).filter(|&bytes| bytes > 0)
}

/// The standard error of an estimate from so many samples. `None`: there are none.
pub fn relative_error(run: &SelectedRun, amount: Amount) -> Option<f64> {
    relative_memory_error(run.analyzed.profile().run.as_ref(), amount.samples)
}

/// When most was in use, since the start of the recording. `None`: it is not known, or each execution had its own time.
pub fn peak_at_ns(run: &SelectedRun) -> Option<u64> {
    let recorded = run.analyzed.profile().run.as_ref()?;
    match recorded.memory_in_time.as_ref()?.peaks.as_slice() {
        [only] => Some(only.time_ns),
        _ => None,
    }
}

/// " (± 4.5 %)"; "" where nothing is known of it, or nothing is a matter of chance.
pub fn error_text(error: Option<f64>) -> String {
    match error {
        None | Some(0.0) => String::new(),
        Some(error) => format!(" (± {:.1} %)", 100.0 * error),
    }
}

pub fn title(kind: MemoryKind) -> &'static str {
    match kind {
        MemoryKind::Allocated => "allocated",
        MemoryKind::InUse => "in use",
        MemoryKind::Peak => "peak",
        MemoryKind::Temporary => "temporary",
    }
}
