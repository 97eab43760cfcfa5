//! The table of the lines that allocate memory.

use analysis::{Amount, Analyzed, FrameKind, MemoryKind, allocation_sites};
use runs::relative_memory_error;
use wire::{AllocationTable, Message};

use super::built_views::{BuiltView, CONTENT_BYTES_MAX, FrameTableBuilder, Rows};
use super::failure::Failure;

/// Which column a kind of memory has, by its number in [`MemoryKind::ALL`].
const KINDS: usize = MemoryKind::ALL.len();

/// # Errors
/// A sentence where there is no memory, or where it is not known when it was allocated although a time is selected.
pub fn check(analyzed: &Analyzed) -> Result<(), Failure> {
    let space = MemoryKind::Allocated.measures(analyzed)[0];
    let has_memory = (MemoryKind::ALL.iter()).any(|kind| kind.measures(analyzed)[0].is_some());
    if !has_memory {
        return Err(Failure::not_found(
            "This run has no allocated memory. Record with --alloc.".to_owned(),
        ));
    }
    let has_times = || space.is_some_and(|of| analyzed.has_memory_times(of));
    match analyzed.is_part_of_time() && !has_times() {
        true => Err(Failure::not_found(
            "This run does not contain when its memory was allocated, so a selected time has no table of it. Select other parts of the run, or record it again.".to_owned(),
        )),
        false => Ok(()),
    }
}

/// Most bytes allocated first.
pub fn allocations(analyzed: &Analyzed) -> BuiltView {
    let mut sites = allocation_sites(analyzed);
    loop {
        let view = view(analyzed, &sites);
        if view.content.len() <= CONTENT_BYTES_MAX || sites.is_empty() {
            return view;
        }
        // Those that allocate least go.
        sites.truncate(sites.len() / 4 * 3);
    }
}

fn view(analyzed: &Analyzed, sites: &[analysis::AllocationSite]) -> BuiltView {
    let mut frames = FrameTableBuilder::default();
    let mut columns: [wire::MemoryColumn; KINDS] = Default::default();
    let error = |samples| {
        let error = relative_memory_error(analyzed.profile().run.as_ref(), samples);
        error.map_or(f32::NAN, |error| error as f32)
    };
    for site in sites {
        let function = site.function.map(|id| analyzed.function(id));
        let place = site.place.map(|id| analyzed.places()[id as usize]);
        frames.push(
            [
                function.map_or("[unknown]", |function| analyzed.text(function.name)),
                function.map_or("", |function| analyzed.text(function.module)),
                place.map_or("", |place| analyzed.file_path(place.file)),
            ],
            place.map_or(0, |place| place.line),
            function.map_or(FrameKind::Unknown, |function| function.kind.into()) as u32,
        );
        for (column, [bytes, objects]) in columns.iter_mut().zip(site.amounts) {
            column.space.push(bytes.value);
            column.objects.push(objects.value);
            column.error.push(error(bytes.samples));
        }
    }
    let kinds = MemoryKind::ALL.into_iter().zip(columns);
    let mut of_kinds = kinds.map(|(kind, column)| of_kind(analyzed, kind, column, error));
    let mut next = || of_kinds.next().flatten();
    let message = AllocationTable {
        frames: Some(frames.table),
        allocated: next(),
        in_use: next(),
        peak: next(),
        temporary: next(),
    };
    BuiltView {
        content: message.encode_to_vec(),
        rows: Rows::of_frames(message.frames.unwrap_or_default()),
    }
}

/// `None`: the file does not have it. The peak is that of the whole run, so a part of its time has none.
fn of_kind(
    analyzed: &Analyzed,
    kind: MemoryKind,
    column: wire::MemoryColumn,
    error: impl Fn(u64) -> f32,
) -> Option<wire::MemoryColumn> {
    let [space, objects] = kind.measures(analyzed);
    let total = analyzed.total(space?);
    let has_none = kind == MemoryKind::Peak && analyzed.is_part_of_time();
    let all_objects = objects.map_or(Amount::default(), |of| analyzed.total(of));
    (!has_none).then(|| wire::MemoryColumn {
        total_space: total.value,
        total_objects: all_objects.value,
        total_error: error(total.samples),
        ..column
    })
}
