//! Counted stacks → symbolized profile.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use profile::{
    KERNEL, LineOf, MappingOf, OTHER_STACKS, Profile, ProfileBuilder, UNKNOWN, sample_labels,
};
use symbolize::{
    AskedModule, Frame, Isolation, ModuleFile, ModuleSymbols, Options, symbolize_isolated,
};

use super::earlier_build;
use super::environment::Environment;
use super::modules::{Module, ModuleIndex, own_vdso};
use super::recording::Recording;
use super::shown_path::shown_path;
use super::stacks::CodePlace;
use super::{RecordOptions, Stage, run_info};
use crate::symbolize_worker;

/// Symbolizing that takes longer shows how far it is, so often.
const PROGRESS_EVERY: Duration = Duration::from_millis(200);

/// What symbolization found, by module.
pub struct Symbols {
    /// Asked vaddrs, ascending.
    vaddrs: Vec<u64>,
    pub found: ModuleSymbols,
    /// Its file could not be had: no way of building it would have given names.
    pub is_unread: bool,
}

impl Symbols {
    fn of(vaddrs: Vec<u64>, found: ModuleSymbols) -> Symbols {
        Symbols {
            vaddrs,
            found,
            is_unread: false,
        }
    }

    /// Several functions have this code.
    fn is_folded(&self, vaddr: u64) -> bool {
        let names = self.place(vaddr).and_then(|at| self.found.folded.get(at));
        names.is_some_and(|names| !names.is_empty())
    }

    /// Where an address is in the columns of `found`.
    pub fn place(&self, vaddr: u64) -> Option<usize> {
        self.vaddrs.binary_search(&vaddr).ok()
    }
}

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
    let started_ns = run_info::unix_ns(recording.started_at);
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

/// CPU time that one sample stands for.
pub fn period_ns(sample_hz: u32) -> u64 {
    1_000_000_000 / u64::from(sample_hz)
}

fn symbolize_places(
    recording: &Recording,
    options: &RecordOptions,
    mut on_progress: impl FnMut(Stage),
) -> BTreeMap<ModuleIndex, Symbols> {
    let mut vaddrs: BTreeMap<ModuleIndex, Vec<u64>> = BTreeMap::new();
    for place in recording.stacks.places.values() {
        if let CodePlace::InModule { module, vaddr } = place {
            vaddrs.entry(*module).or_default().push(*vaddr);
        }
    }
    let total = vaddrs.values().map(Vec::len).sum();
    let done = Arc::new(AtomicUsize::new(0));
    let options = Options {
        demangle: options.demangle,
        debuginfod: options.debuginfod,
        progress: Arc::clone(&done),
        cache: symbolize::user_cache_folder(),
        ..Options::default()
    };
    let mut symbols = BTreeMap::new();
    let (mut indices, mut asked) = (Vec::new(), Vec::new());
    for (index, mut vaddrs) in vaddrs {
        vaddrs.sort_unstable();
        if recording.jit.is_jit(index) {
            let found = recording.jit.symbols(index, &vaddrs);
            symbols.insert(index, Symbols::of(vaddrs, found));
            continue;
        }
        match module_file(recording.modules.get(index)) {
            Ok(module) => {
                indices.push(index);
                asked.push(AskedModule { module, vaddrs });
            }
            Err(problem) => {
                let found = ModuleSymbols {
                    chains: vec![Vec::new(); vaddrs.len()],
                    problem: Some(problem),
                    ..ModuleSymbols::default()
                };
                let unread = Symbols {
                    is_unread: true,
                    ..Symbols::of(vaddrs, found)
                };
                symbols.insert(index, unread);
            }
        }
    }
    let mut told = Instant::now();
    let mut isolation = Isolation {
        urgency: recording.urgency.clone(),
        ..Isolation::by(symbolize_worker::command())
    };
    let found = symbolize_isolated(&asked, &options, &mut isolation, || {
        if told.elapsed() > PROGRESS_EVERY {
            told = Instant::now();
            let done = done.load(Ordering::Relaxed).min(total);
            on_progress(Stage::Symbolizing { done, total });
        }
    });
    for ((index, asked), found) in indices.into_iter().zip(asked).zip(found) {
        let is_unread = recording.urgency.is_urgent() && found.chains.iter().all(Vec::is_empty);
        let symbols_of = Symbols::of(asked.vaddrs, found);
        symbols.insert(
            index,
            Symbols {
                is_unread,
                ..symbols_of
            },
        );
    }
    symbols
}

/// The file that was mapped; otherwise why its names are not to be had.
fn module_file(module: &Module) -> Result<ModuleFile, String> {
    let copy = |file: &File| file.try_clone().map_err(|e| e.to_string());
    match module.file_as_mapped().and_then(copy) {
        Ok(file) => Ok(ModuleFile::opened(&module.path, file)),
        Err(_) if module.is_vdso => Ok(ModuleFile::from_bytes(
            "[vdso]",
            own_vdso().unwrap_or_default(),
        )),
        Err(problem) => Err(problem),
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

pub fn comm(bytes: &[u8; 16]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// The name by which the target is known: its program's file name.
pub fn module_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, shown_path)
}
