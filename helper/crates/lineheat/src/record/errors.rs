//! Why a recording could not be made, and what helps.

use std::fmt;

use records::{SamplerError, SamplerStep};
use target::{LaunchError, ProcessError};

/// Kinds are those of `Failure` in protocol/wire.proto.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordError {
    pub kind: &'static str,
    /// What was wanted and what was got.
    pub message: String,
    /// What can be done; may hold a command on a line of its own. Empty: nothing is known.
    pub advice: String,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.advice.is_empty() {
            write!(f, "\n{}", self.advice)?;
        }
        Ok(())
    }
}

impl std::error::Error for RecordError {}

impl From<LaunchError> for RecordError {
    fn from(error: LaunchError) -> RecordError {
        let (kind, advice) = match &error {
            LaunchError::NotFound(_) => (
                "not-found",
                "Check the path; a program in the search path is named without slashes, any other with its path (./program).",
            ),
            LaunchError::NotExecutable(_) => (
                "not-executable",
                "If it is a program, mark it executable (chmod +x); if it is a source file, build it first.",
            ),
            LaunchError::BadFormat(_) => (
                "not-executable",
                "Lineheat profiles native programs (ELF) and scripts that begin with #! and start one.",
            ),
            LaunchError::BadDirectory(_) => ("not-found", "Check the working directory."),
            LaunchError::Terminal(_) | LaunchError::Other(..) => ("internal", ""),
        };
        RecordError {
            kind,
            message: error.to_string(),
            advice: advice.to_owned(),
        }
    }
}

impl From<ProcessError> for RecordError {
    fn from(error: ProcessError) -> RecordError {
        let (kind, advice) = match &error {
            ProcessError::NoSuchProcess(_) => (
                "not-found",
                "It may have ended meanwhile; choose a running process.",
            ),
            ProcessError::NotAllowed(_) => ("no-permission", "Choose a process of your own."),
            ProcessError::KernelThread(_) => {
                ("not-executable", "Choose a process that runs a program.")
            }
            ProcessError::Other(..) => ("internal", ""),
        };
        RecordError {
            kind,
            message: error.to_string(),
            advice: advice.to_owned(),
        }
    }
}

impl RecordError {
    pub fn internal(message: String) -> RecordError {
        RecordError {
            kind: "internal",
            message,
            advice: String::new(),
        }
    }

    pub fn other_sampler(version: u32) -> RecordError {
        RecordError {
            kind: "build-mismatch",
            message: format!(
                "the sampler speaks version {version} of the protocol, this lineheat version {}",
                records::PROTOCOL_VERSION
            ),
            advice: "Install both from one package, or build both: npm run build".to_owned(),
        }
    }

    pub fn sampler_gone(why: Option<String>, complaints: &str) -> RecordError {
        let mut message = "the sampler ended before it was ready".to_owned();
        for detail in why
            .iter()
            .map(String::as_str)
            .chain(complaints.lines().last())
        {
            message = format!("{message}: {detail}");
        }
        RecordError::internal(message)
    }

    pub fn of_sampler(error: SamplerError, complaints: &str) -> RecordError {
        let errno = std::io::Error::from_raw_os_error(error.errno);
        let refused = matches!(error.errno, libc::EPERM | libc::EACCES);
        match error.step {
            SamplerStep::LoadBpf if refused => no_permission("load a BPF program", "cap_bpf and cap_perfmon"),
            SamplerStep::OpenSampleEvent | SamplerStep::OpenMapEvent | SamplerStep::AttachBpf if refused => {
                no_permission("open perf events", "cap_perfmon, on Debian and Ubuntu cap_sys_admin")
            }
            SamplerStep::OpenSampleEvent | SamplerStep::OpenMapEvent if error.errno == libc::ESRCH => RecordError {
                kind: "not-found",
                message: "the process ended before it could be sampled".to_owned(),
                advice: String::new(),
            },
            SamplerStep::LoadBpf => RecordError {
                kind: "no-bpf",
                message: format!("the kernel did not take the BPF sampler: {errno}{}", detail(complaints)),
                advice: "Lineheat needs Linux 6.1 or newer with BPF and BTF; this command says what is missing:\n  lineheat doctor".to_owned(),
            },
            step => RecordError::internal(format!("the sampler failed ({step:?}): {errno}{}", detail(complaints))),
        }
    }
}

fn detail(complaints: &str) -> String {
    complaints
        .lines()
        .last()
        .map_or(String::new(), |l| format!(" ({l})"))
}

fn no_permission(action: &str, capabilities: &str) -> RecordError {
    RecordError {
        kind: "no-permission",
        message: format!(
            "this user may not {action}: the kernel asks for {capabilities}, and this process has neither them nor root's rights"
        ),
        advice: format!(
            "Record as root; the program itself still runs as you:\n  sudo {} record -- COMMAND",
            std::env::current_exe().map_or("lineheat".to_owned(), |p| p.display().to_string())
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_rights_name_a_command_and_never_a_sysctl() {
        for step in [SamplerStep::LoadBpf, SamplerStep::OpenSampleEvent] {
            let error = RecordError::of_sampler(
                SamplerError {
                    step,
                    errno: libc::EPERM,
                },
                "",
            );
            assert_eq!(error.kind, "no-permission");
            assert!(error.advice.contains("\n  sudo "), "{}", error.advice);
            assert!(!error.to_string().contains("sysctl"));
        }
    }
}
