//! `lineheat diff` of one run: a part of it against its rest, or against the same of another time.

use std::ops::Range;
use std::path::{Path, PathBuf};

use analysis::{Selection, Side};
use profile::Opener;
use runs::rename_functions;
use symbolize::DemangleMode;

use crate::diff_sides::Sides;
use crate::selection_flags::{time_range, words};

/// With what a selection of one run is compared.
#[derive(clap::Args)]
#[command(next_help_heading = "Parts of one run")]
pub struct PartFlags {
    /// Compare the selected times, threads, processes or executions of one run with the rest of it
    #[arg(long, conflicts_with_all = ["against", "base_time"])]
    rest: bool,
    /// Compare --time with this other time of the same run, such as 0-1 or 200-400ms. May be given several times
    #[arg(long, value_name = "FROM-TO", value_parser = time_range, allow_hyphen_values = true, conflicts_with = "against")]
    base_time: Vec<Range<u64>>,
}

/// The base side, then the new one.
pub type Parts = [Selection; 2];

impl PartFlags {
    /// `None`: two runs are compared.
    ///
    /// # Errors
    /// A sentence, when what is given does not make two parts of one run, nor two runs.
    pub fn parts(
        &self,
        base: &[PathBuf],
        against: &[PathBuf],
        selection: &Selection,
    ) -> Result<Option<Parts>, String> {
        let is_asked = self.rest || !self.base_time.is_empty();
        if !is_asked {
            return match against.is_empty() {
                false => Ok(None),
                true => Err("There is nothing to compare with. Give another run with --against, or compare parts of this run. --time 2-3 --rest compares the third second with the rest of the run. --time 2-3 --base-time 0-1 compares it with the first second.".to_owned()),
            };
        }
        if base.len() > 1 {
            return Err(format!(
                "Parts of one run are compared, but {} runs are given. Give one.",
                base.len()
            ));
        }
        if self.rest {
            return match selection.narrows() {
                true => Ok(Some([selection.inverted(), selection.clone()])),
                false => Err("--rest needs a part to leave out: select it with --time, --thread, --process or --execution.".to_owned()),
            };
        }
        if selection.times.is_empty() {
            return Err(
                "--base-time needs another time to compare with: give it with --time.".to_owned(),
            );
        }
        let base = Selection {
            times: self.base_time.clone(),
            ..selection.clone()
        };
        Ok(Some([base, selection.clone()]))
    }
}

/// # Errors
/// A sentence, when the run cannot be read, or does not have what is selected.
pub fn open(
    run: &Path,
    parts: &Parts,
    demangle: Option<DemangleMode>,
    measure: Option<&str>,
) -> Result<[Side; 2], String> {
    let mut profile = Opener::default().open(run).map_err(|error| error.message)?;
    rename_functions(&mut profile, demangle);
    let [base, new] = Side::parts(profile, parts.each_ref())?;
    let about = |side: Side| match measure {
        Some(measure) => side.about(measure),
        None => Ok(side),
    };
    Ok([about(base)?, about(new)?])
}

pub fn described(run: &Path, parts: &Parts) -> Sides {
    Sides {
        names: parts
            .each_ref()
            .map(|part| format!("{}, {}", run.display(), words(part))),
        selection: words(&parts[1]),
        is_of_parts: true,
    }
}
