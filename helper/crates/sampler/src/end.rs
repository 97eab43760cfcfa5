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

/// libbpf's bindings keep the errno to themselves but for their text, which ends like that of `io::Error`.
pub fn errno_of(error: &libbpf_rs::Error) -> i32 {
    errno_in(&format!("{error:#}")).unwrap_or(match error.kind() {
        libbpf_rs::ErrorKind::PermissionDenied => libc::EPERM,
        libbpf_rs::ErrorKind::NotFound => libc::ENOENT,
        _ => libc::EIO,
    })
}

fn errno_in(text: &str) -> Option<i32> {
    let (_, number) = text.rsplit_once("(os error ")?;
    number.split(')').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use libbpf_rs::ErrorExt;

    use super::*;

    #[test]
    fn an_errno_survives_the_bindings() {
        for errno in [
            libc::EPERM,
            libc::EACCES,
            libc::E2BIG,
            libc::EINVAL,
            libc::ENOMEM,
        ] {
            let error = libbpf_rs::Error::from_raw_os_error(errno);
            assert_eq!(errno_of(&error), errno);
            let result: Result<(), _> = Err(error);
            let with_context = result.context("failed to load").unwrap_err();
            assert_eq!(errno_of(&with_context), errno);
        }
    }
}
