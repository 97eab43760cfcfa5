//! Counted stacks → symbolized profile.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use profile::{
    ALLOCATED, CALLS, IN_USE, KERNEL, KindColumns, LineOf, MappingOf, OTHER_STACKS, PAGE_FAULTS,
    PEAK, Profile, ProfileBuilder, SYSTEM_CALL_ERRORS, SYSTEM_CALLS, SampleDetail, TEMPORARY,
    UNKNOWN, WAITING, sample_labels,
};
use records::period_ns;
use symbolize::{Frame, ModuleSymbols};

use super::call_samples;
use super::cause_lines::cause_lines;
use super::earlier_build;
use super::environment::{Environment, unix_ns};
use super::evidence::Evidence;
use super::modules::{Module, ModuleIndex};
use super::named::Named;
use super::run_info;
use super::shown_path::shown_path;
use super::source_texts::source_texts;
use super::stacks::{CodePlace, comm};
use super::symbols::{CodeSources, Symbols, symbolize_places};
use super::{RecordOptions, Stage};

/// The whole run, symbolized.
pub fn profile_of(
    seen: &Evidence,
    code: &CodeSources,
    options: &RecordOptions,
    wall: Duration,
    environment: &Environment,
    on_progress: impl FnMut(Stage),
) -> Profile {
    let symbols = symbolize_places(seen, code, options, on_progress);
    build(seen, code, options, wall, &symbols, environment)
}

fn build(
    seen: &Evidence,
    code: &CodeSources,
    options: &RecordOptions,
    wall: Duration,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
    environment: &Environment,
) -> Profile {
    // Also where no thread has waited, or nothing was allocated.
    let waits = seen.has_waits().then_some(WAITING);
    let kinds = [ALLOCATED, IN_USE, PEAK, TEMPORARY];
    let allocations = seen.has_allocations().then_some(kinds);
    let faults = seen.has_faults().then_some(PAGE_FAULTS);
    let system_calls = seen
        .has_syscalls()
        .then_some([SYSTEM_CALLS, SYSTEM_CALL_ERRORS]);
    let calls = (!seen.calls.functions.is_empty()).then_some(CALLS);
    let asked = (waits.into_iter().chain(faults))
        .chain(allocations.into_iter().flatten())
        .chain(system_calls.into_iter().flatten())
        .chain(calls);
    let columns = KindColumns::of(seen.stacks.kinds().chain(asked))
        .with_counters(seen.counters_of_events.saved().iter());
    let mut builder = ProfileBuilder::new(&columns.sample_types());
    builder.set_default("cpu");
    builder.set_period(
        "cpu",
        "nanoseconds",
        period_ns(options.chosen.sample_hz) as i64,
    );
    let started_ns = unix_ns(seen.started_at);
    builder.set_time(started_ns, wall.as_nanos() as i64);
    let mappings = add_mappings(&mut builder, seen, symbols);
    let locations = add_locations(&mut builder, seen, symbols, &mappings);
    add_samples(&mut builder, seen, symbols, &locations, &columns);
    call_samples::add_samples(&mut builder, &seen.calls, symbols, &columns, |module| {
        mappings.get(&module).copied()
    });
    let profile = builder.finish();
    let earlier = options.build.earlier();
    let texts = source_texts(&samples_by_file(&profile), seen, code, symbols, earlier);
    let named = Named {
        symbols,
        profile: &profile,
        texts,
    };
    let mut info = run_info::run_info(seen, options, wall, named, environment);
    run_info::add_times(&mut info, seen);
    if let Some(earlier) = earlier {
        earlier_build::correct(&mut info, &seen.modules, code.files, earlier);
    }
    Profile {
        run: Some(info),
        ..profile
    }
}

fn add_mappings(
    builder: &mut ProfileBuilder,
    seen: &Evidence,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
) -> HashMap<ModuleIndex, u32> {
    let mut mappings = HashMap::new();
    for (index, module) in seen.modules.iter() {
        let found = symbols.get(&index).map(|s| &s.found);
        mappings.insert(index, add_mapping(builder, module, found));
    }
    mappings
}

/// The location of each code place, by place number.
fn add_locations(
    builder: &mut ProfileBuilder,
    seen: &Evidence,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
    mappings: &HashMap<ModuleIndex, u32>,
) -> Vec<u32> {
    let kernel_used = seen
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
    let kernel_names: HashMap<u32, &str> = seen
        .kernel_names
        .iter()
        .map(|(id, name)| (*id, name.as_str()))
        .collect();
    let places = seen.stacks.places.values().iter();
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
    seen: &Evidence,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
    locations: &[u32],
    columns: &KindColumns,
) {
    let stacks = &seen.stacks;
    let names = thread_names(seen);
    let causes = cause_lines(seen, symbols);
    let groups = stacks.groups.values().iter().zip(&stacks.sums);
    for (number, (group, sums)) in groups.enumerate() {
        let places = stacks.stacks.stack(group.stack);
        let stack: Vec<u32> = places.iter().map(|p| locations[*p as usize]).collect();
        let thread = &stacks.threads.values()[group.thread as usize];
        let name = comm(&thread.name);
        let process = names.get(&thread.pid).map_or(&*name, String::as_str);
        let (pid, tid) = (thread.pid, thread.tid);
        let detail = group.detail.map(SampleDetail::label);
        let detail = detail.as_ref().map(|(key, value)| (*key, &**value));
        let mut labels = sample_labels(pid, tid, process, &name, thread.repetition, detail);
        if let Some(cause) = group.cause {
            labels.extend(causes[cause as usize].labels());
        }
        let values = columns.values(group.kind as u32, sums);
        let sample = builder.push_sample(&stack, &values, &labels);
        debug_assert_eq!(sample as usize, number);
    }
}

/// A process is called as its first thread.
fn thread_names(seen: &Evidence) -> HashMap<u32, String> {
    let threads = seen.stacks.threads.values().iter();
    threads
        .filter(|t| t.pid == t.tid)
        .map(|t| (t.pid, comm(&t.name)))
        .collect()
}

/// Samples of all kinds with the file anywhere on the stack, hottest first.
fn samples_by_file(profile: &Profile) -> Vec<(String, u64)> {
    let mut counts: HashMap<u32, u64> = HashMap::new();
    let counted_by = [
        "samples",
        "waits",
        "alloc_samples",
        "fault_samples",
        "syscall_samples",
    ];
    let columns: Vec<usize> = (counted_by.iter())
        .filter_map(|name| profile.find_sample_type(name, "count"))
        .collect();
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
        let taken: u64 = columns.iter().map(|at| profile.value(sample, *at)).sum();
        for file in files {
            *counts.entry(file).or_default() += taken;
        }
    }
    let named = counts
        .into_iter()
        .map(|(file, n)| (profile.text(file).to_owned(), n));
    let mut files: Vec<_> = named.filter(|(path, _)| !path.is_empty()).collect();
    files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    files
}
