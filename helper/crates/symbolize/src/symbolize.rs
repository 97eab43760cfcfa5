//! The way of one module: open it, find its debug file, ask the DWARF on several threads, fill gaps from symbols.

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use gimli::DwarfSections;
use rustc_hash::FxHashMap;

use crate::debug_file;
use crate::demangle::{DemangleMode, demangle, is_linkage_name};
use crate::dwarf::{self, Answer};
use crate::elf::{Elf, reader};
use crate::module::ModuleFile;
use crate::nesting;
use crate::quiet_panics;
use crate::symbol_table::SymbolTable;
use crate::{Frame, ModuleSymbols};

/// Fewer addresses than this are not worth a second thread: each reads the list of units anew.
const ADDRESSES_PER_THREAD_MIN: usize = 256;

/// How a module is symbolized.
#[derive(Debug, Clone)]
pub struct Options {
    pub demangle: DemangleMode,
    /// Where distributions keep debug files.
    pub debug_directories: Vec<PathBuf>,
    /// A file that takes longer keeps what was found until then.
    pub time_limit: Duration,
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            demangle: DemangleMode::default(),
            debug_directories: vec![PathBuf::from("/usr/lib/debug")],
            time_limit: Duration::from_secs(10),
            threads: std::thread::available_parallelism().map_or(1, |count| count.get().min(8)),
        }
    }
}

/// The frames of each of `vaddrs` (ELF virtual addresses; return addresses already moved into the call).
/// Never fails: [`ModuleSymbols::problem`] says what is missing and why.
pub fn symbolize_module(module: &ModuleFile, vaddrs: &[u64]) -> ModuleSymbols {
    symbolize_module_with(module, vaddrs, &Options::default())
}

/// As [`symbolize_module`], with other than the default options.
pub fn symbolize_module_with(
    module: &ModuleFile,
    vaddrs: &[u64],
    options: &Options,
) -> ModuleSymbols {
    let mut symbols = ModuleSymbols {
        chains: vec![Vec::new(); vaddrs.len()],
        ..ModuleSymbols::default()
    };
    quiet_panics::install();
    let filled = std::thread::scope(|scope| {
        let symbols = &mut symbols;
        std::thread::Builder::new()
            .name(quiet_panics::THREAD_NAME.to_owned())
            .spawn_scoped(scope, move || fill(module, vaddrs, options, symbols))
            .map_err(|error| format!("No thread could be started to read it ({error})."))?
            .join()
            .unwrap_or_else(|_| {
                Err(format!(
                    "{} is malformed: its names are unknown.",
                    module.path().display()
                ))
            })
    });
    if let Err(problem) = filled {
        symbols.problem = Some(problem);
    }
    symbols
}

fn fill(
    module: &ModuleFile,
    vaddrs: &[u64],
    options: &Options,
    symbols: &mut ModuleSymbols,
) -> Result<(), String> {
    let deadline = Instant::now() + options.time_limit;
    let path = module.path();
    let shown = path.display();
    let image = module.image()?;
    let elf = Elf::parse(image.bytes())
        .map_err(|why| format!("{shown} is {why}: its names are unknown."))?;
    symbols.build_id = elf.build_id.clone();
    if let Some(expected) = &module.expected_build_id
        && *expected != elf.build_id
    {
        return Err(format!(
            "{shown} changed since it was loaded (build-id {} instead of {expected}): its names are unknown.",
            if elf.build_id.is_empty() {
                "none"
            } else {
                &elf.build_id
            }
        ));
    }

    let found = (!elf.has_debug_units())
        .then(|| debug_file::find(&elf, path, &options.debug_directories))
        .flatten();
    let found_elf = found.as_ref().and_then(|found| Elf::parse(&found.map).ok());
    let debug = found_elf.as_ref().unwrap_or(&elf);
    let debug_path = found.as_ref().map_or(path, |found| &found.path);
    let shared = debug_file::find_shared_part(debug, debug_path, &options.debug_directories);
    symbols.has_lines = debug.has_debug_lines();

    let mut asked = vaddrs.to_vec();
    asked.sort_unstable();
    asked.dedup();
    let mut answer = Answer::default();
    if debug.has_debug_units() {
        let sections = debug.dwarf_sections();
        let shared = shared
            .as_ref()
            .map(|found| Elf::parse(&found.map)?.dwarf_sections());
        match (sections, shared.transpose()) {
            (Ok(sections), Ok(shared)) => {
                answer = look_up(&sections, shared.as_ref(), &asked, options, deadline);
            }
            (Err(why), _) | (_, Err(why)) => answer.problem = Some(why),
        }
    }
    answer.chains.resize(asked.len(), Vec::new());

    let has_symbols =
        name_from_symbols(&[&elf, debug], &asked, options.demangle, &mut answer.chains);
    let place: FxHashMap<u64, usize> = asked.iter().copied().zip(0..).collect();
    symbols.chains = vaddrs
        .iter()
        .map(|vaddr| answer.chains[place[vaddr]].clone())
        .collect();
    symbols.producers = answer.producers.into_iter().collect();
    if image.was_cut() {
        answer.problem = Some("the file was cut short while it was read".to_owned());
    }
    symbols.problem = match answer.problem {
        Some(why) => Some(format!("{shown}: {why}; some names or lines are missing.")),
        None if symbols.has_lines || asked.is_empty() => None,
        None if has_symbols => Some(format!(
            "{shown} has no debug information: functions are known, lines are not. Build it with -g, or install its debug symbols."
        )),
        None => Some(format!(
            "{shown} is stripped: neither functions nor lines are known. Build it with -g and do not strip it, or install its debug symbols."
        )),
    };
    Ok(())
}

type Sections<'a> = DwarfSections<Cow<'a, [u8]>>;

/// Addresses are sorted, so that each thread reads its own compile units.
fn look_up(
    sections: &Sections,
    shared: Option<&Sections>,
    asked: &[u64],
    options: &Options,
    deadline: Instant,
) -> Answer {
    let threads = (asked.len() / ADDRESSES_PER_THREAD_MIN).clamp(1, options.threads.max(1));
    let part_len = asked.len().div_ceil(threads).max(1);
    let look_up_part = |part: &[u64]| {
        let mut dwarf = sections.borrow_with_sup(shared, |section| reader(section));
        dwarf.populate_abbreviations_cache(gimli::AbbreviationsCacheStrategy::Duplicates);
        dwarf::look_up(dwarf, part, options.demangle, deadline)
    };
    let failed = |part: &[u64], why: &str| Answer {
        chains: vec![Vec::new(); part.len()],
        problem: Some(why.to_owned()),
        ..Answer::default()
    };
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
                Ok(Err(_)) => failed(part, "its debug information is malformed"),
                Err(error) => failed(
                    part,
                    &format!("no thread could be started to read it ({error})"),
                ),
            })
            .collect()
    });
    let mut whole = Answer::default();
    for mut part in parts {
        whole.chains.append(&mut part.chains);
        whole.producers.append(&mut part.producers);
        whole.problem = whole.problem.or(part.problem);
    }
    whole
}

/// Names what the DWARF left without a name, or (line tables only) with a name that has neither linkage nor scope.
/// Gives whether the files have function symbols, when that was looked at.
fn name_from_symbols(
    files: &[&Elf],
    asked: &[u64],
    mode: DemangleMode,
    chains: &mut [Vec<Frame>],
) -> bool {
    let nameless = |chain: &Vec<Frame>| {
        chain.last().is_none_or(|outermost| {
            outermost.name.is_empty()
                || (mode != DemangleMode::None
                    && outermost.name == outermost.system_name
                    && !is_linkage_name(&outermost.name))
        })
    };
    if !chains.iter().any(nameless) {
        return true;
    }
    let objects: Vec<_> = files.iter().map(|elf| &elf.object).collect();
    let table = SymbolTable::of(&objects);
    for (vaddr, chain) in asked
        .iter()
        .zip(chains)
        .filter(|(_, chain)| nameless(chain))
    {
        let Some(symbol) = table.name_at(*vaddr) else {
            continue;
        };
        let name = demangle(symbol, mode);
        match chain.last_mut() {
            // A plain name of C stays: its symbol may carry a suffix (`sum.part.0`).
            Some(outermost) if !outermost.name.is_empty() && !is_linkage_name(symbol) => {}
            Some(outermost) => {
                outermost.name = name;
                outermost.system_name = symbol.to_owned();
            }
            None => chain.push(Frame {
                name,
                system_name: symbol.to_owned(),
                file: None,
                line: 0,
                column: 0,
                function_line: 0,
                inlined: false,
            }),
        }
    }
    !table.is_empty()
}
