//! The union of two call trees: every call path of either run once, with the amounts of both.

use std::collections::HashMap;

use crate::FrameKind;
use crate::amounts::Amount;
use crate::both::both;
use crate::comparison::{ComparedSide, Comparison};
use crate::counts::{Counts, count_nodes};
use crate::effect::Effect;
use crate::evidence::fits;
use crate::flame_graph::{FlameGraph, FrameTable, Texts, Tree, lay_out};
use crate::flame_tree::{ChildNodes, FlameTree, ROOT, flame_tree};
use crate::marked_pairs::marked_pairs;
use crate::named_functions::NamedFunction;
use crate::nested::{is_against_whole, verdict_beside_function};

/// Samples on average of both sides that a node is tested from. Most nodes of a large tree have a few, which show nothing,
/// and the more tests there are the less each can say.
const LEAST_SAMPLES: u64 = 20;

/// Frames are pairs of functions: whether a call was inlined does not tell nodes apart, since it changes from build
/// to build. Siblings stand by the sum of both runs, heaviest first.
pub fn compared_flame_graph(comparison: &Comparison) -> FlameGraph {
    compared_flame_graph_without(comparison, &[])
}

/// The same without the frames of hidden functions: what they spent is their callers'.
pub fn compared_flame_graph_without(
    comparison: &Comparison,
    hidden: &[NamedFunction],
) -> FlameGraph {
    let is_hidden = marked_pairs(comparison, hidden);
    let hidden_of = |pair_of: &[u32]| -> Vec<bool> {
        pair_of
            .iter()
            .map(|&pair| is_hidden[pair as usize])
            .collect()
    };
    let hidden_in_base = hidden_of(&comparison.functions.base_pair);
    let hidden_in_new = hidden_of(&comparison.functions.new_pair);
    let mut union = Union::default();
    let (base, new) = (&comparison.base, &comparison.new);
    let [base_tree, new_tree] = both(
        || flame_tree(&base.analyzed, base.measure, &hidden_in_base),
        || flame_tree(&new.analyzed, new.measure, &hidden_in_new),
    );
    union.add(base, base_tree, &comparison.functions.base_pair, 0);
    union.add(new, new_tree, &comparison.functions.new_pair, 1);

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
    let effects = union.total_effects(comparison);
    lay_out(
        &Tree {
            parent: &union.parent,
            frame: &union.frame,
            line: &union.line,
            base: &union.amounts[0],
            new: Some((&union.amounts[1], &effects)),
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
    children: ChildNodes,
    /// By call path of base and of new: its node.
    node_of_path: [Vec<u32>; 2],
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
            children: ChildNodes::default(),
            node_of_path: [Vec::new(), Vec::new()],
            kinds: HashMap::new(),
        }
    }
}

impl Union {
    fn add(&mut self, side: &ComparedSide, tree: FlameTree, pair_of: &[u32], column: usize) {
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
            self.amounts[column][place].add(side.per_unit(tree.self_[node]));
        }
        self.kinds.extend(seen_kinds);
        self.node_of_path[column] = (tree.node_of_path.iter())
            .map(|&node| united[node as usize])
            .collect();
    }

    fn child(&mut self, parent: u32, frame: u32) -> u32 {
        let made = self.parent.len() as u32;
        let child = self.children.find_or_insert(parent, frame, made);
        if child == made {
            self.parent.push(parent);
            self.frame.push(frame);
            self.line.push(0);
            self.amounts
                .iter_mut()
                .for_each(|column| column.push(Amount::default()));
        }
        child
    }

    /// Of each node with all below it.
    fn total_effects(&self, comparison: &Comparison) -> Vec<Effect> {
        let nodes = self.parent.len();
        let evidence = &comparison.evidence;
        let columns = evidence.columns.iter().map(|columns| columns.count);
        if !fits(nodes, columns.max().unwrap_or(0)) {
            return vec![Effect::NONE; nodes];
        }
        let counts = |side: &ComparedSide, column: usize| {
            let columns = &evidence.columns[column];
            let mut counts = Counts::new(nodes, columns.count);
            count_nodes(
                &side.analyzed,
                columns,
                &self.node_of_path[column],
                &mut counts,
            );
            counts.fold_into_parents(&self.parent);
            counts
        };
        let [mut base, new] = both(
            || counts(&comparison.base, 0),
            || counts(&comparison.new, 1),
        );
        let mut amounts: Vec<[Amount; 2]> = (self.amounts[0].iter().zip(&self.amounts[1]))
            .map(|(base, new)| [*base, *new])
            .collect();
        for node in (1..nodes).rev() {
            let below = amounts[node];
            let above = &mut amounts[self.parent[node] as usize];
            above[0].add(below[0]);
            above[1].add(below[1]);
        }
        if !comparison.function_noise.is_empty() {
            let of_node = |&pair: &u32| comparison.function_noise[pair as usize];
            base.noise = (std::iter::once(evidence.noise_of_whole()))
                .chain(self.frame.iter().skip(1).map(of_node))
                .collect();
        }
        let mut effects = evidence.effects_from(LEAST_SAMPLES, &base, &new, &amounts);
        for (node, effect) in effects.iter_mut().enumerate() {
            let (total, verdict) = (amounts[node], effect.verdict);
            effect.verdict = match node {
                // It is the whole.
                0 if is_against_whole(comparison, total, verdict) => comparison.whole().verdict,
                0 => verdict,
                _ => verdict_beside_function(comparison, total, verdict, self.frame[node]),
            };
        }
        effects
    }
}
