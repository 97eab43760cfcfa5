//! What a run says beyond its samples: how it was made, what was lost, and the text of the hot source files.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use profile::Profile;
use profile::run::{
    EndReason as WireEnd, Exit, Folded, Loss, Module as WireModule, Repetition as WireRepetition,
    RunInfo, Until,
};
use records::StackEnd;
use records::layout::Counter;

use super::environment::{Environment, unix_ns};
use super::layouts;
use super::modules::ModuleIndex;
use super::problems::problems;
use super::rate::{Taken, TimersUsed};
use super::recording::Recording;
use super::repetitions::{Repetition, Repetitions};
use super::shown_path::shown_path;
use super::source_texts::source_texts;
use super::symbols::Symbols;
use super::work::{Work, missing_work};
use super::{EndReason, RecordOptions, Target};

/// Of a module.
const FOLDED_MAX: usize = 200;

pub fn run_info(
    recording: &Recording,
    options: &RecordOptions,
    wall: Duration,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
    profile: &Profile,
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
        Target::Attach(_) => (vec![], recording.pid),
    };
    let attached_to = match &options.target {
        Target::Launch { .. } => String::new(),
        Target::Attach(to) => to.description(),
    };
    let attached = recording.attached.iter().filter(|_| attached_pid != 0);
    let repetitions = &recording.repetitions;
    let git = environment.git.as_ref();
    let exit = recording.exit;
    let samples = recording.stacks.sample_count();
    let taken = taken(recording, options);
    let earlier = options.build.earlier();
    let texts = source_texts(&samples_by_file(profile), recording, symbols, earlier);
    let mut info = RunInfo {
        format: 1,
        name: options.name.clone(),
        command,
        cwd: shown_path(&recording.cwd),
        attached_pid,
        started_unix_ns: unix_ns(recording.started_at),
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
        event: recording.event_name().to_owned(),
        asked_hz: f64::from(options.sample_hz),
        kernel_counted_ns: taken.running_ns,
        achieved_hz: taken.achieved_hz(),
        samples_taken: samples + lost(recording),
        samples_kept: samples,
        losses: losses(recording),
        kernel_stacks: recording.sampler.is_privileged(),
        end_reason: wire_end(recording.end_reason).into(),
        partial: recording.sampler_lost,
        git_commit: git.map_or(String::new(), |g| g.commit.clone()),
        git_dirty: git.is_some_and(|g| g.dirty),
        modules: wire_modules(recording, symbols),
        sources: texts.known,
        sources_apart: texts.unknown,
        not_as_built: Vec::new(),
        time_sample: Vec::new(),
        time_delta_ns: Vec::new(),
        time_every: 0,
        work_from: match &options.work {
            Work::FromOutput(expression) => expression.as_str().to_owned(),
            Work::Unknown | Work::Each(_) => String::new(),
        },
        sweep: options.sweep.clone(),
        fixed_addresses: attached_pid == 0 && layouts::are_fixed(),
        drawn_environments: options.layouts.is_some(),
        git_branch: git.map_or(String::new(), |g| g.branch.clone()),
        problems: recording.problems.clone(),
        way: recording.sampler.way().to_owned(),
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
            .map(|e| loss(e.name(), recording.stacks.ends[*e as usize]))
            .filter(|l| l.count > 0)
            .collect(),
    };
    info.problems.extend(environment.problem.clone());
    info.problems
        .extend(problems(&info, recording, symbols, profile));
    // Of what came after the sampler nothing is known.
    (info.problems).extend(taken.shortfall().filter(|_| !recording.sampler_lost));
    if let Work::FromOutput(expression) = &options.work {
        let runs = recording.repetitions.whole().count();
        (info.problems).extend(missing_work(&recording.unknown_work, runs, expression));
    }
    info
}

/// What is known while it is recorded: nothing of modules, sources and the machine.
pub fn run_info_so_far(recording: &Recording, options: &RecordOptions, wall: Duration) -> RunInfo {
    let (symbols, environment) = (BTreeMap::new(), Environment::default());
    let profile = Profile::default();
    run_info(recording, options, wall, &symbols, &profile, &environment)
}

/// What the sampler counted, without what was our own.
fn counted(recording: &Recording, counter: Counter) -> u64 {
    recording.counters[counter as usize].saturating_sub(recording.own_samples.left_out)
}

/// CPU time of a new process before its program began is sampled by rule of the phase, not for the run.
fn taken(recording: &Recording, options: &RecordOptions) -> Taken {
    let before_ns = recording.repetitions.before_in_all.as_nanos() as u64;
    let running_ns = match recording.running_ns {
        // Without privilege it is not counted, and nothing is sampled in the kernel.
        0 => recording.exit.map_or(0, |e| e.user_ns),
        ns => ns.saturating_sub(before_ns),
    };
    Taken {
        asked_hz: options.sample_hz,
        samples: counted(recording, Counter::Taken),
        running_ns,
        timers: match (recording.per_cpu, recording.sampler.is_privileged()) {
            (true, _) => TimersUsed::PerCpu,
            (false, true) => TimersUsed::PerThread,
            (false, false) => TimersUsed::Unprivileged,
        },
        threads: recording.stacks.threads.values().len() as u64 + recording.forks,
    }
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

/// Taken = kept + Σ losses: what was taken and neither arrived nor is lost by a cause was lost on its way to us. When the
/// sampler has died, its last counts are older than the last samples.
fn losses(recording: &Recording) -> Vec<Loss> {
    let causes = Counter::LOSSES
        .iter()
        .map(|c| loss(c.name(), recording.counters[*c as usize]));
    let mut losses: Vec<Loss> = causes.collect();
    let told: u64 = losses.iter().map(|l| l.count).sum();
    let taken = counted(recording, Counter::Taken).max(counted(recording, Counter::Kept) + told);
    let on_the_way = taken.saturating_sub(recording.stacks.sample_count() + told);
    losses.push(loss("on-the-way", on_the_way));
    losses.retain(|l| l.count > 0);
    losses
}

/// Samples that were taken and are not in the run.
pub fn lost(recording: &Recording) -> u64 {
    losses(recording).iter().map(|l| l.count).sum()
}

fn wire_end(reason: EndReason) -> WireEnd {
    match reason {
        EndReason::Exited => WireEnd::Exited,
        EndReason::Stopped => WireEnd::Stopped,
        EndReason::Duration => WireEnd::Duration,
        EndReason::SamplerLost => WireEnd::SamplerLost,
    }
}

fn wire_modules(
    recording: &Recording,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
) -> Vec<WireModule> {
    let with_symbols = recording
        .modules
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

/// Samples by time: which sample of the profile, and ns since the one before.
pub fn add_times(info: &mut RunInfo, recording: &Recording) {
    let stacks = &recording.stacks;
    let mut times = stacks.times.clone();
    times.sort_unstable();
    let mut last = recording.started_monotonic_ns;
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
}

/// Samples with the file anywhere on the stack, hottest first.
fn samples_by_file(profile: &Profile) -> Vec<(String, u64)> {
    let mut counts: HashMap<u32, u64> = HashMap::new();
    for sample in 0..profile.samples.len() {
        let lines = profile
            .samples
            .stack(sample)
            .iter()
            .flat_map(|l| profile.locations.lines_of(*l));
        let mut files: Vec<u32> = lines
            .map(|l| profile.functions[l.function as usize].filename)
            .collect();
        files.sort_unstable();
        files.dedup();
        for file in files {
            *counts.entry(file).or_default() += profile.value(sample, 0);
        }
    }
    let named = counts
        .into_iter()
        .map(|(file, n)| (profile.text(file).to_owned(), n));
    let mut files: Vec<_> = named.filter(|(path, _)| !path.is_empty()).collect();
    files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    files
}
