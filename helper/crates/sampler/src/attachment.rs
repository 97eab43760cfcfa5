//! The kernel events of a recording: those that take samples, one on each CPU or one for each thread that was named, and one
//! on each CPU that reports mappings, forks, execs and exits.

use std::os::fd::{OwnedFd, RawFd};

use perf_events::event::{self, SampleEvent};
use perf_events::map_event::{DATA_PAGES, MapEvent, MapRing};
use records::layout::Timers;
use records::{SamplerError, SamplerStep};

use crate::bpf::{Bpf, Reports};
use crate::end::{End, errno_of, failed};
use crate::sampled_events::Faults;

/// A quarter of a ring. Nobody waits for a record: the BPF program sees what is mapped in the kernel's own tree, and a
/// wake-up for each would cost the process that maps some microseconds.
const WAKEUP_BYTES: u32 = 64 << 10;

/// root may lock as much memory as it likes: 4 MiB, so that a busy machine loses nothing either.
const ROOTS_DATA_PAGES: usize = 1024;

/// Waiting time: each thread has an event of its own for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Waits {
    Unwanted,
    Seen,
    /// They were wanted, and the kernel does not do it.
    Refused(SamplerError),
}

pub struct Attachment {
    event: SampleEvent,
    timers: Timers,
    /// Whether samples are taken on CPUs; known once something is attached.
    per_cpu: bool,
    samples: Vec<OwnedFd>,
    waits: Waits,
    switches: Vec<OwnedFd>,
    pub faults: Faults,
    /// Of threads that ended while they were attached to, so that it could be others that have their numbers: never
    /// enabled.
    discarded: Vec<OwnedFd>,
    rings: Vec<MapRing>,
}

impl Attachment {
    pub fn new(event: SampleEvent, timers: Timers, waits: Waits, faults: Faults) -> Attachment {
        Attachment {
            event,
            timers,
            per_cpu: false,
            samples: Vec::new(),
            waits,
            switches: Vec::new(),
            faults,
            discarded: Vec::new(),
            rings: Vec::new(),
        }
    }

    pub fn hardware_cycles(&self) -> bool {
        self.event.hardware_cycles
    }

    /// Timers take the samples, whatever the CPU can count. To be said before anything is attached.
    pub fn leave_hardware_alone(&mut self) {
        self.event.hardware_cycles = false;
    }

    pub fn is_per_cpu(&self) -> bool {
        self.per_cpu
    }

    pub fn sees_waits(&self) -> bool {
        self.waits == Waits::Seen
    }

    pub fn no_waits(&self) -> Option<SamplerError> {
        match self.waits {
            Waits::Refused(error) => Some(error),
            Waits::Unwanted | Waits::Seen => None,
        }
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
        for cpu in 0..configured_cpus() {
            match event::open_map_event_of_cpu(cpu, WAKEUP_BYTES) {
                Ok(event) => {
                    let ring = MapRing::new(event, data_pages)
                        .map_err(|e| failed(SamplerStep::MapRing, &e))?;
                    self.rings.push(ring);
                }
                Err(e) if is_offline(&e) => {}
                Err(e) => return Err(failed(SamplerStep::OpenMapEvent, &e)),
            }
        }
        Ok(())
    }

    /// Opens the events of all CPUs if these are to take the samples; else events are attached thread by thread. `tid`
    /// helps to find out.
    pub fn choose_timers(&mut self, bpf: &mut Bpf, tid: u32) -> Result<(), End> {
        if !self.is_empty() {
            return Ok(());
        }
        self.per_cpu = match self.timers {
            Timers::PerCpu => true,
            Timers::PerThread => false,
            Timers::Best => !self.event.hardware_cycles || !has_hardware_cycles(tid, self.event),
        };
        if !self.per_cpu {
            return Ok(());
        }
        // Counters of CPUs would have to be read with the time that each period took.
        self.event.hardware_cycles = false;
        for cpu in 0..configured_cpus() {
            match event::open_sample_event_of_cpu(cpu, self.event) {
                Ok(event) => self.add(bpf, event)?,
                Err(e) if is_offline(&e) => {}
                Err(e) => return Err(failed(SamplerStep::OpenSampleEvent, &e)),
            }
        }
        Ok(())
    }

    /// By the thread's own event: samples it and all that it will start, from [`Attachment::start`] on.
    pub fn attach(&mut self, bpf: &mut Bpf, tid: u32) -> Result<(), End> {
        let event = self.open_sample_event(tid)?;
        self.add(bpf, event)
    }

    /// Sees the waits of the thread and of all that it will start, if they are wanted, from [`Attachment::start`] on. If the
    /// kernel refuses, no thread's waits are seen: a part of them would be taken for all.
    ///
    /// # Errors
    /// Only ESRCH: there is no such thread.
    pub fn attach_waits(&mut self, bpf: &mut Bpf, tid: u32) -> Result<(), End> {
        if !self.sees_waits() {
            return Ok(());
        }
        let opened = event::open_switch_event(tid)
            .map_err(|e| failed(SamplerStep::OpenSwitchEvent, &e))
            .and_then(|event| {
                bpf.attach(&event, Reports::Switches)
                    .map_err(|e| End::Failed(SamplerStep::OpenSwitchEvent, errno_of(&e), 0))?;
                Ok(event)
            });
        match opened {
            Ok(event) => self.switches.push(event),
            Err(End::Failed(step, errno, pid)) if errno != libc::ESRCH => {
                self.waits = Waits::Refused(SamplerError { step, errno, pid });
                self.discarded.append(&mut self.switches);
            }
            Err(other) => return Err(other),
        }
        Ok(())
    }

    fn add(&mut self, bpf: &mut Bpf, event: OwnedFd) -> Result<(), End> {
        bpf.attach(&event, Reports::Samples)
            .map_err(|e| End::Failed(SamplerStep::AttachBpf, errno_of(&e), 0))?;
        self.samples.push(event);
        Ok(())
    }

    /// Takes the last attached thread back.
    pub fn discard_last(&mut self) {
        self.discarded.extend(self.samples.pop());
    }

    /// The same, of its waits.
    pub fn discard_last_waits(&mut self) {
        self.discarded.extend(self.switches.pop());
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
        self.events()
            .try_for_each(event::enable)
            .map_err(|e| failed(SamplerStep::AttachBpf, &e))
    }

    pub fn stop(&self) {
        for event in self.events() {
            let _ = event::disable(event);
        }
    }

    fn events(&self) -> impl Iterator<Item = &OwnedFd> {
        let own = self.samples.iter().chain(&self.switches);
        own.chain(self.faults.events())
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

fn configured_cpus() -> i32 {
    // SAFETY: sysconf has no preconditions.
    unsafe { libc::sysconf(libc::_SC_NPROCESSORS_CONF) as i32 }
}

fn is_offline(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENODEV)
}

/// A thread that has just ended does not tell: counters are then asked for again, and not found, thread by thread.
fn has_hardware_cycles(tid: u32, event: SampleEvent) -> bool {
    let event = SampleEvent {
        hardware_cycles: true,
        ..event
    };
    match event::open_sample_event(tid, event) {
        Err(e) => e.raw_os_error() == Some(libc::ESRCH),
        Ok(_) => true,
    }
}

/// Attaching takes three descriptors for each thread: event, the link's own of it, and the link.
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
