//! Why the sampler put no probes into the library for allocations, in words for the user.

use super::errors::{RecordError, RecordErrorKind};

const ADVICE: &str = "Record without --alloc.";

/// The sampler does not take this file.
pub fn of_file(errno: i32) -> RecordError {
    let (why, advice) = match errno {
        libc::EPERM => (
            "the library that samples them belongs to another user and did not come with the sampler".to_owned(),
            "Install Lineheat as a package (.deb or .rpm), or in a folder of your own.",
        ),
        errno => (
            format!("the sampler cannot use the library ({})", in_words(errno)),
            "Reinstall Lineheat.",
        ),
    };
    RecordError {
        kind: RecordErrorKind::Unsupported,
        message: format!("cannot record allocations: {why}"),
        advice: advice.to_owned(),
    }
}

/// The kernel does not take the probes.
pub fn of_attaching(errno: i32) -> RecordError {
    let why = match errno {
        libc::EINVAL | libc::EOPNOTSUPP | libc::ENOSYS => {
            "it requires Linux 6.6 or newer, with probes in programs (CONFIG_UPROBES)".to_owned()
        }
        errno => format!("the kernel refused the probes ({})", in_words(errno)),
    };
    RecordError {
        kind: RecordErrorKind::Unsupported,
        message: format!("cannot record allocations: {why}"),
        advice: ADVICE.to_owned(),
    }
}

fn in_words(errno: i32) -> std::io::Error {
    std::io::Error::from_raw_os_error(errno)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_says_what_can_be_done() {
        let other = of_file(libc::EPERM).to_string();
        assert!(
            other.contains("belongs to another user") && other.contains("a folder of your own")
        );
        assert!(
            of_file(libc::EBADF)
                .to_string()
                .ends_with("Reinstall Lineheat.")
        );
        let old = of_attaching(libc::EINVAL).to_string();
        assert!(old.contains("Linux 6.6") && old.ends_with("Record without --alloc."));
        assert!(
            of_attaching(libc::EPERM)
                .to_string()
                .contains("refused the probes")
        );
    }
}
