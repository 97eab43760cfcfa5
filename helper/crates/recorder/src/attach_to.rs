//! Running processes to record: by number, by name, or one with all that it has started.

use target::ProcessError;

use super::errors::{RecordError, RecordErrorKind};
use super::pid_namespace;

/// Which of the running processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttachTo {
    Pids(Vec<u32>),
    /// All processes of this name that we may look at.
    Named(String),
    /// A process and all that it has started.
    Tree(u32),
}

impl AttachTo {
    /// The processes as they are now, each with its threads.
    ///
    /// # Errors
    /// When there is none, or one that was asked for by number may not be looked at.
    pub(crate) fn processes(&self) -> Result<Vec<(u32, Vec<u32>)>, RecordError> {
        let (pids, all_asked_for) = match self {
            AttachTo::Pids(pids) => (pids.clone(), true),
            AttachTo::Named(name) => (target::processes_named(name), false),
            AttachTo::Tree(root) => {
                target::threads_of(*root)?;
                (target::tree_of(*root), false)
            }
        };
        let mut found = Vec::new();
        let mut refused = None;
        for pid in pids {
            match target::threads_of(pid) {
                Ok(threads) => found.push((pid, threads)),
                Err(e) if all_asked_for => return Err(e.into()),
                Err(e) => refused = Some(e),
            }
        }
        match refused {
            _ if !found.is_empty() => Ok(found),
            Some(e) => Err(e.into()),
            None => Err(RecordError {
                kind: RecordErrorKind::NotFound,
                message: format!("there are no {}", self.description()),
                advice: "Use the name of the program file, or the name that ps -e shows."
                    .to_owned(),
            }),
        }
    }

    /// In words; empty for a single process.
    pub(crate) fn description(&self) -> String {
        match self {
            AttachTo::Pids(pids) if pids.len() == 1 => String::new(),
            AttachTo::Pids(pids) => format!("{} processes", pids.len()),
            AttachTo::Named(name) => format!("processes named {name}"),
            AttachTo::Tree(root) => format!("process {root} and its descendants"),
        }
    }
}

impl From<ProcessError> for RecordError {
    fn from(error: ProcessError) -> RecordError {
        let (kind, advice) = match &error {
            ProcessError::NoSuchProcess(_) if pid_namespace::is_nested() => (
                RecordErrorKind::NotFound,
                "It may have exited, or it runs outside this container (PID namespace): record it from there.",
            ),
            ProcessError::NoSuchProcess(_) => (
                RecordErrorKind::NotFound,
                "It may have exited. Choose a running process.",
            ),
            ProcessError::NotAllowed(_) => (
                RecordErrorKind::NoPermission,
                "Choose one of your own processes.",
            ),
            ProcessError::KernelThread(_) => (
                RecordErrorKind::NotExecutable,
                "Choose a process that runs a program.",
            ),
            ProcessError::Other(..) => (RecordErrorKind::Internal, ""),
        };
        RecordError {
            kind,
            message: error.to_string(),
            advice: advice.to_owned(),
        }
    }
}
