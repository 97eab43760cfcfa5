//! Sums over samples by function, line and file.
//!
//! Self: the sample's innermost frame, inlined frames included. Total: anywhere on the stack, once per sample
//! however often it recurs. An inlined call counts for the callee and for each call site up the chain.

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
    pub places: Vec<Amounts>,
    pub files: Vec<Amounts>,
}

pub(crate) fn tally(analyzed: &Analyzed, measure: Measure) -> Tally {
    let function_group: Vec<u32> = (0..analyzed.functions().len() as u32).collect();
    let place_group: Vec<u32> = (0..analyzed.places().len() as u32).collect();
    let file_of_place: Vec<u32> = analyzed.places().iter().map(|place| place.file).collect();
    let mut functions = Groups::new(&function_group, function_group.len());
    let mut places = Groups::new(&place_group, place_group.len());
    let mut files = Groups::new(&file_of_place, analyzed.files().len());
    let total = tally_groups(
        analyzed,
        measure,
        &mut functions,
        &mut [&mut places, &mut files],
    );
    Tally {
        total,
        functions: functions.sums,
        places: places.sums,
        files: files.sums,
    }
}

/// Sums by a grouping of functions or places: `group_of[id]` is the group, `u32::MAX` none.
pub(crate) struct Groups<'a> {
    group_of: &'a [u32],
    pub sums: Vec<Amounts>,
    /// The last sample that counted for the group, plus one.
    seen: Vec<u32>,
}

impl<'a> Groups<'a> {
    pub fn new(group_of: &'a [u32], groups: usize) -> Self {
        Groups {
            group_of,
            sums: vec![Amounts::default(); groups],
            seen: vec![0; groups],
        }
    }

    #[inline]
    fn count(&mut self, id: u32, is_leaf: bool, stamp: u32, amount: Amount) {
        let group = self.group_of[id as usize] as usize;
        let Some(sums) = self.sums.get_mut(group) else {
            return;
        };
        if is_leaf {
            sums.self_.add(amount);
        }
        if self.seen[group] != stamp {
            self.seen[group] = stamp;
            sums.total.add(amount);
        }
    }
}

/// One pass over all samples; returns their sum.
pub(crate) fn tally_groups(
    analyzed: &Analyzed,
    measure: Measure,
    functions: &mut Groups,
    places: &mut [&mut Groups],
) -> Amount {
    let mut total = Amount::default();
    for sample in 0..analyzed.profile().samples.len() {
        let amount = analyzed.amount(sample, measure);
        total.add(amount);
        let stamp = sample as u32 + 1;
        for (depth, frame) in analyzed.frames(sample).enumerate() {
            functions.count(frame.function, depth == 0, stamp, amount);
            if frame.place != NO_PLACE {
                for groups in places.iter_mut() {
                    groups.count(frame.place, depth == 0, stamp, amount);
                }
            }
        }
    }
    total
}
