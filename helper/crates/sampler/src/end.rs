//! Why a session ended early, for the engine to tell.

use std::io;

use records::SamplerStep;

/// Why a session ended early.
pub enum End {
    /// With the errno and the process that it is about, or 0.
    Failed(SamplerStep, i32, u32),
    /// The engine does not read any more.
    EngineGone,
}

impl From<io::Error> for End {
    fn from(_: io::Error) -> End {
        End::EngineGone
    }
}

pub fn failed(step: SamplerStep, error: &io::Error) -> End {
    End::Failed(step, error.raw_os_error().unwrap_or(0), 0)
}

pub fn errno_of(error: &libbpf_rs::Error) -> i32 {
    match error.kind() {
        libbpf_rs::ErrorKind::PermissionDenied => libc::EPERM,
        libbpf_rs::ErrorKind::NotFound => libc::ENOENT,
        _ => io::Error::last_os_error().raw_os_error().unwrap_or(0),
    }
}
