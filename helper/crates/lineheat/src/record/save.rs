//! Counted stacks → symbolized profile.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::path::Path;
use std::thread;
use std::time::Duration;

use profile::{LabelValue, LineOf, MappingOf, Profile, ProfileBuilder};
use symbolize::{Frame, ModuleFile, ModuleSymbols, symbolize_module};

use super::environment::Environment;
use super::modules::{Module, ModuleIndex, own_vdso};
use super::recording::Recording;
use super::stacks::CodePlace;
use super::{RecordOptions, run_info};

/// Names of code that lies in no module.
const UNKNOWN: &str = "[unknown]";
const KERNEL: &str = "[kernel]";

/// What symbolization found, by module.
pub struct Symbols {
    /// Asked vaddrs, ascending.
    vaddrs: Vec<u64>,
    pub found: ModuleSymbols,
}

/// The whole run, symbolized.
pub fn profile_of(
    recording: &Recording,
    options: &RecordOptions,
    wall: Duration,
    environment: &Environment,
) -> Profile {
    build(
        recording,
        options,
        wall,
        &symbolize_places(recording),
        environment,
    )
}

/// The run so far, without names: kept in case that nothing later gets written.
pub fn checkpoint_of(recording: &Recording, options: &RecordOptions, wall: Duration) -> Profile {
    let mut profile = build(
        recording,
        options,
        wall,
        &BTreeMap::new(),
        &Environment::default(),
    );
    if let Some(run) = &mut profile.run {
        run.partial = true;
        run.recorder_pid = std::process::id();
        run.problems.push("The recording did not end properly: this is what was saved while it ran, without names.".to_owned());
    }
    profile
}

fn build(
    recording: &Recording,
    options: &RecordOptions,
    wall: Duration,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
    environment: &Environment,
) -> Profile {
    let mut builder = ProfileBuilder::new(&[("samples", "count"), ("cpu", "nanoseconds")]);
    let period_ns = period_ns(options.sample_hz);
    builder.set_period("cpu", "nanoseconds", period_ns as i64);
    let started_ns = run_info::unix_ns(recording.started_at);
    builder.set_time(started_ns, wall.as_nanos() as i64);
    let locations = add_locations(&mut builder, recording, symbols);
    add_samples(&mut builder, recording, &locations, period_ns);
    let profile = builder.finish();
    let info = run_info::run_info(recording, options, wall, symbols, &profile, environment);
    Profile {
        run: Some(info),
        ..profile
    }
}

/// CPU time that one sample stands for.
pub fn period_ns(sample_hz: u32) -> u64 {
    1_000_000_000 / u64::from(sample_hz)
}

fn symbolize_places(recording: &Recording) -> BTreeMap<ModuleIndex, Symbols> {
    let mut vaddrs: BTreeMap<ModuleIndex, Vec<u64>> = BTreeMap::new();
    for place in recording.stacks.places.values() {
        if let CodePlace::InModule { module, vaddr } = place {
            vaddrs.entry(*module).or_default().push(*vaddr);
        }
    }
    // One thread a module; the symbolizer itself splits large ones. Small modules end while a large one runs.
    thread::scope(|scope| {
        let running: Vec<_> = vaddrs
            .into_iter()
            .map(|(index, mut vaddrs)| {
                vaddrs.sort_unstable();
                let module = recording.modules.get(index);
                let work = move || {
                    let found = symbols_of(module, &vaddrs);
                    (index, Symbols { vaddrs, found })
                };
                scope.spawn(work)
            })
            .collect();
        running.into_iter().filter_map(|t| t.join().ok()).collect()
    })
}

fn symbols_of(module: &Module, vaddrs: &[u64]) -> ModuleSymbols {
    let copy = module.file.as_ref().map(File::try_clone);
    let file = match copy {
        Some(Ok(file)) => ModuleFile::opened(&module.path, file),
        None if module.is_vdso => ModuleFile::from_bytes("[vdso]", own_vdso().unwrap_or_default()),
        _ => {
            return ModuleSymbols {
                chains: vec![Vec::new(); vaddrs.len()],
                problem: module.problem.clone(),
                ..ModuleSymbols::default()
            };
        }
    };
    symbolize_module(&file, vaddrs)
}

/// The location of each code place, by place number.
fn add_locations(
    builder: &mut ProfileBuilder,
    recording: &Recording,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
) -> Vec<u32> {
    let mut mappings: HashMap<ModuleIndex, u32> = HashMap::new();
    for (index, module) in recording.modules.iter() {
        let found = symbols.get(&index).map(|s| &s.found);
        mappings.insert(index, add_mapping(builder, module, found));
    }
    let kernel_used = recording
        .stacks
        .places
        .values()
        .iter()
        .any(|p| matches!(p, CodePlace::Kernel { .. }));
    let kernel = kernel_used.then(|| {
        builder.add_mapping(MappingOf {
            filename: KERNEL,
            symbolized: true,
            ..MappingOf::default()
        })
    });
    let kernel_names: HashMap<u32, &str> = recording
        .kernel_names
        .iter()
        .map(|(id, name)| (*id, name.as_str()))
        .collect();
    let places = recording.stacks.places.values().iter();
    places
        .map(|place| match *place {
            CodePlace::InModule { module, vaddr } => {
                let lines = symbols
                    .get(&module)
                    .map_or(Vec::new(), |s| lines_of(builder, s, vaddr));
                builder.add_location(mappings.get(&module).copied(), vaddr, &lines)
            }
            CodePlace::Kernel { symbol } => {
                let name = kernel_names.get(&symbol).copied().unwrap_or(KERNEL);
                let line = line_of_name(builder, name);
                builder.add_location(kernel, u64::from(symbol), &[line])
            }
            CodePlace::Unknown { address } => {
                let line = line_of_name(builder, UNKNOWN);
                builder.add_location(None, address, &[line])
            }
        })
        .collect()
}

/// Addresses in a run are ELF vaddrs, the same in every process, so a mapping is the module's code as linked.
fn add_mapping(
    builder: &mut ProfileBuilder,
    module: &Module,
    symbols: Option<&ModuleSymbols>,
) -> u32 {
    let segments = module.layout.as_ref().map_or(&[][..], |l| &l.segments);
    let first = segments.first();
    builder.add_mapping(MappingOf {
        filename: &module.path.to_string_lossy(),
        build_id: symbols.map_or("", |s| &s.build_id),
        memory_start: first.map_or(0, |s| s.vaddr),
        memory_limit: segments
            .last()
            .map_or(0, |s| s.vaddr.saturating_add(s.size)),
        file_offset: first.map_or(0, |s| s.file_offset),
        symbolized: symbols.is_some_and(|s| s.chains.iter().any(|c| !c.is_empty())),
    })
}

fn lines_of(builder: &mut ProfileBuilder, symbols: &Symbols, vaddr: u64) -> Vec<LineOf> {
    let chain = symbols
        .vaddrs
        .binary_search(&vaddr)
        .ok()
        .and_then(|at| symbols.found.chains.get(at));
    let frames = chain.map_or(&[][..], Vec::as_slice);
    frames.iter().map(|f| line_of_frame(builder, f)).collect()
}

fn line_of_frame(builder: &mut ProfileBuilder, frame: &Frame) -> LineOf {
    let file = frame.file.as_deref().unwrap_or("");
    LineOf {
        function: builder.add_function(&frame.name, &frame.system_name, file, frame.function_line),
        line: frame.line,
        column: frame.column,
    }
}

fn line_of_name(builder: &mut ProfileBuilder, name: &str) -> LineOf {
    LineOf {
        function: builder.add_function(name, name, "", 0),
        line: 0,
        column: 0,
    }
}

/// Adds the groups in order: group n is sample n, as the times in the run information count on.
fn add_samples(
    builder: &mut ProfileBuilder,
    recording: &Recording,
    locations: &[u32],
    period_ns: u64,
) {
    let stacks = &recording.stacks;
    let names = thread_names(recording);
    for (number, (group, count)) in stacks
        .groups
        .values()
        .iter()
        .zip(&stacks.counts)
        .enumerate()
    {
        let places = &stacks.stacks.values()[group.stack as usize];
        let stack: Vec<u32> = places.iter().map(|p| locations[*p as usize]).collect();
        let thread = &stacks.threads.values()[group.thread as usize];
        let name = comm(&thread.name);
        let process = names.get(&thread.pid).map_or(&*name, String::as_str);
        let labels = [
            ("pid", LabelValue::Number(i64::from(thread.pid), "")),
            ("tid", LabelValue::Number(i64::from(thread.tid), "")),
            ("process", LabelValue::Text(process)),
            ("thread", LabelValue::Text(&name)),
        ];
        let sample = builder.add_sample(&stack, &[*count, count * period_ns], &labels);
        debug_assert_eq!(sample as usize, number);
    }
}

/// A process is called as its first thread.
fn thread_names(recording: &Recording) -> HashMap<u32, String> {
    let threads = recording.stacks.threads.values().iter();
    threads
        .filter(|t| t.pid == t.tid)
        .map(|t| (t.pid, comm(&t.name)))
        .collect()
}

fn comm(bytes: &[u8; 16]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// The name by which the target is known: its program's file name.
pub fn module_name(path: &Path) -> String {
    path.file_name()
        .map_or(String::new(), |n| n.to_string_lossy().into_owned())
}
