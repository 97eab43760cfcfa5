//! Counted stacks → symbolized profile.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use profile::{
    KERNEL, LineOf, MappingOf, OTHER_STACKS, Profile, ProfileBuilder, UNKNOWN, sample_labels,
};
use symbolize::{Frame, ModuleSymbols};

use super::earlier_build;
use super::environment::{Environment, unix_ns};
use super::modules::{Module, ModuleIndex};
use super::rate::period_ns;
use super::recording::Recording;
use super::run_info;
use super::shown_path::shown_path;
use super::stacks::{CodePlace, comm};
use super::symbols::{Symbols, symbolize_places};
use super::{RecordOptions, Stage};

/// The whole run, symbolized.
pub fn profile_of(
    recording: &Recording,
    options: &RecordOptions,
    wall: Duration,
    environment: &Environment,
    on_progress: impl FnMut(Stage),
) -> Profile {
    let symbols = symbolize_places(recording, options, on_progress);
    build(recording, options, wall, &symbols, environment)
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
    let started_ns = unix_ns(recording.started_at);
    builder.set_time(started_ns, wall.as_nanos() as i64);
    let locations = add_locations(&mut builder, recording, symbols);
    add_samples(&mut builder, recording, &locations, period_ns);
    let profile = builder.finish();
    let mut info = run_info::run_info(recording, options, wall, symbols, &profile, environment);
    run_info::add_times(&mut info, recording);
    if let Some(earlier) = options.build.earlier() {
        earlier_build::correct(&mut info, recording, earlier);
    }
    Profile {
        run: Some(info),
        ..profile
    }
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
                let location = builder.add_location(mappings.get(&module).copied(), vaddr, &lines);
                if symbols.get(&module).is_some_and(|s| s.is_folded(vaddr)) {
                    builder.mark_folded(location);
                }
                location
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
            CodePlace::OtherStack => {
                let line = line_of_name(builder, OTHER_STACKS);
                builder.add_location(None, 0, &[line])
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
    let span = module.span();
    builder.add_mapping(MappingOf {
        filename: &shown_path(&module.path),
        build_id: symbols.map_or("", |s| &s.build_id),
        memory_start: span.memory_start,
        memory_limit: span.memory_limit,
        file_offset: span.file_offset,
        symbolized: symbols.is_some_and(|s| s.chains.iter().any(|c| !c.is_empty())),
    })
}

fn lines_of(builder: &mut ProfileBuilder, symbols: &Symbols, vaddr: u64) -> Vec<LineOf> {
    let chain = symbols
        .place(vaddr)
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
        let places = stacks.stacks.stack(group.stack);
        let stack: Vec<u32> = places.iter().map(|p| locations[*p as usize]).collect();
        let thread = &stacks.threads.values()[group.thread as usize];
        let name = comm(&thread.name);
        let process = names.get(&thread.pid).map_or(&*name, String::as_str);
        let labels = sample_labels(thread.pid, thread.tid, process, &name, thread.repetition);
        let sample = builder.push_sample(&stack, &[*count, count * period_ns], &labels);
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
