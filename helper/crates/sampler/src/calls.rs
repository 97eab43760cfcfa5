//! Counts of the calls of chosen functions (bpf/calls.h): where the probes go, and what they have counted.

use std::collections::BTreeMap;
use std::fs::File;

use libbpf_rs::{Link, MapCore, MapFlags};
use records::layout::{CALL_ENDS_MAX, CALLED_FUNCTIONS_MAX, TIMED_FUNCTIONS_MAX};
use records::{CallPlace, CallPrice, CallTimes, CallsOfThread, PlaceKind, SamplerStep};

use crate::allocations::{is_open_for_reading, is_own};
use crate::bpf::{Bpf, MappedArray};
use crate::call_price;
use crate::call_times::{GROUPS_MAX, TimedCalls};
use crate::end::End;
use crate::uprobes::attach_to;

/// While it lives, the probes are there.
#[derive(Default)]
pub struct CallProbes {
    links: Vec<Link>,
    places: usize,
    ends: usize,
    is_latency_wanted: bool,
    /// How long they take; None: nothing is timed.
    timed: Option<TimedCalls>,
    /// By function, as it was told last; None: nothing is to be counted.
    counts: Option<Counts>,
    /// What each costs, until the engine was told.
    price: Option<CallPrice>,
    ends_per_second_max: Option<f64>,
}

struct Counts {
    now: MappedArray<u64>,
    told: Vec<u64>,
}

/// Timing may take so much of the time of a CPU.
const TIMING_SHARE_MAX: f64 = 0.1;
/// More ends of calls in a second are not waited for, if their price is not known.
const ENDS_PER_SECOND_MAX: f64 = 4000.0;
/// The price was measured where nothing else is in the way.
const ENDS_PER_SECOND_ANYWHERE: std::ops::RangeInclusive<f64> = 1000.0..=40_000.0;

impl CallProbes {
    pub fn new(is_latency_wanted: bool) -> CallProbes {
        CallProbes {
            is_latency_wanted,
            ..CallProbes::default()
        }
    }

    /// At these places of the file. A file that is not the invoker's own has them in the processes `pids` only: others that map it
    /// would pay for them. In one of his own they count children, too; what others execute of it he could change anyway.
    ///
    /// # Errors
    /// `Protocol` for too many places, `CallFile` where the file is none that can have them, `AttachCallProbes` as bpf(2).
    pub fn attach(
        &mut self,
        bpf: &Bpf,
        file: Option<File>,
        places: &[CallPlace],
        pids: &[u32],
        invoker: u32,
    ) -> Result<(), End> {
        let (ends, starts): (Vec<CallPlace>, Vec<CallPlace>) =
            (places.iter().copied()).partition(|place| place.kind.is_end());
        self.places += starts.len();
        self.ends += ends.len();
        let is_allowed = |place: &CallPlace| match place.kind {
            PlaceKind::Counted | PlaceKind::CountedIf { .. } => {
                (place.function as usize) < CALLED_FUNCTIONS_MAX
            }
            _ => self.is_latency_wanted && (place.function as usize) < TIMED_FUNCTIONS_MAX,
        };
        if places.is_empty()
            || self.places > CALLED_FUNCTIONS_MAX
            || self.ends > CALL_ENDS_MAX
            || !places.iter().all(is_allowed)
        {
            return Err(End::Failed(SamplerStep::Protocol, 0, 0));
        }
        let refused = |errno| End::Failed(SamplerStep::CallFile, errno, 0);
        let file = file.ok_or(refused(libc::EBADF))?;
        let found = is_open_for_reading(&file).map_err(refused)?;
        if self.counts.is_none() {
            self.counts = Some(bpf.counts_of_calls()?);
            self.measure_price(bpf);
        }
        let pids: Vec<i32> = match is_own(&found, invoker) {
            true => vec![-1],
            false => pids.iter().map(|pid| *pid as i32).collect(),
        };
        let groups = (GROUPS_MAX / pids.len().max(1) as u32).max(1);
        let mut ends_of = BTreeMap::<u32, Vec<CallPlace>>::new();
        for end in ends {
            ends_of.entry(end.function % groups).or_default().push(end);
        }
        let programs = &bpf.skeleton.progs;
        for pid in pids {
            // Ends first: a call that begins has its end, then.
            for (group, ends) in &ends_of {
                let link = attach_to(&programs.end_call, &file, pid, ends)?;
                if self.timed.is_none() {
                    let most = self.ends_per_second_max.unwrap_or(ENDS_PER_SECOND_MAX);
                    self.timed = Some(TimedCalls::new(bpf, most)?);
                }
                if let (Some(timed), Some(link)) = (&mut self.timed, link) {
                    timed.add(*group, ends.iter().map(|end| end.function), link);
                }
            }
            if !starts.is_empty() {
                (self.links).extend(attach_to(&programs.count_call, &file, pid, &starts)?);
            }
        }
        Ok(())
    }

    fn measure_price(&mut self, bpf: &Bpf) {
        let Some((price, links)) = call_price::measure(bpf, self.is_latency_wanted) else {
            return;
        };
        self.links.extend(links);
        self.price = Some(price);
        if price.timed_ns > 0 {
            let ends = TIMING_SHARE_MAX * 1e9 / f64::from(price.timed_ns);
            let [least, most] = [
                ENDS_PER_SECOND_ANYWHERE.start(),
                ENDS_PER_SECOND_ANYWHERE.end(),
            ];
            self.ends_per_second_max = Some(ends.clamp(*least, *most));
        }
    }

    /// What counting and timing a call costs here; once, if it is known.
    pub fn take_price(&mut self) -> Option<CallPrice> {
        self.price.take()
    }

    pub fn is_wanted(&self) -> bool {
        self.counts.is_some()
    }

    /// What was counted before sampling begins is of no interest.
    pub fn begin(&mut self) {
        if let Some(counts) = &mut self.counts {
            counts.now.elements().fill(0);
        }
        if let Some(timed) = &mut self.timed {
            timed.begin();
        }
    }

    /// Nothing is counted from now on.
    pub fn detach(&mut self) {
        self.links.clear();
        if let Some(timed) = &mut self.timed {
            timed.detach();
        }
    }

    /// Of the functions whose calls were timed since this was asked last.
    pub fn news_of_times(&mut self, now_ns: u64) -> Vec<CallTimes> {
        let timed = self.timed.as_mut();
        timed.map_or_else(Vec::new, |timed| timed.news(now_ns))
    }

    /// The functions with more calls than when this was asked last, and how many these are.
    pub fn news(&mut self) -> Vec<(u32, u64)> {
        let Some(Counts { now, told }) = &mut self.counts else {
            return Vec::new();
        };
        let mut news = Vec::new();
        for ((function, now), told) in (0..).zip(now.elements()).zip(told) {
            if *now != *told {
                *told = *now;
                news.push((function, *now));
            }
        }
        news
    }
}

impl Bpf {
    fn counts_of_calls(&self) -> Result<Counts, End> {
        let map = &self.skeleton.maps.calls_of_functions;
        let now = MappedArray::new(map, CALLED_FUNCTIONS_MAX);
        Ok(Counts {
            now: now.map_err(|e| crate::end::failed(SamplerStep::MapRing, &e))?,
            told: vec![0; CALLED_FUNCTIONS_MAX],
        })
    }

    /// Of the threads for which there was room.
    pub fn calls_of_threads(&self) -> Vec<CallsOfThread> {
        let map = &self.skeleton.maps.calls_of_threads;
        let number = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_ne_bytes);
        let of_key = |key: Vec<u8>| {
            let value = map.lookup(&key, MapFlags::ANY).ok()??;
            Some(CallsOfThread {
                function: number(key.get(..4)?),
                pid: number(key.get(4..8)?),
                tid: number(key.get(8..12)?),
                calls: u64::from_ne_bytes(value.try_into().ok()?),
            })
        };
        map.keys().filter_map(of_key).collect()
    }
}
