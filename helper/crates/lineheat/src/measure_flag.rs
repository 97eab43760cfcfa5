//! Which of the values in a file the figures are about.

use analysis::{Analyzed, Measure};

#[derive(clap::Args, Clone, Default)]
pub struct MeasureFlag {
    /// Measure to show if the file contains several, such as alloc_space [default: CPU time, else the default of the file]
    #[arg(long, value_name = "NAME")]
    pub measure: Option<String>,
}

impl MeasureFlag {
    /// # Errors
    /// A sentence that lists the measures of the file.
    pub fn of(&self, analyzed: &Analyzed) -> Result<Measure, String> {
        match &self.measure {
            Some(name) => analyzed.find_measure(name),
            None => Ok(analyzed.default_measure()),
        }
    }
}
