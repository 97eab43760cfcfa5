//! Where a run is written.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use profile::{Profile, RunFile, SourceStore, texts_out_of_run, texts_without_room};
use supervision::{Patience, Urgency};

use super::RecordOptions;
use super::errors::{RecordError, RecordErrorKind};

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
            format!(
                " as user {} (who called sudo)",
                target::user_name(user.uid).trim_start_matches("user ")
            ),
            format!("Choose a folder that this user can write to: {COMMAND}"),
        ),
        None => (
            String::new(),
            format!("Choose a writable folder: {COMMAND}"),
        ),
    };
    RecordError {
        kind: RecordErrorKind::NotWritable,
        message: format!(
            "the run cannot be saved as {}{who}: {error}",
            path.display()
        ),
        advice,
    }
}

/// Longer than another recording takes to save its run beside this one.
const STORE_FREE_WITHIN: Duration = Duration::from_secs(2);

/// Saves the run and, unless it is to be self-contained, leaves the source texts out for which it has no room: in the
/// workspace's store when it lies in one, else where they were recorded.
///
/// # Errors
/// When the file system takes no more: says so, with the path.
pub fn write(
    profile: &mut Profile,
    run: &RunFile,
    options: &RecordOptions,
    urgency: &Urgency,
) -> Result<(), RecordError> {
    let store = match options.chosen.self_contained {
        true => None,
        false => set_texts_apart(profile, run.path(), urgency),
    };
    run.save(profile).map_err(|e| RecordError {
        kind: RecordErrorKind::NotWritable,
        message: format!("the run could not be saved: {e}"),
        advice: "Free some space, or choose another place with --output.".to_owned(),
    })?;
    if let Some(store) = store {
        // Texts that stay although nobody needs them cost a little room, until the next recording.
        let _ = store.tidy();
    }
    Ok(())
}

/// The run keeps all its texts when the store cannot be had.
fn set_texts_apart(profile: &mut Profile, run: &Path, urgency: &Urgency) -> Option<SourceStore> {
    let own = profile.run.as_ref().map(|run| PathBuf::from(&run.cwd))?;
    let without_room = texts_without_room(profile, &own);
    if !SourceStore::is_beside(run) {
        texts_out_of_run(profile, &without_room);
        return None;
    }
    let mut store = locked_store(run, urgency)?;
    let sources = &profile.run.as_ref()?.sources;
    let texts: Vec<&str> = (without_room.iter())
        .map(|number| sources[*number].text.as_str())
        .collect();
    if store.put(&texts).is_ok() {
        texts_out_of_run(profile, &without_room);
    }
    Some(store)
}

fn locked_store(run: &Path, urgency: &Urgency) -> Option<SourceStore> {
    let mut patience = Patience::new(STORE_FREE_WITHIN, urgency);
    loop {
        match SourceStore::lock(run).ok()? {
            Some(store) => return Some(store),
            None if patience.runs_out() => return None,
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    }
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
        assert_eq!(error.kind, RecordErrorKind::NotWritable);
        assert!(
            error.message.contains("/proc/no-such-folder/run.pb.gz"),
            "{error}"
        );
    }
}
