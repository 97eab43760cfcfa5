//! The way of one module: open it, find its debug files, take from the cache what is there, resolve the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::build::Build;
use crate::cache::{Cache, CacheKey};
use crate::debug_file::{self, Found};
use crate::debuginfod;
use crate::elf::Elf;
use crate::function_list;
use crate::module::ModuleFile;
use crate::nesting;
use crate::options::Options;
use crate::quiet_panics;
use crate::resolve::{Files, resolve};
use crate::split_dwarf::Places;
use crate::{Frame, Language, ModuleSymbols};

/// Share of a module's places without a name above which that is told; a few are in code without symbols in any program.
const UNNAMED_WORTH_TELLING: f64 = 0.1;

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
    quiet_panics::install();
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name(quiet_panics::THREAD_NAME.to_owned())
            .stack_size(nesting::STACK_BYTES)
            .spawn_scoped(scope, move || symbolize_here(module, vaddrs, options));
        let found = thread.map(|thread| thread.join());
        let why = match found {
            Ok(Ok(symbols)) => return symbols,
            Ok(Err(_)) => malformed(module),
            Err(error) => format!("Cannot start a thread to read it ({error})."),
        };
        ModuleSymbols {
            problem: Some(why),
            ..unknown(vaddrs)
        }
    })
}

/// As [`symbolize_module_with`], on a thread called [`quiet_panics::THREAD_NAME`] with a stack of [`nesting::STACK_BYTES`]:
/// starting one for each of thousands of small modules would take longer than reading them.
pub(crate) fn symbolize_here(
    module: &ModuleFile,
    vaddrs: &[u64],
    options: &Options,
) -> ModuleSymbols {
    let mut symbols = unknown(vaddrs);
    let filling = AssertUnwindSafe(|| fill(module, vaddrs, options, &mut symbols));
    let filled = catch_unwind(filling).unwrap_or_else(|_| Err(malformed(module)));
    if let Err(problem) = filled {
        symbols.problem = Some(problem);
    }
    symbols
}

fn unknown(vaddrs: &[u64]) -> ModuleSymbols {
    ModuleSymbols {
        chains: vec![Vec::new(); vaddrs.len()],
        builds: vec![None; vaddrs.len()],
        folded: vec![Vec::new(); vaddrs.len()],
        ..ModuleSymbols::default()
    }
}

fn malformed(module: &ModuleFile) -> String {
    let shown = module.path().display();
    format!("{shown} is malformed: its names are unknown.")
}

fn fill(
    module: &ModuleFile,
    vaddrs: &[u64],
    options: &Options,
    symbols: &mut ModuleSymbols,
) -> Result<(), String> {
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

    let (found, not_fetched) = match elf.has_debug_units() {
        true => (None, None),
        false => find_debug_file(&elf, path, options),
    };
    let deadline = Instant::now() + options.time_limit;
    let found_elf = found.as_ref().and_then(|found| Elf::parse(&found.map).ok());
    let debug = found_elf.as_ref().unwrap_or(&elf);
    let debug_path = found.as_ref().map_or(path, |found| &found.path);
    let shared = debug_file::find_shared_part(debug, debug_path, &options.debug_directories);
    let package = debug_file::find_package(path, debug_path);
    let folder = |path: &Path| path.parent().map(Path::to_owned);
    let mut folders: Vec<PathBuf> = [path, debug_path].into_iter().filter_map(folder).collect();
    folders.dedup();
    let cache_key = CacheKey {
        build_id: &elf.build_id,
        mode: options.demangle,
        module_bytes: image.bytes().len(),
        others: [&found, &shared, &package].map(|file| file.as_ref().map(debug_file::identity)),
    };
    let files = Files {
        elf: &elf,
        debug: found_elf.as_ref(),
        shared: shared.as_ref(),
        package: package
            .as_ref()
            .and_then(|found| Elf::parse(&found.map).ok()),
        places: Places {
            folders,
            debug_directories: options.debug_directories.clone(),
        },
    };

    let mut asked = vaddrs.to_vec();
    asked.sort_unstable();
    asked.dedup();
    let cache = options.cache.as_deref().map(Cache::in_folder);
    let cached = cache.as_ref().and_then(|cache| cache.load(&cache_key));
    let mut known = cached.unwrap_or_default();
    let missing: Vec<u64> = (asked.iter().copied())
        .filter(|vaddr| known.place(*vaddr).is_none())
        .collect();
    let already_known = asked.len() - missing.len();
    options.progress.fetch_add(already_known, Ordering::Relaxed);
    let mut problem = None;
    if known.vaddrs.is_empty() || !missing.is_empty() {
        let fresh;
        (fresh, problem) = resolve(&files, &missing, options, deadline);
        known.add(fresh);
        if image.was_cut() {
            problem = Some("the file was truncated while it was read".to_owned());
        }
        // What could not be read now may be readable another time.
        if let Some(cache) = cache.filter(|_| problem.is_none()) {
            cache.save(&cache_key, &known);
        }
    }

    if options.lists_functions {
        symbols.functions = function_list::list(&files, options, deadline);
    }
    for (at, vaddr) in vaddrs.iter().enumerate() {
        let Some(address) = known.place(*vaddr).map(|place| &known.addresses[place]) else {
            continue;
        };
        symbols.chains[at].clone_from(&address.chain);
        symbols.builds[at].clone_from(&address.build);
        symbols.folded[at].clone_from(&address.folded);
    }
    symbols.has_lines = known.has_lines;
    symbols.producers = producers(&symbols.builds);
    symbols.language = language(&elf, &symbols.builds, &symbols.chains);
    symbols.source_sums = known.source_sums;
    let unnamed = symbols
        .chains
        .iter()
        .filter(|chain| chain.is_empty())
        .count();
    let not_fetched = not_fetched.map_or(String::new(), |why| format!(" ({why})"));
    symbols.problem = match problem {
        Some(why) => Some(format!("{shown}: {why}; some names or lines are missing.")),
        None if (symbols.has_lines || known.has_symbols)
            && unnamed as f64 > UNNAMED_WORTH_TELLING * vaddrs.len() as f64 =>
        {
            let which = match vaddrs.len() - unnamed {
                0 => "the code that ran: its names are unknown".to_owned(),
                _ => format!(
                    "{unnamed} of the {} places where it ran: their names are unknown",
                    vaddrs.len()
                ),
            };
            Some(format!(
                "{shown}: neither debug information nor symbols cover {which}."
            ))
        }
        None if symbols.has_lines || asked.is_empty() => None,
        None if known.has_symbols => Some(format!(
            "{shown} has no debug information{not_fetched}: function names are known, lines are not. Build it with -g, or install its debug symbols."
        )),
        None => Some(format!(
            "{shown} is stripped{not_fetched}: function names and lines are unknown. Build it with -g and do not strip it, or install its debug symbols."
        )),
    };
    Ok(())
}

/// The separate debug file, from this machine or, on request, from a server; and why the server gave none.
fn find_debug_file(elf: &Elf, path: &Path, options: &Options) -> (Option<Found>, Option<String>) {
    let found = debug_file::find(elf, path, &options.debug_directories);
    let (None, Some(time_limit)) = (&found, options.debuginfod) else {
        return (found, None);
    };
    match debuginfod::fetch(&elf.build_id, time_limit) {
        Ok(fetched) => (debug_file::fetched(fetched, &elf.build_id), None),
        Err(why) => (None, Some(why)),
    }
}

pub(crate) fn producers(builds: &[Option<Arc<Build>>]) -> Vec<String> {
    let different: BTreeSet<&str> = (builds.iter().flatten())
        .map(|build| build.producer.as_str())
        .collect();
    different.into_iter().map(str::to_owned).collect()
}

/// By the units that were asked for; else by what the compilers leave behind.
fn language(elf: &Elf, builds: &[Option<Arc<Build>>], chains: &[Vec<Frame>]) -> Language {
    let mut counts: BTreeMap<Language, usize> = BTreeMap::new();
    for build in builds.iter().flatten() {
        *counts.entry(build.language).or_default() += 1;
    }
    counts.remove(&Language::Unknown);
    if let Some((language, _)) = counts.into_iter().max_by_key(|(_, count)| *count) {
        return language;
    }
    let any_name = |is_wanted: fn(&str) -> bool| {
        (chains.iter().flatten()).any(|frame| is_wanted(&frame.system_name))
    };
    if elf.is_go() {
        Language::Go
    } else if any_name(|name| crate::ocaml_names::readable(name).is_some()) {
        Language::OCaml
    } else if elf.is_rust() {
        Language::Rust
    } else {
        Language::Unknown
    }
}
