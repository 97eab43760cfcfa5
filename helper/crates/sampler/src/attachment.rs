//! The kernel events of a recording: one that takes samples for each thread that was named, and one on each CPU that
//! reports mappings, forks, execs and exits.

use std::os::fd::{OwnedFd, RawFd};

use perf_events::event::{self, SampleEvent};
use perf_events::map_event::{DATA_PAGES, MapEvent, MapRing};
use records::SamplerStep;

use crate::bpf::Bpf;
use crate::end::{End, errno_of, failed};

/// A quarter of a ring. Nobody waits for a record: the BPF program sees what is mapped in the kernel's own tree, and a
/// wake-up for each would cost the process that maps some microseconds.
const WAKEUP_BYTES: u32 = 64 << 10;

/// root may lock as much memory as it likes: 4 MiB, so that a busy machine loses nothing either.
const ROOTS_DATA_PAGES: usize = 1024;

pub struct Attachment {
    event: SampleEvent,
    samples: Vec<OwnedFd>,
    /// Of threads that ended while they were attached to, so that it could be others that have their numbers: never
    /// enabled.
    discarded: Vec<OwnedFd>,
    rings: Vec<MapRing>,
}

impl Attachment {
    pub fn new(event: SampleEvent) -> Attachment {
        Attachment {
            event,
            samples: Vec::new(),
            discarded: Vec::new(),
            rings: Vec::new(),
        }
    }

    pub fn hardware_cycles(&self) -> bool {
        self.event.hardware_cycles
    }

    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Begins to listen to what happens to address spaces. To be done before anything is attached, so that no thread
    /// can start another unseen.
    pub fn listen(&mut self, invoker: u32) -> Result<(), End> {
        if !self.rings.is_empty() {
            return Ok(());
        }
        raise_descriptor_limit();
        let data_pages = match invoker {
            0 => ROOTS_DATA_PAGES,
            _ => DATA_PAGES,
        };
        // SAFETY: sysconf has no preconditions.
        let cpus = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_CONF) } as i32;
        for cpu in 0..cpus {
            match event::open_map_event_of_cpu(cpu, WAKEUP_BYTES) {
                Ok(event) => {
                    let ring = MapRing::new(event, data_pages)
                        .map_err(|e| failed(SamplerStep::MapRing, &e))?;
                    self.rings.push(ring);
                }
                Err(e) if e.raw_os_error() == Some(libc::ENODEV) => {} // the CPU is offline
                Err(e) => return Err(failed(SamplerStep::OpenMapEvent, &e)),
            }
        }
        Ok(())
    }

    /// Samples this thread and all that it will start, from [`Attachment::start`] on.
    pub fn attach(&mut self, bpf: &mut Bpf, tid: u32) -> Result<(), End> {
        let event = self.open_sample_event(tid)?;
        bpf.attach(&event)
            .map_err(|e| End::Failed(SamplerStep::AttachBpf, errno_of(&e), 0))?;
        self.samples.push(event);
        Ok(())
    }

    /// Takes the last attached thread back.
    pub fn discard_last(&mut self) {
        self.discarded.extend(self.samples.pop());
    }

    /// Hardware cycles where the machine has counters, the CPU clock otherwise; the first thread decides for all.
    fn open_sample_event(&mut self, tid: u32) -> Result<OwnedFd, End> {
        match event::open_sample_event(tid, self.event) {
            Err(e)
                if self.event.hardware_cycles
                    && self.samples.is_empty()
                    && e.raw_os_error() != Some(libc::ESRCH) =>
            {
                self.event.hardware_cycles = false;
                event::open_sample_event(tid, self.event)
            }
            other => other,
        }
        .map_err(|e| failed(SamplerStep::OpenSampleEvent, &e))
    }

    pub fn start(&self) -> Result<(), End> {
        self.samples
            .iter()
            .try_for_each(event::enable)
            .map_err(|e| failed(SamplerStep::AttachBpf, &e))
    }

    pub fn stop(&self) {
        for event in &self.samples {
            let _ = event::disable(event);
        }
    }

    /// For how long all sampled threads have run, in ns.
    pub fn running_ns(&self) -> u64 {
        let each = self
            .samples
            .iter()
            .filter_map(|e| event::running_ns(e).ok());
        each.fold(0, u64::saturating_add)
    }

    pub fn drain(&mut self, events: &mut Vec<MapEvent>) {
        for ring in &mut self.rings {
            ring.drain(events);
        }
    }

    /// Readable when an address space has changed.
    pub fn descriptors(&self) -> impl Iterator<Item = RawFd> {
        self.rings.iter().map(MapRing::raw_fd)
    }
}

/// Attaching takes two descriptors for each thread.
fn raise_descriptor_limit() {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: limit is a valid structure for both calls; a failure leaves the old limit in force.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
    }
}
