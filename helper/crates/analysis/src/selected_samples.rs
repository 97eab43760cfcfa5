//! What each sample of a profile weighs in a selection by time, thread, process and execution.

use std::ops::Range;

use profile::{Profile, StringId};

use crate::analyzed::Analyzed;
use crate::names::{NamePattern, Unknown};
use crate::sample_times::{SampleTimes, apart};
use crate::selection::Selection;
use crate::threads::Threads;

#[derive(Debug, Clone)]
pub(crate) struct SelectedSamples {
    /// As [`profile::Samples::values`].
    pub values: Vec<u64>,
    /// By sample of the profile: whether any part of it is in.
    pub is_in: Vec<bool>,
    /// Empty: all the time.
    pub times: Vec<Range<u64>>,
    /// Samples that may have been taken in the time that is selected: nothing tells.
    pub without_time: u64,
}

impl SelectedSamples {
    /// # Errors
    /// A sentence, when times are wanted and the profile has none.
    pub fn of(
        analyzed: &Analyzed,
        selection: &Selection,
        unknown: &mut Vec<Unknown>,
    ) -> Result<SelectedSamples, String> {
        let is_in = (0..analyzed.profile().samples.len()).map(|sample| analyzed.is_in(sample));
        let mut selected = SelectedSamples {
            values: analyzed.values().to_vec(),
            is_in: is_in.collect(),
            times: Vec::new(),
            without_time: 0,
        };
        let text = |id| analyzed.text(id);
        selected.keep_threads(analyzed.thread_table(), text, selection, unknown);
        selected.keep_executions(analyzed.profile(), &selection.executions, unknown);
        if !selection.times.is_empty() {
            let times = analyzed.sample_times();
            selected.keep_times(analyzed.profile(), times, &selection.times)?;
        }
        Ok(selected)
    }

    /// The same of a profile that is one of several, which then has the values of the selection.
    pub fn of_profile(
        profile: &mut Profile,
        selection: &Selection,
        unknown: &mut Vec<Unknown>,
    ) -> Result<SelectedSamples, String> {
        let mut selected = SelectedSamples {
            values: std::mem::take(&mut profile.samples.values),
            is_in: vec![true; profile.samples.len()],
            times: Vec::new(),
            without_time: 0,
        };
        let table = Threads::of(profile);
        selected.keep_threads(&table, |id| profile.text(id), selection, unknown);
        selected.keep_executions(profile, &selection.executions, unknown);
        if !selection.times.is_empty() {
            let times = SampleTimes::of(profile);
            selected.keep_times(profile, times.as_ref(), &selection.times)?;
        }
        selected.leave_out(profile.sample_types.len());
        profile.samples.values = std::mem::take(&mut selected.values);
        Ok(selected)
    }

    /// Takes the weight from the samples that are out.
    pub fn leave_out(&mut self, types: usize) {
        for (sample, is_in) in self.is_in.iter().enumerate() {
            if !is_in {
                self.values[sample * types..][..types].fill(0);
            }
        }
    }

    /// Takes a sample's values to be spread evenly over the times at which it was taken, and each time to have a whole number
    /// of them, so that parts of a run add up to it.
    fn keep_times(
        &mut self,
        profile: &Profile,
        times: Option<&SampleTimes>,
        ranges: &[Range<u64>],
    ) -> Result<(), String> {
        let (Some(times), Some(run)) = (times, &profile.run) else {
            return Err(NO_TIMES.to_owned());
        };
        let types = profile.sample_types.len();
        let count = profile.find_sample_type("samples", "count");
        let without_time = (0..self.is_in.len())
            .filter(|&sample| self.is_in[sample] && times.occurrences[sample] == 0)
            .map(|sample| count.map_or(1, |count| self.values[sample * types + count]));
        self.without_time = without_time.sum();
        self.times = apart(ranges);
        let sample_at = &run.time_sample;
        let within: Vec<Range<usize>> = (self.times.iter()).map(|r| times.within(r)).collect();
        let mut inside = vec![0u32; self.is_in.len()];
        for &sample in within.iter().flat_map(|range| &sample_at[range.clone()]) {
            inside[sample as usize] += 1;
        }
        let all = self.values.clone();
        let mut is_uneven = vec![false; self.is_in.len()];
        for (sample, (is_in, &inside)) in self.is_in.iter_mut().zip(&inside).enumerate() {
            let taken = u64::from(times.occurrences[sample]);
            *is_in &= inside > 0;
            let row = sample * types..(sample + 1) * types;
            is_uneven[sample] = *is_in && all[row.clone()].iter().any(|value| value % taken != 0);
            for value in &mut self.values[row] {
                *value = match taken {
                    0 => 0,
                    _ => *value / taken * u64::from(inside),
                };
            }
        }
        if !is_uneven.contains(&true) {
            return Ok(());
        }
        let mut before = vec![0u32; self.is_in.len()];
        let mut within = within.into_iter().peekable();
        for (at, &sample) in sample_at.iter().enumerate() {
            let sample = sample as usize;
            let rank = before[sample];
            before[sample] += 1;
            while within.next_if(|range| range.end <= at).is_some() {}
            if !is_uneven[sample] || !within.peek().is_some_and(|range| range.contains(&at)) {
                continue;
            }
            let row = sample * types..(sample + 1) * types;
            for (value, all) in self.values[row.clone()].iter_mut().zip(&all[row]) {
                // What the division left over of this time.
                let taken = u128::from(times.occurrences[sample]);
                let rest = u128::from(*all) % taken;
                let (rank, next) = (u128::from(rank), u128::from(rank) + 1);
                *value += (rest * next / taken - rest * rank / taken) as u64;
            }
        }
        Ok(())
    }

    fn keep_threads<'a>(
        &mut self,
        table: &Threads,
        text: impl Fn(StringId) -> &'a str,
        selection: &Selection,
        unknown: &mut Vec<Unknown>,
    ) {
        let mut is_wanted = vec![true; table.all.len()];
        for (what, asked) in [
            ("thread", &selection.threads),
            ("process", &selection.processes),
        ] {
            if asked.is_empty() {
                continue;
            }
            let named: Vec<(&str, u32)> = (table.all.iter())
                .map(|of| match what {
                    "thread" => (text(of.thread), of.tid),
                    _ => (text(of.process), of.pid),
                })
                .collect();
            let mut is_any = vec![false; named.len()];
            for asked in asked {
                match wanted(asked, &named) {
                    Some(found) => is_any
                        .iter_mut()
                        .zip(found)
                        .for_each(|(any, it)| *any |= it),
                    None => unknown.push(Unknown::name(what, asked, named.iter().map(|of| of.0))),
                }
            }
            is_wanted
                .iter_mut()
                .zip(is_any)
                .for_each(|(is, any)| *is &= any);
        }
        for (is_in, &thread) in self.is_in.iter_mut().zip(&table.of_sample) {
            *is_in &= is_wanted[thread as usize];
        }
    }

    fn keep_executions(&mut self, profile: &Profile, asked: &[u32], unknown: &mut Vec<Unknown>) {
        if asked.is_empty() {
            return;
        }
        let run = profile.run.as_ref();
        let sampled = run.map_or(0, |run| {
            run.repetitions.iter().filter(|r| !r.warm_up).count()
        });
        let known = (sampled as u32).max(1);
        for number in asked
            .iter()
            .filter(|&&number| number == 0 || number > known)
        {
            let has = match known {
                1 => "one".to_owned(),
                known => known.to_string(),
            };
            unknown.push(Unknown {
                asked: number.to_string(),
                sentence: format!("There is no execution {number}: this run has {has}."),
            });
        }
        let numbers = profile::sample_repetitions(profile);
        for (is_in, number) in self.is_in.iter_mut().zip(numbers) {
            *is_in &= asked.contains(&if known == 1 { 1 } else { number });
        }
    }
}

pub(crate) const NO_TIMES: &str = "This file does not say when its samples were taken, so no time can be selected: only runs that Lineheat recorded do.";

impl Analyzed {
    /// `None`: the profile does not say when its samples were taken.
    pub(crate) fn sample_times(&self) -> Option<&SampleTimes> {
        let times = (self.recorded.times).get_or_init(|| SampleTimes::of(&self.recorded.profile));
        times.as_ref()
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
        let is_in = |sample: &u32| selected.is_in[*sample as usize];
        if selected.times.is_empty() {
            return all.iter().copied().filter(is_in).collect();
        }
        (selected.times.iter())
            .flat_map(|range| &all[times.within(range)])
            .copied()
            .filter(is_in)
            .collect()
    }
}

/// By thread, whether it is meant: by its name, else by its number, else by a glob.
fn wanted(asked: &str, named: &[(&str, u32)]) -> Option<Vec<bool>> {
    let by_number = || {
        let number: u32 = asked.parse().ok().filter(|&number| number > 0)?;
        Some(named.iter().map(|of| of.1 == number).collect::<Vec<bool>>())
    };
    let is_some = |found: &Vec<bool>| found.contains(&true);
    let by_name = || {
        NamePattern::new(asked)
            .ok()?
            .found(named.iter().map(|of| of.0))
    };
    let exactly = Some(named.iter().map(|of| of.0 == asked).collect()).filter(is_some);
    exactly
        .or_else(|| by_number().filter(is_some))
        .or_else(by_name)
}
