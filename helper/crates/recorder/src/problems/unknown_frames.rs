//! Frames of user code that belong to no known module, counted, with what is known of why.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::problem::{Problem, Processes, WhyUnknown};
use crate::evidence::Evidence;
use crate::stacks::{CodePlace, CountedStacks, Thread};

/// Above this share of all user frames the run says so.
const WORTH_TELLING: f64 = 0.2;

/// Names of processes in one sentence.
const NAMES_MAX: usize = 3;

#[derive(Default)]
struct Frames {
    all: u64,
    unknown: u64,
    /// Of the unknown: those of processes of which no mapping was ever reported.
    of_unmapped: u64,
    unmapped: BTreeMap<(u32, String), u64>,
    /// The same of processes whose records were dropped and that could not be read.
    of_unread: u64,
    unread: BTreeMap<(u32, String), u64>,
    unread_samples: u64,
}

/// Frames that have no module, when there are many, or some for want of records that the kernel dropped.
pub fn unknown_frames(seen: &Evidence) -> Option<Problem> {
    let frames = count(&seen.stacks, &seen.spaces.ever_mapped, &seen.unread);
    let share = frames.unknown as f64 / frames.all.max(1) as f64;
    if share <= WORTH_TELLING {
        return (frames.unread_samples > 0).then(|| Problem::UnreadProcesses {
            samples: frames.unread_samples,
            of: first_of(frames.unread),
        });
    }
    let why = if 2 * frames.of_unread > frames.unknown {
        WhyUnknown::Dropped(first_of(frames.unread))
    } else if seen.lost_mapping_records > 0 {
        WhyUnknown::RecordsLost(seen.lost_mapping_records)
    } else if 2 * frames.of_unmapped > frames.unknown {
        WhyUnknown::NeverMapped(first_of(frames.unmapped))
    } else {
        WhyUnknown::NoFile
    };
    Some(Problem::UnknownFrames { share, why })
}

/// Lost records, when the frames do not show it.
pub fn mapping_records_lost(seen: &Evidence) -> Option<Problem> {
    let records = seen.lost_mapping_records;
    (records > 0 && unknown_frames(seen).is_none())
        .then_some(Problem::MappingRecordsLost { records })
}

/// Some of the processes, those with the most frames first.
fn first_of(processes: BTreeMap<(u32, String), u64>) -> Processes {
    let are_all = processes.len() <= NAMES_MAX;
    let mut processes: Vec<_> = processes.into_iter().collect();
    processes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let first = processes.into_iter().take(NAMES_MAX);
    Processes {
        first: first.map(|((pid, name), _)| (name, pid)).collect(),
        are_all,
    }
}

fn count(stacks: &CountedStacks, mapped: &HashSet<u32>, unread: &BTreeSet<u32>) -> Frames {
    let mut frames = Frames::default();
    for (group, sums) in stacks.groups.values().iter().zip(&stacks.sums) {
        let places = stacks.stacks.stack(group.stack).iter();
        let places = places.map(|number| stacks.places.values()[*number as usize]);
        let (mut all, mut unknown) = (0, 0);
        for place in places {
            all += u64::from(!matches!(
                place,
                CodePlace::Kernel { .. } | CodePlace::OtherStack
            ));
            unknown += u64::from(matches!(place, CodePlace::Unknown { .. }));
        }
        frames.all += all * sums.samples;
        frames.unknown += unknown * sums.samples;
        let thread = &stacks.threads.values()[group.thread as usize];
        if unknown > 0 && unread.contains(&thread.pid) {
            frames.of_unread += unknown * sums.samples;
            frames.unread_samples += sums.samples;
            let process = (thread.pid, name_of(thread));
            *frames.unread.entry(process).or_default() += unknown * sums.samples;
        }
        if unknown > 0 && !mapped.contains(&thread.pid) {
            frames.of_unmapped += unknown * sums.samples;
            *frames
                .unmapped
                .entry((thread.pid, name_of(thread)))
                .or_default() += unknown * sums.samples;
        }
    }
    frames
}

fn name_of(thread: &Thread) -> String {
    let name = thread.name.split(|b| *b == 0).next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}

#[cfg(test)]
mod tests {
    use records::{SampleRecord, StackEnd, Worth};

    use super::*;
    use crate::modules::MadeBy;

    /// Each with its process and how many of its four frames lie in a mapping.
    fn told(samples: &[(u32, usize)], lost_records: u64) -> Option<String> {
        told_of(samples, lost_records, &[])
    }

    fn told_of(samples: &[(u32, usize)], lost_records: u64, unread: &[u32]) -> Option<String> {
        let mut seen = Evidence {
            unread: unread.iter().copied().collect(),
            lost_mapping_records: lost_records,
            ..Evidence::default()
        };
        let module = seen.modules.add_made("code", MadeBy::Others);
        seen.spaces.map(1, 0, (0x1000, 0x2000), 0, module);
        for (pid, known) in samples {
            let mut comm = [0; 16];
            comm[..3].copy_from_slice(b"two");
            let address = |frame| if frame < *known { 0x1000 } else { 0x9000 } + frame as u64;
            let sample = SampleRecord {
                time_ns: 1,
                pid: *pid,
                tid: *pid,
                worth: Worth::of_cpu(1_001_001),
                end: StackEnd::Root,
                comm,
                kernel: vec![],
                user: (0..4).map(address).collect(),
            };
            (seen.stacks).add(sample, 0, &seen.spaces, &seen.modules);
        }
        unknown_frames(&seen).map(|problem| problem.sentence())
    }

    #[test]
    fn more_than_a_fifth_is_told_with_the_reason() {
        assert_eq!(told(&[(1, 4)], 0), None);
        let mostly_known = [(1, 4), (1, 4), (1, 4), (1, 4), (2, 0)];
        assert_eq!(told(&mostly_known, 0), None);
        let half_known = [(1, 4), (2, 0)];
        let text = told(&half_known, 0).unwrap();
        assert!(text.starts_with("50 % of the user-space frames"), "{text}");
        assert!(
            text.ends_with("reported no mapped files of two (2)."),
            "{text}"
        );
        let text = told(&half_known, 7).unwrap();
        assert!(
            text.ends_with("7 records of mapped files were lost."),
            "{text}"
        );
        let of_another = told_of(&mostly_known, 0, &[1]);
        assert_eq!(of_another, None, "its frames are all known");
        let text = told_of(&mostly_known, 0, &[2]).unwrap();
        assert!(
            text.starts_with("Frames of 1 sample of two (2) are shown"),
            "{text}"
        );
        let text = told_of(&half_known, 0, &[2]).unwrap();
        assert!(
            text.contains("50 %") && text.contains("of two (2), the machine"),
            "{text}"
        );
        let text = told(&[(1, 1)], 0).unwrap();
        assert!(
            text.contains("75 %") && text.contains("generated at run time"),
            "{text}"
        );
    }
}
