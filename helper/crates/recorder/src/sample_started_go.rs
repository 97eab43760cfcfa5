//! Samples the memory of Go programs that the command starts. The engine hears of such a program when it already runs, so sampling begins
//! some milliseconds later. Before anything is written into the program, its memory is compared with its file.

use std::io;
use std::path::Path;
use std::rc::Rc;

use records::{Mapping, ToSampler};
use symbolize::is_go;
use target::ProcessMemory;

use super::go_sampling::{GoSampling, NoGoSampling};
use super::modules::ModuleIndex;
use super::recording::Recording;
use super::shown_path::module_name;

impl Recording<'_> {
    /// A process has mapped code: if Go's runtime is in it, it is to sample its heap.
    pub(super) fn note_go(
        &mut self,
        pid: u32,
        from_ns: u64,
        mapping: &Mapping,
        module: ModuleIndex,
        path: &Path,
    ) {
        let is_launched = self.go_programs.launched.contains_key(&pid)
            && self.go_programs.command == Some(module);
        if self.seen.allocations.interval == 0 || from_ns == 0 || is_launched {
            return;
        }
        let Some(go) = self.go_of(module, path) else {
            return;
        };
        let Some(bias) = go.bias(mapping) else {
            return; // another part of the file
        };
        match self.begin_sampling(&go, pid, bias) {
            Ok(()) => {
                let begun = (from_ns, module_name(path));
                self.go_programs.to_be_placed.insert(pid, begun);
            }
            Err(NoSampling::Ended) => self.seen.allocations.started_go.ended += 1,
            Err(NoSampling::Refused(why)) => self.refuse(path, why),
        }
    }

    fn go_of(&mut self, module: ModuleIndex, path: &Path) -> Option<Rc<GoSampling>> {
        if let Some(known) = self.go_programs.files.get(&module) {
            return known.clone();
        }
        let file = self.files.of(module).filter(|file| is_go(file));
        let file = file.and_then(|file| file.try_clone().ok());
        let go = match file.map(GoSampling::of) {
            Some(Ok(go)) => Some(Rc::new(go)),
            Some(Err(why)) => {
                self.refuse(path, why);
                None
            }
            None => None,
        };
        self.go_programs.files.insert(module, go.clone());
        go
    }

    fn refuse(&mut self, path: &Path, why: NoGoSampling) {
        let refused = &mut self.seen.allocations.started_go.refused;
        refused.entry(module_name(path)).or_insert(why);
    }

    fn begin_sampling(&mut self, go: &GoSampling, pid: u32, bias: u64) -> Result<(), NoSampling> {
        let memory = ProcessMemory::open(pid).map_err(|e| NoSampling::of(&e))?;
        let file = go.file.try_clone().map_err(|e| NoSampling::of(&e))?;
        let unsettled = go.turn_on_late(memory, bias);
        let unsettled = unsettled.map_err(|why| match process_is_there(pid) {
            true => NoSampling::Refused(why),
            false => NoSampling::Ended,
        })?;
        self.go_programs.unsettled.extend(unsettled);
        let places = go.places.clone();
        (self.sampler).send_file(&ToSampler::ProgramPlaces { pid, places }, file.into());
        Ok(())
    }

    /// What the sampler says of the probes of a process.
    pub(super) fn note_placed(&mut self, time_ns: u64, pid: u32, errno: i32) {
        let Some((from_ns, name)) = self.go_programs.to_be_placed.remove(&pid) else {
            return;
        };
        let started = &mut self.seen.allocations.started_go;
        match errno {
            0 => {
                started.delays_ns.push(time_ns.saturating_sub(from_ns));
                self.seen.allocations.note_sampled(pid);
            }
            libc::ESRCH => started.ended += 1,
            libc::EMFILE | libc::ENOSPC => started.beyond += 1,
            _ => {
                let error = io::Error::from_raw_os_error(errno);
                let why = NoGoSampling::Probes(error.to_string());
                started.refused.entry(name).or_insert(why);
            }
        }
    }
}

enum NoSampling {
    Ended,
    Refused(NoGoSampling),
}

impl NoSampling {
    fn of(error: &io::Error) -> NoSampling {
        match error.raw_os_error() {
            Some(libc::ENOENT | libc::ESRCH) => NoSampling::Ended,
            _ => NoSampling::Refused(NoGoSampling::Switch(error.to_string())),
        }
    }
}

/// One that has ended and was not waited for yet has no memory: a read of it ends at once.
fn process_is_there(pid: u32) -> bool {
    std::fs::read_link(format!("/proc/{pid}/exe")).is_ok()
}
