//! Sums over samples by function, line and file.
//!
//! Self: the sample's innermost frame, inlined frames included. Total: anywhere on the stack, once per sample
//! however often it recurs. An inlined call counts for the callee and for each call site up the chain.

use std::collections::HashMap;

use profile::SeededHash;

use crate::analyzed::{Analyzed, Measure, NO_PLACE};

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

pub(crate) struct Tally {
    pub total: Amount,
    pub functions: Vec<Amounts>,
    /// By function: the sums of all functions with its definition, such as the instances of a template.
    pub definitions: Vec<Amounts>,
    pub places: Vec<Amounts>,
    pub files: Vec<Amounts>,
}

pub(crate) fn tally(analyzed: &Analyzed, measure: Measure) -> Tally {
    let function_group: Vec<u32> = (0..analyzed.functions().len() as u32).collect();
    let place_group: Vec<u32> = (0..analyzed.places().len() as u32).collect();
    let file_of_place: Vec<u32> = analyzed.places().iter().map(|place| place.file).collect();
    let (definition_of, definition_count) = definitions(analyzed);
    let mut functions = Groups::new(&function_group, function_group.len());
    let mut definitions = Groups::new(&definition_of, definition_count);
    let mut places = Groups::new(&place_group, place_group.len());
    let mut files = Groups::new(&file_of_place, analyzed.files().len());
    let total = tally_groups(
        analyzed,
        measure,
        &mut [&mut functions, &mut definitions],
        &mut [&mut places, &mut files],
    );
    Tally {
        total,
        functions: functions.sums,
        definitions: (definition_of.iter())
            .map(|definition| definitions.sums[*definition as usize])
            .collect(),
        places: places.sums,
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
    /// How often the group stands on the path from the root to here.
    on_path: Vec<u32>,
}

impl<'a> Groups<'a> {
    pub fn new(group_of: &'a [u32], groups: usize) -> Self {
        Groups {
            group_of,
            sums: vec![Amounts::default(); groups],
            on_path: vec![0; groups],
        }
    }

    /// A path's samples count for the outermost frame of a group; those further in are the same samples again.
    fn enter(&mut self, id: u32, below: Amount) {
        let group = self.group_of[id as usize] as usize;
        if self.on_path[group] == 0 {
            self.sums[group].total.add(below);
        }
        self.on_path[group] += 1;
    }

    fn add_self(&mut self, id: u32, amount: Amount) {
        self.sums[self.group_of[id as usize] as usize]
            .self_
            .add(amount);
    }

    fn leave(&mut self, id: u32) {
        self.on_path[self.group_of[id as usize] as usize] -= 1;
    }
}

/// One walk over all call paths; returns the sum of all samples.
pub(crate) fn tally_groups(
    analyzed: &Analyzed,
    measure: Measure,
    functions: &mut [&mut Groups],
    places: &mut [&mut Groups],
) -> Amount {
    let trie = analyzed.stacks();
    let (self_, total) = trie.amounts(analyzed, measure);
    let mut path: Vec<u32> = Vec::new();
    for node in 1..trie.parent.len() {
        while path.last().is_some_and(|&last| last != trie.parent[node]) {
            let left = path.pop().expect("it has a last one");
            for frame in analyzed.chain(trie.chain[left as usize]) {
                for groups in functions.iter_mut() {
                    groups.leave(frame.function);
                }
                if frame.place != NO_PLACE {
                    places
                        .iter_mut()
                        .for_each(|groups| groups.leave(frame.place));
                }
            }
        }
        path.push(node as u32);
        let chain = analyzed.chain(trie.chain[node]);
        for frame in chain {
            for groups in functions.iter_mut() {
                groups.enter(frame.function, total[node]);
            }
            if frame.place != NO_PLACE {
                places
                    .iter_mut()
                    .for_each(|groups| groups.enter(frame.place, total[node]));
            }
        }
        let leaf = chain[0];
        for groups in functions.iter_mut() {
            groups.add_self(leaf.function, self_[node]);
        }
        if leaf.place != NO_PLACE {
            for groups in places.iter_mut() {
                groups.add_self(leaf.place, self_[node]);
            }
        }
    }
    total[0]
}
