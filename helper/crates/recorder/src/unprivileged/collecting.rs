//! The thread that empties the rings: promptly, because a ring holds some 100 ms of one busy CPU, and no faster than
//! stacks are unwound, because nothing may pile up.

use std::mem::take;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use perf_events::map_event::{MapEvent, MapEventKind};
use records::{Counter, FromSampler};
use stack_copies::{Collector, Taken};

use super::copies::Copies;
use crate::Incoming;
use crate::environment::monotonic_ns;

/// Between the recording and the collecting thread.
#[derive(Default)]
pub struct Shared {
    pub stop: AtomicBool,
    /// Of stack copies that were collected and not unwound yet.
    pub waiting_bytes: AtomicU64,
}

/// How long records may wait in their rings.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// A record that is older than this has arrived in its ring.
const ON_ITS_WAY_NS: u64 = 2_000_000;
const COUNTS_EVERY: Duration = Duration::from_millis(250);
/// Stack copies that may wait to be unwound; beyond it they wait in the rings, where those without room are counted.
const WAITING_BYTES_MAX: u64 = 32 << 20;
/// Stack copies in one batch.
const BATCH_BYTES: u64 = 1 << 20;

/// Collects until it is told to stop and has sent everything, or nobody listens any more.
pub fn collect(mut collector: Collector, incoming: &SyncSender<Incoming>, shared: &Shared) {
    let _gone = TellWhenGone(incoming);
    let ready = FromSampler::Ready {
        hardware_cycles: collector.has_hardware_cycles(),
        per_cpu: false,
        no_waits: None,
        no_faults: None,
        no_syscalls: None,
        no_wakeups: None,
    };
    if incoming.send(Incoming::Sampler(vec![ready])).is_err() {
        return;
    }
    let mut batches = Batches {
        incoming,
        shared,
        copies: Vec::new(),
        bytes: 0,
        sent_samples: 0,
        lost_mapping_records: 0,
        listened_to: true,
    };
    let mut counted = Instant::now();
    while batches.listened_to {
        collector.wait(LOOK_EVERY);
        let stop = shared.stop.load(Ordering::Relaxed);
        if stop {
            collector.disable();
        } else if shared.waiting_bytes.load(Ordering::Relaxed) > WAITING_BYTES_MAX {
            std::thread::sleep(Duration::from_millis(1));
            continue;
        }
        let until_ns = if stop {
            u64::MAX
        } else {
            monotonic_ns() - ON_ITS_WAY_NS
        };
        collector.drain(until_ns, |taken| batches.add(taken));
        batches.send();
        if stop || counted.elapsed() >= COUNTS_EVERY {
            counted = Instant::now();
            batches.send_counts(&collector);
        }
        if stop {
            let _ = incoming.send(Incoming::Sampler(vec![FromSampler::Ended]));
            return;
        }
    }
}

struct Batches<'a> {
    incoming: &'a SyncSender<Incoming>,
    shared: &'a Shared,
    copies: Vec<Copies>,
    bytes: u64,
    sent_samples: u64,
    lost_mapping_records: u64,
    listened_to: bool,
}

impl Batches<'_> {
    fn add(&mut self, taken: Taken) {
        match taken {
            Taken::Happened(MapEvent {
                kind: MapEventKind::Lost { count },
                ..
            }) => self.lost_mapping_records += count,
            Taken::Happened(event) => self.copies.push(Copies::Happened(event)),
            Taken::Sample(sample) => {
                self.bytes += sample.stack.len() as u64;
                self.sent_samples += 1;
                self.copies.push(Copies::Sample(sample));
            }
        }
        if self.bytes >= BATCH_BYTES {
            self.send();
        }
    }

    fn send(&mut self) {
        if self.copies.is_empty() {
            return;
        }
        let bytes = take(&mut self.bytes);
        self.shared
            .waiting_bytes
            .fetch_add(bytes, Ordering::Relaxed);
        let batch = Incoming::Copies(take(&mut self.copies));
        self.listened_to &= self.incoming.send(batch).is_ok();
    }

    /// Taken = kept + lost: the kernel counts what it could not write.
    fn send_counts(&mut self, collector: &Collector) {
        let lost = collector.lost_samples();
        let mut counters = [0; Counter::ALL.len()];
        counters[Counter::Taken as usize] = self.sent_samples + lost;
        counters[Counter::Kept as usize] = self.sent_samples;
        counters[Counter::LostRingFull as usize] = lost;
        let counts = FromSampler::Counts {
            counters,
            lost_mapping_records: self.lost_mapping_records,
        };
        let batch = Incoming::Sampler(vec![counts]);
        self.listened_to &= self.incoming.send(batch).is_ok();
    }
}

/// However the thread ends, it is told: the recording waits for it.
struct TellWhenGone<'a>(&'a SyncSender<Incoming>);

impl Drop for TellWhenGone<'_> {
    fn drop(&mut self) {
        let _ = self.0.send(Incoming::SamplerGone(None));
    }
}
