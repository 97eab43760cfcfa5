//! Addresses that samples hit → names and lines, each module's together.

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use supervision::Urgency;
use symbolize::{AskedModule, Isolation, ModuleFile, ModuleSymbols, Options, symbolize_isolated};

use super::events::Stage;
use super::evidence::Evidence;
use super::jit::JitProcesses;
use super::module_files::{ModuleFiles, own_vdso};
use super::modules::{Module, ModuleIndex};
use super::options::{DEBUGINFOD_PATIENCE, RecordOptions};
use super::stacks::CodePlace;
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
    pub fn is_folded(&self, vaddr: u64) -> bool {
        let names = self.place(vaddr).and_then(|at| self.found.folded.get(at));
        names.is_some_and(|names| !names.is_empty())
    }

    /// Where an address is in the columns of `found`.
    pub fn place(&self, vaddr: u64) -> Option<usize> {
        self.vaddrs.binary_search(&vaddr).ok()
    }
}

/// Where names of code are looked for.
pub struct CodeSources<'a> {
    pub files: &'a ModuleFiles,
    pub jit: &'a JitProcesses,
    pub urgency: &'a Urgency,
}

pub fn symbolize_places(
    seen: &Evidence,
    code: &CodeSources,
    options: &RecordOptions,
    mut on_progress: impl FnMut(Stage),
) -> BTreeMap<ModuleIndex, Symbols> {
    let mut vaddrs: BTreeMap<ModuleIndex, Vec<u64>> = BTreeMap::new();
    for place in seen.stacks.places.values() {
        if let CodePlace::InModule { module, vaddr } = place {
            vaddrs.entry(*module).or_default().push(*vaddr);
        }
    }
    for of in &seen.calls.functions {
        if let Some(vaddr) = of.vaddr {
            vaddrs.entry(of.module).or_default().push(vaddr);
        }
    }
    let total = vaddrs.values().map(Vec::len).sum();
    let done = Arc::new(AtomicUsize::new(0));
    let options = Options {
        demangle: options.demangle,
        debuginfod: options.chosen.debuginfod.then_some(DEBUGINFOD_PATIENCE),
        progress: Arc::clone(&done),
        cache: symbolize::user_cache_folder(),
        ..Options::default()
    };
    let mut symbols = BTreeMap::new();
    let (mut indices, mut asked) = (Vec::new(), Vec::new());
    for (index, mut vaddrs) in vaddrs {
        vaddrs.sort_unstable();
        vaddrs.dedup(); // a sample may have hit where a counted function begins
        let module = seen.modules.get(index);
        if module.made_by.is_some() {
            let found = code.jit.symbols(index, &vaddrs);
            symbols.insert(index, Symbols::of(vaddrs, found));
            continue;
        }
        match module_file(code.files, index, module) {
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
        urgency: code.urgency.clone(),
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
        let is_unread = code.urgency.is_urgent() && found.chains.iter().all(Vec::is_empty);
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
fn module_file(
    files: &ModuleFiles,
    index: ModuleIndex,
    module: &Module,
) -> Result<ModuleFile, String> {
    let copy = |file: &File| file.try_clone().map_err(|e| e.to_string());
    match files.as_mapped(index, module).and_then(copy) {
        Ok(file) => Ok(ModuleFile::opened(&module.path, file)),
        Err(_) if module.is_vdso => Ok(ModuleFile::from_bytes(
            "[vdso]",
            own_vdso().unwrap_or_default(),
        )),
        Err(problem) => Err(problem),
    }
}
