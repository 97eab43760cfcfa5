//! Functions and lines of two runs beside each other, largest change of self first.

use std::cmp::Ordering;

use crate::amounts::{Amount, Amounts};
use crate::analyzed::Analyzed;
use crate::comparison::Comparison;
use crate::effect::{Effects, Verdict};
use crate::frames::{FrameKind, FunctionId};

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
        self_change(&[self.base, self.new])
    }
}

pub fn compared_functions(comparison: &Comparison) -> Vec<ComparedRow> {
    ComparedTable::functions(comparison).rows()
}

/// A line that both texts have is one row, also where it moved; an edited one too.
pub fn compared_lines(comparison: &Comparison) -> Vec<ComparedRow> {
    ComparedTable::lines(comparison).rows()
}

#[derive(Clone, Copy)]
enum Kind {
    Functions,
    Lines,
}

/// The rows of a table before they have their texts: of a million, a view may show thirty.
pub struct ComparedTable<'a> {
    comparison: &'a Comparison,
    kind: Kind,
    /// Pairs with samples.
    pairs: Vec<u32>,
    /// Of self, of all rows that grew, and of all that shrank.
    increases: u64,
    decreases: u64,
}

impl<'a> ComparedTable<'a> {
    /// As [`compared_functions`].
    pub fn functions(comparison: &'a Comparison) -> ComparedTable<'a> {
        ComparedTable::of(comparison, Kind::Functions)
    }

    /// As [`compared_lines`].
    pub fn lines(comparison: &'a Comparison) -> ComparedTable<'a> {
        ComparedTable::of(comparison, Kind::Lines)
    }

    fn of(comparison: &'a Comparison, kind: Kind) -> ComparedTable<'a> {
        let mut table = ComparedTable {
            comparison,
            kind,
            pairs: Vec::new(),
            increases: 0,
            decreases: 0,
        };
        for (pair, amounts) in (0..).zip(table.amounts()) {
            if *amounts == [Amounts::default(); 2] {
                continue;
            }
            table.pairs.push(pair);
            match self_change(amounts) {
                change @ 1.. => table.increases += change.unsigned_abs(),
                change => table.decreases += change.unsigned_abs(),
            }
        }
        table
    }

    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// All, largest change of self first.
    pub fn rows(&self) -> Vec<ComparedRow> {
        let mut sorted: Vec<(Change, u32)> = (self.pairs.iter())
            .map(|&pair| (self.change(pair), pair))
            .collect();
        sorted.sort_unstable_by(|a, b| (b.0.cmp(&a.0)).then_with(|| self.by_texts(a.1, b.1)));
        sorted.into_iter().map(|(_, pair)| self.row(pair)).collect()
    }

    /// The first `limit` by `key`, which is given rows without texts; equal ones are in the order of [`ComparedTable::rows`].
    pub fn first_by<K: Ord>(
        &self,
        limit: usize,
        key: impl Fn(&ComparedRow) -> K,
    ) -> Vec<ComparedRow> {
        let mut keyed: Vec<(K, u32)> = (self.pairs.iter())
            .map(|&pair| (key(&self.row_without_texts(pair)), pair))
            .collect();
        let order = |a: &(K, u32), b: &(K, u32)| {
            (a.0.cmp(&b.0))
                .then_with(|| self.change(b.1).cmp(&self.change(a.1)))
                .then_with(|| self.by_texts(a.1, b.1))
        };
        if limit < keyed.len() {
            keyed.select_nth_unstable_by(limit, order);
            keyed.truncate(limit);
        }
        keyed.sort_unstable_by(order);
        keyed.into_iter().map(|(_, pair)| self.row(pair)).collect()
    }

    fn amounts(&self) -> &'a [[Amounts; 2]] {
        match self.kind {
            Kind::Functions => &self.comparison.function_amounts,
            Kind::Lines => &self.comparison.lines().amounts,
        }
    }

    fn change(&self, pair: u32) -> Change {
        let [base, new] = self.amounts()[pair as usize];
        (
            new.self_.value.abs_diff(base.self_.value),
            new.total.value.abs_diff(base.total.value),
            new.self_.value.saturating_add(base.self_.value),
        )
    }

    fn by_texts(&self, a: u32, b: u32) -> Ordering {
        let rest = |pair: u32| (self.file(pair), self.place(pair).0, pair);
        (self.name(a).cmp(self.name(b))).then_with(|| rest(a).cmp(&rest(b)))
    }

    /// The new run's function, or the base's when it is gone; of a line, the one that it belongs to.
    fn function(&self, pair: u32) -> Option<(&'a Analyzed, FunctionId)> {
        let (base_run, new_run) = (self.comparison.base(), self.comparison.new_run());
        let (base, new) = match self.kind {
            Kind::Functions => {
                let pair = self.comparison.functions.pairs[pair as usize];
                (pair.base, pair.new)
            }
            Kind::Lines => {
                let pair = self.comparison.lines().matched.pairs[pair as usize];
                (
                    pair.base.map(|place| base_run.function_of_place(place)),
                    pair.new.map(|place| new_run.function_of_place(place)),
                )
            }
        };
        let of_new = new.map(|function| (new_run, function));
        of_new.or(base.map(|function| (base_run, function)))
    }

    fn name(&self, pair: u32) -> &'a str {
        (self.function(pair)).map_or("", |(side, id)| side.text(side.function(id).name))
    }

    fn file(&self, pair: u32) -> &'a str {
        if let Kind::Functions = self.kind {
            let function = self.function(pair);
            return function.map_or("", |(side, id)| side.text(side.function(id).file));
        }
        let line = self.comparison.lines().matched.pairs[pair as usize];
        let files = self.comparison.files[line.files as usize].files;
        match (files.base, files.new.filter(|_| line.in_new_text)) {
            (_, Some(file)) => self.comparison.new_run().file_path(file),
            (Some(file), None) => self.comparison.base().file_path(file),
            (None, None) => "",
        }
    }

    /// Line, and line in the base text.
    fn place(&self, pair: u32) -> (u32, u32) {
        if let Kind::Lines = self.kind {
            let line = self.comparison.lines().matched.pairs[pair as usize];
            return (line.line, line.base_line);
        }
        let pair = self.comparison.functions.pairs[pair as usize];
        let line = |side: &Analyzed, function: Option<FunctionId>| {
            function.map_or(0, |function| side.function(function).line)
        };
        let base_line = line(self.comparison.base(), pair.base);
        match pair.new {
            Some(_) => (line(self.comparison.new_run(), pair.new), base_line),
            None => (base_line, base_line),
        }
    }

    fn row(&self, pair: u32) -> ComparedRow {
        let mut row = self.row_without_texts(pair);
        row.name = self.name(pair).to_owned();
        row.file = self.file(pair).to_owned();
        if let Some((side, id)) = self.function(pair) {
            let function = side.function(id);
            row.module = side.text(function.module).to_owned();
            row.kind = function.kind.into();
        }
        (row.line, row.base_line) = self.place(pair);
        if let Kind::Functions = self.kind {
            row.note
                .clone_from(&self.comparison.function_notes[pair as usize]);
        }
        row
    }

    /// Figures and verdicts only.
    fn row_without_texts(&self, pair: u32) -> ComparedRow {
        let amounts = &self.amounts()[pair as usize];
        let effects = match self.kind {
            Kind::Functions => self.comparison.function_effects[pair as usize],
            Kind::Lines => self.comparison.lines().effects[pair as usize],
        };
        let (verdict, about_self) = effects.verdict();
        ComparedRow {
            name: String::new(),
            module: String::new(),
            file: String::new(),
            line: 0,
            base_line: 0,
            kind: FrameKind::Unknown,
            base: amounts[0],
            new: amounts[1],
            effects,
            verdict,
            about_self,
            note: String::new(),
            contribution: self.contribution(self_change(amounts)),
            pair,
        }
    }

    /// Never more than there is in its direction, however much others take back.
    fn contribution(&self, change: i64) -> f64 {
        if change == 0 {
            return 0.0;
        }
        let [base, new] = [self.comparison.base_total(), self.comparison.new_total()];
        let overall = new.value.cmp(&base.value);
        let (gross, along) = match change > 0 {
            true => (self.increases, overall.is_ge()),
            false => (self.decreases, overall.is_le()),
        };
        let share = change.unsigned_abs() as f64 / gross as f64;
        if along { share } else { -share }
    }
}

/// Of self, of total, and both selfs together.
type Change = (u64, u64, u64);

fn self_change([base, new]: &[Amounts; 2]) -> i64 {
    new.self_.value as i64 - base.self_.value as i64
}
