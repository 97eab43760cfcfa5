//! The call tree laid out for drawing: columns in depth-first order, heaviest siblings first, bounded in size.

use std::collections::HashMap;

use crate::amounts::Amount;
use crate::analyzed::Analyzed;
use crate::effect::Effect;
use crate::flame_tree::{ROOT, flame_tree};
use crate::frames::{FrameKind, Measure};
use crate::named_functions::{NamedFunction, marked, shortened};

/// A message holds at most 16 MiB; columns and texts together stay below this.
const ENCODED_LIMIT: usize = 15 << 20;
/// More cannot be told apart on any screen, at any zoom that a sample is worth; the lightest go into their parents.
const NODES_MAX: usize = 500_000;
/// Of a comparison: each holds three times as much, and has to fit the same message.
const COMPARED_NODES_MAX: usize = 300_000;
/// Six numbers of 32 bits and a verdict.
const EFFECT_BYTES: usize = 6 * 4 + 1;
/// As many as have colours that can be told apart.
const LARGEST_MODULES_MAX: usize = 12;

/// Frames as columns; index 0 is the root "all". Texts are indices into `strings`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FrameTable {
    pub strings: Vec<String>,
    pub name: Vec<u32>,
    pub module: Vec<u32>,
    pub file: Vec<u32>,
    /// Of the definition; 0: unknown.
    pub line: Vec<u32>,
    /// [`FrameKind`] as a number.
    pub kind: Vec<u32>,
    /// Rows, ascending, of functions that stand for what they call, too.
    pub collapsed: Vec<u32>,
}

/// One entry a node, node 0 is the root. Columns of a comparison are the base's here, the new run's in `compared`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlameGraph {
    pub frames: FrameTable,
    /// Node − its parent; 0 for the root.
    pub parent_distance: Vec<u32>,
    pub frame: Vec<u32>,
    pub line: Vec<u32>,
    pub self_value: Vec<u64>,
    pub self_samples: Vec<u32>,
    pub totals: TotalColumns,
    pub compared: Option<ComparedColumns>,
    /// Modules by the self of their frames, largest first; indices into the frames' strings. Those of the kernel are not
    /// among them, nor are more than [`LARGEST_MODULES_MAX`].
    pub largest_modules: Vec<u32>,
    /// Nodes folded into their parents to keep the message small.
    pub pruned_nodes: u64,
}

impl FlameGraph {
    /// Where nobody knows how many samples there were.
    pub fn forget_samples(&mut self) {
        let compared = self.compared.iter_mut();
        let columns = compared.map(|new| (&mut new.self_samples, &mut new.totals));
        for (of_nodes, totals) in columns.chain([(&mut self.self_samples, &mut self.totals)]) {
            of_nodes.fill(0);
            totals.samples.fill(0);
        }
    }
}

/// Each node with all that it calls. 0 where it calls nothing: its total is its self, and a zero is one byte in a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TotalColumns {
    pub value: Vec<u64>,
    pub samples: Vec<u64>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct ComparedColumns {
    pub self_value: Vec<u64>,
    pub self_samples: Vec<u32>,
    pub totals: TotalColumns,
    /// Sum of |new self − base self| over a node and all that it calls.
    pub churn: Vec<u64>,
    /// Of each node's total.
    pub total_effects: Vec<Effect>,
}

/// The call tree of all samples. A profile without samples gives the root alone.
pub fn flame_graph(analyzed: &Analyzed, measure: Measure) -> FlameGraph {
    flame_graph_without(analyzed, measure, &[])
}

/// The same without the frames of hidden functions: what they spent is their callers'.
pub fn flame_graph_without(
    analyzed: &Analyzed,
    measure: Measure,
    hidden: &[NamedFunction],
) -> FlameGraph {
    let tree = flame_tree(analyzed, measure, &marked(analyzed, hidden));
    let mut frames = FrameTable::default();
    let mut texts = Texts::new(&mut frames);
    for frame in &tree.frames {
        let function = analyzed.function(frame.function);
        texts.add(
            [function.name, function.module, function.file].map(|id| analyzed.text(id)),
            function.line,
            frame.kind,
        );
        if function.is_collapsed {
            texts.mark_collapsed();
        }
    }
    lay_out(
        &Tree {
            parent: &tree.parent,
            frame: &tree.frame,
            line: &tree.line,
            base: &tree.self_,
            new: None,
        },
        frames,
    )
}

/// A tree as it was made: parents before children; `frame` counts from 0, without the root.
pub(crate) struct Tree<'a> {
    pub parent: &'a [u32],
    pub frame: &'a [u32],
    pub line: &'a [u32],
    pub base: &'a [Amount],
    /// Of a comparison: the new run's, and the effect of each node's total.
    pub new: Option<(&'a [Amount], &'a [Effect])>,
}

/// Fills the texts of a frame table, each once.
pub(crate) struct Texts<'a> {
    frames: &'a mut FrameTable,
    ids: HashMap<String, u32>,
}

impl<'a> Texts<'a> {
    /// Starts the table with the root.
    pub fn new(frames: &'a mut FrameTable) -> Self {
        frames.strings.push(String::new());
        let mut texts = Texts {
            frames,
            ids: HashMap::from([(String::new(), 0)]),
        };
        texts.add(["all", "", ""], 0, FrameKind::Root);
        texts
    }

    /// `[name, module, file]`.
    pub fn add(&mut self, [name, module, file]: [&str; 3], line: u32, kind: FrameKind) {
        let ids = [name, module, file].map(|text| self.id(text));
        self.frames.name.push(ids[0]);
        self.frames.module.push(ids[1]);
        self.frames.file.push(ids[2]);
        self.frames.line.push(line);
        self.frames.kind.push(kind as u32);
    }

    /// The row that was added last.
    fn mark_collapsed(&mut self) {
        self.frames
            .collapsed
            .extend((self.frames.name.len() as u32).checked_sub(1));
    }

    fn id(&mut self, text: &str) -> u32 {
        let text = shortened(text);
        if let Some(&id) = self.ids.get(text.as_ref()) {
            return id;
        }
        let id = self.frames.strings.len() as u32;
        self.frames.strings.push(text.clone().into_owned());
        self.ids.insert(text.into_owned(), id);
        id
    }
}

pub(crate) fn lay_out(tree: &Tree, frames: FrameTable) -> FlameGraph {
    let totals = totals(tree);
    let limit = match tree.new {
        Some(_) => COMPARED_NODES_MAX,
        None => NODES_MAX,
    };
    let by_weight = heaviest(&totals, limit);
    let mut kept = by_weight.len();
    loop {
        let graph = lay_out_kept(tree, &by_weight[..kept], &frames);
        if kept <= 1 || encoded_size(&graph) <= ENCODED_LIMIT {
            return graph;
        }
        kept = kept * 3 / 4;
    }
}

/// Value and samples of a node and all below it; of a comparison, base and new together.
fn totals(tree: &Tree) -> Vec<(u64, u64)> {
    let mut totals: Vec<(u64, u64)> = (tree.base.iter().enumerate())
        .map(|(node, base)| {
            let new = tree.new.map_or(Amount::default(), |(new, _)| new[node]);
            (
                base.value.saturating_add(new.value),
                base.samples.saturating_add(new.samples),
            )
        })
        .collect();
    for node in (1..totals.len()).rev() {
        let (value, samples) = totals[node];
        let parent = &mut totals[tree.parent[node] as usize];
        parent.0 = parent.0.saturating_add(value);
        parent.1 = parent.1.saturating_add(samples);
    }
    totals
}

/// At most `limit` nodes, heaviest first. A parent is never lighter than its child and stands before it, so every
/// beginning of the list is a tree.
fn heaviest(totals: &[(u64, u64)], limit: usize) -> Vec<u32> {
    let weight = |&node: &u32| (std::cmp::Reverse(totals[node as usize]), node);
    let mut nodes: Vec<u32> = (0..totals.len() as u32).collect();
    if nodes.len() > limit {
        nodes.select_nth_unstable_by_key(limit, weight);
        nodes.truncate(limit);
    }
    nodes.sort_unstable_by_key(weight);
    nodes
}

/// What is not in `kept`, a beginning of [`heaviest`], is folded into its parents.
fn lay_out_kept(tree: &Tree, kept: &[u32], frames: &FrameTable) -> FlameGraph {
    let count = tree.parent.len();
    let mut is_kept = vec![false; count];
    kept.iter().for_each(|&node| is_kept[node as usize] = true);

    let mut base = tree.base.to_vec();
    let mut new = tree.new.map(|(new, _)| new.to_vec());
    for node in (1..count).rev().filter(|&node| !is_kept[node]) {
        let parent = tree.parent[node] as usize;
        for amounts in [Some(&mut base), new.as_mut()].into_iter().flatten() {
            let amount = amounts[node];
            amounts[parent].add(amount);
        }
    }

    let children = Children::of(tree.parent, kept);
    let mut graph = FlameGraph {
        compared: new.as_ref().map(|_| ComparedColumns::default()),
        pruned_nodes: (count - kept.len()) as u64,
        ..FlameGraph::default()
    };
    let mut frame_ids = UsedFrames::new(frames);
    let mut stack: Vec<(u32, u32)> = vec![(ROOT, 0)];
    while let Some((node, parent_place)) = stack.pop() {
        let place = graph.frame.len() as u32;
        let index = node as usize;
        let frame = if node == ROOT {
            0
        } else {
            tree.frame[index] + 1
        };
        graph.parent_distance.push(place - parent_place);
        graph.frame.push(frame_ids.id(frame));
        graph.line.push(tree.line[index]);
        graph.self_value.push(base[index].value);
        graph.self_samples.push(saturate(base[index].samples));
        if let (Some(columns), Some(new)) = (&mut graph.compared, &new) {
            columns.self_value.push(new[index].value);
            columns.self_samples.push(saturate(new[index].samples));
            let effects = tree.new.map_or(&[][..], |(_, effects)| effects);
            columns.total_effects.push(effects[index]);
        }
        stack.extend(
            children
                .of_node(node)
                .iter()
                .rev()
                .map(|&child| (child, place)),
        );
    }
    graph.frames = frame_ids.table;
    graph.largest_modules = largest_modules(&graph);
    let distances = &graph.parent_distance;
    graph.totals = TotalColumns::of(distances, &graph.self_value, &graph.self_samples);
    if let Some(new) = &mut graph.compared {
        new.totals = TotalColumns::of(distances, &new.self_value, &new.self_samples);
        new.churn = (graph.self_value.iter().zip(&new.self_value))
            .map(|(base, new)| new.abs_diff(*base))
            .collect();
        fold(distances, &mut new.churn);
    }
    graph
}

/// Of both runs of a comparison together.
fn largest_modules(graph: &FlameGraph) -> Vec<u32> {
    let mut self_of: HashMap<u32, u64> = HashMap::new();
    for (node, &frame) in graph.frame.iter().enumerate() {
        let frame = frame as usize;
        let (module, kind) = (graph.frames.module[frame], graph.frames.kind[frame]);
        if module == 0 || OF_KERNEL.iter().any(|&of_kernel| kind == of_kernel as u32) {
            continue;
        }
        let new = graph
            .compared
            .as_ref()
            .map_or(0, |new| new.self_value[node]);
        let sum = self_of.entry(module).or_default();
        *sum = sum
            .saturating_add(graph.self_value[node])
            .saturating_add(new);
    }
    let text = |module: u32| &graph.frames.strings[module as usize];
    let mut modules: Vec<(u32, u64)> = self_of.into_iter().collect();
    modules.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| text(a.0).cmp(text(b.0))));
    modules.truncate(LARGEST_MODULES_MAX);
    modules.into_iter().map(|(module, _)| module).collect()
}

const OF_KERNEL: [FrameKind; 2] = [FrameKind::Kernel, FrameKind::Interrupts];

impl TotalColumns {
    fn of(distances: &[u32], self_value: &[u64], self_samples: &[u32]) -> TotalColumns {
        let mut totals = TotalColumns {
            value: self_value.to_vec(),
            samples: self_samples.iter().map(|&samples| samples.into()).collect(),
        };
        fold(distances, &mut totals.value);
        fold(distances, &mut totals.samples);
        for node in 0..distances.len() {
            // In depth-first order the first callee stands right behind its caller.
            let calls = distances.get(node + 1) == Some(&1);
            if !calls && node > 0 {
                (totals.value[node], totals.samples[node]) = (0, 0);
            }
        }
        totals
    }
}

/// Adds each node to its parent, from the last to the first.
fn fold(distances: &[u32], column: &mut [u64]) {
    for node in (1..column.len()).rev() {
        let parent = node - distances[node] as usize;
        column[parent] = column[parent].saturating_add(column[node]);
    }
}

/// The wire counts samples in 32 bits; four thousand million of them on one node do not occur.
pub(crate) fn saturate(samples: u64) -> u32 {
    u32::try_from(samples).unwrap_or(u32::MAX)
}

/// Children of each node, in the order given.
struct Children {
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

impl Children {
    fn of(parent: &[u32], ordered: &[u32]) -> Children {
        let mut starts = vec![0u32; parent.len() + 1];
        let children = || ordered.iter().filter(|&&node| node != ROOT);
        children().for_each(|&node| starts[parent[node as usize] as usize + 1] += 1);
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut nodes = vec![0; starts[parent.len()] as usize];
        for &node in children() {
            let slot = &mut next[parent[node as usize] as usize];
            nodes[*slot as usize] = node;
            *slot += 1;
        }
        Children { starts, nodes }
    }

    fn of_node(&self, node: u32) -> &[u32] {
        &self.nodes[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }
}

/// The part of a frame table that kept nodes use, in order of first use.
struct UsedFrames<'a> {
    all: &'a FrameTable,
    frame_ids: Vec<Option<u32>>,
    string_ids: Vec<Option<u32>>,
    table: FrameTable,
}

impl<'a> UsedFrames<'a> {
    fn new(all: &'a FrameTable) -> Self {
        let mut string_ids = vec![None; all.strings.len()];
        string_ids[0] = Some(0);
        UsedFrames {
            all,
            frame_ids: vec![None; all.name.len()],
            string_ids,
            table: FrameTable {
                strings: vec![String::new()],
                ..FrameTable::default()
            },
        }
    }

    fn id(&mut self, frame: u32) -> u32 {
        let index = frame as usize;
        if let Some(id) = self.frame_ids[index] {
            return id;
        }
        let texts = [
            self.all.name[index],
            self.all.module[index],
            self.all.file[index],
        ]
        .map(|id| self.string(id));
        let id = self.table.name.len() as u32;
        self.table.name.push(texts[0]);
        self.table.module.push(texts[1]);
        self.table.file.push(texts[2]);
        self.table.line.push(self.all.line[index]);
        self.table.kind.push(self.all.kind[index]);
        if self.all.collapsed.binary_search(&frame).is_ok() {
            self.table.collapsed.push(id);
        }
        self.frame_ids[index] = Some(id);
        id
    }

    fn string(&mut self, id: u32) -> u32 {
        *self.string_ids[id as usize].get_or_insert_with(|| {
            self.table
                .strings
                .push(self.all.strings[id as usize].clone());
            self.table.strings.len() as u32 - 1
        })
    }
}

/// Bytes of the columns in protobuf, packed, and of the texts; other fields are a few bytes.
fn encoded_size(graph: &FlameGraph) -> usize {
    let narrow = |column: &[u32]| column.iter().map(|&v| varint_size(v.into())).sum::<usize>();
    let wide = |column: &[u64]| column.iter().map(|&v| varint_size(v)).sum::<usize>();
    let frames = &graph.frames;
    let texts: usize = frames.strings.iter().map(|text| text.len() + 4).sum();
    let compared = (graph.compared.as_ref()).map_or(0, |c| {
        wide(&c.self_value)
            + narrow(&c.self_samples)
            + wide(&c.totals.value)
            + wide(&c.totals.samples)
            + wide(&c.churn)
            + EFFECT_BYTES * c.total_effects.len()
    });
    let columns = [
        &graph.parent_distance,
        &graph.frame,
        &graph.line,
        &graph.self_samples,
    ];
    let frame_columns = [
        &frames.name,
        &frames.module,
        &frames.file,
        &frames.line,
        &frames.kind,
        &frames.collapsed,
    ];
    texts
        + wide(&graph.self_value)
        + wide(&graph.totals.value)
        + wide(&graph.totals.samples)
        + compared
        + columns
            .iter()
            .chain(&frame_columns)
            .map(|column| narrow(column))
            .sum::<usize>()
}

fn varint_size(value: u64) -> usize {
    (64 - (value | 1).leading_zeros() as usize).div_ceil(7)
}
