//! Programs of Go that the command starts: which are sampled, and which are about to be.

use std::collections::HashMap;
use std::rc::Rc;

use super::go_sampling::{GoSampling, Unsettled};
use super::modules::ModuleIndex;

#[derive(Default)]
pub struct GoPrograms {
    /// The command's own file. What runs it from the launcher on was seen to before.
    pub command: Option<ModuleIndex>,
    pub launched: HashMap<u32, Exec>,
    /// None: it is not of Go, or cannot be sampled.
    pub files: HashMap<ModuleIndex, Option<Rc<GoSampling>>>,
    /// Processes without probes yet: since when they run their program, and its name.
    pub to_be_placed: HashMap<u32, (u64, String)>,
    pub unsettled: Vec<Unsettled>,
}

/// By which a process that was launched runs the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exec {
    ToCome,
    Heard,
}

impl GoPrograms {
    pub fn launched(&mut self, pid: u32, exec: Exec) {
        self.launched.insert(pid, exec);
    }

    pub fn note_exec(&mut self, pid: u32) {
        self.to_be_placed.remove(&pid);
        if self.launched.remove(&pid) == Some(Exec::ToCome) {
            self.launched.insert(pid, Exec::Heard);
        }
    }

    pub fn note_exit(&mut self, pid: u32) {
        self.launched.remove(&pid);
    }

    /// Looks once more at programs that were about to begin.
    pub fn settle(&mut self) {
        for mut program in std::mem::take(&mut self.unsettled) {
            let _ = program.settle(); // it has ended
        }
    }
}
