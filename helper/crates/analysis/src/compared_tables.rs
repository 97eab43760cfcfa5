//! Functions and lines of two runs beside each other, largest change of self first.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::analyzed::{Analyzed, FileId, FrameKind, FunctionId, PlaceId};
use crate::comparison::Comparison;
use crate::tally::Amounts;
use crate::verdict::{Verdict, verdict_of_row};

/// One function or line; values are per run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedRow {
    /// Of a line: of the function that it belongs to.
    pub name: String,
    pub module: String,
    /// As the new run names it, or the base when it is gone; empty: unknown.
    pub file: String,
    /// In the new text, of a function its definition; when gone, in the base text. 0: unknown.
    pub line: u32,
    /// In the base text; 0: none.
    pub base_line: u32,
    pub kind: FrameKind,
    pub base: Amounts,
    pub new: Amounts,
    pub verdict: Verdict,
    /// The verdict is about self; otherwise self rests on too few samples, and it is about total.
    pub about_self: bool,
}

pub fn compared_functions(comparison: &Comparison) -> Vec<ComparedRow> {
    let rows = (comparison
        .functions
        .pairs
        .iter()
        .zip(&comparison.function_amounts))
    .filter(|(_, amounts)| **amounts != [Amounts::default(); 2])
    .map(|(pair, &[base, new])| {
        let mut row = named(comparison, pair.base, pair.new, base, new);
        let line =
            |side: &Analyzed, function: Option<u32>| function.map_or(0, |f| side.function(f).line);
        row.base_line = line(comparison.base(), pair.base);
        row.line = match pair.new {
            Some(_) => line(comparison.new_run(), pair.new),
            None => row.base_line,
        };
        row
    })
    .collect();
    sorted(rows)
}

/// A line that both texts have is one row, also where it moved; an edited one too.
pub fn compared_lines(comparison: &Comparison) -> Vec<ComparedRow> {
    let (Some(base_tally), Some(new_tally)) = (
        comparison.base.analyzed.tally(comparison.base.measure),
        comparison.new.analyzed.tally(comparison.new.measure),
    ) else {
        return Vec::new();
    };
    let (base_run, new_run) = (comparison.base(), comparison.new_run());
    let mut rows = Vec::new();
    for pair in &comparison.files {
        let mut unpaired: BTreeSet<PlaceId> = places(new_run, pair.files.new).collect();
        for base_place in places(base_run, pair.files.base) {
            let base_line = base_run.places()[base_place as usize].line;
            let now = pair
                .files
                .new
                .and_then(|_| pair.alignment.to_new(base_line));
            let new_place = pair
                .files
                .new
                .zip(now)
                .and_then(|(file, now)| new_run.find_place(file, now.line));
            if let Some(place) = new_place {
                unpaired.remove(&place);
            }
            let amounts = [
                comparison
                    .base
                    .amounts_per_run(base_tally.places[base_place as usize]),
                new_place.map_or(Amounts::default(), |place| {
                    comparison
                        .new
                        .amounts_per_run(new_tally.places[place as usize])
                }),
            ];
            let mut row = named(
                comparison,
                Some(base_run.function_of_place(base_place)),
                new_place.map(|place| new_run.function_of_place(place)),
                amounts[0],
                amounts[1],
            );
            row.file = file_of(
                comparison,
                pair.files.base,
                pair.files.new.filter(|_| now.is_some()),
            );
            row.line = now.map_or(base_line, |now| now.line);
            row.base_line = base_line;
            rows.push(row);
        }
        for place in unpaired {
            let amounts = comparison
                .new
                .amounts_per_run(new_tally.places[place as usize]);
            let function = new_run.function_of_place(place);
            let mut row = named(
                comparison,
                None,
                Some(function),
                Amounts::default(),
                amounts,
            );
            row.file = file_of(comparison, None, pair.files.new);
            row.line = new_run.places()[place as usize].line;
            rows.push(row);
        }
    }
    rows.retain(|row| (row.base, row.new) != (Amounts::default(), Amounts::default()));
    sorted(rows)
}

fn places(side: &Analyzed, file: Option<FileId>) -> Range<PlaceId> {
    file.map_or(0..0, |file| side.places_of(file))
}

fn file_of(comparison: &Comparison, base: Option<FileId>, new: Option<FileId>) -> String {
    match (base, new) {
        (_, Some(file)) => comparison.new_run().file_path(file).to_owned(),
        (Some(file), None) => comparison.base().file_path(file).to_owned(),
        (None, None) => String::new(),
    }
}

fn named(
    comparison: &Comparison,
    base_function: Option<FunctionId>,
    new_function: Option<FunctionId>,
    base: Amounts,
    new: Amounts,
) -> ComparedRow {
    let (side, function) = match (base_function, new_function) {
        (_, Some(function)) => (
            comparison.new_run(),
            Some(comparison.new_run().function(function)),
        ),
        (base, None) => (
            comparison.base(),
            base.map(|function| comparison.base().function(function)),
        ),
    };
    let (verdict, about_self) = verdict_of_row(base, new);
    ComparedRow {
        name: function.map_or(String::new(), |function| {
            side.text(function.name).to_owned()
        }),
        module: function.map_or(String::new(), |function| {
            side.text(function.module).to_owned()
        }),
        file: function.map_or(String::new(), |function| {
            side.text(function.file).to_owned()
        }),
        line: 0,
        base_line: 0,
        kind: function.map_or(FrameKind::Unknown, |function| function.kind.into()),
        base,
        new,
        verdict,
        about_self,
    }
}

fn sorted(mut rows: Vec<ComparedRow>) -> Vec<ComparedRow> {
    rows.sort_by(|a, b| {
        let change = |row: &ComparedRow| {
            let [base, new] = [row.base, row.new];
            (
                new.self_.value.abs_diff(base.self_.value),
                new.total.value.abs_diff(base.total.value),
                new.self_.value.saturating_add(base.self_.value),
            )
        };
        (change(b).cmp(&change(a)))
            .then_with(|| (&a.name, &a.file, a.line).cmp(&(&b.name, &b.file, b.line)))
    });
    rows
}
