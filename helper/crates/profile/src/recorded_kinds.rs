//! What `record` records by kinds, each with what it takes for it, and the notes of a run that concern one kind only.

use crate::columns::Profile;
use crate::run::RunInfo;

/// Measures that are recorded together: who misses one of them misses all.
struct Kind {
    /// What `record` takes for it; empty: it always does.
    how: &'static str,
    /// Those that say most, which are offered where they are missing.
    main: &'static [&'static str],
    others: &'static [&'static str],
}

/// In the order in which missing ones are offered.
const KINDS: &[Kind] = &[
    Kind {
        how: "",
        main: &["cpu"],
        others: &["samples"],
    },
    Kind {
        how: WAITING,
        main: &["wait"],
        others: &["waits"],
    },
    Kind {
        how: "with --alloc",
        main: &["alloc_space", "inuse_space"],
        others: &[
            "alloc_objects",
            "alloc_samples",
            "inuse_objects",
            "inuse_samples",
            "peak_space",
            "peak_objects",
            "peak_samples",
            "temporary_space",
            "temporary_objects",
            "temporary_samples",
        ],
    },
    Kind {
        how: "with --calls",
        main: &["calls"],
        others: &[],
    },
    Kind {
        how: "with --syscalls",
        main: &["syscall"],
        others: &["syscalls", "syscall_samples", "syscall_errors"],
    },
    Kind {
        how: "with --faults",
        main: &["faults"],
        others: &["fault_samples"],
    },
];
/// All events are recorded; how much those vary between executions is another matter, see [`crate::Nature`].
const WAITING: &str = "without --no-waiting";

impl Kind {
    fn has(&self, name: &str) -> bool {
        self.main.contains(&name) || self.others.contains(&name)
    }
}

fn kind_of(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.has(name))
}

/// How `record` records a measure of this name, if not always. `None`: always, or it is none of ours.
pub fn recorded_with(name: &str) -> Option<&'static str> {
    kind_of(name)
        .map(|kind| kind.how)
        .filter(|how| !how.is_empty())
}

/// Each of its events is recorded.
pub(crate) fn has_all_events(name: &str) -> bool {
    recorded_with(name) == Some(WAITING)
}

/// A measure of our recordings that one of them does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unrecorded {
    pub name: &'static str,
    /// What `record` takes for it.
    pub how: &'static str,
}

/// Notes of a run that say nothing of the figures of other measures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotesOfKind<'a> {
    /// The measure that says most of what they concern.
    pub main: &'static str,
    /// The sample types of the profile that they concern; never empty.
    pub sample_types: Vec<usize>,
    /// As they are in [`RunInfo::problems`].
    pub sentences: &'a [String],
}

impl Profile {
    /// What another recording of the same command can measure besides. Nothing for files of other tools.
    pub fn unrecorded(&self) -> Vec<Unrecorded> {
        let kinds = KINDS.iter().filter(|_| self.run.is_some());
        let all = kinds.flat_map(|kind| kind.main.iter().map(|&name| (name, kind.how)));
        all.filter(|(name, how)| !how.is_empty() && self.find_named(name).is_none())
            .map(|(name, how)| Unrecorded { name, how })
            .collect()
    }

    /// Nothing of a kind that the run does not have: such a note says why, and concerns all who look for it.
    pub fn notes_by_kind(&self) -> Vec<NotesOfKind<'_>> {
        let noted = self.run.iter().flat_map(|run| &run.measure_problems);
        noted
            .filter_map(|of| {
                let kind = kind_of(&of.measure)?;
                let types = self.sample_types.iter().enumerate();
                let sample_types: Vec<usize> = types
                    .filter(|(_, of)| kind.has(self.text(of.kind)))
                    .map(|(at, _)| at)
                    .collect();
                (!sample_types.is_empty()).then_some(NotesOfKind {
                    main: kind.main[0],
                    sample_types,
                    sentences: &of.problems,
                })
            })
            .collect()
    }
}

/// Notes that `sentence` concerns the measures that are recorded with `measure`.
pub fn note_of_measure(run: &mut RunInfo, measure: &str, sentence: &str) {
    let known = run
        .measure_problems
        .iter()
        .position(|of| of.measure == measure);
    let at = known.unwrap_or_else(|| {
        run.measure_problems.push(crate::run::MeasureProblems {
            measure: measure.to_owned(),
            problems: Vec::new(),
        });
        run.measure_problems.len() - 1
    });
    run.measure_problems[at].problems.push(sentence.to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::ProfileBuilder;
    use crate::measures::MeasureInfo;

    #[test]
    fn what_one_of_our_runs_lacks_is_named_with_how_to_record_it() {
        let mut builder = ProfileBuilder::new(&[("cpu", "nanoseconds"), ("wait", "nanoseconds")]);
        let foreign = ProfileBuilder::new(&[("cpu", "nanoseconds")]).finish();
        assert_eq!(foreign.unrecorded(), []);
        builder.set_run(RunInfo::default());
        let lacks: Vec<(&str, &str)> = (builder.finish().unrecorded().iter())
            .map(|of| (of.name, of.how))
            .collect();
        assert_eq!(
            lacks,
            [
                ("alloc_space", "with --alloc"),
                ("inuse_space", "with --alloc"),
                ("calls", "with --calls"),
                ("syscall", "with --syscalls"),
                ("faults", "with --faults"),
            ]
        );
    }

    #[test]
    fn a_note_of_a_measure_concerns_all_that_is_recorded_with_it() {
        let types = [
            ("cpu", "nanoseconds"),
            ("wait", "nanoseconds"),
            ("waits", "count"),
        ];
        let mut run = RunInfo::default();
        note_of_measure(&mut run, "wait", "3 waits were lost.");
        note_of_measure(
            &mut run,
            "alloc_space",
            "What a allocates was not recorded.",
        );
        note_of_measure(&mut run, "wait", "One thread did not run.");
        let mut builder = ProfileBuilder::new(&types);
        builder.set_run(run);
        let profile = builder.finish();
        let sentences = ["3 waits were lost.", "One thread did not run."].map(str::to_owned);
        let of_waits = NotesOfKind {
            main: "wait",
            sample_types: vec![1, 2],
            sentences: &sentences,
        };
        assert_eq!(profile.notes_by_kind(), [of_waits]);
    }

    #[test]
    fn no_measure_is_of_two_kinds() {
        let names = KINDS
            .iter()
            .flat_map(|kind| kind.main.iter().chain(kind.others));
        let mut names: Vec<_> = names.collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        let measures = |name| ProfileBuilder::new(&[(name, "count")]).finish().measures();
        let is_complete = |name| measures(name).iter().all(|of: &MeasureInfo| of.is_complete);
        assert_eq!(
            [is_complete("waits"), is_complete("samples")],
            [true, false]
        );
    }
}
