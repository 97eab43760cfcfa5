//! How long calls take (bpf/call_times.h): the probes where they end, and what was measured.

use std::collections::BTreeMap;
use std::time::Instant;

use libbpf_rs::Link;
use records::layout::{LATENCY_BUCKETS, TIMED_FUNCTIONS_MAX};
use records::{CallTimes, SamplerStep};

use crate::bpf::{Bpf, MappedArray};
use crate::end::{End, failed};

/// `struct call_times` of bpf/records.h.
#[repr(C)]
#[derive(Clone, Copy)]
struct Times {
    buckets: [u64; LATENCY_BUCKETS],
    sum: u64,
    longest: u64,
    /// Its complement.
    shortest: u64,
    unfinished: u64,
    no_room: u64,
    is_over: u64,
}
const _: () = assert!(size_of::<Times>() == 8 * (LATENCY_BUCKETS + 6));

/// While it lives, calls are timed.
pub struct TimedCalls {
    now: MappedArray<Times>,
    /// By function.
    of_functions: BTreeMap<u32, Timed>,
    looked: Instant,
    /// More ends of calls in a second take too much of the program's time.
    ends_per_second_max: f64,
}

struct Timed {
    /// Where its calls end.
    probes: Vec<Link>,
    /// Of its calls, as they were told last.
    measured: u64,
    not_measured: u64,
    /// Since the last look.
    news: u64,
    ended_ns: u64,
}

impl TimedCalls {
    pub fn new(bpf: &Bpf, ends_per_second_max: f64) -> Result<TimedCalls, End> {
        let map = &bpf.skeleton.maps.times_of_calls;
        let now = MappedArray::new(map, TIMED_FUNCTIONS_MAX);
        Ok(TimedCalls {
            now: now.map_err(|e| failed(SamplerStep::MapRing, &e))?,
            of_functions: BTreeMap::new(),
            looked: Instant::now(),
            ends_per_second_max,
        })
    }

    pub fn add(&mut self, function: u32, probes: Link) {
        let of_it = (self.of_functions.entry(function)).or_insert_with(|| Timed {
            probes: Vec::new(),
            measured: 0,
            not_measured: 0,
            news: 0,
            ended_ns: 0,
        });
        of_it.probes.push(probes);
    }

    /// What was measured before sampling begins is of no interest.
    pub fn begin(&mut self) {
        for times in self.now.elements() {
            *times = Times {
                buckets: [0; LATENCY_BUCKETS],
                sum: 0,
                longest: 0,
                shortest: 0,
                unfinished: 0,
                no_room: 0,
                is_over: 0,
            };
        }
        self.looked = Instant::now();
    }

    pub fn detach(&mut self) {
        for of_it in self.of_functions.values_mut() {
            of_it.probes.clear();
        }
    }

    /// Of the functions with more calls than when this was asked last. Takes the probes off those that are called too often.
    pub fn news(&mut self, now_ns: u64) -> Vec<CallTimes> {
        let seconds = self.looked.elapsed().as_secs_f64();
        self.looked = Instant::now();
        let mut told = Vec::new();
        for (function, of_it) in &mut self.of_functions {
            let times = &self.now.elements()[*function as usize];
            let measured: u64 = times.buckets.iter().sum();
            of_it.news = measured - of_it.measured;
            let not_measured = times.unfinished + times.no_room;
            if of_it.news > 0 || of_it.not_measured != not_measured {
                (of_it.measured, of_it.not_measured) = (measured, not_measured);
                told.push(*function);
            }
        }
        told.extend(self.end_the_most_frequent(seconds, now_ns));
        told.sort_unstable();
        told.dedup();
        told.into_iter()
            .map(|function| self.times(function))
            .collect()
    }

    /// Until those that are left are few enough.
    fn end_the_most_frequent(&mut self, seconds: f64, now_ns: u64) -> Vec<u32> {
        let allowed = (self.ends_per_second_max * seconds) as u64;
        let timed = self
            .of_functions
            .iter_mut()
            .filter(|(_, of_it)| !of_it.probes.is_empty());
        let mut by_calls: Vec<_> = timed.collect();
        by_calls.sort_by_key(|(_, of_it)| std::cmp::Reverse(of_it.news));
        let mut all: u64 = by_calls.iter().map(|(_, of_it)| of_it.news).sum();
        let mut ended = Vec::new();
        for (function, of_it) in by_calls {
            if all <= allowed {
                break;
            }
            all -= of_it.news;
            self.now.elements()[*function as usize].is_over = 1;
            of_it.probes.clear();
            of_it.ended_ns = now_ns;
            ended.push(*function);
        }
        ended
    }

    fn times(&mut self, function: u32) -> CallTimes {
        let times = self.now.elements()[function as usize];
        CallTimes {
            function,
            sum_ns: times.sum,
            shortest_ns: match times.shortest {
                0 => 0,
                complement => !complement,
            },
            longest_ns: times.longest,
            unfinished: times.unfinished,
            no_room: times.no_room,
            ended_ns: self.of_functions[&function].ended_ns,
            buckets: ((0..).zip(times.buckets))
                .filter(|(_, calls)| *calls > 0)
                .collect(),
        }
    }
}
