//! The call paths as a tree of functions: paths that differ only in their lines or addresses become one.

use std::collections::HashMap;

use crate::analyzed::{Analyzed, FrameKind, FunctionId, Measure};
use crate::seeded_hash::SeededHash;
use crate::tally::Amount;

pub(crate) const ROOT: u32 = 0;

/// A function, called or inlined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FlameFrame {
    pub function: FunctionId,
    pub kind: FrameKind,
}

/// Nodes in the order of their making: a parent stands before its children. Node 0 is the root.
pub(crate) struct FlameTree {
    pub parent: Vec<u32>,
    /// Index into `frames`; of no meaning for the root.
    pub frame: Vec<u32>,
    pub self_: Vec<Amount>,
    /// Hottest line of the node's function at this place; 0: unknown.
    pub line: Vec<u32>,
    pub frames: Vec<FlameFrame>,
}

/// Without samples, or without the measure, the tree is the root alone.
pub(crate) fn flame_tree(analyzed: &Analyzed, measure: Measure) -> FlameTree {
    let mut tree = FlameTree {
        parent: vec![ROOT],
        frame: vec![0],
        self_: vec![Amount::default()],
        line: vec![0],
        frames: Vec::new(),
    };
    if measure >= analyzed.profile().sample_types.len() {
        return tree;
    }
    let stacks = analyzed.stacks();
    let (self_, total) = stacks.amounts(analyzed, measure);
    tree.self_[0].add(self_[0]);
    let mut children: HashMap<(u32, u32), u32, SeededHash> = HashMap::default();
    let mut frame_ids: HashMap<FlameFrame, u32, SeededHash> = HashMap::default();
    // Where each call path leads, and how much of a node is on which of its lines: (node, line, value).
    let mut node_of_path = vec![ROOT; stacks.parent.len()];
    let mut weights: Vec<(u32, u32, u64)> = Vec::with_capacity(stacks.parent.len());
    for path in 1..stacks.parent.len() {
        let mut node = node_of_path[stacks.parent[path] as usize];
        for frame in analyzed.chain(stacks.chain[path]).iter().rev() {
            let key = FlameFrame {
                function: frame.function,
                kind: analyzed.frame_kind(frame),
            };
            let frame_id = *frame_ids.entry(key).or_insert_with(|| {
                tree.frames.push(key);
                tree.frames.len() as u32 - 1
            });
            node = *children.entry((node, frame_id)).or_insert_with(|| {
                tree.parent.push(node);
                tree.frame.push(frame_id);
                tree.self_.push(Amount::default());
                tree.parent.len() as u32 - 1
            });
            if frame.line != 0 {
                weights.push((node, frame.line, total[path].value));
            }
        }
        node_of_path[path] = node;
        tree.self_[node as usize].add(self_[path]);
    }
    weights.sort_unstable();
    tree.line = hottest_lines(&weights, tree.parent.len());
    tree
}

/// `weights` are sorted, their lines known. Of equally hot lines the first; a node without any has 0.
fn hottest_lines(weights: &[(u32, u32, u64)], nodes: usize) -> Vec<u32> {
    let mut line_of = vec![0; nodes];
    let mut best = vec![0u64; nodes];
    for group in weights.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (node, line) = (group[0].0 as usize, group[0].1);
        let sum = group
            .iter()
            .fold(0u64, |sum, entry| sum.saturating_add(entry.2));
        if line_of[node] == 0 || sum > best[node] {
            line_of[node] = line;
            best[node] = sum;
        }
    }
    line_of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hottest_line_of_a_node_wins() {
        let weights = [(1, 4, 10), (1, 5, 6), (1, 5, 6), (3, 8, 0)];
        assert_eq!(hottest_lines(&weights, 4), [0, 5, 0, 8]);
    }
}
