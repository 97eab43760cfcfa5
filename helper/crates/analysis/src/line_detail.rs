//! What stands around one line: the inlined calls it came through, who called it and what it called.

use std::collections::HashMap;
use std::hash::Hash;

use crate::amounts::{Amount, Amounts};
use crate::analyzed::Analyzed;
use crate::frames::{ChainFrame, FileId, FunctionKind, Measure};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineDetail {
    pub amounts: Amounts,
    /// By which inlined calls the line got here, heaviest first.
    pub inline_chains: Vec<InlineChain>,
    /// Who called the function of this line, and where from.
    pub callers: Vec<Neighbour>,
    /// What this line called, interrupts left out; the place is the definition.
    pub callees: Vec<Neighbour>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlineChain {
    /// Innermost first.
    pub places: Vec<PlaceOf>,
    pub samples: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceOf {
    pub function: String,
    /// As recorded; empty: unknown.
    pub path: String,
    /// 0: unknown.
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    pub place: PlaceOf,
    pub amount: Amount,
    pub kernel: bool,
}

/// `line` is a recorded line of `file`. Each list has at most `limit` entries. A line without samples gives an empty
/// detail. Each sample counts once for each entry, however often it recurs.
pub fn line_detail(
    analyzed: &Analyzed,
    measure: Measure,
    file: FileId,
    line: u32,
    limit: usize,
) -> LineDetail {
    let (Some(tally), Some(place)) = (analyzed.tally(measure), analyzed.find_place(file, line))
    else {
        return LineDetail::default();
    };

    let mut chains: Sums<&[ChainFrame]> = Sums::default();
    let mut callers: Sums<(u32, u32)> = Sums::default();
    let mut callees: Sums<u32> = Sums::default();
    let stacks = analyzed.stacks();
    let (self_, _) = stacks.amounts(analyzed, measure);
    let mut has_place = vec![false; stacks.parent.len()];
    for path in 1..stacks.parent.len() {
        let chain = analyzed.chain(stacks.chain[path]);
        has_place[path] = has_place[stacks.parent[path] as usize]
            || chain.iter().any(|frame| frame.place == place);
        if !has_place[path] || self_[path] == Amount::default() {
            continue;
        }
        let (stamp, amount) = (path as u32, self_[path]);
        let mut inner: Option<&ChainFrame> = None;
        // The frame at the line was seen, its caller is next.
        let mut waiting = false;
        let mut at = path;
        while at != 0 {
            let chain = analyzed.chain(stacks.chain[at]);
            for (index, frame) in chain.iter().enumerate() {
                if waiting {
                    callers.add((frame.function, frame.line), stamp, amount);
                }
                waiting = frame.place == place;
                if waiting {
                    let called = inner.filter(|callee| !is_interrupt(analyzed, callee.function));
                    if let Some(callee) = called {
                        callees.add(callee.function, stamp, amount);
                    }
                    if frame.inlined {
                        chains.add(&chain[index..], stamp, amount);
                    }
                }
                inner = Some(frame);
            }
            at = stacks.parent[at] as usize;
        }
    }

    LineDetail {
        amounts: tally.places[place as usize],
        inline_chains: (chains.heaviest(limit).into_iter())
            .map(|(frames, amount)| InlineChain {
                places: frames
                    .iter()
                    .map(|frame| place_of(analyzed, frame.function, frame.line))
                    .collect(),
                samples: amount.samples,
            })
            .collect(),
        callers: (callers.heaviest(limit).into_iter())
            .map(|((function, line), amount)| neighbour(analyzed, function, line, amount))
            .collect(),
        callees: (callees.heaviest(limit).into_iter())
            .map(|(function, amount)| {
                neighbour(analyzed, function, analyzed.function(function).line, amount)
            })
            .collect(),
    }
}

/// What comes in between is no call.
fn is_interrupt(analyzed: &Analyzed, function: u32) -> bool {
    analyzed.function(function).kind == FunctionKind::Interrupts
}

fn neighbour(analyzed: &Analyzed, function: u32, line: u32, amount: Amount) -> Neighbour {
    Neighbour {
        place: place_of(analyzed, function, line),
        amount,
        kernel: analyzed.function(function).kind == FunctionKind::Kernel,
    }
}

fn place_of(analyzed: &Analyzed, function: u32, line: u32) -> PlaceOf {
    let function = analyzed.function(function);
    PlaceOf {
        function: analyzed.text(function.name).to_owned(),
        path: analyzed.text(function.file).to_owned(),
        line,
    }
}

/// Amounts by key, each sample once a key.
struct Sums<K> {
    sums: HashMap<K, (Amount, u32)>,
}

impl<K> Default for Sums<K> {
    fn default() -> Self {
        Sums {
            sums: HashMap::new(),
        }
    }
}

impl<K: Eq + Hash + Ord + Copy> Sums<K> {
    fn add(&mut self, key: K, stamp: u32, amount: Amount) {
        let (sum, last) = self
            .sums
            .entry(key)
            .or_insert((Amount::default(), u32::MAX));
        if *last != stamp {
            *last = stamp;
            sum.add(amount);
        }
    }

    fn heaviest(self, limit: usize) -> Vec<(K, Amount)> {
        let mut all: Vec<(K, Amount)> = self
            .sums
            .into_iter()
            .map(|(key, (sum, _))| (key, sum))
            .collect();
        all.sort_unstable_by(|a, b| {
            (b.1.value, b.1.samples)
                .cmp(&(a.1.value, a.1.samples))
                .then(a.0.cmp(&b.0))
        });
        all.truncate(limit);
        all
    }
}
