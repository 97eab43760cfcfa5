//! Where a run is written.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use profile::{Profile, RunFile};

use super::RecordError;

/// A new run file in `directory`, named by an id of our making: UTC time and a number that keeps two runs of one
/// second apart.
pub fn new_run_path(directory: &Path) -> PathBuf {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let stamp = utc_stamp(now.as_secs());
    directory.join(format!(
        "{stamp}-{:05x}.pb.gz",
        (now.subsec_nanos() ^ std::process::id()) & 0xf_ffff
    ))
}

/// `YYYYMMDD-HHMMSS`
fn utc_stamp(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).unwrap_or_default();
    let time = Timestamp::from_second(seconds).unwrap_or_default();
    time.strftime("%Y%m%d-%H%M%S").to_string()
}

/// Makes sure, before anything is recorded, that the run can be written: its folder exists afterwards, is held open and
/// takes files.
///
/// # Errors
/// When the folder cannot be made or written, or something else than a run stands where the run should.
pub fn prepare_output(path: &Path) -> Result<Arc<RunFile>, RecordError> {
    let run = RunFile::new(path).and_then(|run| run.try_folder().map(|()| run));
    run.map(Arc::new).map_err(|e| not_writable(path, &e))
}

fn not_writable(path: &Path, error: &io::Error) -> RecordError {
    const COMMAND: &str = "lineheat record --output FILE.pb.gz -- COMMAND";
    let (who, advice) = match target::invoker() {
        Some(user) => (
            format!(" as user {}, who called sudo", target::user_name(user.uid)),
            format!("Choose a place where this user may write: {COMMAND}"),
        ),
        None => (
            String::new(),
            format!("Choose a place that can be written to: {COMMAND}"),
        ),
    };
    RecordError {
        kind: "not-writable",
        message: format!(
            "the run cannot be saved as {}{who}: {error}",
            path.display()
        ),
        advice,
    }
}

/// # Errors
/// When the file system takes no more: says so, with the path.
pub fn write(profile: &Profile, run: &RunFile) -> Result<(), RecordError> {
    run.save(profile).map_err(|e| RecordError {
        kind: "not-writable",
        message: format!("the run could not be saved: {e}"),
        advice: "Free some space, or save elsewhere with --output.".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_utc_dates() {
        assert_eq!(utc_stamp(0), "19700101-000000");
        assert_eq!(utc_stamp(951_782_399), "20000228-235959");
        assert_eq!(utc_stamp(951_782_400), "20000229-000000");
        assert_eq!(utc_stamp(1_798_761_599), "20261231-235959");
    }

    #[test]
    fn a_place_that_cannot_be_written_is_named_before_recording() {
        let error = prepare_output(Path::new("/proc/no-such-folder/run.pb.gz")).unwrap_err();
        assert_eq!(error.kind, "not-writable");
        assert!(
            error.message.contains("/proc/no-such-folder/run.pb.gz"),
            "{error}"
        );
    }
}
