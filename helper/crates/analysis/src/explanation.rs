//! What explains the difference of two runs: functions by how much they contribute, each with the lines of its source that
//! changed or cost otherwise.

use std::collections::{BTreeMap, HashMap};

use crate::amounts::Amounts;
use crate::analyzed::Analyzed;
use crate::compared_tables::{ComparedRow, compared_functions};
use crate::comparison::Comparison;
use crate::effect::Verdict;
use crate::frames::{FileId, FunctionId};
use crate::function_text::extent;

/// More lines of one function are not shown.
const LINES_MAX: usize = 40;
/// A line of this part of its function, on either side, is shown even if nothing about it changed.
const HOT_PART: f64 = 0.1;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Explanation {
    /// Of the totals.
    pub net_change: i64,
    /// Sum of the absolute changes of self of all functions.
    pub churn: u64,
    /// Largest contribution first.
    pub functions: Vec<ExplainedFunction>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedFunction {
    pub row: ComparedRow,
    /// Its place among [`compared_functions`].
    pub row_index: u32,
    pub lines: Vec<TextLine>,
}

/// A line of either text, or of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLine {
    /// 0: only in the new text.
    pub base_line: u32,
    /// 0: only in the base text.
    pub new_line: u32,
    pub text: String,
    pub base_self: u64,
    pub new_self: u64,
    pub verdict: Verdict,
}

/// At most `limit` functions, those whose change is told from noise before the others.
pub fn explanation(comparison: &Comparison, limit: usize) -> Explanation {
    let rows = compared_functions(comparison);
    let churn = rows.iter().fold(0u64, |sum, row| {
        sum.saturating_add(row.self_change().unsigned_abs())
    });
    let mut functions: Vec<(u32, ComparedRow)> = (0..)
        .zip(rows)
        .filter(|(_, row)| row.self_change() != 0 || row.effects.self_.verdict.is_significant())
        .collect();
    // They are sorted by change already.
    functions.sort_by_key(|(_, row)| !row.effects.self_.verdict.is_significant());
    functions.truncate(limit);
    let lines = LinesOfFunctions::of(comparison);
    Explanation {
        net_change: comparison.new_total().value as i64 - comparison.base_total().value as i64,
        churn,
        functions: (functions.into_iter())
            .map(|(row_index, row)| ExplainedFunction {
                lines: lines.of_function(comparison, row.pair),
                row,
                row_index,
            })
            .collect(),
    }
}

/// Sampled lines by pair of functions, as indices of pairs of lines.
struct LinesOfFunctions {
    of_pair: HashMap<u32, Vec<u32>>,
}

impl LinesOfFunctions {
    fn of(comparison: &Comparison) -> LinesOfFunctions {
        let mut of_pair: HashMap<u32, Vec<u32>> = HashMap::new();
        for (index, line) in (0..).zip(&comparison.lines().matched.pairs) {
            if let Some(pair) = comparison.pair_of_line(line) {
                of_pair.entry(pair).or_default().push(index);
            }
        }
        LinesOfFunctions { of_pair }
    }

    /// In the order of the new text, what is gone before what stands in its place.
    fn of_function(&self, comparison: &Comparison, pair: u32) -> Vec<TextLine> {
        let functions = comparison.functions.pairs[pair as usize];
        let texts = Texts::of(comparison, functions.base, functions.new);
        let mut lines: BTreeMap<(u32, bool, u32), TextLine> = texts.changed_lines();
        let all = |amounts: &[Amounts; 2], side: usize| amounts[side].self_.value as f64;
        let of_function = &comparison.function_amounts[pair as usize];
        for &index in self.of_pair.get(&pair).into_iter().flatten() {
            let compared = comparison.lines();
            let line = &compared.matched.pairs[index as usize];
            let amounts = &compared.amounts[index as usize];
            let verdict = compared.effects[index as usize].self_.verdict;
            let is_hot = (0..2).any(|side| {
                let value = all(amounts, side);
                value > 0.0 && value >= HOT_PART * all(of_function, side)
            });
            let new_line = if line.in_new_text { line.line } else { 0 };
            let key = texts.place(line.base_line, new_line);
            if !is_hot && !verdict.is_significant() && !lines.contains_key(&key) {
                continue;
            }
            // An edited line has two texts, and each gets its own value.
            let edited = (new_line != 0 && line.base_line != 0)
                .then(|| texts.place(line.base_line, 0))
                .filter(|old| lines.contains_key(old));
            if let Some(old) = edited.and_then(|old| lines.get_mut(&old)) {
                old.base_self = amounts[0].self_.value;
                let now = texts.place(0, new_line);
                if let Some(now) = lines.get_mut(&now) {
                    now.new_self = amounts[1].self_.value;
                    now.verdict = verdict;
                }
                continue;
            }
            lines.insert(
                key,
                TextLine {
                    base_line: line.base_line,
                    new_line,
                    text: texts.text(line.base_line, new_line),
                    base_self: amounts[0].self_.value,
                    new_self: amounts[1].self_.value,
                    verdict,
                },
            );
        }
        bounded(lines.into_values().collect())
    }
}

/// The lines that cost most on either side, and what changed beside them, in their order.
fn bounded(lines: Vec<TextLine>) -> Vec<TextLine> {
    if lines.len() <= LINES_MAX {
        return lines;
    }
    let mut by_cost: Vec<usize> = (0..lines.len()).collect();
    by_cost
        .sort_by_key(|&index| std::cmp::Reverse(lines[index].base_self.max(lines[index].new_self)));
    by_cost.truncate(LINES_MAX);
    by_cost.sort_unstable();
    by_cost
        .into_iter()
        .map(|index| lines[index].clone())
        .collect()
}

/// Both source texts of one function.
struct Texts<'a> {
    base: Option<(Vec<&'a str>, (u32, u32))>,
    new: Option<(Vec<&'a str>, (u32, u32))>,
    pair: Option<&'a crate::matching_files::FilePair>,
}

impl<'a> Texts<'a> {
    fn of(
        comparison: &'a Comparison,
        base: Option<FunctionId>,
        new: Option<FunctionId>,
    ) -> Texts<'a> {
        let text = |run: &'a Analyzed, function: Option<FunctionId>| {
            let function = function?;
            let source = run.saved_text(run.text(run.function(function).file))?;
            let extent = extent(run, function).unwrap_or((1, 0));
            Some((source.text.lines().collect::<Vec<&str>>(), extent))
        };
        let path = |run: &'a Analyzed, function: Option<FunctionId>| {
            function.map(|function| run.text(run.function(function).file))
        };
        let paths = [
            path(comparison.base(), base),
            path(comparison.new_run(), new),
        ];
        let is = |run: &Analyzed, file: Option<FileId>, path: Option<&str>| {
            path.is_none() || file.map(|file| run.file_path(file)) == path
        };
        Texts {
            base: text(comparison.base(), base),
            new: text(comparison.new_run(), new),
            pair: (comparison.files.iter()).find(|pair| {
                (paths[0].is_some() || paths[1].is_some())
                    && is(comparison.base(), pair.files.base, paths[0])
                    && is(comparison.new_run(), pair.files.new, paths[1])
            }),
        }
    }

    /// Lines that were deleted, added or edited within the function.
    fn changed_lines(&self) -> BTreeMap<(u32, bool, u32), TextLine> {
        let mut changed = BTreeMap::new();
        let (Some((_, base)), Some((_, new)), Some(pair)) = (&self.base, &self.new, self.pair)
        else {
            return changed;
        };
        if !pair.texts_known {
            return changed;
        }
        let mut from_base = vec![false; (new.1 as usize + 1).saturating_sub(new.0 as usize)];
        for line in base.0..=base.1 {
            match pair.alignment.to_new(line) {
                Some(now) if !now.changed => {
                    if let Some(is_same) = now
                        .line
                        .checked_sub(new.0)
                        .and_then(|i| from_base.get_mut(i as usize))
                    {
                        *is_same = true;
                    }
                }
                _ => {
                    changed.insert(self.place(line, 0), self.bare(line, 0));
                }
            }
        }
        for (line, is_same) in (new.0..).zip(from_base) {
            if !is_same {
                changed.insert(self.place(0, line), self.bare(0, line));
            }
        }
        changed
    }

    /// Where a line stands among those of both texts: by its line in the new text, deleted ones before.
    fn place(&self, base_line: u32, new_line: u32) -> (u32, bool, u32) {
        if new_line != 0 {
            return (new_line, true, 0);
        }
        let to_new = |line: u32| Some(self.pair?.alignment.to_new(line)?.line);
        let last = self
            .base
            .as_ref()
            .map_or(0, |(lines, _)| lines.len() as u32);
        let next = (base_line..=last.max(base_line)).find_map(to_new);
        (next.unwrap_or(u32::MAX), false, base_line)
    }

    fn bare(&self, base_line: u32, new_line: u32) -> TextLine {
        TextLine {
            base_line,
            new_line,
            text: self.text(base_line, new_line),
            base_self: 0,
            new_self: 0,
            verdict: Verdict::TooFew,
        }
    }

    /// Empty: not known.
    fn text(&self, base_line: u32, new_line: u32) -> String {
        let (text, line) = match new_line {
            0 => (&self.base, base_line),
            line => (&self.new, line),
        };
        let text = text
            .as_ref()
            .and_then(|(lines, _)| lines.get((line as usize).checked_sub(1)?));
        text.map_or(String::new(), |text| (*text).to_owned())
    }
}
