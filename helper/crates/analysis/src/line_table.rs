//! Lines of all files with their self and total, hottest self first.

use crate::amounts::Amounts;
use crate::analyzed::Analyzed;
use crate::frames::{Measure, Place, PlaceId};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRow {
    pub id: PlaceId,
    pub place: Place,
    pub amounts: Amounts,
}

/// All lines with samples: by self, then total, then file and line.
pub fn line_table(analyzed: &Analyzed, measure: Measure) -> Vec<LineRow> {
    let Some(tally) = analyzed.tally(measure) else {
        return Vec::new();
    };
    let mut rows: Vec<LineRow> = (tally.places.iter().zip(analyzed.places()).enumerate())
        .filter(|(_, (amounts, _))| amounts.total.samples > 0 || amounts.total.value > 0)
        .map(|(id, (&amounts, &place))| LineRow {
            id: id as PlaceId,
            place,
            amounts,
        })
        .collect();
    rows.sort_unstable_by(|a, b| {
        let key = |row: &LineRow| (row.amounts.self_.value, row.amounts.total.value);
        (key(b).cmp(&key(a)))
            .then_with(|| {
                analyzed
                    .file_path(a.place.file)
                    .cmp(analyzed.file_path(b.place.file))
            })
            .then(a.place.line.cmp(&b.place.line))
    });
    rows
}
