//! Counters of events (bpf/counters.h): opened for each thread that is attached to, and read at the end.

use std::os::fd::{AsFd, OwnedFd};

use libbpf_rs::{MapCore, MapFlags};
use perf_events::counter_event::{
    CounterEvent, OpenedCounter, fit_together, open_counter_event, read_counter,
};
use perf_events::event;
use records::{COUNTERS_MAX, CounterRequest, CounterTotal, SamplerStep};

use crate::bpf::{Bpf, Reports};
use crate::counter_groups::{groups_of, of_hardware};
use crate::end::{End, errno_of, failed};

/// What was asked for, and what of it is there.
#[derive(Default)]
pub struct Counters {
    sample_hz: u32,
    counters: Vec<Counter>,
    /// Of threads that were not the ones they seemed: never enabled.
    discarded: Vec<OwnedFd>,
}

struct Counter {
    event: CounterEvent,
    /// Those of a group count at the same times.
    group: Option<usize>,
    /// Why there is none; 0: there is.
    errno: i32,
    /// Of the least precise one.
    precise: u8,
    /// One for each thread that was attached to.
    opened: Vec<OwnedFd>,
}

impl Counters {
    /// # Errors
    /// `Protocol` for others than were announced, or of a kind that is not allowed.
    pub fn new(asked: &[CounterRequest], announced: u32, sample_hz: u32) -> Result<Counters, End> {
        let all_allowed = asked.iter().all(|of| of.is_allowed());
        if asked.len() > COUNTERS_MAX || asked.len() != announced as usize || !all_allowed {
            return Err(End::Failed(SamplerStep::Protocol, 0, 0));
        }
        let event = |of: &CounterRequest| CounterEvent {
            kind: of.kind,
            config: of.config,
        };
        let events: Vec<CounterEvent> = asked.iter().map(event).collect();
        let groups = groups_of(&events, fit_together);
        let counter = |(event, group): (CounterEvent, Option<usize>)| Counter {
            event,
            group,
            errno: 0,
            precise: u8::MAX,
            opened: Vec::new(),
        };
        Ok(Counters {
            sample_hz,
            counters: events.into_iter().zip(groups).map(counter).collect(),
            discarded: Vec::new(),
        })
    }

    /// Whether the CPU also has a counter that takes samples of CPU time, beside all of these. Otherwise they would take turns, and CPU
    /// time would be missed.
    pub fn leave_room_for_cycles(&self) -> bool {
        let mut events = of_hardware(self.counters.iter().map(|of| of.event));
        events.retain(|event| fit_together(&[*event]));
        events.is_empty() || fit_together(&[&[CounterEvent::CYCLES], &events[..]].concat())
    }

    /// Counts for the thread and all that it will start, from [`Counters::start`] on. A counter that one thread cannot have counts
    /// for none: a part would be taken for all.
    pub fn attach(&mut self, bpf: &mut Bpf, tid: u32, is_the_same: impl Fn() -> bool) {
        let mut leaders: [Option<OwnedFd>; COUNTERS_MAX] = Default::default();
        let mut opened = Vec::new();
        for (number, counter) in self.counters.iter_mut().enumerate() {
            if counter.errno != 0 {
                continue;
            }
            let leader = counter.group.and_then(|group| leaders[group].as_ref());
            let open = |leader| open_counter_event(tid, counter.event, self.sample_hz, leader);
            let event = open(leader.map(AsFd::as_fd)).or_else(|e| match leader {
                Some(_) => open(None),
                None => Err(e),
            });
            let attached = event
                .map_err(|e| failed(SamplerStep::OpenSampleEvent, &e))
                .and_then(|opened| {
                    bpf.attach(&opened.event, Reports::Counted(number))
                        .map_err(|e| End::Failed(SamplerStep::AttachBpf, errno_of(&e), 0))?;
                    Ok(opened)
                });
            match attached {
                Ok(OpenedCounter { event, precise }) => {
                    counter.precise = counter.precise.min(precise);
                    if let Some(group) = counter.group
                        && leaders[group].is_none()
                    {
                        leaders[group] = event.try_clone().ok();
                    }
                    opened.push((number, event));
                }
                Err(End::Failed(_, libc::ESRCH, _)) => {}
                Err(End::Failed(_, errno, _)) => {
                    counter.errno = errno;
                    self.discarded.append(&mut counter.opened);
                }
                Err(End::EngineGone) => {}
            }
        }
        let same = is_the_same();
        for (number, event) in opened {
            match same {
                true => self.counters[number].opened.push(event),
                false => self.discarded.push(event),
            }
        }
    }

    pub fn is_wanted(&self) -> bool {
        !self.counters.is_empty()
    }

    /// # Errors
    /// As ioctl(2).
    pub fn start(&self) -> Result<(), End> {
        (self.opened())
            .try_for_each(event::enable)
            .map_err(|e| failed(SamplerStep::AttachBpf, &e))
    }

    pub fn stop(&self) {
        for event in self.opened() {
            let _ = event::disable(event);
        }
    }

    fn opened(&self) -> impl Iterator<Item = &OwnedFd> {
        self.counters.iter().flat_map(|of| &of.opened)
    }

    /// What they have counted up to now.
    pub fn totals(&self, bpf: &Bpf) -> Vec<CounterTotal> {
        let each = self.counters.iter().zip(0u32..);
        each.map(|(counter, number)| counter.total(bpf, number))
            .collect()
    }
}

impl Counter {
    fn total(&self, bpf: &Bpf, number: u32) -> CounterTotal {
        let mut total = bpf.counted_events(number);
        total.errno = self.errno;
        if !self.opened.is_empty() {
            total.precise = u32::from(self.precise);
        }
        for event in &self.opened {
            match read_counter(event) {
                Ok(counted) => {
                    total.count += counted.count;
                    total.enabled_ns += counted.enabled_ns;
                    total.running_ns += counted.running_ns;
                }
                Err(e) => total.errno = e.raw_os_error().unwrap_or(libc::EIO),
            }
        }
        total
    }
}

impl Bpf {
    /// Of all CPUs, `struct counted` of bpf/counters.h.
    fn counted_events(&self, number: u32) -> CounterTotal {
        let map = &self.skeleton.maps.counted_events;
        let of_cpus = map.lookup_percpu(&number.to_ne_bytes(), MapFlags::ANY);
        let mut total = CounterTotal::default();
        for bytes in of_cpus.ok().flatten().unwrap_or_default() {
            let long = |at: usize| bytes.get(8 * at..8 * at + 8);
            let long = |at| long(at).map_or(0, |b| b.try_into().map_or(0, u64::from_ne_bytes));
            total.events += long(0);
            total.hidden += long(1);
            total.lost += long(2);
            total.pending += long(3);
            total.samples += long(4);
            total.longest_gap = total.longest_gap.max((long(7) >> 32) as u32);
        }
        total
    }
}
