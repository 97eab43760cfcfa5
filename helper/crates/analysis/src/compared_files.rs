//! The difference of two runs beside the lines of one file, as they stand now.

use std::collections::BTreeMap;

use crate::alignment::Alignment;
use crate::amounts::Amounts;
use crate::analyzed::Analyzed;
use crate::comparison::{ComparedSide, Comparison};
use crate::effect::Effects;
use crate::frames::FileId;
use crate::line_pairs::LinePair;
use crate::pair::Pair;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct FileDifference {
    /// Lines with samples on either side, ascending, numbered as in the text now.
    pub lines: Vec<LineDifference>,
    /// Functions of the file, largest change first.
    pub functions: Vec<FunctionDifference>,
    /// One sentence, or empty.
    pub notice: String,
}

/// Values are per unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineDifference {
    pub line: u32,
    pub base: Amounts,
    pub new: Amounts,
    pub effects: Effects,
    /// Edited between the recordings, or since.
    pub changed: bool,
}

/// Values are per unit.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionDifference {
    pub name: String,
    /// Of the definition, as in the text now; 0: unknown, or gone.
    pub line: u32,
    pub base: Amounts,
    pub new: Amounts,
    pub effects: Effects,
    /// As of a [`crate::ComparedRow`].
    pub note: String,
}

/// A file of either side with its amounts on both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparedFile {
    pub base: Option<FileId>,
    pub new: Option<FileId>,
    pub base_amounts: Amounts,
    pub new_amounts: Amounts,
}

/// Files of both sides, those with most samples on the stack first.
pub fn compared_files(comparison: &Comparison) -> Vec<ComparedFile> {
    let amounts = |side: &ComparedSide, file: Option<FileId>| {
        let tally = side.analyzed.file_tally(side.measure);
        let sums = tally
            .zip(file)
            .map(|(tally, file)| tally.files[file as usize]);
        side.amounts_per_unit(sums.unwrap_or_default())
    };
    let mut files: Vec<ComparedFile> = (comparison.files.iter())
        .map(|pair| ComparedFile {
            base: pair.files.base,
            new: pair.files.new,
            base_amounts: amounts(&comparison.base, pair.files.base),
            new_amounts: amounts(&comparison.new, pair.files.new),
        })
        .collect();
    files.sort_by_key(|file| {
        let sum = |part: fn(&Amounts) -> u64| part(&file.base_amounts) + part(&file.new_amounts);
        std::cmp::Reverse((sum(|a| a.self_.value), sum(|a| a.total.value)))
    });
    files
}

/// `path` is found in the new run, else in the base, as [`Analyzed::find_file`] does. `None`: neither has it, or it
/// fits several files. `text_now`: without it, lines are those of the new run's recording.
pub fn file_difference(
    comparison: &Comparison,
    path: &str,
    text_now: Option<&str>,
) -> Option<FileDifference> {
    let (index, files) = find_pair(comparison, path)?;
    let text_now = text_now.or_else(|| saved(comparison.new_run(), files.new));
    let [to_now_base, to_now_new] = [
        (comparison.base(), files.base),
        (comparison.new_run(), files.new),
    ]
    .map(|(side, file)| match (saved(side, file), text_now) {
        (Some(old), Some(now)) => Alignment::of(old, now),
        _ => Alignment::identity(),
    });
    let now_of = |pair: &LinePair| match pair.new {
        Some(place) => to_now_new.to_new(comparison.new_run().places()[place as usize].line),
        None => to_now_base.to_new(pair.base_line),
    };
    let mut lines: BTreeMap<u32, LineDifference> = BTreeMap::new();
    let mut gone = 0u64;
    let compared = comparison.lines();
    let of_file = (compared.matched.pairs.iter().enumerate())
        .filter(|(_, pair)| pair.files == index)
        .filter(|(row, _)| compared.amounts[*row] != [Amounts::default(); 2]);
    for (row, pair) in of_file {
        let Some(now) = now_of(pair) else {
            gone += 1;
            continue;
        };
        let [base, new] = compared.amounts[row];
        let line = LineDifference {
            line: now.line,
            base,
            new,
            effects: compared.effects[row],
            changed: now.changed || is_edited(comparison, pair),
        };
        (lines.entry(now.line))
            .and_modify(|known| known.join(&line))
            .or_insert(line);
    }
    Some(FileDifference {
        lines: lines.into_values().collect(),
        functions: functions(comparison, files, &to_now_new),
        notice: match gone {
            0 => String::new(),
            1 => "1 sampled line of the runs is no longer in the text.".into(),
            gone => format!("{gone} sampled lines of the runs are no longer in the text."),
        },
    })
}

impl LineDifference {
    /// Two pairs of lines may have become one line of the text now; the effect is that of the larger.
    fn join(&mut self, other: &LineDifference) {
        let weight = |line: &LineDifference| line.base.total.value.max(line.new.total.value);
        if weight(other) > weight(self) {
            self.effects = other.effects;
        }
        for (to, from) in [(&mut self.base, other.base), (&mut self.new, other.new)] {
            to.self_.add(from.self_);
            to.total.add(from.total);
        }
        self.changed |= other.changed;
    }
}

/// The line's text is another one in the new run than in the base.
fn is_edited(comparison: &Comparison, pair: &LinePair) -> bool {
    let alignment = &comparison.files[pair.files as usize].alignment;
    pair.base_line != 0
        && alignment
            .to_new(pair.base_line)
            .is_some_and(|aligned| aligned.changed)
}

/// Functions whose definition is in the file, the largest change of self or total first.
fn functions(
    comparison: &Comparison,
    files: Pair<FileId>,
    to_now: &Alignment,
) -> Vec<FunctionDifference> {
    let paths = [
        files.base.map(|file| comparison.base().file_path(file)),
        files.new.map(|file| comparison.new_run().file_path(file)),
    ];
    let is_here = |side: &Analyzed, function: Option<u32>, path: Option<&str>| {
        function
            .zip(path)
            .is_some_and(|(function, path)| side.text(side.function(function).file) == path)
    };
    let mut found: Vec<FunctionDifference> = (comparison.functions.pairs.iter().enumerate())
        .filter(|(index, _)| comparison.function_amounts[*index] != [Amounts::default(); 2])
        .filter(|(_, pair)| match pair.new {
            Some(_) => is_here(comparison.new_run(), pair.new, paths[1]),
            None => is_here(comparison.base(), pair.base, paths[0]),
        })
        .map(|(index, pair)| {
            let (run, function) = match (pair.new, pair.base) {
                (Some(function), _) => (comparison.new_run(), function),
                (None, function) => (comparison.base(), function.unwrap_or(0)),
            };
            let known = run.function(function);
            let line = match pair.new {
                Some(_) => to_now.to_new(known.line).map_or(0, |now| now.line),
                None => 0,
            };
            let [base, new] = comparison.function_amounts[index];
            FunctionDifference {
                name: run.text(known.name).to_owned(),
                line,
                base,
                new,
                effects: comparison.function_effects[index],
                note: comparison.function_notes[index].clone(),
            }
        })
        .collect();
    found.sort_by_key(|function| {
        let change = |part: fn(&Amounts) -> u64| part(&function.new).abs_diff(part(&function.base));
        let largest = change(|a| a.self_.value).max(change(|a| a.total.value));
        (std::cmp::Reverse(largest), function.line)
    });
    found
}

fn find_pair(comparison: &Comparison, path: &str) -> Option<(u32, Pair<FileId>)> {
    let in_new = comparison.new_run().find_file(path).ok().flatten();
    let in_base = comparison.base().find_file(path).ok().flatten();
    let pairs = || (0u32..).zip(comparison.files.iter().map(|pair| pair.files));
    pairs()
        .find(|(_, files)| files.new.is_some() && files.new == in_new)
        .or_else(|| pairs().find(|(_, files)| files.base.is_some() && files.base == in_base))
}

fn saved(analyzed: &Analyzed, file: Option<FileId>) -> Option<&str> {
    Some(
        analyzed
            .saved_text(analyzed.file_path(file?))?
            .text
            .as_str(),
    )
}
