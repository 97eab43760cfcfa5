//! What the figures of a message are of, and how many samples they rest on.

use analysis::{Amount, Amounts, Measure};

use super::amounts::known;
use super::failure::Failure;
use super::open_run::OpenRun;

/// A run, and one of its measures.
#[derive(Clone, Copy)]
pub struct Measured<'a> {
    pub run: &'a OpenRun,
    pub measure: Measure,
}

impl<'a> Measured<'a> {
    /// `value`: absent is the default.
    pub fn of(run: &'a OpenRun, value: Option<u32>) -> Result<Measured<'a>, Failure> {
        let values = run.analyzed.measures().len();
        let measure = match value {
            // A profile without sample types has no figures, which is no mistake of who asks.
            None => run.measure,
            Some(value) if (value as usize) < values => value as usize,
            Some(value) => {
                return Err(Failure::not_found(format!(
                    "The run has {values} measures; there is no number {value}."
                )));
            }
        };
        Ok(Measured { run, measure })
    }

    pub fn is_counted(&self) -> bool {
        self.run.analyzed.is_counted(self.measure)
    }

    pub fn is_complete(&self) -> bool {
        self.run.analyzed.is_complete(self.measure)
    }

    /// As a message has it: 0 samples where nobody knows how many there were.
    pub fn known(&self, amount: Amount) -> Amount {
        known(&self.run.analyzed, self.measure, amount)
    }

    pub fn known_both(&self, amounts: Amounts) -> Amounts {
        Amounts {
            self_: self.known(amounts.self_),
            total: self.known(amounts.total),
        }
    }

    pub fn total(&self) -> Amount {
        self.known(self.run.analyzed.total(self.measure))
    }
}
