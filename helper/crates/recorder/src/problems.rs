//! What a reader of the run has to know before trusting its figures, as sentences.

use std::collections::BTreeMap;

use profile::run::{Loss, RunInfo};
use profile::{OTHER_STACKS, Profile};
use records::StackEnd;
use records::layout::{COPY_BYTES_MAX, Counter, FOLLOWED_MAX, USER_FRAMES_MAX};

use super::build_problems::build_problems;
use super::evidence::Evidence;
use super::jit;
use super::modules::{Module, ModuleIndex};
use super::stacks::CodePlace;
use super::symbols::Symbols;
use super::unknown_frames;

/// Shares of all samples above which a shortcoming is told.
const LOST_WORTH_TELLING: f64 = 0.01;
const CUT_STACKS_WORTH_TELLING: f64 = 0.02;

fn copied_bytes(info: &RunInfo) -> String {
    match info.kernel_stacks {
        true => format!(
            "longer than the {} KiB that are copied while the unwind tables of a file are being prepared",
            COPY_BYTES_MAX >> 10
        ),
        false => "deeper than the 32 KiB of stack that are copied without privileges".to_owned(),
    }
}

fn advice_on_copies(info: &RunInfo) -> &'static str {
    match info.kernel_stacks {
        true => " Record again: the tables are kept.",
        false => "",
    }
}

/// Sentences on what the figures lack.
pub fn problems(
    info: &RunInfo,
    seen: &Evidence,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
    profile: &Profile,
) -> Vec<String> {
    let mut problems = Vec::new();
    if !info.kernel_stacks {
        problems.push(user_space_only(info));
    }
    let samples = info.samples_kept;
    let share = |n: u64| {
        if samples == 0 {
            0.0
        } else {
            n as f64 / samples as f64
        }
    };
    problems.extend(not_allowed(info, seen));
    problems.extend(not_followed(seen));
    let by_permission = |l: &&Loss| l.cause == Counter::LostNotAllowed.name();
    let other = info.losses.iter().filter(|l| !by_permission(l));
    let lost: u64 = other.map(|l| l.count).sum();
    if lost as f64 > LOST_WORTH_TELLING * info.samples_taken as f64 {
        let percent = 100.0 * lost as f64 / info.samples_taken as f64;
        problems.push(format!(
            "{lost} of {} samples were lost ({percent:.1} %). Choose a lower sampling rate.",
            info.samples_taken
        ));
    }
    let without_stack = seen.stacks.without_stack;
    if without_stack > 0 {
        problems.push(format!(
            "{without_stack} of {samples} samples are counted by thread, as {OTHER_STACKS}: a run can hold {} different stacks, and there were more.",
            seen.stacks.stacks.len()
        ));
    }
    let (stacks, spaces) = (&seen.stacks, &seen.spaces);
    let lost_records = seen.lost_mapping_records;
    let unread = &seen.unread;
    let unknown = unknown_frames::problem(stacks, spaces, unread, lost_records);
    if unknown.is_none() && lost_records > 0 {
        problems.push(format!(
            "{} records of loaded libraries were lost; code in those libraries is shown as [unknown].",
            seen.lost_mapping_records
        ));
    }
    problems.extend(unknown);
    let ended_by = |end: StackEnd| {
        let counts = info.stack_ends.iter().filter(|e| e.cause == end.name());
        counts.map(|e| e.count).sum::<u64>()
    };
    let cut = ended_by(StackEnd::Cut);
    let cut_copies = seen.cut_copies.min(cut);
    for (count, than, advice) in [
        (
            cut - cut_copies,
            "deeper than the kept frames".to_owned(),
            format!(" Record with a higher --max-frames (at most {USER_FRAMES_MAX})."),
        ),
        (
            cut_copies,
            copied_bytes(info),
            advice_on_copies(info).to_owned(),
        ),
    ] {
        if share(count) > CUT_STACKS_WORTH_TELLING {
            problems.push(format!(
                "{:.1} % of the stacks are {than}, so the totals of their outer callers are too low.{advice}",
                100.0 * share(count)
            ));
        }
    }
    let all: u64 = info.stack_ends.iter().map(|e| e.count).sum();
    let broken = all - ended_by(StackEnd::Root) - cut;
    if share(broken) > CUT_STACKS_WORTH_TELLING {
        problems.push(format!(
            "{:.1} % of the stacks do not reach the thread's start, so the totals of outer callers are too low.{}",
            100.0 * share(broken),
            where_stacks_end(seen, profile)
        ));
    }
    let problem_of_jit = |module| symbols.get(&module)?.found.problem.clone();
    let hot = samples_by_jit(seen);
    problems.extend(jit::problems(&seen.modules, &hot, samples, problem_of_jit));
    let paths = (seen.modules.iter())
        .filter(|(index, _)| !seen.modules.is_made(*index))
        .map(|(index, module)| (index, module.path.as_path()))
        .collect();
    problems.extend(build_problems(profile, &paths, symbols));
    for source in info.sources.iter().filter(|s| s.newer_than_binary).take(3) {
        problems.push(match source.differs_from_binary {
            true => format!(
                "{} differs from the text that the program was built from (the checksum in the line table differs). Build again, or lines may not match.",
                source.path
            ),
            false => format!(
                "{} was changed after the program was built. Build again, or lines may not match.",
                source.path
            ),
        });
    }
    problems
}

/// Samples whose innermost place is code that a process made.
fn samples_by_jit(seen: &Evidence) -> BTreeMap<ModuleIndex, u64> {
    let stacks = &seen.stacks;
    let mut counts = BTreeMap::new();
    for (group, sums) in stacks.groups.values().iter().zip(&stacks.sums) {
        let leaf = stacks.stacks.stack(group.stack).first();
        let leaf = leaf.map(|place| stacks.places.values()[*place as usize]);
        if let Some(CodePlace::InModule { module, .. }) = leaf
            && seen.modules.is_made(module)
        {
            *counts.entry(module).or_default() += sums.samples;
        }
    }
    counts
}

fn where_stacks_end(seen: &Evidence, profile: &Profile) -> String {
    let name_of = |module: &Module| module.path.file_name()?.to_str().map(str::to_owned);
    let is_file = |index| !seen.modules.is_made(index);
    let modules = seen.modules.iter();
    let files: Vec<String> = modules
        .filter(|(index, _)| is_file(*index))
        .filter_map(|(_, module)| name_of(module))
        .collect();
    let functions = profile.functions.iter().map(|f| profile.text(f.name));
    seen.stacks.incomplete.sentence(
        |index| name_of(seen.modules.get(index)).filter(|_| is_file(index)),
        files.iter().map(String::as_str),
        functions,
    )
}

/// What was left out because the user may not look into it.
fn not_allowed(info: &RunInfo, seen: &Evidence) -> Vec<String> {
    let loss = (info.losses.iter()).find(|l| l.cause == Counter::LostNotAllowed.name());
    let samples = loss.map(|l| {
        let percent = 100.0 * l.count as f64 / info.samples_taken.max(1) as f64;
        format!(
            "{} of {} samples ({percent:.1} %) belong to programs that you may not inspect (different rights, or protected memory). They were not recorded.",
            l.count, info.samples_taken
        )
    });
    let programs = match seen.counters[Counter::ProgramsNotAllowed as usize] {
        0 => None,
        1 => Some("One program".to_owned()),
        n => Some(format!("{n} programs")),
    };
    let programs = programs.map(|which| {
        format!("{which} of the target ran with different rights than yours (setuid, like sudo and ping) and could not be recorded from then on.")
    });
    samples.into_iter().chain(programs).collect()
}

/// Processes of which nothing is known.
fn not_followed(seen: &Evidence) -> Option<String> {
    let count = seen.counters[Counter::ProcessesNotFollowed as usize];
    (count > 0).then(|| {
        format!("{count} processes that the target started were not sampled: the sampler can follow at most {FOLLOWED_MAX} at a time.")
    })
}

/// What a recording without privilege lacks, with the kernel's share where it is known.
fn user_space_only(info: &RunInfo) -> String {
    let total_ns = info.user_ns + info.system_ns;
    let percent = 100.0 * info.system_ns as f64 / total_ns.max(1) as f64;
    let missing = match total_ns {
        0 => "kernel time is missing".to_owned(),
        _ if percent < 1.0 => "kernel time, less than 1 % of the total here, is missing".to_owned(),
        _ => format!(
            "{:.2} s of kernel CPU time ({percent:.0} % of the total) are missing",
            info.system_ns as f64 / 1e9
        ),
    };
    format!(
        "Recorded without privileges, in user space only: {missing}. `lineheat doctor` shows how to record kernel time."
    )
}
