//! Why calls cannot be counted, in words for the user.

use records::layout::CALLED_FUNCTIONS_MAX;

use crate::errors::{RecordError, RecordErrorKind};
use crate::options::{MissingCalls, Privilege, RecordOptions};

const ADVICE: &str = "Record without --calls.";

/// Before anything is begun.
///
/// # Errors
/// When calls are to be counted, and cannot be by this recording.
pub fn check(options: &RecordOptions) -> Result<(), RecordError> {
    if options.calls.is_empty() {
        return match options.chosen.latency && options.missing_calls == MissingCalls::Refused {
            true => Err(unsupported(
                "cannot time calls: no functions were chosen",
                "Choose them with --calls, such as --calls 'Ledger::*', or omit --latency.",
            )),
            false => Ok(()),
        };
    }
    if cfg!(not(target_arch = "x86_64")) {
        return Err(unsupported("calls are counted on x86-64 only", ADVICE));
    }
    if options.privilege == Privilege::None {
        let why = "a BPF program counts them";
        return Err(unsupported(
            &format!("cannot count calls without privileges: {why}"),
            "Record without --unprivileged.",
        ));
    }
    for pattern in &options.calls {
        name_patterns::NamePattern::new(pattern).map_err(|why| wrong_pattern(&why))?;
    }
    Ok(())
}

fn unsupported(message: &str, advice: &str) -> RecordError {
    RecordError {
        kind: RecordErrorKind::Unsupported,
        message: message.to_owned(),
        advice: advice.to_owned(),
    }
}

pub fn wrong_pattern(why: &str) -> RecordError {
    unsupported(
        &format!("cannot count calls: {why}"),
        "A pattern is a function name, a glob ('Ledger::*') or a regular expression between slashes ('/^parse_/').",
    )
}

/// `names`: those that there are.
pub fn no_match<'a>(pattern: &str, names: impl Iterator<Item = &'a str>) -> RecordError {
    let similar = match name_patterns::similar(pattern, names) {
        Some(similar) => format!(". Similar names: {similar}"),
        None => String::new(),
    };
    RecordError {
        kind: RecordErrorKind::NotFound,
        message: format!("cannot count calls: no function is called {pattern}{similar}"),
        advice: "Names are those of the program and of the libraries that it needs when it starts, as reports show them: namespaces and classes belong to them. `lineheat report` lists those of a run.".to_owned(),
    }
}

pub fn too_many(pattern: &str, functions: usize) -> RecordError {
    RecordError {
        kind: RecordErrorKind::TooLarge,
        message: format!(
            "cannot count calls: {pattern} matches {functions} functions, and at most {CALLED_FUNCTIONS_MAX} can be counted"
        ),
        advice: "Use a narrower pattern, such as 'Ledger::*' or '/^(parse|print)_/'.".to_owned(),
    }
}

/// Of all that was asked for.
pub fn nothing_to_count(names: &str, why: &str) -> RecordError {
    unsupported(&format!("cannot count calls of {names}"), why)
}

pub fn others_file(path: &str, owner: &str) -> RecordError {
    unsupported(
        &format!(
            "cannot count calls in {path} over several executions: it belongs to {owner}, and others execute it, too"
        ),
        "Record one execution, or choose functions of files that belong to you.",
    )
}

/// The sampler does not take a file.
pub fn of_file(errno: i32) -> RecordError {
    let why = std::io::Error::from_raw_os_error(errno);
    RecordError::internal(format!(
        "the sampler cannot use a file to count calls ({why})"
    ))
}

/// The kernel does not take the probes.
pub fn of_attaching(errno: i32) -> RecordError {
    let why = match errno {
        libc::EINVAL | libc::EOPNOTSUPP | libc::ENOSYS => {
            "it requires Linux 6.6 or newer, with probes in programs (CONFIG_UPROBES)".to_owned()
        }
        errno => format!(
            "the kernel refused the probes ({})",
            std::io::Error::from_raw_os_error(errno)
        ),
    };
    unsupported(&format!("cannot count calls: {why}"), ADVICE)
}
