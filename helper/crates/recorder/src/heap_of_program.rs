//! How the program that was launched manages its memory: found before it runs, and what is done about it.

use std::fs::File;
use std::os::unix::fs::MetadataExt;

use records::ToSampler;
use symbolize::{OwnAllocator, memory_probes};

use super::allocations::FirstProgram;
use super::errors::RecordError;
use super::go_programs::Exec;
use super::go_sampling::{GoSampling, NoGoSampling};
use super::options::RecordOptions;
use super::recording::Recording;
use super::reported_memory;
use super::shown_path::module_name;

impl Recording<'_> {
    /// Before the sampler is told what is wanted. Nothing, if allocations are not.
    pub(super) fn look_at_program(&mut self, options: &RecordOptions) {
        self.go = None;
        self.reports = None;
        if self.library.is_none() {
            return;
        }
        let exe = format!("/proc/{}/exe", self.seen.pid);
        let path = std::fs::read_link(&exe).unwrap_or_default();
        let mut modules = self.seen.modules.iter();
        let module = modules.find(|(_, module)| module.path == path);
        self.go_programs.command = module.map(|(index, _)| index);
        let layout = module.and_then(|(_, module)| module.layout.as_ref());
        let mut program = FirstProgram {
            name: module_name(&path),
            is_static: layout.is_some_and(|layout| layout.interpreter.is_none()),
            allocator: None,
            has_library: false,
            no_go: None,
            probes: None,
        };
        if let Ok(file) = File::open(exe) {
            program.allocator = OwnAllocator::of(&file);
            let probes = memory_probes(&file);
            if !probes.is_empty() {
                let places = reported_memory::places(&probes);
                program.probes = Some(places.is_some());
                self.reports = places.map(|places| (file, places));
            } else if program.allocator == Some(OwnAllocator::Go) {
                match self.go_sampling(file, options) {
                    Ok(go) => self.go = Some(go),
                    Err(why) => program.no_go = Some(why),
                }
            }
        }
        self.go_programs.launched(self.seen.pid, Exec::Heard);
        self.seen.allocations.launched(self.seen.pid, program);
    }

    fn go_sampling(
        &self,
        program: File,
        options: &RecordOptions,
    ) -> Result<GoSampling, NoGoSampling> {
        let owner = program.metadata().map(|found| found.uid());
        let go = GoSampling::of(program)?;
        let own = target::own_uid();
        match owner {
            Ok(owner) if own != 0 && owner != own && options.chosen.repeat > 1 => {
                return Err(NoGoSampling::OthersFile(target::user_name(owner)));
            }
            _ => {}
        }
        if let Some(launcher) = &self.launcher {
            go.turn_on(launcher, self.seen.pid)?;
        }
        Ok(go)
    }

    /// Where the sampler is to put probes into the program. The process is attached to by now.
    pub(super) fn send_allocation_places(&mut self) -> Result<(), RecordError> {
        let (file, places) = match (&self.reports, &self.go) {
            (Some((file, places)), _) => (file, places),
            (None, Some(go)) => (&go.file, &go.places),
            (None, None) => return Ok(()),
        };
        let copy = file.try_clone();
        let copy =
            copy.map_err(|e| RecordError::internal(format!("cannot pass a file on: {e}")))?;
        let places = places.clone();
        (self.sampler).send_file(&ToSampler::AllocationPlaces { places }, copy.into());
        Ok(())
    }

    /// The command waits to run once more.
    pub(super) fn prepare_heap_again(&mut self, pid: u32) {
        self.go_programs.launched(pid, Exec::ToCome);
        self.seen.allocations.launched_again(pid);
        let (Some(go), Some(launcher)) = (&self.go, &self.launcher) else {
            return;
        };
        if let Err(why) = go.turn_on(launcher, pid)
            && let Some(program) = &mut self.seen.allocations.program
        {
            program.no_go = Some(why);
        }
    }
}
