//! Two parts of one recording that are compared: what they are called, what time each covers, and what their units are.
//!
//! Parts that differ by whole executions of the command are compared by these, as two runs are. All others are cut into windows of time
//! (`windows`): of its own, where the times of the parts differ, and the same for both, where they differ by threads or processes.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use profile::Profile;

use crate::analyzed::Analyzed;
use crate::chosen_part::ChosenPart;
use crate::execution::executions;
use crate::sample_times::{apart, between};
use crate::selected_samples::SelectedSamples;
use crate::selection::Selection;
use crate::side::{Side, unknown_in_both};
use crate::side_names::SideNames;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parts {
    pub names: SideNames,
    /// Nanoseconds since the recording began, of base and new; `None`: each takes whole executions, which are the units.
    pub covered: Option<[Vec<Range<u64>>; 2]>,
}

impl Parts {
    /// `None`: the sides are of different recordings.
    ///
    /// # Errors
    /// A sentence, when the sides have samples in common.
    pub fn of(sides: [&Side; 2]) -> Result<Option<Parts>, String> {
        let [base, new] = sides.map(|side| &*side.analyzed);
        if !Arc::ptr_eq(&base.recorded, &new.recorded) {
            return Ok(None);
        }
        let (in_base, in_new) = match (&base.selected, &new.selected) {
            (Some(in_base), Some(in_new)) => (in_base, in_new),
            // A run and itself, which do not differ.
            (None, None) => return Ok(None),
            _ => return Err(OVERLAP.to_owned()),
        };
        if have_common_samples(base, in_base, in_new) {
            return Err(OVERLAP.to_owned());
        }
        let chosen = [in_base, in_new];
        let names = names(chosen.map(|side| &side.part));
        let profile = base.profile();
        let covered = match are_of_executions(profile, chosen) {
            true => None,
            false => Some(chosen.map(|side| covered(base, &side.part))),
        };
        Ok(Some(Parts { names, covered }))
    }
}

impl Side {
    /// Two parts of a run. What neither has is unknown; what one alone has is new or gone.
    ///
    /// # Errors
    /// A sentence, when something is asked that the run does not have.
    pub fn parts(profile: Profile, selections: [&Selection; 2]) -> Result<[Side; 2], String> {
        let run = Analyzed::new(profile);
        let part = |selection: &Selection| {
            let mut unknown = Vec::new();
            let selected = run.selected_of_many(selection, &mut unknown)?;
            Ok::<_, String>((Side::of_run(Arc::new(selected)), unknown))
        };
        let [base, new] = selections.map(part);
        let ((base, in_base), (new, in_new)) = (base?, new?);
        match unknown_in_both(in_base, &in_new).into_iter().next() {
            Some(unknown) => Err(unknown.sentence),
            None => Ok([base, new]),
        }
    }
}

impl Analyzed {
    /// Whether both are selections of one open run, so that they can be compared as parts of it.
    pub fn is_part_beside(&self, other: &Analyzed) -> bool {
        let are_selections = self.is_selection() && other.is_selection();
        are_selections && Arc::ptr_eq(&self.recorded, &other.recorded)
    }
}

const OVERLAP: &str = "Both sides hold some of the same samples of the recording, so they cannot be compared. Choose parts that do not overlap.";

fn names([base, new]: [&ChosenPart; 2]) -> SideNames {
    if base.is_rest_of(new) {
        return SideNames::parts(["rest", "selection"]);
    }
    if new.is_rest_of(base) {
        return SideNames::parts(["selection", "rest"]);
    }
    let beginning = |of: &ChosenPart| match (of.is_rest, of.times.as_slice()) {
        (false, [range]) => Some(range.start),
        _ => None,
    };
    SideNames::parts(match beginning(base).zip(beginning(new)) {
        Some((base, new)) if base < new => ["first range", "second range"],
        Some((base, new)) if base > new => ["second range", "first range"],
        _ => ["base part", "new part"],
    })
}

/// At some time, if the time of one is selected.
fn have_common_samples(of: &Analyzed, base: &SelectedSamples, new: &SelectedSamples) -> bool {
    let mut is_common = vec![false; of.profile().samples.len()];
    let in_base: BTreeSet<u32> = base.samples.iter().copied().collect();
    for sample in new.samples.iter().filter(|sample| in_base.contains(sample)) {
        is_common[*sample as usize] = true;
    }
    if base.times.is_empty() && new.times.is_empty() {
        return is_common.contains(&true);
    }
    let Some((times, run)) = of.sample_times().zip(of.profile().run.as_ref()) else {
        return is_common.contains(&true);
    };
    (run.time_sample.iter().zip(&times.ns)).any(|(&sample, &ns)| {
        is_common[sample as usize] && base.is_in_at(sample, ns) && new.is_in_at(sample, ns)
    })
}

/// Whether no execution has samples of both, and all the time of each is taken.
fn are_of_executions(profile: &Profile, sides: [&SelectedSamples; 2]) -> bool {
    if sides.iter().any(|side| !side.times.is_empty()) {
        return false;
    }
    let found = executions(profile);
    if found.sampled.len() < 2 {
        return false;
    }
    let [base, new] = sides.map(|side| -> BTreeSet<u32> {
        (side.samples.iter())
            .filter_map(|&sample| found.of_sample[sample as usize])
            .collect()
    });
    !base.is_empty() && !new.is_empty() && base.is_disjoint(&new)
}

/// When a sample of the selection could have been taken: ranges that are apart, within the recording.
fn covered(analyzed: &Analyzed, part: &ChosenPart) -> Vec<Range<u64>> {
    let profile = analyzed.profile();
    let last = analyzed.sample_times().and_then(|times| times.ns.last());
    let run = profile.run.as_ref();
    let wall_ns = match run.map_or(0, |run| run.wall_ns) {
        0 => u64::try_from(profile.duration_nanos).unwrap_or(0),
        ns => ns,
    };
    let end = wall_ns.max(last.map_or(0, |last| last.saturating_add(1)));
    let all = spans(profile, &[], end);
    if part.is_rest && part.is_of_threads() {
        // Other threads, all the time.
        return all;
    }
    let mut of_selection = spans(profile, &part.executions, end);
    if !part.times.is_empty() {
        of_selection = common(&of_selection, &apart(&part.times));
    }
    match part.is_rest {
        true => common(&all, &between(&of_selection)),
        false => of_selection,
    }
}

/// Of these executions, or of all; without several, the recording.
fn spans(profile: &Profile, wanted: &[u32], end: u64) -> Vec<Range<u64>> {
    let run = profile.run.iter().flat_map(|run| &run.repetitions);
    let spans: Vec<Range<u64>> = run
        .filter(|repetition| !repetition.warm_up)
        .map(|repetition| {
            repetition.start_ns
                ..repetition
                    .start_ns
                    .saturating_add(repetition.wall_ns)
                    .min(end)
        })
        .collect();
    if spans.len() < 2 || spans.iter().any(Range::is_empty) {
        return (end > 0).then_some(0..end).into_iter().collect();
    }
    let spans = (1..).zip(spans);
    let wanted = spans.filter(|(number, _)| wanted.is_empty() || wanted.contains(number));
    apart(&wanted.map(|(_, span)| span).collect::<Vec<_>>())
}

/// What two lists of ranges that are apart have in common.
fn common(one: &[Range<u64>], other: &[Range<u64>]) -> Vec<Range<u64>> {
    let pairs = one.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
    let both: Vec<Range<u64>> = pairs
        .map(|(a, b)| a.start.max(b.start)..a.end.min(b.end))
        .filter(|range| range.start < range.end)
        .collect();
    apart(&both)
}

pub(crate) fn length_ns(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().map(|range| range.end - range.start).sum()
}
