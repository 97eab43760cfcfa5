//! The union of two call trees: every call path of either run once, with the amounts of both.

use std::collections::HashMap;

use profile::SeededHash;

use crate::comparison::{ComparedSide, Comparison};
use crate::flame_graph::{FlameGraph, FrameTable, Texts, Tree, lay_out};
use crate::flame_tree::{ROOT, flame_tree};
use crate::tally::Amount;
use crate::{Analyzed, FrameKind};

/// Frames are pairs of functions: whether a call was inlined does not tell nodes apart, since it changes from build
/// to build. Siblings stand by the sum of both runs, heaviest first.
pub fn compared_flame_graph(comparison: &Comparison) -> FlameGraph {
    let mut union = Union::default();
    union.add(&comparison.base, &comparison.functions.base_pair, 0);
    union.add(&comparison.new, &comparison.functions.new_pair, 1);

    let mut frames = FrameTable::default();
    let mut texts = Texts::new(&mut frames);
    for (index, pair) in comparison.functions.pairs.iter().enumerate() {
        let (side, function) = match (pair.base, pair.new) {
            (_, Some(function)) => (comparison.new_run(), function),
            (Some(function), None) => (comparison.base(), function),
            (None, None) => continue,
        };
        let function = side.function(function);
        let name = side.text(function.name);
        let kind = union
            .kinds
            .get(&(index as u32))
            .copied()
            .unwrap_or(FrameKind::Unknown);
        texts.add(
            [name, side.text(function.module), side.text(function.file)],
            function.line,
            kind,
        );
    }
    lay_out(
        &Tree {
            parent: &union.parent,
            frame: &union.frame,
            line: &union.line,
            base: &union.amounts[0],
            new: Some(&union.amounts[1]),
        },
        frames,
    )
}

struct Union {
    parent: Vec<u32>,
    /// Pair of functions.
    frame: Vec<u32>,
    line: Vec<u32>,
    amounts: [Vec<Amount>; 2],
    children: HashMap<(u32, u32), u32, SeededHash>,
    /// How a pair was first met, the new run before the base.
    kinds: HashMap<u32, FrameKind>,
}

impl Default for Union {
    fn default() -> Self {
        Union {
            parent: vec![ROOT],
            frame: vec![0],
            line: vec![0],
            amounts: [vec![Amount::default()], vec![Amount::default()]],
            children: HashMap::default(),
            kinds: HashMap::new(),
        }
    }
}

impl Union {
    fn add(&mut self, side: &ComparedSide, pair_of: &[u32], column: usize) {
        let analyzed: &Analyzed = &side.analyzed;
        let tree = flame_tree(analyzed, side.measure);
        let mut united = vec![ROOT; tree.parent.len()];
        let mut has_line = vec![false; self.parent.len()];
        let mut seen_kinds: HashMap<u32, FrameKind> = HashMap::new();
        for node in 0..tree.parent.len() {
            if node > 0 {
                let frame = tree.frames[tree.frame[node] as usize];
                let pair = pair_of[frame.function as usize];
                seen_kinds.entry(pair).or_insert(frame.kind);
                united[node] = self.child(united[tree.parent[node] as usize], pair);
            }
            let place = united[node] as usize;
            has_line.resize(self.parent.len(), false);
            if tree.line[node] != 0 && !has_line[place] {
                has_line[place] = true;
                self.line[place] = tree.line[node];
            }
            self.amounts[column][place].add(side.per_run(tree.self_[node]));
        }
        self.kinds.extend(seen_kinds);
    }

    fn child(&mut self, parent: u32, frame: u32) -> u32 {
        let next = self.parent.len() as u32;
        *self.children.entry((parent, frame)).or_insert_with(|| {
            self.parent.push(parent);
            self.frame.push(frame);
            self.line.push(0);
            self.amounts
                .iter_mut()
                .for_each(|column| column.push(Amount::default()));
            next
        })
    }
}
