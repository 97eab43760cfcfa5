//! How much memory was in use in each column of a timeline.

use profile::run::{MemoryInTime, MemoryPeak};

use crate::allocation_sites::MemoryKind;
use crate::analyzed::Analyzed;
use crate::frames::Measure;
use crate::time_columns::TimeColumns;

/// Of all processes together; estimates, as the values of the samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryColumns {
    /// In use at a time within each column.
    pub highest_bytes: Vec<u64>,
    /// One for each execution, of the whole recording.
    pub peaks: Vec<MemoryPeak>,
}

/// `None`: the measure is none of allocated memory, or the run does not say how much was in use when.
pub(crate) fn memory_columns(
    analyzed: &Analyzed,
    measure: Measure,
    columns: &TimeColumns,
) -> Option<MemoryColumns> {
    let is_of_memory = |kind: MemoryKind| kind.measures(analyzed).contains(&Some(measure));
    let run = analyzed.profile().run.as_ref()?;
    let memory =
        (run.memory_in_time.as_ref()).filter(|_| MemoryKind::ALL.into_iter().any(is_of_memory))?;
    Some(MemoryColumns {
        highest_bytes: highest_in_columns(memory, columns),
        peaks: memory.peaks.clone(),
    })
}

/// Nothing is in use before the first part; after the last one, what was in use then.
fn highest_in_columns(memory: &MemoryInTime, columns: &TimeColumns) -> Vec<u64> {
    let MemoryInTime {
        start_ns,
        part_ns,
        highest_bytes,
        ..
    } = memory;
    let part_of = |at_ns: u64| {
        let part = usize::try_from((at_ns - start_ns) / (*part_ns).max(1)).unwrap_or(usize::MAX);
        part.min(highest_bytes.len().saturating_sub(1))
    };
    let in_column = |column: usize| {
        let from_ns = columns.edge(column).max(*start_ns);
        let last_ns = columns.edge(column + 1).saturating_sub(1);
        match from_ns <= last_ns && !highest_bytes.is_empty() {
            true => *highest_bytes[part_of(from_ns)..=part_of(last_ns)]
                .iter()
                .max()
                .unwrap_or(&0),
            false => 0,
        }
    };
    (0..columns.count).map(in_column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(time: std::ops::Range<u64>, count: usize) -> Vec<u64> {
        let memory = MemoryInTime {
            start_ns: 100,
            part_ns: 10,
            highest_bytes: vec![5, 70, 20, 30],
            peaks: Vec::new(),
        };
        highest_in_columns(&memory, &TimeColumns { time, count })
    }

    #[test]
    fn a_column_has_the_highest_of_the_parts_that_it_reaches() {
        assert_eq!(columns(100..140, 4), [5, 70, 20, 30]);
        assert_eq!(columns(100..140, 2), [70, 30]);
        assert_eq!(columns(105..125, 1), [70]);
        assert_eq!(
            columns(119..120, 3),
            [0, 0, 70],
            "columns of no length have none"
        );
    }

    #[test]
    fn nothing_is_in_use_before_the_first_part_and_the_last_one_goes_on() {
        assert_eq!(columns(0..100, 2), [0, 0]);
        assert_eq!(columns(0..200, 2), [0, 70]);
        assert_eq!(columns(140..1000, 3), [30, 30, 30]);
    }
}
