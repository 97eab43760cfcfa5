//! The runs beside those that are compared, for what they tell of the noise between executions.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use analysis::{EarlierRuns, LearntNoise, Side};
use profile::{Opener, RunInfo, run_description};

use crate::demangling::{DemangleChoice, rename_functions};

/// Reading the description of one takes a few milliseconds.
const RUNS_MAX: usize = 40;
const RUN_BYTES_MAX: u64 = 4 << 20;

/// Those that are read whole, for what single functions and lines differ by.
const WHOLE_RUNS_MAX: usize = 20;
const WHOLE_BYTES_MAX: u64 = 16 << 20;
/// Samples, locations and texts of those together: a file made to hurt holds far more than its size tells.
const ENTRIES_MAX: usize = 4_000_000;

/// What a comparison may assume about executions that were not made: from the runs in the folder of `file`, if there is one execution
/// on each side. Several executions show themselves how much they differ.
///
/// `demangle`: as the sides were renamed.
pub fn earlier_runs(
    sides: &[Side; 2],
    file: Option<&PathBuf>,
    demangle: Option<DemangleChoice>,
) -> EarlierRuns {
    let are_single = sides.iter().all(|side| side.executions().len() == 1);
    let Some(file) = file.filter(|_| are_single) else {
        return EarlierRuns::default();
    };
    let compared: Vec<&RunInfo> = (sides.iter())
        .filter_map(|side| side.analyzed.profile().run.as_ref())
        .collect();
    let (runs, earlier): (Vec<Beside>, Vec<RunInfo>) = (nearest_runs_beside(file).into_iter())
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

/// Those recorded nearest to `file` in time: a machine and its load change over weeks.
fn nearest_runs_beside(file: &Path) -> Vec<Beside> {
    let folder = match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let modified = |path: &Path| {
        fs::metadata(path)
            .and_then(|metadata| metadata.modified())
            .ok()
    };
    let compared = modified(file).unwrap_or_else(SystemTime::now);
    let mut dated: Vec<_> = (fs::read_dir(folder).into_iter().flatten().flatten())
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(".pb.gz"))
        .filter_map(|entry| {
            let metadata = entry.metadata().ok()?;
            let is_small = metadata.is_file() && metadata.len() <= RUN_BYTES_MAX;
            let modified = metadata.modified().ok().filter(|_| is_small)?;
            let apart =
                (modified.duration_since(compared)).unwrap_or_else(|error| error.duration());
            Some((apart, entry.path(), metadata.len()))
        })
        .collect();
    dated.sort_unstable();
    dated
        .into_iter()
        .take(RUNS_MAX)
        .map(|(_, path, bytes)| Beside { path, bytes })
        .collect()
}
