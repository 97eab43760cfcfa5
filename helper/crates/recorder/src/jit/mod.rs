//! Code that the target makes while it runs (JIT): it lies in memory without a file, so its names are those of the map
//! that the process itself writes for profilers, `/tmp/perf-PID.map`. An address in no entry of it has no name.

mod map_entries;
mod map_file;

use std::collections::{BTreeMap, HashMap};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::SystemTime;

use symbolize::{Frame, ModuleSymbols};

use super::address_spaces::AddressSpaces;
use super::modules::{MadeBy, ModuleIndex, Modules};
use map_file::MapSource;

pub const JIT: &str = "[JIT]";

/// Each holds the root folder of its process open.
const PROCESSES_MAX: usize = 64;
/// Pieces of such memory of one process; code beyond them is `[unknown]`.
const PIECES_MAX: usize = 4096;

const HOW_TO_GET_A_MAP: &str = "start it so that it writes one (node --perf-basic-prof; java -XX:+DumpPerfMapAtExit; DOTNET_PerfMapEnabled=1)";

#[derive(Default)]
pub struct JitProcesses {
    /// Those that run, by pid.
    running: HashMap<u32, ModuleIndex>,
    processes: BTreeMap<ModuleIndex, JitProcess>,
    /// Of processes whose map cannot be told apart from another's, or not be had.
    nameless: Option<ModuleIndex>,
}

/// One program in one process: another that the process becomes is another one.
struct JitProcess {
    pid: u32,
    map: Result<MapSource, String>,
    pieces: usize,
}

impl JitProcess {
    fn of(pid: u32) -> JitProcess {
        JitProcess {
            pid,
            map: MapSource::of(pid)
                .map_err(|e| format!("could not look for its map while it ran ({e})")),
            pieces: 0,
        }
    }
}

/// Whether the kernel calls memory so that belongs to no file. Its own pages, as `[vdso]`, are something else.
pub fn is_without_file(path: &Path) -> bool {
    let name = path.as_os_str().as_bytes();
    matches!(name, b"" | b"//anon" | b"[heap]" | b"[stack]") || name.starts_with(b"[anon")
}

impl JitProcesses {
    /// A process made memory executable, maybe once more.
    pub fn map(
        &mut self,
        pid: u32,
        from_ns: u64,
        range: (u64, u64),
        modules: &mut Modules,
        spaces: &mut AddressSpaces,
    ) {
        let module = match self.running.get(&pid) {
            Some(module) => *module,
            None => self.begin(pid, modules),
        };
        // A compiler that makes its memory writable and back tells of it each time.
        if spaces.is_mapped_now(pid, range, module) {
            return;
        }
        if let Some(process) = self.processes.get_mut(&module) {
            process.pieces += 1;
            if process.pieces > PIECES_MAX {
                return;
            }
        }
        spaces.map(pid, from_ns, range, range.0, module);
    }

    fn begin(&mut self, pid: u32, modules: &mut Modules) -> ModuleIndex {
        self.supersede(pid);
        if self.processes.len() >= PROCESSES_MAX {
            return self.nameless(modules);
        }
        let name = target::process_name(pid);
        let module = modules.add_made(JIT, MadeBy::Process { pid, name });
        self.processes.insert(module, JitProcess::of(pid));
        self.running.insert(pid, module);
        module
    }

    fn nameless(&mut self, modules: &mut Modules) -> ModuleIndex {
        *(self.nameless).get_or_insert_with(|| modules.add_made(JIT, MadeBy::Others))
    }

    /// A child has its parent's code, but what it makes from now on stands in no map of the parent's.
    pub fn fork(
        &mut self,
        child: u32,
        parent: u32,
        time_ns: u64,
        modules: &mut Modules,
        spaces: &mut AddressSpaces,
    ) {
        let Some(module) = self.running.get(&parent).copied() else {
            return;
        };
        let nameless = self.nameless(modules);
        for inherited in spaces.mapped_at(child, u64::MAX) {
            if inherited.module == module {
                let range = (inherited.start, inherited.end);
                spaces.map(child, time_ns, range, inherited.start, nameless);
            }
        }
    }

    /// The process runs another program now, whose map takes the place of the one before.
    pub fn execute(&mut self, pid: u32) {
        self.supersede(pid);
        self.running.remove(&pid);
    }

    pub fn exit(&mut self, pid: u32) {
        if let Some(process) = (self.running.remove(&pid)).and_then(|m| self.processes.get_mut(&m))
            && let Ok(map) = &mut process.map
        {
            map.ended = Some(SystemTime::now());
        }
    }

    /// Maps of earlier programs with this number are not theirs any more.
    fn supersede(&mut self, pid: u32) {
        for earlier in self.processes.values_mut().filter(|p| p.pid == pid) {
            earlier.map = Err("another program has overwritten its map".to_owned());
        }
    }

    /// The names of these addresses, ascending, as the process's map has them now.
    pub fn symbols(&self, module: ModuleIndex, addresses: &[u64]) -> ModuleSymbols {
        let unread = |problem: String| (vec![None; addresses.len()], Some(problem));
        let (names, problem) = match self.processes.get(&module).map(|p| &p.map) {
            None => unread("its map is not read: Lineheat reads those of the first 64 processes only, and no inherited code".to_owned()),
            Some(Err(why)) => unread(why.clone()),
            Some(Ok(source)) => names_in(source, addresses),
        };
        ModuleSymbols {
            chains: names.into_iter().map(chain_of).collect(),
            problem,
            ..ModuleSymbols::default()
        }
    }
}

fn names_in(source: &MapSource, addresses: &[u64]) -> (Vec<Option<String>>, Option<String>) {
    let path = source.path();
    let found = match source.open() {
        Ok(Some(file)) => {
            map_entries::names(file, addresses).map_err(|e| format!("could not be read: {e}"))
        }
        Ok(None) => {
            let problem = format!("JIT, no map: there is no {path}; {HOW_TO_GET_A_MAP}");
            return (vec![None; addresses.len()], Some(problem));
        }
        Err(why) => Err(why),
    };
    match found {
        Ok(found) => {
            let problem = (found.left_out > 0).then(|| {
                format!(
                    "{path}: {} of {} lines are not valid entries (START SIZE NAME, at most 4096 characters) and were skipped",
                    found.left_out, found.lines
                )
            });
            (found.names, problem)
        }
        Err(why) => (
            vec![None; addresses.len()],
            Some(format!("{path} {why}, so it was not used")),
        ),
    }
}

fn chain_of(name: Option<String>) -> Vec<Frame> {
    let frame = name.map(|name| {
        let name = symbolize::Text::from(name);
        Frame {
            name: name.clone(),
            system_name: name,
            file: None,
            line: 0,
            column: 0,
            function_line: 0,
            inlined: false,
        }
    });
    frame.into_iter().collect()
}
