//! Counters of events: their names, what they have counted, and the samples that say where.

use std::io;

use profile::Sums;
use profile::run::EventCounter;
use records::{COUNTERS_MAX, CounterRequest, CounterTotal, SampleRecord};

use super::locator::Locator;
use super::{Privilege, RecordError, RecordErrorKind, RecordOptions};

#[derive(Default)]
pub struct Counters {
    asked: Vec<CounterRequest>,
    saved: Vec<EventCounter>,
}

const HARDWARE: u32 = 0;
const SOFTWARE: u32 = 1;
const CACHE: u32 = 3;
const RAW: u32 = 4;

/// Events by the names that perf lists first, each with type and config (include/uapi/linux/perf_event.h).
const NAMED: &[(&str, u32, u64)] = &[
    ("cycles", HARDWARE, 0),
    ("instructions", HARDWARE, 1),
    ("cache-references", HARDWARE, 2),
    ("cache-misses", HARDWARE, 3),
    ("branches", HARDWARE, 4),
    ("branch-misses", HARDWARE, 5),
    ("bus-cycles", HARDWARE, 6),
    ("stalled-cycles-frontend", HARDWARE, 7),
    ("stalled-cycles-backend", HARDWARE, 8),
    ("ref-cycles", HARDWARE, 9),
    ("cpu-clock", SOFTWARE, 0),
    ("task-clock", SOFTWARE, 1),
    ("page-faults", SOFTWARE, 2),
    ("context-switches", SOFTWARE, 3),
    ("cpu-migrations", SOFTWARE, 4),
    ("minor-faults", SOFTWARE, 5),
    ("major-faults", SOFTWARE, 6),
    ("alignment-faults", SOFTWARE, 7),
    ("emulation-faults", SOFTWARE, 8),
];
/// perf has these names, too.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("cpu-cycles", "cycles"),
    ("branch-instructions", "branches"),
    ("faults", "page-faults"),
    ("cs", "context-switches"),
    ("migrations", "cpu-migrations"),
];
const CACHES: [&str; 7] = [
    "L1-dcache",
    "L1-icache",
    "LLC",
    "dTLB",
    "iTLB",
    "branch",
    "node",
];
/// What a cache does, each with operation and result.
const CACHE_EVENTS: [(&str, u64); 6] = [
    ("-loads", 0),
    ("-load-misses", 1 << 16),
    ("-stores", 1 << 8),
    ("-store-misses", 1 << 8 | 1 << 16),
    ("-prefetches", 2 << 8),
    ("-prefetch-misses", 2 << 8 | 1 << 16),
];

/// A counter that has a name.
pub struct KnownCounter {
    pub name: String,
    pub request: CounterRequest,
    /// The kernel counts it itself.
    pub is_software: bool,
}

/// All that have one name each: whether this machine has them is another question.
pub fn known_counters() -> Vec<KnownCounter> {
    let of_caches = CACHES.iter().flat_map(|cache| {
        let events = CACHE_EVENTS.iter();
        events.map(move |(event, _)| format!("{cache}{event}"))
    });
    let names = (NAMED.iter().map(|of| of.0.to_owned())).chain(of_caches);
    names
        .filter_map(|name| {
            let request = request_of(&name)?;
            Some(KnownCounter {
                is_software: request.kind == SOFTWARE,
                name,
                request,
            })
        })
        .collect()
}

fn request_of(name: &str) -> Option<CounterRequest> {
    if let Some((_, kind, config)) = NAMED.iter().find(|of| of.0 == name) {
        let (kind, config) = (*kind, *config);
        return Some(CounterRequest { kind, config });
    }
    for (number, cache) in (0..).zip(CACHES) {
        let event = name.strip_prefix(cache);
        let event = event.and_then(|of| CACHE_EVENTS.iter().find(|event| event.0 == of));
        if let Some((_, config)) = event {
            let (kind, config) = (CACHE, number | config);
            return Some(CounterRequest { kind, config });
        }
    }
    let config = u64::from_str_radix(name.strip_prefix('r')?, 16).ok()?;
    Some(CounterRequest { kind: RAW, config }).filter(|of| of.is_allowed())
}

/// # Errors
/// Without the privileged sampler, and for events that are not known.
pub fn check(options: &RecordOptions) -> Result<(), RecordError> {
    if !options.counters.is_empty() && options.privilege == Privilege::None {
        return Err(wrong(
            "cannot count events without privileges: a BPF program takes their samples",
            "Record without --unprivileged.",
        ));
    }
    Counters::of(&options.counters).map(drop)
}

impl Counters {
    /// `asked`: names, also several in one text, separated by commas.
    pub fn of(asked: &[String]) -> Result<Counters, RecordError> {
        let mut counters = Counters::default();
        let names = asked.iter().flat_map(|text| text.split(','));
        for name in names.map(str::trim).filter(|name| !name.is_empty()) {
            let name = (OTHER_NAMES.iter().find(|of| of.0 == name)).map_or(name, |of| of.1);
            let request = request_of(name).ok_or_else(|| unknown(name))?;
            if counters.asked.contains(&request) {
                continue;
            }
            counters.asked.push(request);
            counters.saved.push(EventCounter {
                name: name.to_owned(),
                is_time: request.kind == SOFTWARE && request.config < 2,
                ..EventCounter::default()
            });
        }
        match counters.asked.len() {
            0..=COUNTERS_MAX => Ok(counters),
            many => Err(wrong(
                &format!(
                    "cannot count {many} events: at most {COUNTERS_MAX} can be counted at a time"
                ),
                "Name fewer with --counters.",
            )),
        }
    }

    pub fn count(&self) -> u32 {
        self.asked.len() as u32
    }

    pub fn requests(&self) -> Vec<CounterRequest> {
        self.asked.clone()
    }

    /// As they are now.
    pub fn saved(&self) -> &[EventCounter] {
        &self.saved
    }

    pub fn add(&mut self, sample: SampleRecord, locator: &mut Locator) {
        let worth = sample.worth;
        let number = (worth.kind as usize).checked_sub(profile::COUNTED as usize);
        let Some(counter) = number.and_then(|number| self.saved.get_mut(number)) else {
            return; // it was not asked for
        };
        counter.sampled += worth.total();
        counter.samples += 1;
        let (stack, thread) = locator.locate(sample);
        let sums = Sums {
            samples: 1,
            weight: 1,
            value: worth.total(),
        };
        (locator.stacks).add_sums(stack, thread, worth.kind, None, sums);
    }

    /// What the sampler has read at the end.
    pub fn end(&mut self, totals: &[CounterTotal]) {
        for ((counter, asked), total) in self.saved.iter_mut().zip(&self.asked).zip(totals) {
            counter.count = total.count;
            counter.enabled_ns = total.enabled_ns;
            counter.running_ns = total.running_ns;
            counter.lost = total.lost + total.pending;
            counter.hidden = total.hidden;
            counter.longest_gap = total.longest_gap;
            counter.precise = total.precise;
            if total.errno != 0 {
                counter.refused = refused(asked.kind, total.errno);
            }
        }
    }
}

fn wrong(message: &str, advice: &str) -> RecordError {
    RecordError {
        kind: RecordErrorKind::Unsupported,
        message: message.to_owned(),
        advice: advice.to_owned(),
    }
}

fn unknown(name: &str) -> RecordError {
    let known: Vec<String> = known_counters().into_iter().map(|of| of.name).collect();
    let similar = match name_patterns::similar(name, known.iter().map(String::as_str)) {
        Some(similar) => format!(". Similar names: {similar}"),
        None => String::new(),
    };
    wrong(
        &format!("cannot count events: no counter is called {name}{similar}"),
        "`lineheat doctor` lists the counters that this machine has. A raw event of this CPU is r with hexadecimal digits: r01c4.",
    )
}

fn refused(kind: u32, errno: i32) -> String {
    let is_absent = [libc::ENOENT, libc::EOPNOTSUPP, libc::ENODEV].contains(&errno);
    if is_absent && kind != SOFTWARE {
        return "this machine offers no such hardware counter, as is usual in virtual machines. `lineheat doctor` lists those that it has".to_owned();
    }
    io::Error::from_raw_os_error(errno).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Option<(u32, u64)> {
        request_of(text).map(|of| (of.kind, of.config))
    }

    #[test]
    fn names_of_perf_are_known() {
        assert_eq!(named("cycles"), Some((0, 0)));
        assert_eq!(named("LLC-load-misses"), Some((3, 0x10002)));
        assert_eq!(named("dTLB-stores"), Some((3, 0x103)));
        assert_eq!(named("r01c4"), Some((4, 0x1c4)));
        assert_eq!(named("r200000"), None, "counts other programs of the core");
        assert_eq!((named("cycle"), named("LLC")), (None, None));
    }

    #[test]
    fn one_event_of_two_names_is_counted_once() {
        let counters = Counters::of(&["faults,page-faults".to_owned(), "cs".to_owned()]);
        let counters = counters.unwrap_or_else(|e| panic!("{}", e.message));
        let names: Vec<&str> = counters.saved().iter().map(|of| &*of.name).collect();
        assert_eq!(names, ["page-faults", "context-switches"]);
    }
}
