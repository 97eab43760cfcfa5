//! What each sample weighs in a selection by time, thread, process and execution.

use std::collections::HashMap;
use std::ops::Range;

use profile::{Profile, SeededHash};

use crate::analyzed::Analyzed;
use crate::frames::Measure;
use crate::memory_times::{MemoryTimes, MemoryWithin};
use crate::sample_times::{SampleTimes, apart, between};
use crate::selected_samples::SelectedSamples;
use crate::selection::Selection;
use crate::threads::Threads;
use crate::wait_times::WaitTimes;
use name_patterns::{NamePattern, Unknown};

/// What tells the samples of a profile apart.
struct Source<'a> {
    profile: &'a Profile,
    threads: &'a Threads,
    times: Option<&'a SampleTimes>,
    wait_times: Option<&'a WaitTimes>,
    memory_times: Option<&'a MemoryTimes>,
}

impl Source<'_> {
    fn is_of_timed_waits(&self, sample: usize) -> bool {
        self.wait_times.is_some_and(|waits| waits.has_times[sample])
    }

    /// Whether it is known when the sample was taken.
    fn has_time(&self, sample: usize) -> bool {
        let is_timed = |times: &SampleTimes| times.occurrences[sample] > 0;
        self.times.is_none_or(is_timed) || self.is_of_timed_waits(sample)
    }
}

impl SelectedSamples {
    /// # Errors
    /// A sentence, when times are wanted and the profile has none.
    pub fn of(
        analyzed: &Analyzed,
        selection: &Selection,
        unknown: &mut Vec<Unknown>,
    ) -> Result<SelectedSamples, String> {
        // They take a while, and are not always asked for.
        let is_timed = !selection.times.is_empty();
        let source = Source {
            profile: analyzed.profile(),
            threads: analyzed.thread_table(),
            times: is_timed.then(|| analyzed.sample_times()).flatten(),
            wait_times: is_timed.then(|| analyzed.wait_times()).flatten(),
            memory_times: is_timed.then(|| analyzed.memory_times()).flatten(),
        };
        SelectedSamples::among(&source, analyzed.each_sample(), selection, unknown)
    }

    /// The same of a profile that is one of several, which then has the values of the selection. By sample, whether it is in.
    pub fn of_profile(
        profile: &mut Profile,
        selection: &Selection,
        unknown: &mut Vec<Unknown>,
    ) -> Result<Vec<bool>, String> {
        let types = profile.sample_types.len();
        let threads = Threads::of(profile);
        let is_timed = !selection.times.is_empty();
        let times = is_timed.then(|| SampleTimes::of(profile)).flatten();
        let wait_times = is_timed.then(|| WaitTimes::of(profile)).flatten();
        let memory_times = is_timed.then(|| MemoryTimes::of(profile)).flatten();
        let source = Source {
            profile,
            threads: &threads,
            times: times.as_ref(),
            wait_times: wait_times.as_ref(),
            memory_times: memory_times.as_ref(),
        };
        let rows = profile
            .samples
            .values
            .chunks_exact(types.max(1))
            .enumerate();
        let selected = SelectedSamples::among(&source, rows, selection, unknown)?;
        let mut is_in = vec![false; profile.samples.len()];
        profile.samples.values.fill(0);
        let rows = selected.values.chunks_exact(types.max(1));
        for (&sample, row) in selected.samples.iter().zip(rows) {
            is_in[sample as usize] = true;
            profile.samples.values[sample as usize * types..][..types].copy_from_slice(row);
        }
        Ok(is_in)
    }

    fn among<'a>(
        source: &Source,
        rows: impl Iterator<Item = (usize, &'a [u64])> + Clone,
        selection: &Selection,
        unknown: &mut Vec<Unknown>,
    ) -> Result<SelectedSamples, String> {
        let is_thread_wanted = wanted_threads(source, selection, unknown)?;
        let is_wanted = wanted_executions(source.profile, &selection.executions, unknown);
        let is_meant = |sample: usize| {
            is_thread_wanted[source.threads.of_sample[sample] as usize]
                && (is_wanted.is_empty() || is_wanted[sample])
        };
        let meant = rows.clone().filter(|(sample, _)| is_meant(*sample));
        let mut selected = SelectedSamples::default();
        if selection.times.is_empty() {
            for (sample, row) in meant {
                selected.samples.push(sample as u32);
                selected.values.extend_from_slice(row);
            }
        } else {
            let times = source.times.ok_or_else(|| NO_TIMES.to_owned())?;
            selected.times = apart(&selection.times);
            selected.extend_during(source, times, meant);
        }
        if selection.rest {
            if !selection.narrows() {
                return Err(NO_REST.to_owned());
            }
            let samples = source.profile.samples.len();
            let memory = (source.memory_times).map(|of| of.within(&between(&selected.times)));
            let has_time = |sample: usize| source.has_time(sample);
            selected = selected.rest(rows, samples, is_meant, has_time, memory.as_ref());
        }
        selected.part = selection.part();
        Ok(selected)
    }

    /// Takes a sample's values to be spread evenly over the times at which it was taken, and each time to have a whole number
    /// of them, so that parts of a run add up to it. Waits have the time of their length that is in.
    fn extend_during<'a>(
        &mut self,
        source: &Source,
        times: &SampleTimes,
        rows: impl Iterator<Item = (usize, &'a [u64])>,
    ) {
        let profile = source.profile;
        let (counting, measure) = (profile.default_counting(), profile.default_measure());
        let sample_at = profile.run.as_ref().map_or(&[][..], |run| &run.time_sample);
        let within: Vec<Range<usize>> = (self.times.iter()).map(|r| times.within(r)).collect();
        let mut inside = vec![0u32; times.occurrences.len()];
        for &sample in within.iter().flat_map(|range| &sample_at[range.clone()]) {
            inside[sample as usize] += 1;
        }
        let waits = source
            .wait_times
            .map(|waits| waits.sums_within(&self.times));
        let waits = waits.unwrap_or_default();
        let memory: Option<MemoryWithin> = (source.memory_times).map(|of| of.within(&self.times));
        let of_waits = [("wait", "nanoseconds"), ("waits", "count")]
            .map(|(name, unit)| profile.find_sample_type(name, unit));
        let mut uneven: HashMap<u32, Uneven, SeededHash> = HashMap::default();
        for (sample, row) in rows {
            if let Some(memory) = memory.as_ref().filter(|of| of.has_time(sample)) {
                if let Some(row) = memory.row(sample) {
                    self.samples.push(sample as u32);
                    self.values.extend(row);
                }
                continue;
            }
            if source.is_of_timed_waits(sample) {
                if let Some(waited) = waits.get(&(sample as u32)) {
                    let value_of = |of: usize| match of {
                        of if Some(of) == of_waits[0] => waited.ns,
                        of if Some(of) == of_waits[1] => waited.waits,
                        _ => 0,
                    };
                    self.samples.push(sample as u32);
                    self.values.extend((0..row.len()).map(value_of));
                }
                continue;
            }
            let taken = u64::from(times.occurrences[sample]);
            let inside = u64::from(inside[sample]);
            if taken == 0 {
                let samples = counting.samples_of(row, measure);
                self.without_time = self.without_time.saturating_add(samples);
                self.others_without_time |= row[measure] == 0 && row.iter().any(|value| *value > 0);
            }
            if inside == 0 {
                continue;
            }
            if row.iter().any(|value| value % taken != 0) {
                let of_sample = Uneven {
                    row: self.samples.len(),
                    rests: row.iter().map(|value| value % taken).collect(),
                };
                uneven.insert(sample as u32, of_sample);
            }
            self.samples.push(sample as u32);
            self.values
                .extend(row.iter().map(|value| value / taken * inside));
        }
        if !uneven.is_empty() {
            let types = profile.sample_types.len();
            self.add_rests(types, times, sample_at, &within, &uneven);
        }
    }
    /// What the division left over, to the times that are in.
    fn add_rests(
        &mut self,
        types: usize,
        times: &SampleTimes,
        sample_at: &[u32],
        within: &[Range<usize>],
        uneven: &HashMap<u32, Uneven, SeededHash>,
    ) {
        let mut before: HashMap<u32, u64, SeededHash> = HashMap::default();
        let mut within = within.iter().peekable();
        for (at, sample) in sample_at.iter().enumerate() {
            let Some(Uneven { row, rests }) = uneven.get(sample) else {
                continue;
            };
            let rank = before.entry(*sample).or_default();
            let (earlier, taken) = (*rank, u64::from(times.occurrences[*sample as usize]));
            *rank += 1;
            while within.next_if(|range| range.end <= at).is_some() {}
            if !within.peek().is_some_and(|range| range.contains(&at)) {
                continue;
            }
            let values = &mut self.values[row * types..][..types];
            for (value, rest) in values.iter_mut().zip(rests) {
                // A rest is less than 2^32, as the number of times is.
                *value += rest * (earlier + 1) / taken - rest * earlier / taken;
            }
        }
    }
}

/// A sample whose values cannot be divided by the number of its times.
struct Uneven {
    /// Its place among the selected ones.
    row: usize,
    rests: Vec<u64>,
}

/// By thread, whether it is asked for.
fn wanted_threads(
    source: &Source,
    selection: &Selection,
    unknown: &mut Vec<Unknown>,
) -> Result<Vec<bool>, String> {
    let threads = &source.threads.all;
    let text = |id| source.profile.text(id);
    let mut is_wanted = vec![true; threads.len()];
    for (what, asked, is_kept) in [
        ("thread", &selection.threads, true),
        ("process", &selection.processes, true),
        ("thread", &selection.dropped_threads, false),
        ("process", &selection.dropped_processes, false),
    ] {
        if asked.is_empty() {
            continue;
        }
        let named: Vec<(&str, u32)> = (threads.iter())
            .map(|of| match what {
                "thread" => (text(of.thread), of.tid),
                _ => (text(of.process), of.pid),
            })
            .collect();
        let mut is_any = vec![false; named.len()];
        for asked in asked {
            match threads_meant(asked, &named)? {
                Some(found) => (is_any.iter_mut().zip(found)).for_each(|(any, it)| *any |= it),
                None => unknown.push(Unknown::name(what, asked, named.iter().map(|of| of.0))),
            }
        }
        (is_wanted.iter_mut().zip(is_any)).for_each(|(is, any)| *is &= any == is_kept);
    }
    Ok(is_wanted)
}

/// By sample, whether it is of an execution that is asked for; empty: all are.
fn wanted_executions(profile: &Profile, asked: &[u32], unknown: &mut Vec<Unknown>) -> Vec<bool> {
    if asked.is_empty() {
        return Vec::new();
    }
    let run = profile.run.iter().flat_map(|run| &run.repetitions);
    let known = (run.filter(|repetition| !repetition.warm_up).count() as u32).max(1);
    for number in (asked.iter()).filter(|&&number| number == 0 || number > known) {
        let has = match known {
            1 => "one".to_owned(),
            known => known.to_string(),
        };
        unknown.push(Unknown {
            asked: number.to_string(),
            sentence: format!("There is no execution {number}: this run has {has}."),
        });
    }
    let numbers = profile::sample_repetitions(profile).into_iter();
    numbers
        .map(|number| asked.contains(&if known == 1 { 1 } else { number }))
        .collect()
}

const NO_REST: &str = "Nothing is left out, so there is no rest to compare with: select times, threads, processes or executions.";

pub(crate) const NO_TIMES: &str = "This file does not say when its samples were taken, so no time can be selected: only runs that Lineheat recorded do.";

impl Analyzed {
    /// `None`: the profile does not say when its samples were taken.
    pub(crate) fn sample_times(&self) -> Option<&SampleTimes> {
        let times = (self.recorded.times).get_or_init(|| SampleTimes::of(&self.recorded.profile));
        times.as_ref()
    }

    /// Whether it is known when the waits of the recording were.
    pub fn has_wait_times(&self) -> bool {
        self.wait_times().is_some()
    }

    /// Of the recording. `None`: it has no waits, or does not say when they were.
    pub(crate) fn wait_times(&self) -> Option<&WaitTimes> {
        let times =
            (self.recorded.wait_times).get_or_init(|| WaitTimes::of(&self.recorded.profile));
        times.as_ref()
    }

    /// Whether it is known when the memory of this measure was allocated and freed. The peak has no time but its own.
    pub fn has_memory_times(&self, measure: Measure) -> bool {
        (self.memory_times()).is_some_and(|times| times.has_times_of(measure))
    }

    /// Of the recording. `None`: it has no allocations, or does not say when they were.
    pub(crate) fn memory_times(&self) -> Option<&MemoryTimes> {
        let times =
            (self.recorded.memory_times).get_or_init(|| MemoryTimes::of(&self.recorded.profile));
        times.as_ref()
    }

    /// Whether only some of the time is selected.
    pub fn is_part_of_time(&self) -> bool {
        (self.selected.as_ref()).is_some_and(|selected| !selected.times.is_empty())
    }

    /// The samples in the order of time, as indices into the profile's; of a selection those that are in. Empty: nothing tells.
    pub(crate) fn samples_in_time(&self) -> Vec<u32> {
        let run = self.profile().run.as_ref();
        let all = run.map_or(&[][..], |run| &run.time_sample);
        let Some(selected) = &self.selected else {
            return all.to_vec();
        };
        let Some(times) = self.sample_times() else {
            return Vec::new();
        };
        let mut is_in = vec![false; self.profile().samples.len()];
        for &sample in &selected.samples {
            is_in[sample as usize] = true;
        }
        let is_in = |sample: &u32| is_in[*sample as usize];
        if selected.times.is_empty() {
            return all.iter().copied().filter(is_in).collect();
        }
        if !selected.at_all_times.is_empty() {
            let is_in_at = |(sample, ns): &(&u32, &u64)| selected.is_in_at(**sample, **ns);
            let in_time = all.iter().zip(&times.ns).filter(is_in_at);
            return in_time.map(|(sample, _)| *sample).filter(is_in).collect();
        }
        (selected.times.iter())
            .flat_map(|range| &all[times.within(range)])
            .copied()
            .filter(is_in)
            .collect()
    }
}

/// By thread, whether it is meant: by its name, else by its number, else by a pattern. `None`: none is.
///
/// # Errors
/// A sentence, when a regular expression is none.
pub(crate) fn threads_meant(
    asked: &str,
    named: &[(&str, u32)],
) -> Result<Option<Vec<bool>>, String> {
    let is_some = |found: &Vec<bool>| found.contains(&true);
    let exactly: Vec<bool> = named.iter().map(|of| of.0 == asked).collect();
    if is_some(&exactly) {
        return Ok(Some(exactly));
    }
    if let Some(number) = asked.parse().ok().filter(|&number: &u32| number > 0) {
        let numbered: Vec<bool> = named.iter().map(|of| of.1 == number).collect();
        if is_some(&numbered) {
            return Ok(Some(numbered));
        }
    }
    Ok(NamePattern::new(asked)?.found(named.iter().map(|of| of.0)))
}
