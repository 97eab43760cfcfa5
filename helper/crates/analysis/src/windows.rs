//! The time of two parts of a run, cut into windows that cross no edge of either.

use std::ops::Range;

use statistics::{LEAST_WINDOWS, WINDOWS, Windows};

use crate::analyzed::Analyzed;
use crate::counts::Columns;
use crate::frames::Measure;
use crate::parts::length_ns;
use crate::timeline::period_ns;

/// A window with fewer is mostly chance.
const LEAST_PERIODS: f64 = 25.0;

/// In the order of time, each with the sides that it is of.
pub(crate) struct CutTime {
    windows: Vec<(Range<u64>, [bool; 2])>,
    /// How many are of base, and of new.
    pub counts: [usize; 2],
}

impl CutTime {
    /// `names`: of the sides. `covered`: ranges that are apart.
    ///
    /// # Errors
    /// A sentence, when there is too little time.
    pub fn of(
        analyzed: &Analyzed,
        names: [&str; 2],
        covered: [&[Range<u64>]; 2],
    ) -> Result<CutTime, String> {
        if analyzed.sample_times().is_none() {
            return Err("This file does not say when its samples were taken, so there are no windows of time that would distinguish a difference from noise.".to_owned());
        }
        let least = LEAST_PERIODS * period_ns(analyzed);
        let mut wanted = [0.0; 2];
        for side in 0..2 {
            let length = length_ns(covered[side]) as f64;
            let windows = ((length / least) as usize).min(WINDOWS);
            if windows < LEAST_WINDOWS {
                return Err(format!(
                    "The {} covers {} s of time, which is too little to distinguish a difference from noise: at least {} s are needed.",
                    names[side],
                    rounded(length / 1e9),
                    rounded(LEAST_WINDOWS as f64 * least / 1e9),
                ));
            }
            wanted[side] = length / windows as f64;
        }
        let mut cut = CutTime {
            windows: Vec::new(),
            counts: [0; 2],
        };
        for (segment, is_of) in segments(covered) {
            let longest = (0..2).filter(|&side| is_of[side]).map(|side| wanted[side]);
            let length = longest.fold(f64::INFINITY, f64::min);
            let of_segment = (segment.end - segment.start) as f64;
            let parts = ((of_segment / length).round() as u64).max(1);
            for part in 0..parts {
                let at = |part: u64| {
                    let offset = u128::from(segment.end - segment.start) * u128::from(part)
                        / u128::from(parts);
                    segment.start + offset as u64
                };
                cut.windows.push((at(part)..at(part + 1), is_of));
                (0..2).for_each(|side| cut.counts[side] += usize::from(is_of[side]));
            }
        }
        Ok(cut)
    }

    pub fn count(&self) -> usize {
        self.windows.len()
    }

    /// With seconds as the exposure.
    pub fn windows(&self) -> Windows {
        let of = |side: usize| -> Vec<f64> {
            (self.windows.iter())
                .map(|(range, is_of)| match is_of[side] {
                    true => (range.end - range.start) as f64 / 1e9,
                    false => 0.0,
                })
                .collect()
        };
        let follows = (0..self.windows.len()).map(|window| {
            window > 0 && self.windows[window - 1].0.end == self.windows[window].0.start
        });
        Windows {
            covers: [0, 1].map(|side| self.windows.iter().map(|(_, is_of)| is_of[side]).collect()),
            length: (self.windows.iter())
                .map(|(range, _)| (range.end - range.start) as f64 / 1e9)
                .collect(),
            exposure: [of(0), of(1)],
            follows: follows.collect(),
        }
    }

    /// Whether both sides are of the same time.
    pub fn are_shared(&self) -> bool {
        self.windows.iter().all(|(_, is_of)| *is_of == [true; 2])
    }

    /// The samples of a side in each.
    pub fn columns(&self, analyzed: &Analyzed, measure: Measure) -> Columns {
        let mut is_of_measure = vec![false; analyzed.profile().samples.len()];
        for (sample, amount) in analyzed.amounts(measure) {
            is_of_measure[sample] = amount.samples > 0;
        }
        let mut entries = Vec::new();
        if let (Some(times), Some(run)) = (analyzed.sample_times(), &analyzed.profile().run) {
            let mut window = 0;
            for (&sample, &ns) in run.time_sample.iter().zip(&times.ns) {
                while self
                    .windows
                    .get(window)
                    .is_some_and(|(range, _)| range.end <= ns)
                {
                    window += 1;
                }
                let is_in = (self.windows.get(window))
                    .is_some_and(|(range, _)| range.contains(&ns))
                    && (analyzed.selected.as_ref())
                        .is_none_or(|selected| selected.is_in_at(sample, ns));
                if is_in && is_of_measure[sample as usize] {
                    entries.push((sample, window as u32, 1));
                }
            }
        }
        Columns::of_entries(self.windows.len(), entries)
    }
}

/// Between all edges of both, with the sides that each is of.
fn segments(covered: [&[Range<u64>]; 2]) -> Vec<(Range<u64>, [bool; 2])> {
    let mut edges: Vec<u64> = (covered.iter())
        .flat_map(|ranges| ranges.iter())
        .flat_map(|range| [range.start, range.end])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    (edges.windows(2))
        .map(|edges| {
            let is_of = covered.map(|ranges| ranges.iter().any(|range| range.contains(&edges[0])));
            (edges[0]..edges[1], is_of)
        })
        .filter(|(_, is_of)| is_of.contains(&true))
        .collect()
}

/// Seconds with two digits that count.
fn rounded(seconds: f64) -> String {
    match seconds {
        s if s >= 10.0 => format!("{s:.0}"),
        s if s >= 1.0 => format!("{s:.1}"),
        s => format!("{s:.2}"),
    }
}
