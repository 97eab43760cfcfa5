//! Functions with their self and total, hottest self first.

use crate::amounts::Amounts;
use crate::analyzed::Analyzed;
use crate::frames::{FunctionId, Measure};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionRow {
    pub function: FunctionId,
    pub amounts: Amounts,
}

/// All functions with samples: by self, then total, then name.
pub fn function_table(analyzed: &Analyzed, measure: Measure) -> Vec<FunctionRow> {
    let Some(tally) = analyzed.tally(measure) else {
        return Vec::new();
    };
    let mut rows: Vec<FunctionRow> = (tally.functions.iter().enumerate())
        .filter(|(_, amounts)| amounts.total.samples > 0 || amounts.total.value > 0)
        .map(|(function, &amounts)| FunctionRow {
            function: function as FunctionId,
            amounts,
        })
        .collect();
    rows.sort_unstable_by(|a, b| {
        let key = |row: &FunctionRow| (row.amounts.self_.value, row.amounts.total.value);
        (key(b).cmp(&key(a)))
            .then_with(|| {
                analyzed
                    .text(analyzed.function(a.function).name)
                    .cmp(analyzed.text(analyzed.function(b.function).name))
            })
            .then(a.function.cmp(&b.function))
    });
    rows
}
