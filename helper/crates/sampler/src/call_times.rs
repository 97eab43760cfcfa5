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
    /// Where their calls end, by group of functions.
    probes: BTreeMap<u32, Vec<Link>>,
    looked: Instant,
    /// More ends of calls in a second take too much of the program's time.
    ends_per_second_max: f64,
}

/// Taking a link off waits for the kernel, for some 20 ms. So functions share links if there are many, and more are taken off
/// together.
pub const GROUPS_MAX: u32 = 32;

struct Timed {
    group: u32,
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
            probes: BTreeMap::new(),
            looked: Instant::now(),
            ends_per_second_max,
        })
    }

    /// Their calls end at these probes.
    pub fn add(&mut self, group: u32, functions: impl Iterator<Item = u32>, probes: Link) {
        self.probes.entry(group).or_default().push(probes);
        for function in functions {
            self.of_functions.entry(function).or_insert(Timed {
                group,
                measured: 0,
                not_measured: 0,
                news: 0,
                ended_ns: 0,
            });
        }
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
        // A process that was running has been called before.
        for of_it in self.of_functions.values_mut() {
            (of_it.measured, of_it.not_measured) = (0, 0);
        }
        self.looked = Instant::now();
    }

    pub fn detach(&mut self) {
        self.probes.clear();
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

    /// Until those that are left are few enough. Gives the functions that are not timed any more.
    fn end_the_most_frequent(&mut self, seconds: f64, now_ns: u64) -> Vec<u32> {
        let allowed = (self.ends_per_second_max * seconds) as u64;
        let mut by_group = BTreeMap::<u32, u64>::new();
        for of_it in self.of_functions.values() {
            *by_group.entry(of_it.group).or_default() += of_it.news;
        }
        by_group.retain(|group, _| self.probes.contains_key(group));
        let mut all: u64 = by_group.values().sum();
        let mut by_calls: Vec<(u32, u64)> = by_group.into_iter().collect();
        by_calls.sort_by_key(|(_, calls)| std::cmp::Reverse(*calls));
        let mut ended = Vec::new();
        for (group, calls) in by_calls {
            if all <= allowed {
                break;
            }
            all -= calls;
            // No more calls begin before their ends are no longer seen: what has begun ends as it should.
            for (function, of_it) in &mut self.of_functions {
                if of_it.group == group {
                    self.now.elements()[*function as usize].is_over = 1;
                    of_it.ended_ns = now_ns;
                    ended.push(*function);
                }
            }
            self.probes.remove(&group);
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
