//! The runs beside those that are compared, for what they tell of the noise between executions.

use std::fs;
use std::path::{Path, PathBuf};

use analysis::{LearntNoise, Side};
use profile::{RunInfo, run_description};

/// The newest ones. Reading one takes a few milliseconds.
const RUNS_MAX: usize = 40;
const RUN_BYTES_MAX: u64 = 4 << 20;

/// What a comparison may assume about executions that were not made: from the runs in the folder of `file`, if there is one execution
/// on each side. Several executions show themselves how much they differ.
pub fn learnt_noise(sides: &[Side; 2], file: Option<&PathBuf>) -> LearntNoise {
    let are_single = sides.iter().all(|side| side.executions().len() == 1);
    let Some(file) = file.filter(|_| are_single) else {
        return LearntNoise::UNKNOWN;
    };
    let compared: Vec<&RunInfo> = (sides.iter())
        .filter_map(|side| side.analyzed.profile().run.as_ref())
        .collect();
    let earlier: Vec<RunInfo> = (newest_runs_beside(file).iter())
        .filter_map(|path| run_description(path).ok().flatten())
        .collect();
    LearntNoise::of(&compared, &earlier)
}

fn newest_runs_beside(file: &Path) -> Vec<PathBuf> {
    let folder = match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut dated: Vec<_> = (fs::read_dir(folder).into_iter().flatten().flatten())
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(".pb.gz"))
        .filter_map(|entry| {
            let metadata = entry.metadata().ok()?;
            let is_small = metadata.is_file() && metadata.len() <= RUN_BYTES_MAX;
            is_small.then(|| Some((metadata.modified().ok()?, entry.path())))?
        })
        .collect();
    dated.sort_unstable_by(|a, b| b.cmp(a));
    dated
        .into_iter()
        .take(RUNS_MAX)
        .map(|(_, path)| path)
        .collect()
}
