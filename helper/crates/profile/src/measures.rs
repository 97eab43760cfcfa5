//! What each value of a profile is: how it is written, how many samples it rests on, how it may be tested.
//!
//! A new measure has its row in [`KNOWN`]; nothing else decides by the name of a sample type.

use std::borrow::Cow;

use crate::columns::Profile;
use crate::recorded_kinds::has_all_events;

/// One sample type, as views and tests need to know it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MeasureInfo {
    /// "cpu", "alloc_space" …
    pub name: String,
    /// "nanoseconds", "bytes", "count" …
    pub unit: String,
    pub counting: Counting,
    pub nature: Nature,
    pub family: Family,
    /// All events are in it, so that no figure is a matter of chance, however few they are.
    pub is_complete: bool,
    /// The measure of the same events that says more: CPU time for samples, bytes for objects. `None`: there is none.
    pub main: Option<usize>,
}

/// How many samples a value rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Counting {
    /// As many as another value of the same sample says, by its number; a count is its own.
    Value(usize),
    /// One for so much.
    Period(u64),
    #[default]
    /// The file does not say. A stack that is stored once may stand for any number of samples.
    Unknown,
}

/// How a difference of it may be tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Nature {
    #[default]
    /// Each sample is worth the same: counts are all there is to know.
    Sampled,
    /// Samples are worth different amounts: scaled up from what was looked at, or times of single events.
    Weighted,
    /// All events are in it.
    Exact,
}

/// What is drawn in the same colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Family {
    Cpu,
    Waiting,
    Memory,
    Calls,
    #[default]
    Other,
}

/// Names that say more than their unit does, each with the value that counts it. "" counts itself.
const KNOWN: &[(&str, Option<&str>, Nature, Family)] = &[
    ("cpu", Some("samples"), Nature::Sampled, Family::Cpu),
    ("samples", Some(""), Nature::Sampled, Family::Cpu),
    ("wall", Some("samples"), Nature::Weighted, Family::Other),
    ("wait", Some("waits"), Nature::Weighted, Family::Waiting),
    ("waits", Some(""), Nature::Sampled, Family::Waiting),
    ("delay", None, Nature::Weighted, Family::Waiting),
    ("contentions", None, Nature::Weighted, Family::Waiting),
    (
        "alloc_space",
        Some("alloc_samples"),
        Nature::Weighted,
        Family::Memory,
    ),
    (
        "alloc_objects",
        Some("alloc_samples"),
        Nature::Weighted,
        Family::Memory,
    ),
    (
        "inuse_space",
        Some("inuse_samples"),
        Nature::Weighted,
        Family::Memory,
    ),
    (
        "inuse_objects",
        Some("inuse_samples"),
        Nature::Weighted,
        Family::Memory,
    ),
    (
        "peak_space",
        Some("peak_samples"),
        Nature::Weighted,
        Family::Memory,
    ),
    (
        "peak_objects",
        Some("peak_samples"),
        Nature::Weighted,
        Family::Memory,
    ),
    (
        "temporary_space",
        Some("temporary_samples"),
        Nature::Weighted,
        Family::Memory,
    ),
    (
        "temporary_objects",
        Some("temporary_samples"),
        Nature::Weighted,
        Family::Memory,
    ),
    ("alloc_samples", Some(""), Nature::Sampled, Family::Memory),
    ("inuse_samples", Some(""), Nature::Sampled, Family::Memory),
    ("peak_samples", Some(""), Nature::Sampled, Family::Memory),
    (
        "temporary_samples",
        Some(""),
        Nature::Sampled,
        Family::Memory,
    ),
    ("space", None, Nature::Weighted, Family::Memory),
    ("objects", None, Nature::Weighted, Family::Memory),
    (
        "faults",
        Some("fault_samples"),
        Nature::Weighted,
        Family::Memory,
    ),
    ("fault_samples", Some(""), Nature::Sampled, Family::Memory),
    ("calls", None, Nature::Exact, Family::Calls),
    (
        "syscall",
        Some("syscall_samples"),
        Nature::Weighted,
        Family::Calls,
    ),
    (
        "syscalls",
        Some("syscall_samples"),
        Nature::Weighted,
        Family::Calls,
    ),
    ("syscall_samples", Some(""), Nature::Sampled, Family::Calls),
    ("syscall_errors", Some(""), Nature::Sampled, Family::Calls),
];

/// Names of measures, each with the one of the same events that says more. Objects and samples of memory have theirs by their
/// names: `alloc_space` says more than `alloc_objects`.
const SAYS_LESS: &[(&str, &str)] = &[
    ("samples", "cpu"),
    ("waits", "wait"),
    ("contentions", "delay"),
    ("objects", "space"),
    ("temporary_space", "alloc_space"),
    ("fault_samples", "faults"),
    ("syscall_samples", "syscall"),
    ("syscalls", "syscall"),
    ("syscall_errors", "syscall"),
];

/// What Callgrind and Cachegrind count: instructions, data reads and writes, misses of the first and last level caches,
/// branches, and time in the kernel. Each is in it, so no samples stand behind a value, and none is few.
const COUNTED_BY_VALGRIND: &str = "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw I2mr D2mr D2mw ILdmr DLdmr DLdmw Bc Bcm Bi Bim Ge AcCost1 AcCost2 SpLoss1 SpLoss2 sysCount sysTime sysCpuTime";

/// The name of the measure that says more of the same events, if a file has it.
fn says_more(name: &str) -> Option<Cow<'static, str>> {
    if let Some((_, main)) = SAYS_LESS.iter().find(|less| less.0 == name) {
        return Some(Cow::Borrowed(main));
    }
    let of_memory = (name.strip_suffix("_objects")).or_else(|| name.strip_suffix("_samples"));
    let of_perf = || Some(format!("{}_event", name.strip_suffix("_sample")?));
    of_memory
        .map(|of| format!("{of}_space"))
        .or_else(of_perf)
        .map(Cow::Owned)
}

impl Profile {
    /// The value that views show unless asked: CPU time in our runs, the file's default in others.
    pub fn default_measure(&self) -> usize {
        self.find_sample_type("cpu", "nanoseconds")
            .unwrap_or(self.default_sample_type)
    }

    /// By how many samples a value of [`Profile::default_measure`] is counted.
    pub fn default_counting(&self) -> Counting {
        match self.sample_types.len() {
            0 => Counting::Unknown,
            _ => self.measure(self.default_measure()).counting,
        }
    }

    /// One for each of its sample types, in their order.
    pub fn measures(&self) -> Vec<MeasureInfo> {
        (0..self.sample_types.len())
            .map(|value_type| self.measure(value_type))
            .collect()
    }

    fn measure(&self, value_type: usize) -> MeasureInfo {
        let of = self.sample_types[value_type];
        let (name, unit) = (self.text(of.kind), self.text(of.unit));
        let by_valgrind = ("", None, Nature::Exact, Family::Other);
        let is_of_valgrind = COUNTED_BY_VALGRIND.split(' ').any(|of| of == name);
        let known = match is_of_valgrind && unit == "count" {
            true => Some(&by_valgrind),
            false => KNOWN.iter().find(|known| known.0 == name),
        };
        let counting = match known {
            Some((_, None, ..)) => Counting::Unknown,
            Some((_, Some(""), ..)) if unit == "count" => Counting::Value(value_type),
            Some((_, Some(counted_by), ..)) => self.counted_by(value_type, counted_by),
            // As converters of `perf` data name them.
            None if self.samples_of_counter(name).is_some() => {
                self.counted_by(value_type, &format!("{name}_samples"))
            }
            None if self.counter_of_samples(name).is_some() => Counting::Value(value_type),
            None => match name.strip_suffix("_event") {
                Some(event) => self.counted_by(value_type, &format!("{event}_sample")),
                None if name.ends_with("_sample") && unit == "count" => Counting::Value(value_type),
                None => self.counted_by(value_type, "samples"),
            },
        };
        let is_counter = known.is_none() && self.samples_of_counter(name).is_some();
        let otherwise = match is_counter {
            true => Nature::Weighted,
            false => Nature::Sampled,
        };
        let nature = known.map_or(otherwise, |known| known.2);
        MeasureInfo {
            name: name.to_owned(),
            unit: unit.to_owned(),
            counting,
            nature,
            family: known.map_or(Family::Other, |known| known.3),
            is_complete: nature == Nature::Exact || has_all_events(name),
            main: says_more(name)
                .and_then(|main| self.find_named(&main))
                .or_else(|| self.counter_of_samples(name).filter(|_| known.is_none())),
        }
    }

    /// A counter of events (`cache-misses`) has the number of its samples beside it.
    fn samples_of_counter(&self, name: &str) -> Option<usize> {
        self.find_sample_type(&format!("{name}_samples"), "count")
    }

    fn counter_of_samples(&self, name: &str) -> Option<usize> {
        self.find_named(name.strip_suffix("_samples")?)
    }

    pub(crate) fn find_named(&self, name: &str) -> Option<usize> {
        let mut types = self.sample_types.iter();
        types.position(|of| self.text(of.kind) == name)
    }

    fn counted_by(&self, value_type: usize, name: &str) -> Counting {
        match self.find_sample_type(name, "count") {
            Some(count) => Counting::Value(count),
            None => self.period_of(value_type),
        }
    }

    /// The period of the file, where it is one of this value and each value is a multiple of it.
    fn period_of(&self, value_type: usize) -> Counting {
        let Ok(period @ 1..) = u64::try_from(self.period) else {
            return Counting::Unknown;
        };
        let types = self.sample_types.len();
        let mut values = (self.samples.values.chunks_exact(types)).map(|row| row[value_type]);
        let is_of_period = self.period_type == Some(self.sample_types[value_type])
            && values.all(|value| value.is_multiple_of(period));
        match is_of_period {
            true => Counting::Period(period),
            false => Counting::Unknown,
        }
    }
}

impl MeasureInfo {
    pub fn is_counted(&self) -> bool {
        self.counting != Counting::Unknown
    }
}

impl Counting {
    /// How many samples one value of these rests on, which are of one stack, one for each sample type. Where that is unknown,
    /// one for what is not 0, which tells only that there is something.
    #[inline]
    pub fn samples_of(self, values: &[u64], value_type: usize) -> u64 {
        match self {
            Counting::Value(count) => values[count],
            Counting::Period(period) => values[value_type] / period,
            Counting::Unknown => u64::from(values[value_type] > 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::ProfileBuilder;

    fn countings(types: &[(&str, &str)], period: Option<(&str, &str, i64)>) -> Vec<Counting> {
        let mut builder = ProfileBuilder::new(types);
        if let Some((name, unit, period)) = period {
            builder.set_period(name, unit, period);
        }
        let values: Vec<u64> = types.iter().map(|_| 20_000_000).collect();
        builder.add_sample(&[], &values, &[]);
        let profile = builder.finish();
        (profile.measures().iter())
            .map(|measure| measure.counting)
            .collect()
    }

    #[test]
    fn each_value_knows_what_counts_it() {
        let own = [("samples", "count"), ("cpu", "nanoseconds")];
        assert_eq!(countings(&own, None), [Counting::Value(0); 2]);
        let waiting = [
            ("samples", "count"),
            ("wait", "nanoseconds"),
            ("waits", "count"),
        ];
        assert_eq!(countings(&waiting, None)[1..], [Counting::Value(2); 2]);
        let measures = ProfileBuilder::new(&waiting).finish().measures();
        let complete: Vec<bool> = measures.iter().map(|of| of.is_complete).collect();
        assert_eq!(complete, [false, true, true]);
        let perf = [("cycles_sample", "count"), ("cycles_event", "count")];
        assert_eq!(countings(&perf, None), [Counting::Value(0); 2]);
    }

    #[test]
    fn what_says_less_of_the_same_events_names_what_says_more() {
        let main_of = |types: &[(&str, &str)]| -> Vec<Option<usize>> {
            let measures = ProfileBuilder::new(types).finish().measures();
            measures.iter().map(|of| of.main).collect()
        };
        let (count, ns, bytes) = ("count", "nanoseconds", "bytes");
        let own = [
            ("samples", count),
            ("cpu", ns),
            ("wait", ns),
            ("waits", count),
            ("alloc_samples", count),
            ("alloc_objects", count),
            ("alloc_space", bytes),
        ];
        let [none, cpu, wait, space] = [None, Some(1), Some(2), Some(6)];
        assert_eq!(main_of(&own), [cpu, none, none, wait, space, space, none]);
        assert_eq!(main_of(&[("samples", count), ("waits", count)]), [none; 2]);
        let perf = [("cycles_sample", count), ("cycles_event", count)];
        assert_eq!(main_of(&perf), [Some(1), None]);
    }

    #[test]
    fn values_in_multiples_of_the_period_are_counted_by_it() {
        let cpu = [("cpu", "nanoseconds")];
        assert_eq!(
            countings(&cpu, Some(("cpu", "nanoseconds", 10_000_000))),
            [Counting::Period(10_000_000)]
        );
        assert_eq!(
            countings(&cpu, Some(("cpu", "nanoseconds", 30_000_000))),
            [Counting::Unknown]
        );
        assert_eq!(
            countings(&cpu, Some(("wall", "nanoseconds", 10_000_000))),
            [Counting::Unknown]
        );
    }

    #[test]
    fn what_is_counted_exactly_rests_on_no_samples() {
        let mut builder = ProfileBuilder::new(&[("Ir", "count"), ("calls", "count")]);
        builder.add_sample(&[], &[3, 1], &[]);
        for measure in builder.finish().measures() {
            assert_eq!(measure.nature, Nature::Exact, "{}", measure.name);
            assert!(
                !measure.is_counted() && measure.is_complete,
                "{}",
                measure.name
            );
        }
    }

    #[test]
    fn sampled_memory_does_not_say_how_often_it_was_sampled() {
        let heap = [
            ("alloc_objects", "count"),
            ("alloc_space", "bytes"),
            ("inuse_objects", "count"),
            ("inuse_space", "bytes"),
        ];
        let period = Some(("space", "bytes", 524_288));
        assert_eq!(countings(&heap, period), [Counting::Unknown; 4]);
        assert_eq!(countings(&[("gizmos", "kilo")], None), [Counting::Unknown]);
        let ours = [
            ("alloc_samples", "count"),
            ("alloc_objects", "count"),
            ("alloc_space", "bytes"),
        ];
        assert_eq!(countings(&ours, None), [Counting::Value(0); 3]);
    }
}
