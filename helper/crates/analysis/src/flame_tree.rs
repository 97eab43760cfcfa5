//! Merges stacks into one call tree, frame by frame, without recursion.
//!
//! Stacks are walked chain by chain: where a chain leads from a node is looked up once a location, and the weight
//! kept there tells afterwards which line of a node is the hottest.

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

#[derive(Clone, Copy)]
struct Step {
    /// The innermost frame of the chain.
    node: u32,
    weight: u64,
}

struct Growing {
    tree: FlameTree,
    children: HashMap<(u32, u32), u32, SeededHash>,
    /// By (node, chain): where the chain leads.
    steps: HashMap<(u32, u32), Step, SeededHash>,
    frame_ids: HashMap<FlameFrame, u32, SeededHash>,
}

pub(crate) fn flame_tree(analyzed: &Analyzed, measure: Measure) -> FlameTree {
    let mut growing = Growing {
        tree: FlameTree {
            parent: vec![ROOT],
            frame: vec![0],
            self_: vec![Amount::default()],
            line: Vec::new(),
            frames: Vec::new(),
        },
        children: HashMap::default(),
        steps: HashMap::default(),
        frame_ids: HashMap::default(),
    };
    if measure < analyzed.profile().sample_types.len() {
        let samples = &analyzed.profile().samples;
        for sample in 0..samples.len() {
            let amount = analyzed.amount(sample, measure);
            let mut node = ROOT;
            for &location in samples.stack(sample).iter().rev() {
                node = growing.step(
                    analyzed,
                    node,
                    analyzed.chain_of_location(location),
                    amount.value,
                );
            }
            growing.tree.self_[node as usize].add(amount);
        }
    }
    growing.finish(analyzed)
}

impl Growing {
    #[inline]
    fn step(&mut self, analyzed: &Analyzed, from: u32, chain: u32, weight: u64) -> u32 {
        if let Some(step) = self.steps.get_mut(&(from, chain)) {
            step.weight = step.weight.saturating_add(weight);
            return step.node;
        }
        let mut node = from;
        for frame in analyzed.chain(chain).iter().rev() {
            let key = FlameFrame {
                function: frame.function,
                kind: analyzed.frame_kind(frame),
            };
            node = self.child(node, key);
        }
        self.steps.insert((from, chain), Step { node, weight });
        node
    }

    fn child(&mut self, parent: u32, frame: FlameFrame) -> u32 {
        let next_frame = self.tree.frames.len() as u32;
        let frame_id = *self.frame_ids.entry(frame).or_insert_with(|| {
            self.tree.frames.push(frame);
            next_frame
        });
        let next = self.tree.parent.len() as u32;
        *self.children.entry((parent, frame_id)).or_insert_with(|| {
            self.tree.parent.push(parent);
            self.tree.frame.push(frame_id);
            self.tree.self_.push(Amount::default());
            next
        })
    }

    fn finish(mut self, analyzed: &Analyzed) -> FlameTree {
        // (node, line, weight) of every step's frames, innermost first: nodes up from the step's end.
        let mut weights: Vec<(u32, u32, u64)> = Vec::with_capacity(self.steps.len());
        for (&(_, chain), step) in &self.steps {
            let mut node = step.node;
            for frame in analyzed.chain(chain) {
                weights.push((node, frame.line, step.weight));
                node = self.tree.parent[node as usize];
            }
        }
        weights.sort_unstable();
        self.tree.line = hottest_lines(&weights, self.tree.parent.len());
        self.tree
    }
}

/// `weights` are sorted. Of equally hot lines the first.
fn hottest_lines(weights: &[(u32, u32, u64)], nodes: usize) -> Vec<u32> {
    let mut line_of = vec![0; nodes];
    let mut best = vec![0u64; nodes];
    for group in weights.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (node, line) = (group[0].0 as usize, group[0].1);
        let sum = group
            .iter()
            .fold(0u64, |sum, entry| sum.saturating_add(entry.2));
        if line != 0 && (line_of[node] == 0 || sum > best[node]) {
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
    fn the_hottest_line_of_a_node_wins_and_unknown_lines_never_do() {
        let weights = [(1, 0, 90), (1, 4, 10), (1, 5, 6), (1, 5, 6), (2, 0, 5)];
        assert_eq!(hottest_lines(&weights, 3), [0, 5, 0]);
    }
}
