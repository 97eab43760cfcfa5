//! Functions and lines of two runs beside each other, largest change of self first.

use crate::analyzed::{Analyzed, FileId, FrameKind, FunctionId};
use crate::comparison::Comparison;
use crate::effect::{Effects, Verdict};
use crate::tally::{Amount, Amounts};

/// One function or line; values are per unit.
#[derive(Debug, Clone, PartialEq)]
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
    pub effects: Effects,
    pub verdict: Verdict,
    /// The verdict is about self; otherwise self rests on too few samples, and it is about total.
    pub about_self: bool,
    /// "renamed from …", "cost moved here from …"; empty: nothing.
    pub note: String,
    /// Share of its change of self in all increases, if it is one, else in all decreases of the table: 0.5 is half of them.
    /// Negative where it is against the overall change.
    pub contribution: f64,
    /// Index of the pair of functions, or of lines.
    pub(crate) pair: u32,
}

impl ComparedRow {
    /// What the row's verdict is about: of base and of new.
    pub fn measured(&self) -> [Amount; 2] {
        match self.about_self {
            true => [self.base.self_, self.new.self_],
            false => [self.base.total, self.new.total],
        }
    }

    pub fn effect(&self) -> &crate::effect::Effect {
        match self.about_self {
            true => &self.effects.self_,
            false => &self.effects.total,
        }
    }

    /// Of self, with its sign.
    pub fn self_change(&self) -> i64 {
        self.new.self_.value as i64 - self.base.self_.value as i64
    }
}

pub fn compared_functions(comparison: &Comparison) -> Vec<ComparedRow> {
    let rows = (comparison.functions.pairs.iter().enumerate())
        .filter(|(index, _)| comparison.function_amounts[*index] != [Amounts::default(); 2])
        .map(|(index, pair)| {
            let mut row = Naming::of(comparison, pair.base, pair.new).row(
                comparison.function_amounts[index],
                comparison.function_effects[index],
            );
            let line = |side: &Analyzed, function: Option<u32>| {
                function.map_or(0, |f| side.function(f).line)
            };
            row.base_line = line(comparison.base(), pair.base);
            row.line = match pair.new {
                Some(_) => line(comparison.new_run(), pair.new),
                None => row.base_line,
            };
            row.note.clone_from(&comparison.function_notes[index]);
            row.pair = index as u32;
            row
        })
        .collect();
    finished(comparison, rows)
}

/// A line that both texts have is one row, also where it moved; an edited one too.
pub fn compared_lines(comparison: &Comparison) -> Vec<ComparedRow> {
    let (base_run, new_run) = (comparison.base(), comparison.new_run());
    let rows = (comparison.lines.pairs.iter().enumerate())
        .filter(|(index, _)| comparison.line_amounts[*index] != [Amounts::default(); 2])
        .map(|(index, pair)| {
            let files = comparison.files[pair.files as usize].files;
            let naming = Naming::of(
                comparison,
                pair.base.map(|place| base_run.function_of_place(place)),
                pair.new.map(|place| new_run.function_of_place(place)),
            );
            let mut row = naming.row(
                comparison.line_amounts[index],
                comparison.line_effects[index],
            );
            row.file = file_of(
                comparison,
                files.base,
                files.new.filter(|_| pair.in_new_text),
            );
            row.line = pair.line;
            row.base_line = pair.base_line;
            row.pair = index as u32;
            row
        })
        .collect();
    finished(comparison, rows)
}

fn file_of(comparison: &Comparison, base: Option<FileId>, new: Option<FileId>) -> String {
    match (base, new) {
        (_, Some(file)) => comparison.new_run().file_path(file).to_owned(),
        (Some(file), None) => comparison.base().file_path(file).to_owned(),
        (None, None) => String::new(),
    }
}

/// By the new run's function, or the base's when it is gone.
struct Naming<'a> {
    side: &'a Analyzed,
    function: Option<FunctionId>,
}

impl<'a> Naming<'a> {
    fn of(comparison: &'a Comparison, base: Option<FunctionId>, new: Option<FunctionId>) -> Self {
        Naming {
            side: if new.is_some() {
                comparison.new_run()
            } else {
                comparison.base()
            },
            function: new.or(base),
        }
    }

    fn row(&self, [base, new]: [Amounts; 2], effects: Effects) -> ComparedRow {
        let function = self.function.map(|function| self.side.function(function));
        let text = |part: fn(&crate::FunctionOf) -> u32| {
            (function.as_ref()).map_or(String::new(), |f| self.side.text(part(f)).to_owned())
        };
        let (verdict, about_self) = effects.verdict();
        ComparedRow {
            name: text(|f| f.name),
            module: text(|f| f.module),
            file: text(|f| f.file),
            line: 0,
            base_line: 0,
            kind: function.map_or(FrameKind::Unknown, |function| function.kind.into()),
            base,
            new,
            effects,
            verdict,
            about_self,
            note: String::new(),
            contribution: 0.0,
            pair: 0,
        }
    }
}

/// In order, with what each contributes: never more than there is in its direction, however much others take back.
fn finished(comparison: &Comparison, mut rows: Vec<ComparedRow>) -> Vec<ComparedRow> {
    let grew = |change: i64| change > 0;
    let gross = |wanted: bool| -> u64 {
        let changes = rows.iter().map(ComparedRow::self_change);
        changes
            .filter(|change| grew(*change) == wanted)
            .map(i64::unsigned_abs)
            .sum()
    };
    let (increases, decreases) = (gross(true), gross(false));
    let overall = comparison
        .new_total()
        .value
        .cmp(&comparison.base_total().value);
    for row in &mut rows {
        let change = row.self_change();
        let (gross, along) = match grew(change) {
            true => (increases, overall.is_ge()),
            false => (decreases, overall.is_le()),
        };
        if change != 0 {
            let share = change.unsigned_abs() as f64 / gross as f64;
            row.contribution = if along { share } else { -share };
        }
    }
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
