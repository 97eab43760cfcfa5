//! Sums over samples by function, line and file.
//!
//! Self: the sample's innermost frame, inlined frames included. Total: anywhere on the stack, once per sample
//! however often it recurs. An inlined call counts for the callee and for each call site up the chain.

use std::collections::HashMap;

use profile::SeededHash;

use crate::amounts::{Amount, Amounts, AmountsOfPaths, FileTally, Tally};
use crate::analyzed::Analyzed;
use crate::frames::{Measure, NO_PLACE};
use crate::stack_trie::Path;

impl Analyzed {
    /// Of all samples, those without a stack included.
    pub fn total(&self, measure: Measure) -> Amount {
        match self.tallies.get(measure).map(|tally| tally.get()) {
            Some(Some(tally)) => tally.total,
            None => Amount::default(),
            Some(None) => {
                let mut total = Amount::default();
                self.amounts(measure)
                    .for_each(|(_, amount)| total.add(amount));
                total
            }
        }
    }

    /// Sums by file and definition, in the same way.
    pub(crate) fn file_tally(&self, measure: Measure) -> Option<&FileTally> {
        let tally = self.file_tallies.get(measure)?;
        Some(tally.get_or_init(|| tally_files(self, &self.stacks().amounts(self, measure))))
    }

    /// Both, where both have been made.
    pub(crate) fn tallies_made(&self, measure: Measure) -> Option<(&Tally, &FileTally)> {
        let rows = self.tallies.get(measure)?.get()?;
        Some((rows, self.file_tallies.get(measure)?.get()?))
    }

    /// Sums by function and line, made at the first call. `None` in a profile without sample types.
    pub(crate) fn tally(&self, measure: Measure) -> Option<&Tally> {
        Some(
            self.tallies
                .get(measure)?
                .get_or_init(|| tally(self, &self.stacks().amounts(self, measure))),
        )
    }
}

pub(crate) fn tally(analyzed: &Analyzed, of_paths: &AmountsOfPaths) -> Tally {
    let function_group: Vec<u32> = (0..analyzed.functions().len() as u32).collect();
    let place_group: Vec<u32> = (0..analyzed.places().len() as u32).collect();
    let mut functions = Groups::new(&function_group, function_group.len());
    let mut places = Groups::new(&place_group, place_group.len());
    let total = tally_groups(
        analyzed,
        of_paths,
        |_| true,
        &mut functions,
        Some(&mut places),
    );
    Tally {
        total,
        functions: functions.sums,
        places: places.sums,
    }
}

pub(crate) fn tally_files(analyzed: &Analyzed, of_paths: &AmountsOfPaths) -> FileTally {
    let file_of_place: Vec<u32> = analyzed.places().iter().map(|place| place.file).collect();
    let (definition_of, definition_count) = definitions(analyzed);
    let mut definitions = Groups::new(&definition_of, definition_count);
    let mut files = Groups::new(&file_of_place, analyzed.files().len());
    tally_groups(
        analyzed,
        of_paths,
        |_| true,
        &mut definitions,
        Some(&mut files),
    );
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

/// One walk over all call paths; returns the sum of all samples. `is_wanted`: chains whose frames are entered.
pub(crate) fn tally_groups(
    analyzed: &Analyzed,
    (self_, total): &AmountsOfPaths,
    is_wanted: impl Fn(u32) -> bool,
    functions: &mut Groups,
    mut places: Option<&mut Groups>,
) -> Amount {
    let trie = analyzed.stacks();
    for path in trie.paths() {
        let node = path.node as usize;
        // In a selection most paths are without samples.
        if total[node] == Amount::default() || !is_wanted(trie.chain[node]) {
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
