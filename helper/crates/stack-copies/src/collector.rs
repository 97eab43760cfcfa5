//! Events on threads, one ring of samples and one of mapping records for each CPU, and their records in the order of
//! time. Mapping records have a ring of their own: samples that find no room must not cost the target's mappings.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;
use std::{fmt, mem};

use perf_events::event::{disable, enable, open_map_event, share_ring};
use perf_events::map_event::{MapEvent, parse_map_event};
use perf_events::page_bytes;
use perf_events::ring::{RECORD_SAMPLE, Ring};
use perf_events::stack_copy_event::{StackCopyEvent, lost_samples, open_stack_copy_event};

use crate::sample::{STACK_BYTES, StackCopy, parse_sample, parse_sample_with_chain};
use crate::thread_names::{NameEvent, ThreadNames, parse_name_event};

#[derive(Debug, Clone, Copy)]
pub struct Options {
    pub sample_hz: u32,
    /// Whether to try the CPU's own cycle counter before the CPU clock.
    pub hardware_cycles: bool,
    /// Whether the kernel follows the frame pointers, too.
    pub chain: bool,
}

/// What came out of the rings.
#[derive(Debug)]
pub enum Taken {
    Happened(MapEvent),
    Sample(StackCopy),
}

/// What was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenStep {
    SampleEvent,
    MapEvent,
    /// The memory of a ring; EPERM when the user's limit of locked memory is used up.
    Ring,
}

#[derive(Debug)]
pub struct OpenError {
    pub step: OpenStep,
    pub cause: io::Error,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.step {
            OpenStep::SampleEvent => "the event that takes samples",
            OpenStep::MapEvent => "the event that reports mappings",
            OpenStep::Ring => "the memory for samples",
        };
        write!(f, "{what} was refused: {}", self.cause)
    }
}

impl std::error::Error for OpenError {}

pub struct Collector {
    cpus: Vec<CpuRings>,
    /// Events that write to the rings of others.
    sample_events: Vec<OwnedFd>,
    map_events: Vec<OwnedFd>,
    event: StackCopyEvent,
    names: ThreadNames,
    /// Read from a ring, not given out yet.
    held: Vec<Held>,
    malformed: u64,
}

struct CpuRings {
    cpu: i32,
    samples: Ring,
    maps: Ring,
    /// The threads of the events that own the rings have ended: waiting for them returns at once.
    hung_up: bool,
}

struct Held {
    time_ns: u64,
    record: HeldRecord,
}

enum HeldRecord {
    Named(NameEvent),
    Taken(Taken),
}

/// Sizes that are tried for a sample ring, in KiB: 4 MiB hold what one CPU takes in 128 ms at 999 Hz, 256 KiB what it
/// takes in 8 ms. An ordinary user may lock perf_event_mlock_kb (516 KiB) a CPU and RLIMIT_MEMLOCK (8 MiB).
const SAMPLE_RING_KIB: [usize; 6] = [4096, 2048, 1024, 512, 256, 128];
/// All sample rings together, whatever the user may lock.
const SAMPLE_RINGS_KIB_MAX: usize = 64 << 10;
const MAP_RING_KIB: usize = 64;

impl Collector {
    /// Opens the events of these threads; what the threads will start follows by inheritance. Mappings are reported
    /// from now on, samples once [`Collector::enable`] says so. Threads that have ended are left out.
    ///
    /// # Errors
    /// When the kernel refuses; ESRCH when all threads have ended.
    pub fn open(tids: &[u32], options: Options) -> Result<Collector, OpenError> {
        let mut opened: Option<Collector> = None;
        for &tid in tids {
            let result = match &mut opened {
                None => Collector::open_first(tid, options).map(|c| opened = Some(c)),
                Some(collector) => collector.add_thread(tid),
            };
            match result {
                Err(e) if e.cause.raw_os_error() == Some(libc::ESRCH) => {}
                other => other?,
            }
        }
        opened.ok_or(OpenError {
            step: OpenStep::SampleEvent,
            cause: io::Error::from_raw_os_error(libc::ESRCH),
        })
    }

    pub fn has_hardware_cycles(&self) -> bool {
        self.event.hardware_cycles
    }

    pub fn enable(&self) -> io::Result<()> {
        self.all_sample_events().try_for_each(enable)
    }

    /// No sample is taken afterwards. What is in the rings stays there to be drained.
    pub fn disable(&self) {
        for event in self.all_sample_events() {
            let _ = disable(event);
        }
    }

    /// Returns after `longest`, or earlier when a ring fills.
    pub fn wait(&mut self, longest: Duration) {
        let longest = if self.cpus.iter().any(|c| c.hung_up) {
            longest.min(Duration::from_millis(5)) // nobody wakes us
        } else {
            longest
        };
        let fds = self.cpus.iter().flat_map(|c| [&c.samples, &c.maps]);
        let mut fds: Vec<libc::pollfd> = fds
            .zip(self.cpus.iter().flat_map(|c| [c.hung_up; 2]))
            .map(|(ring, hung_up)| libc::pollfd {
                fd: if hung_up { -1 } else { ring.raw_fd() },
                events: libc::POLLIN,
                revents: 0,
            })
            .collect();
        // SAFETY: fds is a live array of the length that is passed.
        unsafe { libc::poll(fds.as_mut_ptr(), fds.len() as _, longest.as_millis() as i32) };
        for (rings, polled) in self.cpus.iter_mut().zip(fds.chunks(2)) {
            rings.hung_up |= polled
                .iter()
                .any(|p| p.revents & (libc::POLLHUP | libc::POLLERR) != 0);
        }
    }

    /// Gives what happened before `until_ns` (CLOCK_MONOTONIC), in the order of time. What is newer is held back: an
    /// older record may still be on its way into the ring of another CPU.
    pub fn drain(&mut self, until_ns: u64, mut take: impl FnMut(Taken)) {
        let Collector {
            cpus,
            held,
            malformed,
            event,
            ..
        } = self;
        let parse = match event.chain {
            true => parse_sample_with_chain,
            false => parse_sample,
        };
        for rings in cpus {
            rings.maps.drain(|record| hold_map_record(record, held));
            rings.samples.drain(|record| {
                if kind_of(record) != RECORD_SAMPLE {
                    return; // lost samples are counted by the event itself
                }
                match parse(record) {
                    Some(sample) => held.push(Held {
                        time_ns: sample.time_ns,
                        record: HeldRecord::Taken(Taken::Sample(sample)),
                    }),
                    None => *malformed += 1,
                }
            });
        }
        held.sort_by_key(|h| h.time_ns); // stable: an exec's name and its end of mappings keep their order
        let ready = held.partition_point(|h| h.time_ns < until_ns);
        for Held { record, .. } in held.drain(..ready) {
            match record {
                HeldRecord::Named(event) => self.names.apply(event),
                HeldRecord::Taken(Taken::Sample(mut sample)) => {
                    sample.thread_name = self.names.get(sample.tid);
                    take(Taken::Sample(sample));
                }
                HeldRecord::Taken(happened) => take(happened),
            }
        }
        held.shrink_to(1024);
    }

    /// Samples that were taken and could not be kept.
    pub fn lost_samples(&self) -> u64 {
        let in_rings: u64 = self.all_sample_events().flat_map(lost_samples).sum();
        in_rings + self.malformed
    }

    fn all_sample_events(&self) -> impl Iterator<Item = &OwnedFd> {
        let owners = self.cpus.iter().map(|c| c.samples.owner());
        owners.chain(&self.sample_events)
    }

    /// The first thread's events own the rings, which get the largest size that this user may have.
    fn open_first(tid: u32, options: Options) -> Result<Collector, OpenError> {
        // SAFETY: sysconf has no preconditions.
        let cpu_count = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_CONF) }.max(1) as usize;
        let most = SAMPLE_RINGS_KIB_MAX / cpu_count;
        let smallest = *SAMPLE_RING_KIB.last().expect("not empty");
        let mut hardware_cycles = options.hardware_cycles;
        for kib in SAMPLE_RING_KIB {
            if kib > most && kib > smallest {
                continue;
            }
            let mut collector = Collector {
                cpus: Vec::new(),
                sample_events: Vec::new(),
                map_events: Vec::new(),
                event: StackCopyEvent {
                    sample_hz: options.sample_hz,
                    hardware_cycles,
                    stack_bytes: STACK_BYTES,
                    chain: options.chain,
                    wakeup_bytes: (kib << 10) as u32 / 4,
                },
                names: ThreadNames::default(),
                held: Vec::new(),
                malformed: 0,
            };
            let opened = collector.open_rings(tid, cpu_count as i32, kib);
            hardware_cycles = collector.event.hardware_cycles;
            match opened {
                Err(e) if e.step == OpenStep::Ring && kib > smallest => {}
                other => return other.map(|()| collector),
            }
        }
        unreachable!("the smallest size returns")
    }

    fn open_rings(&mut self, tid: u32, cpu_count: i32, sample_kib: usize) -> Result<(), OpenError> {
        let ring = |event, kib: usize| {
            let error = |(_, cause)| OpenError {
                step: OpenStep::Ring,
                cause,
            };
            let pages = (kib << 10) / page_bytes() as usize;
            Ring::new(event, pages.max(1)).map_err(error)
        };
        for cpu in 0..cpu_count {
            let event = match self.open_sample_event(tid, cpu) {
                Err(e) if e.cause.raw_os_error() == Some(libc::ENODEV) => continue, // CPU is offline
                other => other?,
            };
            let samples = ring(event, sample_kib)?;
            let maps = ring(map_event(tid, cpu)?, MAP_RING_KIB)?;
            self.cpus.push(CpuRings {
                cpu,
                samples,
                maps,
                hung_up: false,
            });
        }
        self.names.read(tid);
        Ok(())
    }

    fn add_thread(&mut self, tid: u32) -> Result<(), OpenError> {
        let ring_error = |cause| OpenError {
            step: OpenStep::Ring,
            cause,
        };
        let (mut samples, mut maps) = (Vec::new(), Vec::new());
        for rings in &self.cpus {
            let event = open(|| open_stack_copy_event(tid, rings.cpu, self.event))?;
            share_ring(&event, rings.samples.owner()).map_err(ring_error)?;
            samples.push(event);
            let event = map_event(tid, rings.cpu)?;
            share_ring(&event, rings.maps.owner()).map_err(ring_error)?;
            maps.push(event);
        }
        self.sample_events.append(&mut samples);
        self.map_events.append(&mut maps);
        self.names.read(tid);
        Ok(())
    }

    /// The CPU's cycles where it has counters, the CPU clock otherwise; the first event decides for all.
    fn open_sample_event(&mut self, tid: u32, cpu: i32) -> Result<OwnedFd, OpenError> {
        let opened = open_stack_copy_event(tid, cpu, self.event);
        let gone = |e: &io::Error| e.raw_os_error() == Some(libc::ESRCH);
        if self.event.hardware_cycles
            && self.cpus.is_empty()
            && opened.as_ref().is_err_and(|e| !gone(e))
        {
            self.event.hardware_cycles = false;
            return open(|| open_stack_copy_event(tid, cpu, self.event));
        }
        open(|| opened)
    }
}

fn open(open: impl FnOnce() -> io::Result<OwnedFd>) -> Result<OwnedFd, OpenError> {
    open().map_err(|cause| OpenError {
        step: OpenStep::SampleEvent,
        cause,
    })
}

fn map_event(tid: u32, cpu: i32) -> Result<OwnedFd, OpenError> {
    open_map_event(tid, cpu).map_err(|cause| OpenError {
        step: OpenStep::MapEvent,
        cause,
    })
}

fn hold_map_record(record: &[u8], held: &mut Vec<Held>) {
    if let Some(event) = parse_map_event(record) {
        held.push(Held {
            time_ns: event.time_ns,
            record: HeldRecord::Taken(Taken::Happened(event)),
        });
    }
    // The time is the last of the fields that `sample_id_all` adds to each record.
    if let (Some(event), Some(time)) = (parse_name_event(record), record.last_chunk()) {
        held.push(Held {
            time_ns: u64::from_le_bytes(*time),
            record: HeldRecord::Named(event),
        });
    }
}

fn kind_of(record: &[u8]) -> u32 {
    record.first_chunk().map_or(0, |b| u32::from_le_bytes(*b))
}

const _: () = assert!(mem::size_of::<Held>() < 400, "held in numbers");
