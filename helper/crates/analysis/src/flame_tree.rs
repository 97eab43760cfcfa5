//! The call paths as a tree of functions: paths that differ only in their lines or addresses become one.

use std::collections::HashMap;

use profile::SeededHash;

use crate::amounts::Amount;
use crate::analyzed::Analyzed;
use crate::frames::{FrameKind, FunctionId, Measure};

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
    /// By call path of the profile: the node of its innermost frame.
    pub node_of_path: Vec<u32>,
}

/// Without samples, or without the measure, the tree is the root alone. `hidden`: by function, those that get no node.
pub(crate) fn flame_tree(analyzed: &Analyzed, measure: Measure, hidden: &[bool]) -> FlameTree {
    let mut tree = FlameTree {
        parent: vec![ROOT],
        frame: vec![0],
        self_: vec![Amount::default()],
        line: vec![0],
        frames: Vec::new(),
        node_of_path: vec![ROOT; analyzed.stacks().parent.len()],
    };
    if measure >= analyzed.profile().sample_types.len() {
        return tree;
    }
    let stacks = analyzed.stacks();
    let (self_, total) = stacks.amounts(analyzed, measure);
    tree.self_[0].add(self_[0]);
    let mut children = ChildNodes::default();
    let mut frame_ids: HashMap<FlameFrame, u32, SeededHash> = HashMap::default();
    let mut lines = NodeLines::default();
    for path in 1..stacks.parent.len() {
        // In a selection most paths are without samples.
        if analyzed.is_selection() && total[path] == Amount::default() {
            continue;
        }
        let mut node = tree.node_of_path[stacks.parent[path] as usize];
        let shown = (analyzed.chain(stacks.chain[path]).iter().rev())
            .filter(|frame| !hidden[frame.function as usize]);
        for frame in shown {
            let key = FlameFrame {
                function: frame.function,
                kind: analyzed.frame_kind(frame),
            };
            let frame_id = *frame_ids.entry(key).or_insert_with(|| {
                tree.frames.push(key);
                tree.frames.len() as u32 - 1
            });
            let made = tree.parent.len() as u32;
            let child = children.find_or_insert(node, frame_id, made);
            if child == made {
                tree.parent.push(node);
                tree.frame.push(frame_id);
                tree.self_.push(Amount::default());
            }
            node = child;
            lines.add(node, frame.line, total[path].value);
        }
        tree.node_of_path[path] = node;
        tree.self_[node as usize].add(self_[path]);
    }
    tree.line = lines.hottest(tree.parent.len());
    tree
}

/// The children of each node by their frame. Most nodes have one child, which needs no hash.
#[derive(Default)]
pub(crate) struct ChildNodes {
    /// Frame and node of the first child; node 0: none so far.
    first: Vec<(u32, u32)>,
    others: HashMap<(u32, u32), u32, SeededHash>,
}

impl ChildNodes {
    /// The child of `node` with this frame; `made` when it had none.
    pub fn find_or_insert(&mut self, node: u32, frame: u32, made: u32) -> u32 {
        let index = node as usize;
        if index >= self.first.len() {
            self.first.resize(index + 1, (0, ROOT));
        }
        match &mut self.first[index] {
            (_, ROOT) => {
                self.first[index] = (frame, made);
                made
            }
            (known, child) if *known == frame => *child,
            _ => *self.others.entry((node, frame)).or_insert(made),
        }
    }
}

/// How much of each node is on which of its lines. Most nodes have one line, which needs no list.
#[derive(Default)]
struct NodeLines {
    /// The first line of each node; 0: none so far.
    first: Vec<u32>,
    on_first: Vec<u64>,
    /// Other lines than the first: (node, line, value).
    others: Vec<(u32, u32, u64)>,
}

impl NodeLines {
    /// A line of 0 is none.
    fn add(&mut self, node: u32, line: u32, value: u64) {
        if line == 0 {
            return;
        }
        let index = node as usize;
        if index >= self.first.len() {
            self.first.resize(index + 1, 0);
            self.on_first.resize(index + 1, 0);
        }
        if self.first[index] == 0 {
            self.first[index] = line;
        }
        if self.first[index] == line {
            self.on_first[index] = self.on_first[index].saturating_add(value);
        } else {
            self.others.push((node, line, value));
        }
    }

    /// Of equally hot lines the lowest; a node without any has 0.
    fn hottest(mut self, nodes: usize) -> Vec<u32> {
        let mut line_of = self.first;
        let mut best = self.on_first;
        line_of.resize(nodes, 0);
        self.others.sort_unstable();
        for group in (self.others).chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (node, line) = (group[0].0 as usize, group[0].1);
            let sum = (group.iter()).fold(0u64, |sum, entry| sum.saturating_add(entry.2));
            if sum > best[node] || (sum == best[node] && line < line_of[node]) {
                line_of[node] = line;
                best[node] = sum;
            }
        }
        line_of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_made_once_for_each_frame() {
        let mut children = ChildNodes::default();
        let asked = [
            (0, 7, 1),
            (0, 7, 2),
            (0, 8, 2),
            (2, 7, 3),
            (0, 8, 4),
            (0, 9, 4),
            (2, 7, 5),
        ];
        let found = asked.map(|(node, frame, made)| children.find_or_insert(node, frame, made));
        assert_eq!(found, [1, 1, 2, 3, 2, 4, 3]);
    }

    #[test]
    fn the_hottest_line_of_a_node_wins() {
        let mut lines = NodeLines::default();
        for (node, line, value) in [
            (1, 4, 10),
            (1, 5, 6),
            (3, 8, 0),
            (1, 5, 6),
            (2, 9, 3),
            (2, 7, 1),
            (2, 7, 2),
            (2, 0, 50),
        ] {
            lines.add(node, line, value);
        }
        assert_eq!(lines.hottest(5), [0, 5, 7, 8, 0]);
    }
}
