//! Allocated memory in the JSON of `report`.

use analysis::{AllocationSite, Amount, Analyzed, MemoryKind};
use serde::Serialize;

use crate::memory_figures::{interval, memory_figures, peak_at_ns};
use crate::selected_run::SelectedRun;

/// Of what is selected.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonMemory {
    /// Bytes between samples, on average.
    interval_bytes: u64,
    allocated: Option<Figure>,
    in_use: Option<Figure>,
    peak: Option<Figure>,
    temporary: Option<Figure>,
    /// Since the start of the recording; null: unknown, or each execution had its own.
    peak_at_ns: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Figure {
    bytes: u64,
    objects: u64,
    samples: u64,
    /// Standard error of the bytes; null: there are no samples.
    relative_error: Option<f64>,
}

impl JsonMemory {
    /// `None`: the run is not ours, or memory was not recorded.
    pub fn new(run: &SelectedRun) -> Option<JsonMemory> {
        let mut figures = memory_figures(run);
        let mut of = |kind| {
            let at = figures.iter().position(|figure| figure.kind == kind)?;
            let figure = figures.swap_remove(at);
            Some(Figure {
                bytes: figure.bytes,
                objects: figure.objects,
                samples: figure.samples,
                relative_error: figure.error,
            })
        };
        Some(JsonMemory {
            interval_bytes: interval(run)?,
            allocated: of(MemoryKind::Allocated),
            in_use: of(MemoryKind::InUse),
            peak: of(MemoryKind::Peak),
            temporary: of(MemoryKind::Temporary),
            peak_at_ns: peak_at_ns(run),
        })
    }
}

/// A line that allocates.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonSite<'a> {
    /// Of the function.
    name: &'a str,
    module: &'a str,
    file: &'a str,
    /// 0: unknown.
    line: u32,
    allocated: Memory,
    in_use: Memory,
    peak: Memory,
    temporary: Memory,
}

#[derive(Serialize)]
struct Memory {
    bytes: u64,
    objects: u64,
    samples: u64,
}

impl<'a> JsonSite<'a> {
    pub fn new(analyzed: &'a Analyzed, site: &AllocationSite) -> JsonSite<'a> {
        let function = site.function.map(|id| analyzed.function(id));
        let place = site.place.map(|id| analyzed.places()[id as usize]);
        let text = |id| analyzed.text(id);
        let of = |[bytes, objects]: [Amount; 2]| Memory {
            bytes: bytes.value,
            objects: objects.value,
            samples: bytes.samples,
        };
        let [allocated, in_use, peak, temporary] = site.amounts.map(of);
        JsonSite {
            name: function.map_or("", |function| text(function.name)),
            module: function.map_or("", |function| text(function.module)),
            file: place.map_or("", |place| analyzed.file_path(place.file)),
            line: place.map_or(0, |place| place.line),
            allocated,
            in_use,
            peak,
            temporary,
        }
    }
}
