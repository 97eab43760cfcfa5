//! Where a node or row that was clicked is in the source.

use wire::{LocateRequest, Location};

use super::failure::Failure;
use super::session::Session;
use super::views;

pub fn locate(session: &Session, request: &LocateRequest) -> Result<Location, Failure> {
    let Some(view) = &request.view else {
        return Err(Failure::protocol(
            "The request for a location does not name a view.",
        ));
    };
    let built = views::view(session, view)?;
    let rows = &built.rows;
    let row = request.index as usize;
    let absent = || Failure::not_found(format!("The view has no row {row}."));
    let frame = rows.frame(row).ok_or_else(absent)?;
    let text = |column: &[u32]| {
        let id = *column.get(frame)?;
        rows.frames.strings.get(id as usize).cloned()
    };
    let function = text(&rows.frames.name).ok_or_else(absent)?;
    let recorded_path = text(&rows.frames.file).unwrap_or_default();
    let line_here = rows.line_of_row.get(row).copied().unwrap_or(0);
    let line = match line_here {
        0 => rows.frames.line.get(frame).copied().unwrap_or(0),
        line => line,
    };
    let is_run = views::is_of_run(view.kind);
    let path = if recorded_path.is_empty() {
        String::new()
    } else if is_run {
        session.run(view.run)?.path_of_recorded(&recorded_path)
    } else {
        session
            .comparison(view.comparison)?
            .path_of_recorded(&recorded_path)
    };
    Ok(Location {
        recorded_path,
        path,
        line,
        function,
    })
}
