//! The runs beside those that are compared, for what they tell of the noise between executions.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use analysis::{EarlierRuns, LearntNoise, Side};
use profile::{Opener, RunInfo, run_description};
use symbolize::DemangleMode;

use crate::function_names::rename_functions;

/// Reading the description of one takes a few milliseconds.
const RUNS_MAX: usize = 40;
const RUN_BYTES_MAX: u64 = 4 << 20;

/// Those that are read whole, for what single functions and lines differ by.
const WHOLE_RUNS_MAX: usize = 20;
const WHOLE_BYTES_MAX: u64 = 16 << 20;
/// Samples, locations and texts of those together: a file made to hurt holds far more than its size tells.
const ENTRIES_MAX: usize = 4_000_000;

/// What a comparison may assume about executions that were not made: from the runs in the folder of the new side, if there are few
/// executions on each. Many show themselves how much they differ.
///
/// `files`: of the sides. `demangle`: as they were renamed.
pub fn earlier_runs(
    sides: &[Side; 2],
    files: [&[PathBuf]; 2],
    demangle: Option<DemangleMode>,
) -> EarlierRuns {
    if !EarlierRuns::are_wanted(sides.each_ref()) {
        return EarlierRuns::default();
    }
    let compared: Vec<&RunInfo> = (sides.iter())
        .filter_map(|side| side.analyzed.profile().run.as_ref())
        .collect();
    let (runs, earlier): (Vec<Beside>, Vec<RunInfo>) = (nearest_runs_beside(files).into_iter())
        .filter_map(|run| Some((run_description(&run.path).ok().flatten()?, run)))
        .map(|(info, run)| (run, info))
        .unzip();
    let mut bytes = 0;
    let whole = (LearntNoise::of_the_same_work(&compared, &earlier).into_iter())
        .map(|index| &runs[index])
        .take(WHOLE_RUNS_MAX)
        .take_while(|run| {
            bytes += run.bytes;
            bytes <= WHOLE_BYTES_MAX
        });
    let mut opener = Opener::default();
    let mut entries = 0;
    let mut profiles = Vec::new();
    for mut profile in whole.filter_map(|run| opener.open(&run.path).ok()) {
        entries += profile.samples.len() + profile.locations.len() + profile.strings.len();
        if entries > ENTRIES_MAX {
            break;
        }
        rename_functions(&mut profile, demangle);
        profiles.push(profile);
    }
    EarlierRuns {
        noise: LearntNoise::of(&compared, &earlier),
        profiles,
    }
}

struct Beside {
    path: PathBuf,
    bytes: u64,
}

/// Those recorded nearest in time to one of `files`, without these. A machine and its load change over weeks, and often from
/// the base to the new side, of which runs around one of them alone tell nothing.
fn nearest_runs_beside(files: [&[PathBuf]; 2]) -> Vec<Beside> {
    let folder = match files[1].last().and_then(|file| file.parent()) {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let compared: Vec<Metadata> = (files.into_iter().flatten())
        .filter_map(|file| fs::metadata(file).ok())
        .collect();
    let is_compared = |file: &Metadata| {
        let mut others = compared.iter();
        others.any(|other| (other.dev(), other.ino()) == (file.dev(), file.ino()))
    };
    let apart = |modified: SystemTime| {
        let each = compared.iter().filter_map(|other| {
            let later = modified.duration_since(other.modified().ok()?);
            Some(later.unwrap_or_else(|error| error.duration()))
        });
        each.min()
    };
    let mut dated: Vec<_> = (fs::read_dir(folder).into_iter().flatten().flatten())
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(".pb.gz"))
        .filter_map(|entry| {
            let metadata = entry.metadata().ok()?;
            let is_small = metadata.is_file() && metadata.len() <= RUN_BYTES_MAX;
            let is_beside = is_small && !is_compared(&metadata);
            let modified = metadata.modified().ok().filter(|_| is_beside)?;
            Some((apart(modified), entry.path(), metadata.len()))
        })
        .collect();
    dated.sort_unstable();
    dated
        .into_iter()
        .take(RUNS_MAX)
        .map(|(_, path, bytes)| Beside { path, bytes })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::Duration;

    use super::*;

    #[test]
    fn runs_around_both_sides_are_taken() {
        let folder = tempfile::tempdir().unwrap();
        let run = |hour: u64| folder.path().join(format!("{hour}.pb.gz"));
        for hour in 0..200 {
            let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(3600 * hour);
            fs::write(run(hour), b"").unwrap();
            let file = fs::File::options().write(true).open(run(hour)).unwrap();
            file.set_modified(modified).unwrap();
        }
        let taken = nearest_runs_beside([&[run(50)], &[run(199)]]);
        let paths: HashSet<PathBuf> = taken.into_iter().map(|run| run.path).collect();
        assert_eq!(paths.len(), RUNS_MAX);
        assert!(!paths.contains(&run(50)) && !paths.contains(&run(199)));
        let mut nearest = (38..50).chain(51..=62).chain(187..199).map(run);
        assert!(nearest.all(|path| paths.contains(&path)), "{paths:?}");
    }
}
