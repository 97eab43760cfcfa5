//! Stacks that are not whole.

use records::StackEnd;

use super::problem::Problem;
use crate::evidence::Evidence;
use crate::modules::{Module, ModuleIndex};
use crate::named::Named;

/// Share of all samples above which they are told.
const WORTH_TELLING: f64 = 0.02;

/// None: too few to be told.
fn share_of(seen: &Evidence, stacks: u64) -> Option<f64> {
    let share = stacks as f64 / seen.kept().max(1) as f64;
    (share > WORTH_TELLING).then_some(share)
}

/// Samples for whose stack there was no room.
pub fn without_stack(seen: &Evidence) -> Option<Problem> {
    let samples = seen.stacks.without_stack;
    (samples > 0).then(|| Problem::WithoutStack {
        samples,
        kept: seen.kept(),
        stacks: seen.stacks.stacks.len(),
    })
}

/// Those of copies that were too short, which are none of too few frames.
fn cut_copies(seen: &Evidence) -> u64 {
    seen.cut_copies.min(seen.ended_by(StackEnd::Cut))
}

/// With more frames than are kept.
pub fn deep_stacks(seen: &Evidence) -> Option<Problem> {
    let deep = seen.ended_by(StackEnd::Cut) - cut_copies(seen);
    Some(Problem::DeepStacks {
        share: share_of(seen, deep)?,
    })
}

/// Longer than what is copied of a stack.
pub fn long_copies(seen: &Evidence) -> Option<Problem> {
    Some(Problem::LongCopies {
        share: share_of(seen, cut_copies(seen))?,
        is_privileged: seen.by.is_privileged,
    })
}

/// Those that end before the thread's start, for another reason.
pub fn broken_stacks(seen: &Evidence, named: &Named) -> Vec<Problem> {
    let all: u64 = seen.stacks.ends.iter().sum();
    let broken = all - seen.ended_by(StackEnd::Root) - seen.ended_by(StackEnd::Cut);
    let Some(share) = share_of(seen, broken) else {
        return Vec::new();
    };
    let name_of = |module: &Module| module.path.file_name()?.to_str().map(str::to_owned);
    let is_file = |index: ModuleIndex| !seen.modules.is_made(index);
    let files: Vec<String> = (seen.modules.iter())
        .filter(|(index, _)| is_file(*index))
        .filter_map(|(_, module)| name_of(module))
        .collect();
    let profile = named.profile;
    let functions = profile.functions.iter().map(|f| profile.text(f.name));
    let mostly = seen.stacks.incomplete.mostly_end(
        |index| name_of(seen.modules.get(index)).filter(|_| is_file(index)),
        files.iter().map(String::as_str),
        functions,
    );
    vec![Problem::BrokenStacks { share, mostly }]
}

#[cfg(test)]
mod tests {
    use records::{SampleRecord, Worth};

    use super::*;

    fn ended(ends: &[StackEnd]) -> Evidence {
        let mut seen = Evidence::default();
        for end in ends {
            let sample = SampleRecord {
                time_ns: 1,
                pid: 1,
                tid: 1,
                worth: Worth::of_cpu(1_001_001),
                end: *end,
                comm: [0; 16],
                kernel: vec![],
                user: vec![0x1000],
            };
            (seen.stacks).add(sample, 0, &seen.spaces, &seen.modules);
        }
        seen
    }

    #[test]
    fn a_stack_that_was_cut_was_too_deep_or_its_copy_was_too_short() {
        let mut seen = ended(&[StackEnd::Cut, StackEnd::Root]);
        assert_eq!(deep_stacks(&seen), Some(Problem::DeepStacks { share: 0.5 }));
        assert_eq!(long_copies(&seen), None);
        seen.cut_copies = 1;
        assert_eq!(deep_stacks(&seen), None);
        let told = long_copies(&seen).unwrap().sentence();
        assert!(
            told.starts_with("50.0 % of the stacks are longer than the "),
            "{told}"
        );
        assert!(
            told.ends_with("too low. Record again: the tables are kept."),
            "{told}"
        );
    }

    #[test]
    fn few_of_them_are_not_told() {
        let mut ends = [StackEnd::Root; 100];
        (ends[0], ends[1]) = (StackEnd::Cut, StackEnd::Cut);
        assert_eq!(deep_stacks(&ended(&ends)), None, "two of a hundred");
        ends[2] = StackEnd::Cut;
        assert!(deep_stacks(&ended(&ends)).is_some());
        assert_eq!(deep_stacks(&ended(&[])), None);
    }
}
