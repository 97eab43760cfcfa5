//! Amounts as columns of a message: sample counts have 32 bits there.

use analysis::{Amount, Amounts, Analyzed, Measure};
use wire::MeasuredTotal;

pub fn count(samples: u64) -> u32 {
    u32::try_from(samples).unwrap_or(u32::MAX)
}

/// As a message has it: 0 samples where nobody knows how many there were.
pub fn known(analyzed: &Analyzed, measure: Measure, amount: Amount) -> Amount {
    Amount {
        samples: (analyzed.known_samples(measure, amount)).unwrap_or(0),
        value: amount.value,
    }
}

/// What all samples add up to, by measure.
pub fn totals(analyzed: &Analyzed) -> Vec<MeasuredTotal> {
    (0..analyzed.measures().len())
        .map(|measure| {
            let Amount { samples, value } = known(analyzed, measure, analyzed.total(measure));
            MeasuredTotal { samples, value }
        })
        .collect()
}

/// Self and total of many rows, column by column.
#[derive(Default)]
pub struct Columns {
    pub self_samples: Vec<u32>,
    pub total_samples: Vec<u32>,
    pub self_value: Vec<u64>,
    pub total_value: Vec<u64>,
}

impl Columns {
    pub fn push(&mut self, amounts: &Amounts) {
        let Amounts {
            self_: Amount { samples, value },
            total,
        } = *amounts;
        self.self_samples.push(count(samples));
        self.self_value.push(value);
        self.total_samples.push(count(total.samples));
        self.total_value.push(total.value);
    }
}
