//! Call paths changed: functions left out, focused on, or made one.

use std::collections::HashMap;
use std::sync::OnceLock;

use profile::SeededHash;

use crate::analyzed::Paths;
use crate::call_path::{CallPath, OnPath};
use crate::flame_tree::ChildNodes;
use crate::frames::{ChainFrame, FunctionId, FunctionKind, FunctionOf, NO_PLACE};
use crate::stack_trie::{StackTrie, depth_first};

/// What becomes of a path whose samples are left out.
pub(crate) const DROPPED: u32 = u32::MAX;

const ROOT: u32 = 0;

/// Each marks functions, by their ids.
pub(crate) enum Step {
    Focus(Vec<bool>),
    FocusSelf(Vec<bool>),
    Merge(Vec<bool>),
    Drop(Vec<bool>),
    Keep(Vec<bool>),
    CollapseRecursion(Vec<bool>),
    CollapseDirectRecursion(Vec<bool>),
    CollapseModule(Vec<bool>),
    FocusSubtree(CallPath),
    CollapseForeign { own: Vec<bool>, opened: Vec<bool> },
}

/// The changed paths, and by former path what became of it; [`DROPPED`]: it is none any more.
pub(crate) fn transformed(paths: &Paths, step: &Step) -> (Paths, Vec<u32>) {
    let mut changed = Changed::new(paths);
    match step {
        Step::Focus(marks) => changed.focus(marks),
        Step::FocusSelf(marks) => changed.focus_self(marks),
        Step::Merge(marks) => changed.merge(marks),
        Step::Drop(marks) => changed.drop_with(marks),
        Step::Keep(marks) => changed.keep_with(marks),
        Step::CollapseRecursion(marks) => changed.collapse_recursion(marks),
        Step::CollapseDirectRecursion(marks) => changed.collapse_direct_recursion(marks),
        Step::CollapseModule(marks) => changed.collapse_module(marks),
        Step::FocusSubtree(path) => changed.focus_subtree(path),
        Step::CollapseForeign { own, opened } => changed.collapse_foreign(own, opened),
    }
    changed.finish()
}

#[derive(Clone, Copy, PartialEq)]
enum Innermost {
    Nothing,
    Own,
    Foreign {
        /// Of the successive foreign frames.
        outermost: FunctionId,
        /// By own code.
        called: bool,
    },
}

struct Changed<'a> {
    old: &'a Paths,
    functions: Vec<FunctionOf>,
    parent: Vec<u32>,
    chain: Vec<u32>,
    children: ChildNodes,
    chain_ends: Vec<u32>,
    chain_frames: Vec<ChainFrame>,
    number_of: HashMap<Vec<ChainFrame>, u32, SeededHash>,
    /// By former path.
    node_of: Vec<u32>,
}

impl<'a> Changed<'a> {
    fn new(old: &'a Paths) -> Changed<'a> {
        Changed {
            old,
            functions: old.functions.clone(),
            parent: vec![ROOT],
            chain: vec![u32::MAX],
            children: ChildNodes::default(),
            chain_ends: Vec::new(),
            chain_frames: Vec::new(),
            number_of: HashMap::default(),
            node_of: vec![ROOT; old.stacks.parent.len()],
        }
    }

    /// The node of these frames, innermost first, below another; without frames that other.
    fn below(&mut self, parent: u32, frames: &[ChainFrame]) -> u32 {
        if frames.is_empty() {
            return parent;
        }
        let chain = match self.number_of.get(frames) {
            Some(&chain) => chain,
            None => {
                let chain = self.chain_ends.len() as u32;
                self.chain_frames.extend_from_slice(frames);
                self.chain_ends.push(self.chain_frames.len() as u32);
                self.number_of.insert(frames.to_vec(), chain);
                chain
            }
        };
        let made = self.parent.len() as u32;
        let node = self.children.find_or_insert(parent, chain, made);
        if node == made {
            self.parent.push(parent);
            self.chain.push(chain);
        }
        node
    }

    /// Gives each former path, parents before their children, what `change` says; it gets the frames of the path and what became of
    /// its parent.
    fn each(&mut self, mut change: impl FnMut(&mut Self, usize, &'a [ChainFrame], u32) -> u32) {
        let old = self.old;
        for path in 1..old.stacks.parent.len() {
            let frames = old.chain(old.stacks.chain[path]);
            let above = self.node_of[old.stacks.parent[path] as usize];
            self.node_of[path] = change(self, path, frames, above);
        }
    }

    fn focus(&mut self, marks: &[bool]) {
        self.node_of[0] = DROPPED;
        self.each(|changed, _, frames, above| {
            if above != DROPPED {
                return changed.below(above, frames);
            }
            match outermost(frames, marks) {
                Some(at) => changed.below(ROOT, &frames[..=at]),
                None => DROPPED,
            }
        });
    }

    fn focus_self(&mut self, marks: &[bool]) {
        self.node_of[0] = DROPPED;
        self.each(
            |changed, _, frames, _| match marks[frames[0].function as usize] {
                true => changed.below(ROOT, &frames[..1]),
                false => DROPPED,
            },
        );
    }

    fn focus_subtree(&mut self, path: &CallPath) {
        self.node_of[0] = DROPPED;
        // By former path: how many names of the path it has; `None`: it is on another one.
        let mut passed: Vec<Option<usize>> = vec![Some(0); self.node_of.len()];
        self.each(|changed, at, frames, above| {
            if above != DROPPED {
                return changed.below(above, frames);
            }
            let mut names = passed[changed.old.stacks.parent[at] as usize];
            for (place, frame) in frames.iter().enumerate().rev() {
                let Some(count) = names else { break };
                names = match path.role[frame.function as usize] {
                    OnPath::LeftOut => names,
                    OnPath::Named(name) if name == path.names[count] => Some(count + 1),
                    _ => None,
                };
                if names == Some(path.names.len()) {
                    return changed.below(ROOT, &frames[..=place]);
                }
            }
            passed[at] = names;
            DROPPED
        });
    }

    fn merge(&mut self, marks: &[bool]) {
        let mut kept = Vec::new();
        self.each(|changed, _, frames, above| {
            kept.clear();
            kept.extend(
                frames
                    .iter()
                    .filter(|frame| !marks[frame.function as usize]),
            );
            changed.below(above, &kept)
        });
    }

    fn drop_with(&mut self, marks: &[bool]) {
        self.each(|changed, _, frames, above| {
            match above == DROPPED || outermost(frames, marks).is_some() {
                true => DROPPED,
                false => changed.below(above, frames),
            }
        });
    }

    /// A path without such a function stays above those that have one.
    fn keep_with(&mut self, marks: &[bool]) {
        let mut is_kept = vec![false; self.node_of.len()];
        self.each(|changed, path, frames, above| {
            let is_below = is_kept[changed.old.stacks.parent[path] as usize];
            is_kept[path] = is_below || outermost(frames, marks).is_some();
            changed.below(above, frames)
        });
        for (node, _) in (self.node_of.iter_mut().zip(is_kept)).filter(|(_, is_kept)| !is_kept) {
            *node = DROPPED;
        }
    }

    /// The frames of the innermost call are kept: they have the lines that its samples are on.
    fn collapse_recursion(&mut self, marks: &[bool]) {
        // By former path: below what its outermost call stands.
        let mut outside = vec![DROPPED; self.node_of.len()];
        self.each(|changed, path, frames, above| {
            let outer = outside[changed.old.stacks.parent[path] as usize];
            outside[path] = outer;
            let Some(last) = outermost(frames, marks) else {
                return changed.below(above, frames);
            };
            if outer == DROPPED {
                outside[path] = changed.below(above, &frames[last + 1..]);
            }
            let innermost = frames
                .iter()
                .position(|frame| marks[frame.function as usize]);
            let innermost = innermost.unwrap_or(last);
            changed.below(outside[path], &frames[..=innermost])
        });
    }

    /// Of each call the innermost frame is kept, as [`Changed::collapse_recursion`] does.
    fn collapse_direct_recursion(&mut self, marks: &[bool]) {
        // By former path that ends with such a function: that function, and below what its frame stands.
        let mut ends_with: Vec<Option<(FunctionId, u32)>> = vec![None; self.node_of.len()];
        let mut kept: Vec<ChainFrame> = Vec::new();
        self.each(|changed, path, frames, above| {
            let is_repeated = |at: usize| {
                let function = frames[at].function;
                at > 0 && marks[function as usize] && frames[at - 1].function == function
            };
            kept.clear();
            kept.extend(
                (0..frames.len())
                    .filter(|&at| !is_repeated(at))
                    .map(|at| frames[at]),
            );
            let outermost = frames[frames.len() - 1].function;
            let below = match ends_with[changed.old.stacks.parent[path] as usize] {
                Some((function, outside)) if function == outermost => outside,
                _ => above,
            };
            let innermost = frames[0].function;
            if marks[innermost as usize] {
                ends_with[path] = Some((innermost, changed.below(below, &kept[1..])));
            }
            changed.below(below, &kept)
        });
    }

    /// What stands for the frames of a module has its name, and no line.
    fn collapse_module(&mut self, marks: &[bool]) {
        let mut stand_in: HashMap<u32, FunctionId> = HashMap::new();
        for (id, function) in self.old.functions.iter().enumerate() {
            if marks[id] && !stand_in.contains_key(&function.module) {
                stand_in.insert(function.module, self.functions.len() as FunctionId);
                self.functions.push(FunctionOf {
                    name: function.module,
                    file: 0,
                    module: function.module,
                    line: 0,
                    kind: match function.kind {
                        FunctionKind::Unknown => FunctionKind::Native,
                        kind => kind,
                    },
                    is_collapsed: false,
                });
            }
        }
        // By former path: the stand-in that it ends with.
        let mut ends_with: Vec<Option<FunctionId>> = vec![None; self.node_of.len()];
        let mut kept: Vec<ChainFrame> = Vec::new();
        self.each(|changed, path, frames, above| {
            let mut last = ends_with[changed.old.stacks.parent[path] as usize];
            kept.clear();
            for frame in frames.iter().rev() {
                if !marks[frame.function as usize] {
                    last = None;
                    kept.push(*frame);
                    continue;
                }
                let module = changed.old.functions[frame.function as usize].module;
                let function = stand_in[&module];
                if last != Some(function) {
                    kept.push(ChainFrame {
                        function,
                        place: NO_PLACE,
                        line: 0,
                        inlined: false,
                    });
                }
                last = Some(function);
            }
            ends_with[path] = last;
            kept.reverse();
            changed.below(above, &kept)
        });
    }

    /// Of successive foreign frames the outermost is kept, which own code called. Those that called all own code are left out.
    fn collapse_foreign(&mut self, own: &[bool], opened: &[bool]) {
        // By former path: what its innermost frame is.
        let mut ends_with = vec![Innermost::Nothing; self.node_of.len()];
        let mut kept: Vec<ChainFrame> = Vec::new();
        self.each(|changed, path, frames, mut above| {
            let mut innermost = ends_with[changed.old.stacks.parent[path] as usize];
            kept.clear();
            for frame in frames.iter().rev() {
                let function = frame.function as usize;
                if own[function] {
                    if matches!(innermost, Innermost::Foreign { called: false, .. }) {
                        above = ROOT;
                        kept.clear();
                    }
                    innermost = Innermost::Own;
                    kept.push(*frame);
                    continue;
                }
                match innermost {
                    Innermost::Foreign { outermost, .. } if !opened[outermost as usize] => {
                        changed.functions[outermost as usize].is_collapsed = true;
                    }
                    Innermost::Foreign { .. } => kept.push(*frame),
                    Innermost::Nothing | Innermost::Own => {
                        innermost = Innermost::Foreign {
                            outermost: frame.function,
                            called: innermost == Innermost::Own,
                        };
                        kept.push(*frame);
                    }
                }
            }
            ends_with[path] = innermost;
            kept.reverse();
            changed.below(above, &kept)
        });
    }

    fn finish(self) -> (Paths, Vec<u32>) {
        let (parent, chain, place) = depth_first(&self.parent, &self.chain);
        let node_of: Vec<u32> = (self.node_of.iter())
            .map(|&node| match node {
                DROPPED => DROPPED,
                node => place[node as usize],
            })
            .collect();
        let node_of_sample = (self.old.stacks.node_of_sample.iter())
            .map(|&old| match node_of[old as usize] {
                DROPPED => ROOT,
                node => node,
            })
            .collect();
        let changed = Paths {
            functions: self.functions,
            chain_ends: self.chain_ends,
            chain_frames: self.chain_frames,
            stacks: StackTrie {
                parent,
                chain,
                node_of_sample,
                cut_samples: self.old.stacks.cut_samples,
            },
            in_time: OnceLock::new(),
        };
        (changed, node_of)
    }
}

/// Of frames, innermost first.
fn outermost(frames: &[ChainFrame], marks: &[bool]) -> Option<usize> {
    (frames.iter()).rposition(|frame| marks[frame.function as usize])
}
