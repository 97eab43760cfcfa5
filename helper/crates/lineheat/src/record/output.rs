//! Where a run is written.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, chown};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use profile::Profile;

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

/// `YYYYMMDD-HHMMSS`; civil date from days as in Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms".
fn utc_stamp(seconds: u64) -> String {
    let (days, second) = ((seconds / 86_400) as i64 + 719_468, seconds % 86_400);
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153; // March is 0
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!(
        "{year:04}{month:02}{day:02}-{hour:02}{minute:02}{:02}",
        second % 60
    )
}

/// Makes sure, before anything is recorded, that the run can be written: its folder exists afterwards and takes files.
///
/// # Errors
/// When the folder cannot be made or written, or a folder stands where the run should.
pub fn prepare_output(path: &Path) -> Result<(), RecordError> {
    let folder = folder_of(path);
    let error = |e: io::Error| RecordError {
        kind: "not-writable",
        message: format!("the run cannot be saved as {}: {e}", path.display()),
        advice:
            "Choose a place that can be written to: lineheat record --output FILE.pb.gz -- COMMAND"
                .to_owned(),
    };
    if path.is_dir() {
        return Err(error(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let missing: Vec<&Path> = folder
        .ancestors()
        .take_while(|f| !f.as_os_str().is_empty() && !f.exists())
        .collect();
    for new in missing.into_iter().rev() {
        fs::DirBuilder::new()
            .mode(0o700)
            .create(new)
            .map_err(error)?;
        give_to_invoker(new);
        if new.file_name().is_some_and(|n| n == ".lineheat") {
            // Runs are the user's own notes: keep them out of commits.
            let _ = fs::write(new.join(".gitignore"), "*\n");
            give_to_invoker(&new.join(".gitignore"));
        }
    }
    tempfile::NamedTempFile::new_in(folder).map_err(error)?;
    Ok(())
}

/// # Errors
/// When the file system takes no more: says so, with the path.
pub fn write(profile: &Profile, path: &Path) -> Result<(), RecordError> {
    profile::save(profile, path).map_err(|e| RecordError {
        kind: "not-writable",
        message: format!("the run could not be saved: {e}"),
        advice: "Free some space, or save elsewhere with --output.".to_owned(),
    })?;
    give_to_invoker(path);
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Under sudo, what we make belongs to the user who asked for it.
pub fn give_to_invoker(path: &Path) {
    if let Some(user) = target::invoker() {
        let _ = chown(path, Some(user.uid), Some(user.gid));
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
        assert_eq!(error.kind, "not-writable");
        assert!(
            error.message.contains("/proc/no-such-folder/run.pb.gz"),
            "{error}"
        );
    }
}
