//! What a run says beyond its samples: how it was made, what was lost, and the text of the hot source files.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use profile::run::{EndReason as WireEnd, Exit, Loss, Module as WireModule, RunInfo, Source};
use profile::{Locations, Profile};
use records::StackEnd;
use records::layout::Counter;

use super::environment::Environment;
use super::modules::ModuleIndex;
use super::recording::Recording;
use super::save::{Symbols, module_name};
use super::{EndReason, RecordOptions, Target};

const SOURCES_MAX: usize = 64;
const SOURCE_BYTES_MAX: u64 = 512 << 10;
const SOURCES_BYTES_MAX: usize = 4 << 20;

/// Shares of all samples above which a shortcoming is told.
const LOST_WORTH_TELLING: f64 = 0.01;
const UNNAMED_WORTH_TELLING: f64 = 0.05;
const CUT_STACKS_WORTH_TELLING: f64 = 0.02;

pub fn unix_ns(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos() as i64)
}

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
            let words = std::iter::once(program.as_os_str()).chain(args.iter().map(AsRef::as_ref));
            (words.map(|w| w.to_string_lossy().into_owned()).collect(), 0)
        }
        Target::Attach { pid } => (vec![], *pid),
    };
    let git = environment.git.as_ref();
    let exit = recording.exit;
    let samples = recording.stacks.sample_count();
    let cpu_seconds = exit.map_or(0.0, |e| (e.user_ns + e.system_ns) as f64 / 1e9);
    let by_file = samples_by_file(profile);
    let (time_sample, time_delta_ns) = times(recording);
    let mut info = RunInfo {
        format: 1,
        name: options.name.clone(),
        command,
        cwd: recording.cwd.to_string_lossy().into_owned(),
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
        achieved_hz: if cpu_seconds > 0.0 {
            samples as f64 / cpu_seconds
        } else {
            0.0
        },
        samples_taken: recording.counters[Counter::Taken as usize],
        samples_kept: samples,
        losses: losses(recording),
        kernel_stacks: true,
        end_reason: wire_end(recording.end_reason).into(),
        partial: recording.end_reason == EndReason::SamplerLost,
        git_commit: git.map_or(String::new(), |g| g.commit.clone()),
        git_dirty: git.is_some_and(|g| g.dirty),
        modules: wire_modules(recording, symbols),
        sources: sources(&by_file, recording, symbols),
        time_sample,
        time_delta_ns,
        problems: recording.problems.clone(),
        lineheat_version: env!("CARGO_PKG_VERSION").to_owned(),
        recorder_pid: 0,
        stack_ends: StackEnd::ALL
            .iter()
            .map(|e| loss(e.name(), recording.stacks.ends[*e as usize]))
            .filter(|l| l.count > 0)
            .collect(),
    };
    info.problems.extend(problems(&info, recording, profile));
    info
}

fn loss(cause: &str, count: u64) -> Loss {
    Loss {
        cause: cause.to_owned(),
        count,
    }
}

/// Taken = kept + Σ losses: what the sampler kept and we did not get is a loss of its own.
fn losses(recording: &Recording) -> Vec<Loss> {
    let kept = recording.counters[Counter::Kept as usize];
    let on_the_way = kept.saturating_sub(recording.stacks.sample_count());
    let counted = Counter::LOSSES
        .iter()
        .map(|c| loss(c.name(), recording.counters[*c as usize]));
    let mut losses: Vec<Loss> = counted.chain([loss("on-the-way", on_the_way)]).collect();
    losses.retain(|l| l.count > 0);
    losses
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
            path: module.path.to_string_lossy().into_owned(),
            build_id: symbols.found.build_id.clone(),
            producers: symbols.found.producers.clone(),
            has_lines: symbols.found.has_lines,
            problem: symbols.found.problem.clone().unwrap_or_default(),
        })
        .collect()
}

/// Samples by time: which sample of the profile, and ns since the one before.
fn times(recording: &Recording) -> (Vec<u32>, Vec<u64>) {
    let mut times = recording.stacks.times.clone();
    times.sort_unstable();
    let mut last = recording.started_monotonic_ns;
    let deltas = times
        .iter()
        .map(|(time, _)| {
            let delta = time.saturating_sub(last);
            last = (*time).max(last);
            delta
        })
        .collect();
    (times.iter().map(|(_, group)| *group).collect(), deltas)
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

/// The texts of the hottest source files that are here, as they are now.
fn sources(
    by_file: &[(String, u64)],
    recording: &Recording,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
) -> Vec<Source> {
    let built = newest_program_change(recording, symbols);
    let mut sources = Vec::new();
    let mut bytes = 0;
    for (path, _) in by_file {
        if sources.len() == SOURCES_MAX {
            break;
        }
        let Some((text, modified)) = read_source(Path::new(path)) else {
            continue;
        };
        bytes += text.len();
        if bytes > SOURCES_BYTES_MAX {
            break;
        }
        sources.push(Source {
            path: path.clone(),
            text,
            modified_unix_ns: unix_ns(modified),
            newer_than_binary: built.is_some_and(|b| modified > b),
        });
    }
    sources
}

fn read_source(path: &Path) -> Option<(String, SystemTime)> {
    let metadata = path.metadata().ok()?;
    if !path.is_absolute() || !metadata.is_file() || metadata.len() > SOURCE_BYTES_MAX {
        return None;
    }
    let text = String::from_utf8(std::fs::read(path).ok()?).ok()?;
    Some((text, metadata.modified().ok()?))
}

/// When the youngest module with line tables was built: a source changed after that is not what ran.
fn newest_program_change(
    recording: &Recording,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
) -> Option<SystemTime> {
    let with_lines = recording
        .modules
        .iter()
        .filter(|(i, _)| symbols.get(i).is_some_and(|s| s.found.has_lines));
    with_lines
        .filter_map(|(_, m)| m.file.as_ref()?.metadata().ok()?.modified().ok())
        .max()
}

/// Sentences on what the figures lack.
fn problems(info: &RunInfo, recording: &Recording, profile: &Profile) -> Vec<String> {
    let mut problems = Vec::new();
    let samples = info.samples_kept;
    let share = |n: u64| {
        if samples == 0 {
            0.0
        } else {
            n as f64 / samples as f64
        }
    };
    let lost: u64 = info.losses.iter().map(|l| l.count).sum();
    if lost as f64 > LOST_WORTH_TELLING * info.samples_taken as f64 {
        let percent = 100.0 * lost as f64 / info.samples_taken as f64;
        problems.push(format!(
            "{lost} of {} samples were lost ({percent:.1} %): choose a lower sampling rate.",
            info.samples_taken
        ));
    }
    if recording.lost_mapping_records > 0 {
        problems.push(format!(
            "{} records of loaded libraries were lost; code in those libraries is shown as [unknown].",
            recording.lost_mapping_records
        ));
    }
    let cut = info
        .stack_ends
        .iter()
        .filter(|e| e.cause != StackEnd::Root.name())
        .map(|e| e.count)
        .sum();
    if share(cut) > CUT_STACKS_WORTH_TELLING {
        problems.push(format!(
            "{:.1} % of the stacks do not reach the thread's start; their totals are too low.",
            100.0 * share(cut)
        ));
    }
    let by_mapping = leaf_samples_by_mapping(profile);
    for module in &info.modules {
        let hot = by_mapping.get(module.path.as_str()).copied().unwrap_or(0);
        if share(hot) < UNNAMED_WORTH_TELLING || module.has_lines {
            continue;
        }
        let name = module_name(Path::new(&module.path));
        let percent = 100.0 * share(hot);
        problems.push(if module.problem.is_empty() {
            format!("{name} ({percent:.0} % of the samples) has no line tables: build it with -g (Cargo: debug = 1), or install its debug symbols.")
        } else {
            format!("{name} ({percent:.0} % of the samples): {}", module.problem)
        });
    }
    for source in info.sources.iter().filter(|s| s.newer_than_binary).take(3) {
        problems.push(format!(
            "{} was changed after the program was built: build again, or lines may not match.",
            source.path
        ));
    }
    problems
}

fn leaf_samples_by_mapping(profile: &Profile) -> HashMap<&str, u64> {
    let mut counts = HashMap::new();
    for sample in 0..profile.samples.len() {
        let Some(leaf) = profile.samples.stack(sample).first() else {
            continue;
        };
        let mapping = profile.locations.mapping[*leaf as usize];
        if mapping != Locations::NO_MAPPING {
            let filename = profile.mappings[mapping as usize].filename;
            *counts.entry(profile.text(filename)).or_default() += profile.value(sample, 0);
        }
    }
    counts
}
