//! The difference of two runs beside the lines of one file, as they stand now.

use std::collections::BTreeMap;

use crate::alignment::Alignment;
use crate::analyzed::{Analyzed, FileId};
use crate::comparison::{ComparedSide, Comparison};
use crate::matching::Pair;
use crate::tally::Amounts;
use crate::verdict::{Verdict, verdict_of_row};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileDifference {
    /// Lines with samples on either side, ascending, numbered as in the text now.
    pub lines: Vec<LineDifference>,
    /// One sentence, or empty.
    pub notice: String,
}

/// Values are per run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineDifference {
    pub line: u32,
    pub base: Amounts,
    pub new: Amounts,
    pub verdict: Verdict,
    /// Edited since one of the recordings.
    pub changed: bool,
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
        let tally = side.analyzed.tally(side.measure);
        let sums = tally
            .zip(file)
            .map(|(tally, file)| tally.files[file as usize]);
        side.amounts_per_run(sums.unwrap_or_default())
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
    let files = find_pair(comparison, path)?;
    let text_now = text_now.or_else(|| saved(comparison.new_run(), files.new));
    let mut lines: BTreeMap<u32, LineDifference> = BTreeMap::new();
    let mut gone = 0u64;
    for (column, side, file) in [
        (0, &comparison.base, files.base),
        (1, &comparison.new, files.new),
    ] {
        let (Some(file), Some(tally)) = (file, side.analyzed.tally(side.measure)) else {
            continue;
        };
        let alignment = match (saved(&side.analyzed, Some(file)), text_now) {
            (Some(old), Some(now)) => Alignment::of(old, now),
            _ => Alignment::identity(),
        };
        for place in side.analyzed.places_of(file) {
            let amounts = side.amounts_per_run(tally.places[place as usize]);
            if amounts == Amounts::default() {
                continue;
            }
            let Some(now) = alignment.to_new(side.analyzed.places()[place as usize].line) else {
                gone += 1;
                continue;
            };
            let entry = lines.entry(now.line).or_insert(LineDifference {
                line: now.line,
                base: Amounts::default(),
                new: Amounts::default(),
                verdict: Verdict::TooFew,
                changed: false,
            });
            entry.changed |= now.changed;
            *(if column == 0 {
                &mut entry.base
            } else {
                &mut entry.new
            }) = amounts;
        }
    }
    Some(FileDifference {
        lines: (lines.into_values())
            .map(|line| LineDifference {
                verdict: verdict_of_row(line.base, line.new).0,
                ..line
            })
            .collect(),
        notice: match gone {
            0 => String::new(),
            1 => "1 sampled line of the runs is not in the text any more.".into(),
            gone => format!("{gone} sampled lines of the runs are not in the text any more."),
        },
    })
}

fn find_pair(comparison: &Comparison, path: &str) -> Option<Pair<FileId>> {
    let in_new = comparison.new_run().find_file(path).ok().flatten();
    let in_base = comparison.base().find_file(path).ok().flatten();
    (comparison.files.iter())
        .map(|pair| pair.files)
        .find(|files| files.new.is_some() && files.new == in_new)
        .or_else(|| {
            (comparison.files.iter().map(|pair| pair.files))
                .find(|files| files.base.is_some() && files.base == in_base)
        })
}

fn saved(analyzed: &Analyzed, file: Option<FileId>) -> Option<&str> {
    Some(
        analyzed
            .saved_text(analyzed.file_path(file?))?
            .text
            .as_str(),
    )
}
