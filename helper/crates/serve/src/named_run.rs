//! Which profile a request means: the only place that knows the kinds of references (`protocol/runs.proto`).

use std::path::Path;
use std::sync::Arc;

use wire::{Demangle, RunRef, RunSummary, run_ref};

use super::failure::Failure;
use super::named_functions::analyzed;
use super::saved_runs::{modified_unix_us, on_wire};
use super::session::Session;
use super::shared_profiles::SharedProfile;

/// The profile that a reference names, read only if no other run holds it.
///
/// # Errors
/// `protocol` when nothing is named; `not-found` for a recording that does not run, or has no samples yet; for a file as
/// [`profile::Profile::open`].
pub fn profile_of(
    run: Option<&RunRef>,
    demangle: Demangle,
    session: &Session,
) -> Result<Arc<SharedProfile>, Failure> {
    match run.and_then(|run| run.run.as_ref()) {
        Some(run_ref::Run::File(path)) => of_file(Path::new(path), demangle, session),
        Some(run_ref::Run::Recording(number)) => {
            session.recording(*number)?.so_far.profile(demangle)
        }
        None => Err(Failure::protocol(
            "The request does not name the run to open: a file or a recording was expected.",
        )),
    }
}

fn of_file(
    path: &Path,
    demangle: Demangle,
    session: &Session,
) -> Result<Arc<SharedProfile>, Failure> {
    session.profiles.get(path, demangle, || {
        // Before it is read: a change meanwhile is a change.
        let modified_unix_us = modified_unix_us(path);
        let profile = interchange::open(path, recorder::symbolize_worker::symbols_of)?;
        let summary = RunSummary {
            modified_unix_us,
            ..on_wire(path, profile::summarize(&profile))
        };
        Ok(analyzed(profile, summary, demangle))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::FailureKind;

    fn refusal(run: Option<&RunRef>) -> Failure {
        let opened = profile_of(run, Demangle::AsRecorded, &Session::default());
        opened.err().expect("refused")
    }

    #[test]
    fn a_request_without_a_run_is_refused() {
        for run in [None, Some(&RunRef { run: None })] {
            assert_eq!(refusal(run).kind, FailureKind::Protocol);
        }
    }

    #[test]
    fn what_is_not_there_is_named() {
        let file = refusal(RunRef::file("none of it.pb.gz").as_ref());
        assert!(
            file.message.contains("none of it.pb.gz"),
            "{}",
            file.message
        );
        let recording = Some(run_ref::Run::Recording(7));
        let recording = refusal(Some(&RunRef { run: recording }));
        assert_eq!(recording.kind, FailureKind::NotFound);
        assert!(
            recording.message.contains("recording 7"),
            "{}",
            recording.message
        );
    }
}
