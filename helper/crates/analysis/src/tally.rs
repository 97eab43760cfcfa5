//! Sums over samples by function, line and file.
//!
//! Self: the sample's innermost frame, inlined frames included. Total: anywhere on the stack, once per sample
//! however often it recurs. An inlined call counts for the callee and for each call site up the chain.

use std::collections::HashMap;

use profile::SeededHash;

use crate::analyzed::{Analyzed, NO_PLACE};

/// How often something was sampled, and what those samples are worth in the unit of the measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amount {
    pub samples: u64,
    pub value: u64,
}

impl Amount {
    pub(crate) fn add(&mut self, other: Amount) {
        self.samples = self.samples.saturating_add(other.samples);
        self.value = self.value.saturating_add(other.value);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amounts {
    pub self_: Amount,
    pub total: Amount,
}

/// By call path, what its own samples add up to, and those of it with all below it.
pub(crate) type AmountsOfPaths = (Vec<Amount>, Vec<Amount>);

pub(crate) struct Tally {
    pub total: Amount,
    pub functions: Vec<Amounts>,
    pub places: Vec<Amounts>,
}

pub(crate) fn tally(analyzed: &Analyzed, of_paths: &AmountsOfPaths) -> Tally {
    let function_group: Vec<u32> = (0..analyzed.functions().len() as u32).collect();
    let place_group: Vec<u32> = (0..analyzed.places().len() as u32).collect();
    let mut functions = Groups::new(&function_group, function_group.len());
    let mut places = Groups::new(&place_group, place_group.len());
    let total = tally_groups(analyzed, of_paths, &mut functions, Some(&mut places));
    Tally {
        total,
        functions: functions.sums,
        places: places.sums,
    }
}

/// What views of source files need besides.
pub(crate) struct FileTally {
    /// By function: the sums of all functions with its definition, such as the instances of a template.
    pub definitions: Vec<Amounts>,
    pub files: Vec<Amounts>,
}

pub(crate) fn tally_files(analyzed: &Analyzed, of_paths: &AmountsOfPaths) -> FileTally {
    let file_of_place: Vec<u32> = analyzed.places().iter().map(|place| place.file).collect();
    let (definition_of, definition_count) = definitions(analyzed);
    let mut definitions = Groups::new(&definition_of, definition_count);
    let mut files = Groups::new(&file_of_place, analyzed.files().len());
    tally_groups(analyzed, of_paths, &mut definitions, Some(&mut files));
    FileTally {
        definitions: (definition_of.iter())
            .map(|definition| definitions.sums[*definition as usize])
            .collect(),
        files: files.sums,
    }
}

/// For each function the number of its definition: a line of a file, else the function itself.
fn definitions(analyzed: &Analyzed) -> (Vec<u32>, usize) {
    let mut numbers: HashMap<_, u32, SeededHash> = HashMap::default();
    let mut next = 0;
    let definition_of = (analyzed.functions().iter())
        .map(|function| {
            let fresh = next;
            let number = match function.line {
                0 => fresh,
                line => *numbers.entry((function.file, line)).or_insert(fresh),
            };
            next += u32::from(number == fresh);
            number
        })
        .collect();
    (definition_of, next as usize)
}

/// Sums by a grouping of functions or places: `group_of[id]` is the group.
pub(crate) struct Groups<'a> {
    group_of: &'a [u32],
    pub sums: Vec<Amounts>,
    open: OpenGroups,
}

impl<'a> Groups<'a> {
    pub fn new(group_of: &'a [u32], groups: usize) -> Self {
        Groups {
            group_of,
            sums: vec![Amounts::default(); groups],
            open: OpenGroups::new(groups),
        }
    }

    fn enter(&mut self, id: u32, path: Path, below: Amount) {
        let group = self.group_of[id as usize] as usize;
        if self.open.enter(group, path) {
            self.sums[group].total.add(below);
        }
    }

    fn add_self(&mut self, id: u32, amount: Amount) {
        self.sums[self.group_of[id as usize] as usize]
            .self_
            .add(amount);
    }
}

/// A node of the trie, and the first that is not below it.
#[derive(Clone, Copy)]
pub(crate) struct Path {
    pub node: u32,
    pub end: u32,
}

/// Which groups the walk is in. A path's samples count for the outermost frame of a group; those further in are the same
/// samples again.
pub(crate) struct OpenGroups {
    /// By group: the first node that is not below the last outermost one of it, so that nothing is to be done when the walk
    /// leaves a node.
    until: Vec<u32>,
}

impl OpenGroups {
    pub fn new(groups: usize) -> OpenGroups {
        OpenGroups {
            until: vec![0; groups],
        }
    }

    /// Whether this frame of the group is the outermost. Nodes come in their order.
    #[inline]
    pub fn enter(&mut self, group: usize, path: Path) -> bool {
        let is_outermost = self.until[group] <= path.node;
        if is_outermost {
            self.until[group] = path.end;
        }
        is_outermost
    }
}

/// One walk over all call paths; returns the sum of all samples.
pub(crate) fn tally_groups(
    analyzed: &Analyzed,
    (self_, total): &AmountsOfPaths,
    functions: &mut Groups,
    mut places: Option<&mut Groups>,
) -> Amount {
    let trie = analyzed.stacks();
    for path in trie.paths() {
        let node = path.node as usize;
        // In a selection most paths are without samples.
        if total[node] == Amount::default() {
            continue;
        }
        let chain = analyzed.chain(trie.chain[node]);
        for frame in chain {
            functions.enter(frame.function, path, total[node]);
            if let Some(places) = places.as_mut().filter(|_| frame.place != NO_PLACE) {
                places.enter(frame.place, path, total[node]);
            }
        }
        if self_[node] == Amount::default() {
            continue;
        }
        let leaf = chain[0];
        functions.add_self(leaf.function, self_[node]);
        if let Some(places) = places.as_mut().filter(|_| leaf.place != NO_PLACE) {
            places.add_self(leaf.place, self_[node]);
        }
    }
    total[0]
}
