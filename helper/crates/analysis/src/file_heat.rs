//! The heat of one source file, as its lines stand now.

use std::collections::BTreeMap;

use crate::alignment::Alignment;
use crate::amounts::Amounts;
use crate::analyzed::Analyzed;
use crate::file_sums::{FileSums, FunctionSums};
use crate::frames::{FileId, Measure};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileHeat {
    /// Lines with samples, ascending, numbered as in the text now.
    pub lines: Vec<LineHeat>,
    /// Functions of this file: hottest definition first, then hottest function.
    pub functions: Vec<FunctionHeat>,
    /// The source was newer than the binary when it was recorded.
    pub newer_than_binary: bool,
    /// One sentence, or empty.
    pub notice: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineHeat {
    pub line: u32,
    pub amounts: Amounts,
    /// Edited since the recording.
    pub changed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionHeat {
    pub name: String,
    /// Of the definition, as in the text now; 0: unknown.
    pub line: u32,
    pub amounts: Amounts,
    /// Of all functions with this definition together, such as the instances of a template.
    pub definition: Amounts,
    /// File name of the module that it is in.
    pub module: String,
}

/// A source file with the samples that have it anywhere on their stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HotFile {
    pub file: FileId,
    pub amounts: Amounts,
}

/// Files with samples: by self, then total.
pub fn hot_files(analyzed: &Analyzed, measure: Measure) -> Vec<HotFile> {
    let Some(tally) = analyzed.file_tally(measure) else {
        return Vec::new();
    };
    let mut files: Vec<HotFile> = (tally.files.iter().enumerate())
        .filter(|(_, amounts)| amounts.total.samples > 0 || amounts.total.value > 0)
        .map(|(file, &amounts)| HotFile {
            file: file as FileId,
            amounts,
        })
        .collect();
    files.sort_by_key(|file| {
        std::cmp::Reverse((file.amounts.self_.value, file.amounts.total.value))
    });
    files
}

/// `text_now`: what the file holds now, if lines are to follow its edits. Without it, or without a saved text, lines
/// are those of the recording; the notice says so when that may be wrong.
pub fn file_heat(
    analyzed: &Analyzed,
    measure: Measure,
    file: FileId,
    text_now: Option<&str>,
) -> FileHeat {
    if measure >= analyzed.measures().len() {
        return FileHeat::default();
    }
    let sums = FileSums::of(analyzed, measure, file);
    let path = analyzed.file_path(file);
    let alignment = alignment(analyzed, file, text_now);
    let newer_than_binary = analyzed.was_newer_than_binary(path);

    let mut lines: BTreeMap<u32, (Amounts, bool)> = BTreeMap::new();
    let mut gone = 0u64;
    for (place, amounts) in analyzed.places_of(file).zip(sums.places) {
        if amounts == Amounts::default() {
            continue;
        }
        match alignment.to_new(analyzed.places()[place as usize].line) {
            Some(now) => {
                lines.insert(now.line, (amounts, now.changed));
            }
            None => gone += 1,
        }
    }
    let changed = lines.values().filter(|(_, changed)| *changed).count() as u64;
    FileHeat {
        notice: notice(newer_than_binary, changed, gone),
        newer_than_binary,
        functions: functions_of_file(analyzed, sums.functions, &alignment),
        lines: (lines.into_iter())
            .map(|(line, (amounts, changed))| LineHeat {
                line,
                amounts,
                changed,
            })
            .collect(),
    }
}

/// From the saved text of a file to what it holds now; where one of them is not known, lines stay where they are.
pub fn alignment(analyzed: &Analyzed, file: FileId, text_now: Option<&str>) -> Alignment {
    match (analyzed.saved_text(analyzed.file_path(file)), text_now) {
        (Some(saved), Some(now)) => Alignment::of(&saved.text, now),
        _ => Alignment::identity(),
    }
}

fn notice(newer_than_binary: bool, changed: u64, gone: u64) -> String {
    let lines = |count: u64| match count {
        1 => "1 sampled line".to_owned(),
        count => format!("{count} sampled lines"),
    };
    if newer_than_binary {
        return "The source was newer than the binary at the time of the recording: lines may be wrong."
            .into();
    }
    match (changed, gone) {
        (0, 0) => String::new(),
        (changed, 0) => format!("{} changed since the recording.", lines(changed)),
        (0, gone) => format!("{} removed since the recording.", lines(gone)),
        (changed, gone) => format!(
            "{} changed and {gone} removed since the recording.",
            lines(changed)
        ),
    }
}

fn functions_of_file(
    analyzed: &Analyzed,
    sums: Vec<FunctionSums>,
    alignment: &Alignment,
) -> Vec<FunctionHeat> {
    let mut functions: Vec<FunctionHeat> = (sums.into_iter())
        .map(|sums| {
            let function = analyzed.function(sums.function);
            FunctionHeat {
                name: analyzed.text(function.name).to_owned(),
                module: analyzed.text(function.module).to_owned(),
                line: match function.line {
                    0 => 0,
                    line => alignment.to_new(line).map_or(0, |now| now.line),
                },
                amounts: sums.own,
                definition: sums.definition,
            }
        })
        .collect();
    functions.sort_by(|a, b| {
        let heat = |of: &FunctionHeat| {
            let [definition, own] = [of.definition, of.amounts];
            let values = [definition.total, own.total, own.self_];
            std::cmp::Reverse(values.map(|amount| amount.value))
        };
        (heat(a).cmp(&heat(b))).then_with(|| a.name.cmp(&b.name))
    });
    functions
}
