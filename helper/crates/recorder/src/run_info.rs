//! What a run says beyond its samples: how it was made, what was lost, and the text of the hot source files.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use profile::run::{
    EndReason as WireEnd, Exit, Folded, Loss, Module as WireModule, Repetition as WireRepetition,
    RunInfo, Until,
};
use profile::{Profile, note_of_measure};
use records::StackEnd;

use super::call_samples;
use super::environment::{Environment, unix_ns};
use super::evidence::Evidence;
use super::layouts;
use super::modules::{ModuleIndex, Modules};
use super::named::Named;
use super::problems::{Taken, problems};
use super::repetitions::{Repetition, Repetitions};
use super::shown_path::shown_path;
use super::source_texts::SourceTexts;
use super::symbols::Symbols;
use super::trouble::Trouble;
use super::{EndReason, RecordOptions, Target};

/// Of a module.
const FOLDED_MAX: usize = 200;

/// The description of a run. What was found of its code is in it, too.
pub fn run_info(
    seen: &Evidence,
    options: &RecordOptions,
    wall: Duration,
    named: Named,
    environment: &Environment,
) -> RunInfo {
    let (command, attached_pid) = match &options.target {
        Target::Launch { program, args, .. } => {
            let earlier = options.build.earlier();
            let called_as = earlier.map_or(program, |earlier| &earlier.build.program);
            let words =
                std::iter::once(called_as.as_os_str()).chain(args.iter().map(AsRef::as_ref));
            (words.map(shown_path).collect(), 0)
        }
        Target::Attach(_) => (vec![], seen.pid),
    };
    let attached_to = match &options.target {
        Target::Launch { .. } => String::new(),
        Target::Attach(to) => to.description(),
    };
    let attached = seen.attached.iter().filter(|_| attached_pid != 0);
    let repetitions = &seen.repetitions;
    let git = environment.git.as_ref();
    let exit = seen.exit;
    let taken = Taken::of(seen);
    let problems = problems(seen, &named);
    let Named { symbols, texts, .. } = named;
    let mut info = RunInfo {
        format: 1,
        name: options.name.clone(),
        command,
        cwd: shown_path(&seen.cwd),
        attached_pid,
        started_unix_ns: unix_ns(seen.started_at),
        wall_ns: wall.as_nanos() as u64,
        user_ns: exit.map_or(0, |e| e.user_ns),
        system_ns: exit.map_or(0, |e| e.system_ns),
        exit: exit.map(|e| Exit {
            code: e.code,
            signal: e.signal,
        }),
        kernel: environment.kernel.clone(),
        cpu: environment.cpu.model.clone(),
        cpu_count: environment.cpu.count,
        event: seen.event_name().to_owned(),
        asked_hz: f64::from(seen.asked_hz),
        kernel_counted_ns: taken.running_ns,
        achieved_hz: taken.achieved_hz(),
        samples_taken: seen.taken(),
        samples_kept: seen.kept(),
        losses: wire_losses(seen.losses()),
        kernel_stacks: seen.by.is_privileged,
        end_reason: wire_end(seen.end_reason).into(),
        partial: seen.sampler_lost,
        git_commit: git.map_or(String::new(), |g| g.commit.clone()),
        git_dirty: git.is_some_and(|g| g.dirty),
        modules: wire_modules(&seen.modules, symbols),
        sources: texts.known,
        sources_apart: texts.unknown,
        not_as_built: Vec::new(),
        time_sample: Vec::new(),
        time_delta_ns: Vec::new(),
        time_every: 0,
        wait_times: None,
        memory_in_time: None,
        memory_times: None,
        work_from: seen.work_from.clone().unwrap_or_default(),
        allocation_interval: seen.allocations.interval,
        allocation_spread: seen.allocations.spread(),
        calls: call_samples::saved(&seen.calls, &seen.modules, symbols),
        counters: seen.counters_of_events.saved().to_vec(),
        sweep: options.sweep.clone(),
        fixed_addresses: attached_pid == 0 && layouts::are_fixed(),
        drawn_environments: options.layouts.is_some(),
        git_branch: git.map_or(String::new(), |g| g.branch.clone()),
        problems: seen.troubles.iter().map(Trouble::sentence).collect(),
        measure_problems: Vec::new(),
        way: seen.by.way.to_owned(),
        lineheat_version: env!("CARGO_PKG_VERSION").to_owned(),
        recorder_pid: 0,
        repetitions: repetitions_of(repetitions),
        repeat: match (options.until, repetitions.wanted) {
            (Some(_), _) => repetitions.done.len() as u32,
            (None, 1) => 0,
            (None, wanted) => wanted,
        },
        until: options.until.map(|change| Until {
            change,
            turns_max: repetitions.wanted,
        }),
        attached_pids: attached
            .filter(|_| !attached_to.is_empty())
            .copied()
            .collect(),
        attached_to,
        stack_ends: StackEnd::ALL
            .iter()
            .map(|e| loss(e.name(), seen.ended_by(*e)))
            .filter(|l| l.count > 0)
            .collect(),
    };
    info.problems.extend(environment.problem.clone());
    for problem in &problems {
        let sentence = problem.sentence();
        if let Some(measure) = problem.measure() {
            note_of_measure(&mut info, measure, &sentence);
        }
        info.problems.push(sentence);
    }
    info
}

/// What is known while it is recorded: nothing of modules, sources and the machine.
pub fn run_info_so_far(seen: &Evidence, options: &RecordOptions, wall: Duration) -> RunInfo {
    let (symbols, profile) = (BTreeMap::new(), Profile::default());
    let named = Named {
        symbols: &symbols,
        profile: &profile,
        texts: SourceTexts::default(),
    };
    run_info(seen, options, wall, named, &Environment::default())
}

/// The warm-up runs first; empty when repetitions are not told.
pub fn repetitions_of(repetitions: &Repetitions) -> Vec<WireRepetition> {
    if !repetitions.are_told() {
        return Vec::new();
    }
    let wire = |r: &Repetition, warm_up| WireRepetition {
        start_ns: r.start.as_nanos() as u64,
        wall_ns: r.wall.as_nanos() as u64,
        user_ns: r.exit.user_ns,
        system_ns: r.exit.system_ns,
        exit: Some(Exit {
            code: r.exit.code,
            signal: r.exit.signal,
        }),
        work: r.work,
        warm_up,
        cut: r.cut,
    };
    let warm_ups = repetitions.warm_ups.iter().map(|r| wire(r, true));
    let done = repetitions.done.iter().map(|r| wire(r, false));
    warm_ups.chain(done).collect()
}

fn loss(cause: &str, count: u64) -> Loss {
    Loss {
        cause: cause.to_owned(),
        count,
    }
}

fn wire_losses(losses: Vec<(&str, u64)>) -> Vec<Loss> {
    let wire = losses.into_iter().map(|(cause, count)| loss(cause, count));
    wire.collect()
}

fn wire_end(reason: EndReason) -> WireEnd {
    match reason {
        EndReason::Exited => WireEnd::Exited,
        EndReason::Stopped => WireEnd::Stopped,
        EndReason::Duration => WireEnd::Duration,
        EndReason::SamplerLost => WireEnd::SamplerLost,
    }
}

fn wire_modules(modules: &Modules, symbols: &BTreeMap<ModuleIndex, Symbols>) -> Vec<WireModule> {
    let with_symbols = modules
        .iter()
        .filter_map(|(index, m)| Some((m, symbols.get(&index)?)));
    with_symbols
        .map(|(module, symbols)| WireModule {
            path: shown_path(&module.path),
            build_id: symbols.found.build_id.clone(),
            producers: symbols.found.producers.clone(),
            has_lines: symbols.found.has_lines,
            problem: symbols.found.problem.clone().unwrap_or_default(),
            folded: folded(&symbols.found),
        })
        .collect()
}

/// Groups of functions that share their code, by their linker's names.
fn folded(found: &symbolize::ModuleSymbols) -> Vec<Folded> {
    let groups: BTreeSet<_> = (found.folded.iter())
        .filter(|names| !names.is_empty())
        .collect();
    (groups.into_iter().take(FOLDED_MAX))
        .map(|names| Folded {
            system_name: names.iter().map(|name| name.to_string()).collect(),
        })
        .collect()
}

/// Samples by time: which sample of the profile, and ns since the one before; when the waits were, how much memory was in use, and when it was allocated.
pub fn add_times(info: &mut RunInfo, seen: &Evidence) {
    let stacks = &seen.stacks;
    let mut times = stacks.times.clone();
    times.sort_unstable();
    let mut last = seen.started_monotonic_ns;
    info.time_delta_ns = times
        .iter()
        .map(|(time, _)| {
            let delta = time.saturating_sub(last);
            last = (*time).max(last);
            delta
        })
        .collect();
    info.time_sample = times.iter().map(|(_, group)| *group).collect();
    info.time_every = match stacks.times_every {
        1 => 0,
        every => every as u32,
    };
    info.wait_times = seen.stacks.wait_times.since(seen.started_monotonic_ns);
    info.memory_in_time = seen.allocations.in_time(seen.started_monotonic_ns);
    info.memory_times = seen.allocations.times(seen.started_monotonic_ns);
}
