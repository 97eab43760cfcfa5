//! Addresses to frames by all that the files of a module hold: the DWARF on several threads, Go's own table, symbols.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::time::Instant;

use gimli::DwarfSections;
use rustc_hash::FxHashMap;

use crate::Frame;
use crate::arena::Arena;
use crate::debug_file::Found;
use crate::demangle::{DemangleMode, demangle, is_linkage_name};
use crate::dwarf::{self, Answer};
use crate::elf::{Elf, reader};
use crate::go_table::GoTable;
use crate::known::{Address, Known};
use crate::mini_debug;
use crate::nesting;
use crate::options::Options;
use crate::plt;
use crate::quiet_panics;
use crate::split_dwarf::{Places, SplitDwarf};
use crate::symbol_table::{self, SymbolNames};
use crate::text::Text;

/// Fewer addresses than this are not worth a second thread: each reads the list of units anew.
const ADDRESSES_PER_THREAD_MIN: usize = 256;

/// A module and the files that belong to it.
pub(crate) struct Files<'a> {
    pub(crate) elf: &'a Elf<'a>,
    /// The separate debug file, when the module itself has no debug information.
    pub(crate) debug: Option<&'a Elf<'a>>,
    /// What `dwz` moved to a file of its own.
    pub(crate) shared: Option<&'a Found>,
    /// Split debug information beside the program.
    pub(crate) package: Option<Elf<'a>>,
    pub(crate) places: Places,
}

/// What is known of `asked` (sorted), and why something of it is not.
pub(crate) fn resolve(
    files: &Files,
    asked: &[u64],
    options: &Options,
    deadline: Instant,
) -> (Known, Option<String>) {
    let elf = files.elf;
    let debug = files.debug.unwrap_or(elf);
    let mut answer = Answer::default();
    let mut sections = None;
    if debug.has_debug_units() && !asked.is_empty() {
        let shared = files
            .shared
            .map(|found| Elf::parse(&found.map)?.dwarf_sections());
        match (debug.dwarf_sections(), shared.transpose()) {
            (Ok(own), Ok(shared)) => {
                let (own, shared) = sections.insert((own, shared));
                answer = look_up((own, shared.as_ref()), files, asked, options, deadline);
            }
            (Err(why), _) | (_, Err(why)) => answer.problem = Some(why),
        }
    }
    if answer.chains.is_empty() {
        options.progress.fetch_add(asked.len(), Ordering::Relaxed);
    }
    answer.chains.resize(asked.len(), Vec::new());
    answer.builds.resize(asked.len(), None);

    let mut has_lines = debug.has_debug_lines();
    if let Some(table) = GoTable::of(elf) {
        for (vaddr, chain) in asked.iter().zip(&mut answer.chains) {
            if chain.is_empty() {
                *chain = table.chain(*vaddr);
                has_lines |= !chain.is_empty();
            }
        }
    }
    let mini = (!elf.has_symbol_table() && !debug.has_symbol_table())
        .then(|| mini_debug::unpacked(elf))
        .flatten();
    let mini = mini.as_ref().and_then(|bytes| Elf::parse(bytes).ok());
    let stubs = plt::stubs(&elf.object, asked);
    let mut objects = vec![&elf.object];
    objects.extend(files.debug.map(|debug| &debug.object));
    objects.extend(mini.as_ref().map(|mini| &mini.object));
    let by_symbols = symbol_table::names_at(&objects, &stubs, asked);
    let mode = match elf.is_go() {
        true => DemangleMode::None, // dots are part of Go's names
        false => options.demangle,
    };
    name_from_symbols(&by_symbols, mode, &mut answer.chains);
    if let Some((own, shared)) = &sections {
        let look_up = |starts: &[u64]| {
            let options = &Options {
                progress: Default::default(),
                ..options.clone()
            };
            look_up((own, shared.as_ref()), files, starts, options, deadline).chains
        };
        define_by_first_line(&by_symbols, &mut answer.chains, look_up);
    }

    let columns = answer.chains.into_iter().zip(answer.builds);
    let columns = columns.zip(folded_functions(&by_symbols));
    let known = Known {
        vaddrs: asked.to_vec(),
        addresses: columns
            .map(|((chain, build), folded)| Address {
                chain,
                build,
                folded,
            })
            .collect(),
        source_sums: answer.source_sums,
        has_lines,
        has_symbols: by_symbols.any,
    };
    (known, answer.problem)
}

type Sections<'a> = DwarfSections<Cow<'a, [u8]>>;

/// Addresses are sorted, so that each thread reads its own compile units.
fn look_up(
    (sections, shared): (&Sections, Option<&Sections>),
    files: &Files,
    asked: &[u64],
    options: &Options,
    deadline: Instant,
) -> Answer {
    let threads = (asked.len() / ADDRESSES_PER_THREAD_MIN).clamp(1, options.threads.max(1));
    let part_len = asked.len().div_ceil(threads).max(1);
    let look_up_part = |part: &[u64]| {
        let mut dwarf = sections.borrow_with_sup(shared, |section| reader(section));
        dwarf.populate_abbreviations_cache(gimli::AbbreviationsCacheStrategy::Duplicates);
        let arena = Arena::new();
        let split = SplitDwarf::new(files.package.as_ref(), &files.places, &arena);
        dwarf::look_up(dwarf, &split, part, options, deadline)
    };
    let failed = |part: &[u64], why: &str| Answer {
        chains: vec![Vec::new(); part.len()],
        builds: vec![None; part.len()],
        problem: Some(why.to_owned()),
        ..Answer::default()
    };
    let malformed = "its debug information is malformed";
    if threads == 1 {
        // This thread has the stack for it, too.
        let looked_up = catch_unwind(AssertUnwindSafe(|| look_up_part(asked)));
        return looked_up.unwrap_or_else(|_| failed(asked, malformed));
    }
    let parts: Vec<Answer> = std::thread::scope(|scope| {
        let start = |part| {
            std::thread::Builder::new()
                .name(quiet_panics::THREAD_NAME.to_owned())
                .stack_size(nesting::STACK_BYTES)
                .spawn_scoped(scope, move || look_up_part(part))
        };
        let workers: Vec<_> = asked
            .chunks(part_len)
            .map(|part| (part, start(part)))
            .collect();
        workers
            .into_iter()
            .map(|(part, worker)| match worker.map(|worker| worker.join()) {
                Ok(Ok(answer)) => answer,
                Ok(Err(_)) => failed(part, malformed),
                Err(error) => failed(part, &format!("cannot start a thread to read it ({error})")),
            })
            .collect()
    });
    let mut whole = Answer::default();
    for mut part in parts {
        whole.chains.append(&mut part.chains);
        whole.builds.append(&mut part.builds);
        whole.source_sums.append(&mut part.source_sums);
        whole.problem = whole.problem.or(part.problem);
    }
    whole
}

/// Names what the DWARF left without a name, or (line tables only) with a name that has neither linkage nor scope.
fn name_from_symbols(found: &SymbolNames, mode: DemangleMode, chains: &mut [Vec<Frame>]) {
    for (function, chain) in found.functions.iter().zip(chains) {
        let Some((symbol, _)) = function.filter(|_| is_nameless(chain, mode)) else {
            continue;
        };
        let name = Text::from(demangle(symbol, mode));
        match chain.last_mut() {
            // A plain name of C stays: its symbol may carry a suffix (`sum.part.0`).
            Some(outermost) if !outermost.name.is_empty() && !is_linkage_name(symbol) => {}
            Some(outermost) => {
                outermost.name = name;
                outermost.system_name = Text::from(symbol);
            }
            None => chain.push(Frame {
                name,
                system_name: Text::from(symbol),
                file: None,
                line: 0,
                column: 0,
                function_line: 0,
                inlined: false,
            }),
        }
    }
}

/// A function that only a symbol names is defined where its first instruction stands: other lines of it may be those of
/// code inlined into it, from other files (OCaml's compiler says no more).
fn define_by_first_line(
    found: &SymbolNames,
    chains: &mut [Vec<Frame>],
    look_up: impl FnOnce(&[u64]) -> Vec<Vec<Frame>>,
) {
    let mut undefined: Vec<(u64, &mut Frame)> = (found.functions.iter().zip(chains))
        .filter_map(|(function, chain)| {
            let (symbol, start) = (*function)?;
            let [frame] = chain.as_mut_slice() else {
                return None;
            };
            let is_undefined = frame.function_line == 0 && frame.file.is_some();
            (is_undefined && &*frame.system_name == symbol).then_some((start, frame))
        })
        .collect();
    let mut starts: Vec<u64> = undefined.iter().map(|(start, _)| *start).collect();
    starts.sort_unstable();
    starts.dedup();
    if starts.is_empty() {
        return;
    }
    let first_frames = look_up(&starts);
    for (start, frame) in &mut undefined {
        let at = starts.binary_search(start).ok();
        let first = at.and_then(|at| first_frames.get(at)?.last());
        if let Some(first) = first.filter(|first| first.file == frame.file) {
            frame.function_line = first.line;
        }
    }
}

/// The linker's names of functions that share their code, where they are different functions: a constructor has two
/// symbols by nature, a function of C may have several on purpose.
fn folded_functions(found: &SymbolNames) -> Vec<Vec<Text>> {
    let mut known: FxHashMap<&[&str], Vec<Text>> = FxHashMap::default();
    let functions = |names: &[&str]| {
        let mut different: BTreeMap<String, &str> = BTreeMap::new();
        for name in names.iter().filter(|name| is_linkage_name(name)) {
            different.insert(demangle(name, DemangleMode::Full), name);
        }
        match different.len() {
            0 | 1 => Vec::new(),
            _ => different.into_values().map(Text::from).collect(),
        }
    };
    (found.folded.iter())
        .map(|names| match names.as_slice() {
            [] => Vec::new(),
            names => known
                .entry(names)
                .or_insert_with(|| functions(names))
                .clone(),
        })
        .collect()
}

fn is_nameless(chain: &[Frame], mode: DemangleMode) -> bool {
    chain.last().is_none_or(|outermost| {
        outermost.name.is_empty()
            || (mode != DemangleMode::None
                && outermost.name == outermost.system_name
                && !is_linkage_name(&outermost.name))
    })
}
