//! Kinds of samples that a recording has, and what they become in a run: a new kind has its columns here.

use std::borrow::Cow;

use crate::run::EventCounter;

/// CPU time, as `SampleKind` of a recording numbers it.
const CPU: u32 = 0;
/// Waiting time.
pub const WAITING: u32 = 1;

/// Memory that was allocated.
pub const ALLOCATED: u32 = 2;
/// What of it was not freed; what was in use when most was; and what its thread freed before its next sample.
pub const IN_USE: u32 = 3;
pub const PEAK: u32 = 4;
pub const TEMPORARY: u32 = 5;
/// Calls of chosen functions. They are counted, not sampled: no recording numbers them, and they come last.
pub const CALLS: u32 = u32::MAX;

/// Page faults, system calls, and those that failed.
pub const PAGE_FAULTS: u32 = 6;
pub const SYSTEM_CALLS: u32 = 7;
pub const SYSTEM_CALL_ERRORS: u32 = 8;

/// What an allocated object weighs in [`Sums`]: samples stand for parts of objects, too, and are rounded together.
pub const ALLOCATED_OBJECT: u64 = 1 << 16;

/// What the samples of a group add up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    pub samples: u64,
    /// Events that they stand for.
    pub weight: u64,
    /// Of all these events, in the unit of the kind.
    pub value: u64,
}

impl Sums {
    /// Of samples that are one event each, of the same value.
    pub fn of_periods(samples: u64, period: u64) -> Sums {
        Sums {
            samples,
            weight: samples,
            value: samples.saturating_mul(period),
        }
    }

    pub fn add(&mut self, other: Sums) {
        self.samples += other.samples;
        self.weight = self.weight.saturating_add(other.weight);
        self.value = self.value.saturating_add(other.value);
    }

    /// Whole objects, of what is allocated.
    pub fn objects(&self) -> u64 {
        self.weight.saturating_add(ALLOCATED_OBJECT / 2) / ALLOCATED_OBJECT
    }

    /// What was added before.
    pub fn take(&mut self, other: Sums) {
        self.samples -= other.samples;
        // The sum may have been more than a number holds.
        self.weight = self.weight.saturating_sub(other.weight);
        self.value -= other.value;
    }
}

struct Column {
    kind: u32,
    name: &'static str,
    unit: &'static str,
    of: fn(&Sums) -> u64,
}

const COLUMNS: &[Column] = &[
    Column {
        kind: CPU,
        name: "samples",
        unit: "count",
        of: |sums| sums.samples,
    },
    Column {
        kind: CPU,
        name: "cpu",
        unit: "nanoseconds",
        of: |sums| sums.value,
    },
    Column {
        kind: WAITING,
        name: "wait",
        unit: "nanoseconds",
        of: |sums| sums.value,
    },
    // A wait for a CPU behind another one is a part of that: it has a value and no weight.
    Column {
        kind: WAITING,
        name: "waits",
        unit: "count",
        of: |sums| sums.weight,
    },
    Column {
        kind: ALLOCATED,
        name: "alloc_samples",
        unit: "count",
        of: |sums| sums.samples,
    },
    Column {
        kind: ALLOCATED,
        name: "alloc_objects",
        unit: "count",
        of: Sums::objects,
    },
    Column {
        kind: ALLOCATED,
        name: "alloc_space",
        unit: "bytes",
        of: |sums| sums.value,
    },
    Column {
        kind: IN_USE,
        name: "inuse_samples",
        unit: "count",
        of: |sums| sums.samples,
    },
    Column {
        kind: IN_USE,
        name: "inuse_objects",
        unit: "count",
        of: Sums::objects,
    },
    Column {
        kind: IN_USE,
        name: "inuse_space",
        unit: "bytes",
        of: |sums| sums.value,
    },
    Column {
        kind: PEAK,
        name: "peak_samples",
        unit: "count",
        of: |sums| sums.samples,
    },
    Column {
        kind: PEAK,
        name: "peak_objects",
        unit: "count",
        of: Sums::objects,
    },
    Column {
        kind: PEAK,
        name: "peak_space",
        unit: "bytes",
        of: |sums| sums.value,
    },
    Column {
        kind: TEMPORARY,
        name: "temporary_samples",
        unit: "count",
        of: |sums| sums.samples,
    },
    Column {
        kind: TEMPORARY,
        name: "temporary_objects",
        unit: "count",
        of: Sums::objects,
    },
    Column {
        kind: TEMPORARY,
        name: "temporary_space",
        unit: "bytes",
        of: |sums| sums.value,
    },
    Column {
        kind: PAGE_FAULTS,
        name: "fault_samples",
        unit: "count",
        of: |sums| sums.samples,
    },
    Column {
        kind: PAGE_FAULTS,
        name: "faults",
        unit: "count",
        of: |sums| sums.weight,
    },
    Column {
        kind: SYSTEM_CALLS,
        name: "syscall_samples",
        unit: "count",
        of: |sums| sums.samples,
    },
    Column {
        kind: SYSTEM_CALLS,
        name: "syscalls",
        unit: "count",
        of: |sums| sums.weight,
    },
    Column {
        kind: SYSTEM_CALLS,
        name: "syscall",
        unit: "nanoseconds",
        of: |sums| sums.value,
    },
    Column {
        kind: SYSTEM_CALL_ERRORS,
        name: "syscall_errors",
        unit: "count",
        of: |sums| sums.weight,
    },
    Column {
        kind: CALLS,
        name: "calls",
        unit: "count",
        of: |sums| sums.value,
    },
];

/// The columns of a run that may have samples of these kinds.
pub struct KindColumns(Vec<OneColumn>);

struct OneColumn {
    kind: u32,
    name: Cow<'static, str>,
    unit: &'static str,
    of: fn(&Sums) -> u64,
}

/// The kind of the first counter of events; those of the next ones follow.
pub const COUNTED: u32 = 32;

impl KindColumns {
    /// Of CPU time, which every recording has, and of the kinds that it has seen besides.
    pub fn of(seen: impl Iterator<Item = u32>) -> KindColumns {
        let mut kinds: Vec<u32> = seen.chain([CPU]).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let is_seen = |column: &&Column| kinds.contains(&column.kind);
        let one = |column: &Column| OneColumn {
            kind: column.kind,
            name: Cow::Borrowed(column.name),
            unit: column.unit,
            of: column.of,
        };
        KindColumns(COLUMNS.iter().filter(is_seen).map(one).collect())
    }

    /// And of counters of events, in the order of their kinds: how many events, and by how many samples they are known. Nothing of
    /// those that could not count.
    pub fn with_counters<'a>(
        mut self,
        counters: impl Iterator<Item = &'a EventCounter>,
    ) -> KindColumns {
        let each = (COUNTED..).zip(counters);
        for (kind, counter) in each.filter(|(_, of)| of.refused.is_empty()) {
            let unit = match counter.is_time {
                true => "nanoseconds",
                false => "count",
            };
            let column = |name, unit, of| OneColumn {
                kind,
                name,
                unit,
                of,
            };
            let samples = Cow::Owned(format!("{}_samples", counter.name));
            self.0.push(column(samples, "count", |sums| sums.samples));
            let events = Cow::Owned(counter.name.clone());
            self.0.push(column(events, unit, |sums| sums.value));
        }
        self
    }

    pub fn sample_types(&self) -> Vec<(&str, &'static str)> {
        self.0
            .iter()
            .map(|column| (&*column.name, column.unit))
            .collect()
    }

    /// The values of samples of one kind: 0 in the columns of others.
    pub fn values(&self, kind: u32, sums: &Sums) -> Vec<u64> {
        (self.0.iter())
            .map(|column| {
                if column.kind == kind {
                    (column.of)(sums)
                } else {
                    0
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_have_their_own_columns_and_none_of_cpu_time() {
        let columns = KindColumns::of([WAITING].into_iter());
        let types = columns.sample_types();
        assert_eq!(types[2..], [("wait", "nanoseconds"), ("waits", "count")]);
        let sums = Sums {
            samples: 3,
            weight: 2,
            value: 10,
        };
        assert_eq!(columns.values(WAITING, &sums), [0, 0, 10, 2]);
        assert_eq!(columns.values(CPU, &sums), [3, 10, 0, 0]);
    }

    #[test]
    fn a_counter_that_could_not_count_has_no_columns_and_the_next_keeps_its_kind() {
        let counter = |name: &str, refused: &str| EventCounter {
            name: name.to_owned(),
            refused: refused.to_owned(),
            ..EventCounter::default()
        };
        let counters = [
            counter("cycles", "there is none"),
            counter("page-faults", ""),
        ];
        let columns = KindColumns::of([].into_iter()).with_counters(counters.iter());
        let expected = [("page-faults_samples", "count"), ("page-faults", "count")];
        assert_eq!(columns.sample_types()[2..], expected);
        let sums = Sums {
            samples: 2,
            weight: 2,
            value: 10,
        };
        assert_eq!(columns.values(COUNTED + 1, &sums), [0, 0, 2, 10]);
        assert_eq!(columns.values(COUNTED, &sums), [0; 4]);
    }

    #[test]
    fn parts_of_objects_are_rounded_when_they_are_summed() {
        let columns = KindColumns::of([ALLOCATED, IN_USE].into_iter());
        let types = columns.sample_types();
        let names: Vec<&str> = types[2..].iter().map(|(name, _)| *name).collect();
        let allocated = ["alloc_samples", "alloc_objects", "alloc_space"];
        assert_eq!(names[..3], allocated);
        assert_eq!(
            names[3..],
            ["inuse_samples", "inuse_objects", "inuse_space"]
        );
        let sums = Sums {
            samples: 3,
            weight: 5 * ALLOCATED_OBJECT / 2,
            value: 1000,
        };
        assert_eq!(
            columns.values(ALLOCATED, &sums),
            [0, 0, 3, 3, 1000, 0, 0, 0]
        );
        assert_eq!(columns.values(IN_USE, &sums), [0, 0, 0, 0, 0, 3, 3, 1000]);
    }

    #[test]
    fn samples_of_a_kind_have_no_value_of_another() {
        let columns = KindColumns::of([].into_iter());
        assert_eq!(
            columns.sample_types(),
            [("samples", "count"), ("cpu", "nanoseconds")]
        );
        let sums = Sums {
            samples: 2,
            weight: 2,
            value: 10,
        };
        assert_eq!(columns.values(CPU, &sums), [2, 10]);
        assert_eq!(columns.values(99, &sums), [0, 0]);
    }
}
