//! Waits: the stack comes when a wait begins, its length when it ends. Whatever is known of one is added to the counted stacks
//! at its end; what is not known is counted here.

use std::collections::HashMap;
use std::ops::Range;

use profile::{SeededHash, WaitReason, WaitTime};
use records::{LockHolder, SampleRecord, WaitEnd, WokenBy};

use super::locator::Locator;
use super::lock_holders::LastWaits;
use super::stacks::{CountedStacks, CountedWait, Thread};
use super::wait_causes::{Cause, Holder};
use super::wait_reasons::{KernelFunctions, reason_of};
use super::wakers::Wakers;

#[derive(Default)]
pub struct Waits {
    /// By thread.
    open: HashMap<u32, OpenWait, SeededHash>,
    /// By the sampler's number.
    places: HashMap<u64, Place, SeededHash>,
    functions: KernelFunctions,
    last: LastWaits,
    pub wakers: Wakers,
    /// Those that a thread has ended of which it is not known where it was.
    pub waker_unseen: Waited,
    pub all: Waited,
    /// Those that have the stack of an earlier wait at the same place.
    pub by_place: Waited,
    /// Those of which no stack is known.
    pub without_stack: Waited,
    /// Those for which there is no room in a run.
    pub beyond: Waited,
    /// When the recording ended, by the clock of waits; None: it goes on.
    stopped_ns: Option<u64>,
    /// Those of which nobody will say how long they were.
    pub unended: u64,
}

/// Waits, and how long they were together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Waited {
    pub count: u64,
    pub ns: u64,
}

impl Waited {
    fn add(&mut self, waits: u32, ns: u64) {
        self.count += u64::from(waits);
        self.ns = self.ns.saturating_add(ns);
    }
}

/// Where a thread waits.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// None: there was no room for it.
    stack: Option<u32>,
    /// What the kernel was doing, if that says what is waited for.
    waits_for: Option<WaitReason>,
}

struct OpenWait {
    began_ns: u64,
    place: Place,
    thread: u32,
    /// When the last wait of the lock's holder had begun then, and its stack.
    of_holder: Option<(u64, u32)>,
}

/// Of all threads together, 52 days: the values of a run are below 2^53, and the journal sums CPU time with them.
const TOTAL_NS_MAX: u64 = 1 << 52;

/// Some 30 MB; of more of them, waits that are not walked are counted by thread.
const PLACES_MAX: usize = 500_000;

impl Waits {
    /// To be told of each, before the stacks that they are on.
    pub fn note_kernel_function(&mut self, id: u32, name: &str) {
        self.functions.note(id, name);
    }

    /// `sample`: the stack of the thread when it lost its CPU.
    pub fn begin(&mut self, sample: SampleRecord, locator: &mut Locator) {
        let (tid, began_ns, number) = (sample.tid, sample.time_ns, sample.worth.value);
        let of_holder = self.last.last(sample.worth.id);
        let waits_for = self.functions.wait_for(&sample.kernel);
        let (stack, thread) = locator.locate(sample);
        let place = Place { stack, waits_for };
        if number != 0 && (self.places.len() < PLACES_MAX || self.places.contains_key(&number)) {
            self.places.insert(number, place);
        }
        let open = OpenWait {
            began_ns,
            place,
            thread,
            of_holder,
        };
        self.last.note(tid, thread, began_ns, stack);
        self.unended += u64::from(self.open.insert(tid, open).is_some());
    }

    /// The recording ends now; the sampler hears of it a moment later.
    pub fn stop(&mut self, now_ns: u64) {
        self.stopped_ns.get_or_insert(now_ns);
    }

    pub fn end(&mut self, end: WaitEnd, repetition: u32, stacks: &mut CountedStacks) {
        let open = match end.has_stack {
            true => self.open.remove(&end.tid),
            false => None,
        };
        let known = open.filter(|open| open.began_ns == end.began_ns);
        let is_walked = known.is_some();
        let (place, thread, of_holder) = match known {
            Some(open) => (open.place, open.thread, open.of_holder),
            None => {
                let unknown = Place {
                    stack: None,
                    waits_for: None,
                };
                let thread = stacks.thread(Thread {
                    pid: end.pid,
                    tid: end.tid,
                    name: end.comm,
                    repetition,
                });
                let known = self.places.get(&end.place);
                (known.copied().unwrap_or(unknown), thread, None)
            }
        };
        self.last.note_thread(end.tid, thread);
        let stack = place.stack;
        let left_ns = (self.stopped_ns).map(|stopped_ns| stopped_ns.saturating_sub(end.began_ns));
        let waited_ns = left_ns.map_or(end.waited_ns, |left_ns| left_ns.min(end.waited_ns));
        if left_ns == Some(0) {
            return; // it came later
        }
        if self.all.ns.saturating_add(waited_ns) >= TOTAL_NS_MAX {
            return self.beyond.add(end.waits, waited_ns);
        }
        let reason = reason_of(end.cause, place.waits_for);
        let queued_ns = end.queued_ns.min(waited_ns);
        let (own_ns, queued_ns) = match reason {
            WaitReason::RunQueue => (waited_ns, 0),
            _ => (waited_ns - queued_ns, queued_ns),
        };
        let held = end.holder.filter(|_| reason == WaitReason::Lock);
        let own_time = end.began_ns..end.began_ns.saturating_add(own_ns);
        let [own, queued] = parts_of(&end, own_ns, queued_ns);
        let holder = held.and_then(|held| self.holder(held, of_holder, &own_time, stacks));
        let waker = (end.woken.filter(|_| reason != WaitReason::RunQueue)).map(|woken| {
            let name = |thread: u32| stacks.threads.values()[thread as usize].name;
            let name_of = |tid| self.last.thread(tid).map(name);
            self.wakers.of(end.tid, woken, name_of)
        });
        if waker.is_some_and(|of| of.by == WokenBy::Thread && of.stack.is_none()) {
            self.waker_unseen.add(end.waits, waited_ns);
        }
        let own = CountedWait {
            reason,
            cause: Cause::of(holder, waker),
            time: own,
        };
        let has_stack = stacks.add_wait(stack, thread, own);
        if queued_ns > 0 {
            let queued = CountedWait {
                reason: WaitReason::RunQueue,
                cause: None,
                time: queued,
            };
            stacks.add_wait(stack, thread, queued);
        }
        self.all.add(end.waits, waited_ns);
        if !has_stack {
            self.without_stack.add(end.waits, waited_ns);
        } else if !is_walked {
            self.by_place.add(end.waits, waited_ns);
        }
    }

    /// Who held the lock, and where: in the wait that it was in, or where it was first seen in the time of the wait for the lock.
    /// `of_holder`: its last wait when that began. None: it is no thread that has waited before.
    fn holder(
        &self,
        held: LockHolder,
        of_holder: Option<(u64, u32)>,
        time: &Range<u64>,
        stacks: &CountedStacks,
    ) -> Option<Holder> {
        let thread = self.last.thread(held.tid)?;
        let LockHolder { tid, waits_at } = held;
        let waited = || {
            let then = of_holder.filter(|of| of.0 == waits_at).map(|of| of.1);
            let at_place = || self.places.get(&waits_at)?.stack;
            then.or_else(|| self.last.at(tid, waits_at))
                .or_else(at_place)
        };
        let seen = || {
            let seen = [
                self.last.first_in(tid, time),
                stacks.first_sample_in(tid, time),
            ];
            seen.into_iter().flatten().min().map(|(_, stack)| stack)
        };
        let waited = if waits_at == 0 { None } else { waited() };
        Some(Holder {
            name: stacks.threads.values()[thread as usize].name,
            stack: waited.or_else(seen),
        })
    }

    /// The sampler has said all that it knew: what has no end now stays so.
    pub fn finish(&mut self) {
        self.unended += self.open.drain().count() as u64;
    }
}

/// When the thread waited for something, and when it waited for a CPU after that.
fn parts_of(end: &WaitEnd, own_ns: u64, queued_ns: u64) -> [WaitTime; 2] {
    let part = |start_ns: u64, ns, waits| WaitTime {
        sample: 0,
        start_ns,
        length_ns: ns,
        waited_ns: ns,
        waits,
    };
    if end.waits <= 1 {
        let queued_from = end.began_ns.saturating_add(own_ns);
        return [
            part(end.began_ns, own_ns, end.waits),
            part(queued_from, queued_ns, 0),
        ];
    }
    // Each of several had its parts: both are spread over all of their time.
    let span_ns = end.span_ns.max(end.waited_ns);
    [(own_ns, end.waits), (queued_ns, 0)].map(|(ns, waits)| WaitTime {
        length_ns: span_ns,
        ..part(end.began_ns, ns, waits)
    })
}

#[cfg(test)]
mod tests {
    use profile::SampleDetail;
    use records::{StackEnd, WaitCause, Worth};

    use super::*;
    use crate::address_spaces::AddressSpaces;
    use crate::modules::Modules;

    fn begin(waits: &mut Waits, stacks: &mut CountedStacks, tid: u32, began_ns: u64) {
        let sample = SampleRecord {
            time_ns: began_ns,
            pid: 1,
            tid,
            worth: Worth::of_open_wait(33),
            end: StackEnd::Root,
            comm: [0; 16],
            kernel: vec![],
            user: vec![1, 2],
        };
        let mut locator = Locator {
            repetition: 0,
            stacks,
            spaces: &AddressSpaces::default(),
            modules: &Modules::default(),
        };
        waits.begin(sample, &mut locator);
    }

    fn end(tid: u32, began_ns: u64, has_stack: bool) -> WaitEnd {
        WaitEnd {
            began_ns,
            pid: 1,
            tid,
            comm: [0; 16],
            waits: 1,
            span_ns: 100,
            waited_ns: 100,
            queued_ns: 30,
            cause: WaitCause {
                syscall: Some(libc::SYS_clock_nanosleep as u32),
                ..WaitCause::default()
            },
            has_stack,
            place: 0,
            holder: None,
            woken: None,
        }
    }

    fn sums_of(stacks: &CountedStacks) -> Vec<(Option<SampleDetail>, u64, u64)> {
        let groups = stacks.groups.values().iter().zip(&stacks.sums);
        groups
            .map(|(group, sums)| (group.detail, sums.weight, sums.value))
            .collect()
    }

    #[test]
    fn a_wait_is_one_although_a_part_of_it_was_for_a_cpu() {
        let (mut waits, mut stacks) = (Waits::default(), CountedStacks::default());
        begin(&mut waits, &mut stacks, 7, 5);
        waits.end(end(7, 5, true), 0, &mut stacks);
        let slept = (Some(SampleDetail::Wait(WaitReason::Sleep)), 1, 70);
        assert_eq!(
            sums_of(&stacks),
            [
                slept,
                (Some(SampleDetail::Wait(WaitReason::RunQueue)), 0, 30)
            ]
        );
        assert_eq!(waits.all, Waited { count: 1, ns: 100 });
        assert_eq!(waits.without_stack, Waited::default());
        assert_eq!(stacks.sample_count(), 0, "no sample of CPU time");
        assert!(stacks.times.is_empty());
    }

    #[test]
    fn a_preempted_thread_waits_for_a_cpu_all_the_time() {
        let (mut waits, mut stacks) = (Waits::default(), CountedStacks::default());
        begin(&mut waits, &mut stacks, 7, 5);
        let mut preempted = end(7, 5, true);
        preempted.cause = WaitCause {
            was_preempted: true,
            ..WaitCause::default()
        };
        waits.end(preempted, 0, &mut stacks);
        assert_eq!(
            sums_of(&stacks),
            [(Some(SampleDetail::Wait(WaitReason::RunQueue)), 1, 100)]
        );
    }

    #[test]
    fn a_wait_of_which_only_its_end_is_known_is_counted_by_thread() {
        let (mut waits, mut stacks) = (Waits::default(), CountedStacks::default());
        waits.end(end(7, 5, false), 0, &mut stacks);
        begin(&mut waits, &mut stacks, 8, 5);
        waits.end(end(8, 6, true), 0, &mut stacks);
        let lost = Waited { count: 2, ns: 200 };
        assert_eq!((waits.all, waits.without_stack), (lost, lost));
        let total: u64 = stacks.sums.iter().map(|sums| sums.value).sum();
        assert_eq!(total, 200, "all of it is in the run");
        assert_eq!(stacks.without_stack, 0, "no sample");
    }

    #[test]
    fn a_wait_that_was_not_walked_has_the_last_stack_of_its_place() {
        let (mut waits, mut stacks) = (Waits::default(), CountedStacks::default());
        begin(&mut waits, &mut stacks, 7, 5);
        waits.end(end(7, 5, true), 0, &mut stacks);
        for place in [33, 34] {
            let not_walked = WaitEnd {
                place,
                ..end(7, 200, false)
            };
            waits.end(not_walked, 0, &mut stacks);
        }
        assert_eq!(waits.by_place, Waited { count: 1, ns: 100 });
        assert_eq!(waits.without_stack, Waited { count: 1, ns: 100 });
        let slept = sums_of(&stacks)[0];
        assert_eq!(slept, (Some(SampleDetail::Wait(WaitReason::Sleep)), 2, 140));
    }

    #[test]
    fn brief_waits_that_came_together_are_as_many_as_they_were() {
        let (mut waits, mut stacks) = (Waits::default(), CountedStacks::default());
        let several = WaitEnd {
            waits: 4,
            span_ns: 900,
            ..end(7, 5, false)
        };
        waits.end(several, 0, &mut stacks);
        assert_eq!(waits.all, Waited { count: 4, ns: 100 });
        assert_eq!(waits.without_stack, Waited { count: 4, ns: 100 });
        let slept = (Some(SampleDetail::Wait(WaitReason::Sleep)), 4, 70);
        assert_eq!(
            sums_of(&stacks),
            [
                slept,
                (Some(SampleDetail::Wait(WaitReason::RunQueue)), 0, 30)
            ]
        );
        let times = stacks.wait_times.since(0).unwrap();
        let spans: Vec<_> = (times.iter())
            .map(|time| (time.start_ns, time.length_ns, time.waited_ns, time.waits))
            .collect();
        assert_eq!(spans, [(5, 900, 70, 4), (5, 900, 30, 0)]);
    }

    #[test]
    fn the_holder_of_a_lock_is_where_it_waits_or_where_it_was_first_seen() {
        let (mut waits, mut stacks) = (Waits::default(), CountedStacks::default());
        let mut holder_of = |began_ns, waits_at| {
            begin(&mut waits, &mut stacks, 7, began_ns);
            let lock = WaitEnd {
                cause: WaitCause {
                    syscall: Some(libc::SYS_futex as u32),
                    waits_for_owner: true,
                    ..WaitCause::default()
                },
                holder: LockHolder::of(8, waits_at),
                ..end(7, began_ns, true)
            };
            if began_ns == 100 {
                begin(&mut waits, &mut stacks, 8, 150);
            }
            waits.end(lock, 0, &mut stacks);
            let cause = stacks.groups.values().last()?.cause?;
            let holder = stacks.causes.values()[cause as usize].holder;
            holder.map(|of| of.stack)
        };
        assert_eq!(holder_of(5, 0), None, "a thread that nobody knows");
        assert_eq!(
            holder_of(100, 0),
            Some(Some(0)),
            "it lost its CPU meanwhile"
        );
        assert_eq!(holder_of(300, 150), Some(Some(0)), "it still waits");
        assert_eq!(holder_of(500, 0), Some(None), "it was running");
    }

    #[test]
    fn what_does_not_fit_into_a_run_is_counted_and_not_added() {
        let (mut waits, mut stacks) = (Waits::default(), CountedStacks::default());
        for _ in 0..3 {
            let lengthy = WaitEnd {
                waited_ns: TOTAL_NS_MAX / 2 - 1,
                ..end(7, 5, false)
            };
            waits.end(lengthy, 0, &mut stacks);
        }
        assert_eq!((waits.all.count, waits.beyond.count), (2, 1));
        let total: u64 = stacks.sums.iter().map(|sums| sums.value).sum();
        assert_eq!(total, waits.all.ns);
    }

    #[test]
    fn no_wait_is_longer_than_the_recording() {
        let (mut waits, mut stacks) = (Waits::default(), CountedStacks::default());
        waits.stop(80);
        begin(&mut waits, &mut stacks, 7, 5);
        waits.end(end(7, 5, true), 0, &mut stacks);
        assert_eq!(waits.all, Waited { count: 1, ns: 75 });
        begin(&mut waits, &mut stacks, 7, 80);
        waits.end(end(7, 80, true), 0, &mut stacks);
        assert_eq!(waits.all.count, 1, "it came later");
        waits.finish();
        assert_eq!(waits.unended, 0);
    }

    #[test]
    fn a_wait_that_never_ends_is_said_to_have_no_length() {
        let (mut waits, mut stacks) = (Waits::default(), CountedStacks::default());
        begin(&mut waits, &mut stacks, 7, 5);
        begin(&mut waits, &mut stacks, 7, 9);
        waits.end(end(7, 9, true), 0, &mut stacks);
        begin(&mut waits, &mut stacks, 7, 11);
        assert_eq!(waits.unended, 1);
        waits.finish();
        assert_eq!(waits.unended, 2);
    }
}
