//! A run as `report` and `annotate` look at it.

use std::path::Path;

use analysis::{Amount, Analyzed, Measure, WallTime, wall_time};
use profile::Family;
use runs::{problems, problems_of_others, problems_without_samples, rename_functions};

use crate::demangling::DemangleChoice;
use crate::measure_flag::MeasureFlag;
use crate::selection_flags::{SelectionFlags, words};

pub struct SelectedRun {
    /// Of the selection.
    pub analyzed: Analyzed,
    pub measure: Measure,
    /// What is selected; empty: everything.
    pub selection: String,
    /// Of everything.
    pub whole: Amount,
    /// Of everything; `None`: the run has no waits.
    pub wall_time: Option<WallTime>,
}

/// Of measures whose samples have no time.
fn no_times(measure: Measure, analyzed: &Analyzed) -> Option<String> {
    let info = analyzed.measures().get(measure)?;
    let what = match info.family {
        Family::Memory if info.name.starts_with("peak_") => {
            return Some(
                "A run has one peak, so --time cannot select a part of it. Leave out --time, or choose another --measure."
                    .to_owned(),
            );
        }
        Family::Waiting if !analyzed.has_wait_times() => "its waits were",
        Family::Memory if info.name.starts_with("fault") => "its page faults were",
        Family::Memory if !analyzed.has_memory_times(measure) => "its memory was allocated",
        _ => return None,
    };
    Some(format!(
        "This run does not say when {what}, so --time cannot select among them. Leave out --time, or choose another --measure."
    ))
}

impl SelectedRun {
    /// Of an amount of its measure; `None`: the file does not say.
    pub fn samples(&self, amount: Amount) -> Option<u64> {
        self.analyzed.known_samples(self.measure, amount)
    }

    /// As [`share`] and [`heat_style`] want them: `None` also where all events are in the measure.
    ///
    /// [`share`]: crate::terminal_numbers::share
    /// [`heat_style`]: crate::terminal_numbers::heat_style
    pub fn chance_samples(&self, amount: Amount) -> Option<u64> {
        self.analyzed.chance_samples(self.measure, amount)
    }

    /// What has to be known before these figures are trusted. That samples are few is of no concern where they are not sampled.
    pub fn problems(&self) -> Vec<String> {
        match self.family() == Family::Memory || self.analyzed.is_complete(self.measure) {
            true => problems_without_samples(self.analyzed.profile()),
            false => problems(self.analyzed.profile()),
        }
    }

    /// The same without what concerns other measures only; and of these, how many there are and a measure of each kind.
    pub fn notes(&self) -> (Vec<String>, Vec<(usize, &'static str)>) {
        let others = problems_of_others(self.analyzed.profile(), self.measure);
        let is_shown =
            |sentence: &String| !(others.iter()).any(|kind| kind.sentences.contains(sentence));
        let counts = others.iter().map(|kind| (kind.sentences.len(), kind.main));
        (
            self.problems().into_iter().filter(is_shown).collect(),
            counts.collect(),
        )
    }

    /// What a figure rests on.
    pub fn counted(&self) -> &'static str {
        match self.family() {
            Family::Waiting => "waits",
            _ => "samples",
        }
    }

    /// What its measure is about.
    pub fn family(&self) -> Family {
        let info = self.analyzed.measures().get(self.measure);
        info.map_or(Family::Other, |info| info.family)
    }

    /// # Errors
    /// A sentence.
    pub fn open(
        path: &Path,
        demangle: Option<DemangleChoice>,
        flags: &SelectionFlags,
        measure: &MeasureFlag,
    ) -> Result<SelectedRun, String> {
        let mut profile = interchange::open(path, recorder::symbolize_worker::symbols_of)
            .map_err(|error| error.message)?;
        rename_functions(&mut profile, demangle.map(DemangleChoice::mode));
        let analyzed = Analyzed::new(profile);
        let measure = measure.of(&analyzed)?;
        let selection = flags.selection();
        if let Some(refusal) = (!selection.times.is_empty())
            .then(|| no_times(measure, &analyzed))
            .flatten()
        {
            return Err(refusal);
        }
        Ok(SelectedRun {
            whole: analyzed.total(measure),
            wall_time: wall_time(&analyzed),
            analyzed: match selection.is_everything() {
                true => analyzed,
                false => analyzed.selected(&selection)?,
            },
            measure,
            selection: words(&selection),
        })
    }
}
