//! One recording, from the engine's first message to the end of its input.

use std::cell::RefCell;
use std::io::Write;
use std::os::fd::{AsRawFd, RawFd};
use std::rc::Rc;
use std::time::{Duration, Instant};

use perf_events::event::SampleEvent;
use perf_events::map_event::MapEvent;
use records::layout::USER_FRAMES_MAX;
use records::{
    Counter, FileId, FromSampler, PROTOCOL_VERSION, SamplerError, SamplerStep, Segment, ToSampler,
    period_ns,
};

use crate::allocations::Probes;
use crate::attachment::Attachment;
use crate::bpf::{Bpf, Capacities, Wanted};
use crate::calls::CallProbes;
use crate::catch_up::CatchUp;
use crate::counters::Counters;
use crate::end::{End, errno_of, failed};
use crate::followed::{CpuTime, Standing};
use crate::follower::Follower;
use crate::inbox::{Inbox, Received};
use crate::input::Input;
use crate::kernel_symbols::KernelSymbols;
use crate::looks::Watch;
use crate::mappings::{BpfFileRows, FileRows};
use crate::outbox::Outbox;
use crate::reported_allocations::ReportProbes;
use crate::sampled_events::{Faults, SyscallProbes};
use crate::samples::Records;
use crate::seccomp::Later;
use crate::tables::Tables;
use crate::waits::LastLook;
use crate::wakers::Wakers;
use crate::{privilege, recordings, seccomp, start_up};

mod forwarding;
mod loading;
mod messages;
mod sampled;

use loading::{Loaded, load};

/// Bounds on what the engine may ask for: 64 Mi rows are 256 MiB, twenty times what clang with LLVM needs.
const ROWS_MAX: u32 = 64 << 20;
const PAGES_MAX: u32 = 16 << 20;
const HZ_MAX: u32 = 10_000;
const MAPPINGS_TOLD_MAX: u32 = 4 << 20;

/// How long samples and mapping events may wait in their rings.
const LOOK_EVERY: Duration = Duration::from_millis(50);
const COUNTS_EVERY: Duration = Duration::from_millis(250);

pub fn run(out: &mut Outbox) -> Result<(), End> {
    let protocol_error = |_| End::Failed(SamplerStep::Protocol, 0, 0);
    let mut inbox = Inbox::default();
    let mut input = Input::default();
    let hello = loop {
        match inbox.next_message().map_err(protocol_error)? {
            Received::Message(message) => break message,
            Received::Nothing => inbox.fill(&mut input)?,
            Received::End => return Ok(()),
        }
    };
    let ToSampler::Hello {
        version,
        sample_hz,
        kernel_stacks,
        user_frames,
        row_capacity,
        page_capacity,
        stack_copies,
        timers,
        waits,
        allocations,
        calls,
        latency,
        faults,
        syscalls,
        counters,
        allocation_places,
        wakeups,
    } = hello
    else {
        return Err(End::Failed(SamplerStep::Protocol, 0, 0));
    };
    FromSampler::Hello {
        version: PROTOCOL_VERSION,
    }
    .write(out)?;
    out.flush()?;
    let in_bounds = (1..=HZ_MAX).contains(&sample_hz)
        && (1..=USER_FRAMES_MAX as u32).contains(&user_frames)
        && row_capacity <= ROWS_MAX
        && page_capacity <= PAGES_MAX;
    if version != PROTOCOL_VERSION || !in_bounds {
        return Err(End::Failed(SamplerStep::Protocol, 0, 0));
    }
    let invoker = start_up::invoker();
    if invoker != 0 && recordings::is_one_too_many(invoker) {
        return Err(End::Failed(SamplerStep::TooManyRecordings, 0, 0));
    }
    let wanted = Wanted {
        capacities: Capacities {
            rows: row_capacity,
            pages: page_capacity,
        },
        user_frames,
        cpu_sample_ns: period_ns(sample_hz),
        stack_copies,
        waits,
        allocations,
        calls,
        latency,
        faults,
        syscalls,
        counters,
        counted_walks: sample_hz.saturating_mul(2).max(1000),
        allocation_places,
        wakeups: wakeups && waits,
    };
    let Loaded {
        bpf,
        waits,
        no_sampled_events,
        no_wakeups,
    } = load(wanted, invoker)?;
    let no_syscalls = no_sampled_events.filter(|_| syscalls);
    let mut session = Session {
        invoker,
        started: false,
        mappings_told: 0,
        input,
        bpf,
        probes: None,
        calls_wanted: calls,
        sample_hz,
        counters_announced: counters,
        counters: Counters::default(),
        call_probes: CallProbes::new(latency),
        reports_wanted: allocation_places,
        report_probes: ReportProbes::default(),
        attachment: Attachment::new(
            SampleEvent {
                sample_hz,
                kernel_stacks,
                hardware_cycles: true,
            },
            timers,
            waits,
            Faults::new(faults, no_sampled_events),
        ),
        syscalls_wanted: syscalls && no_syscalls.is_none(),
        syscall_probes: None,
        no_syscalls,
        wakers: Wakers::new(wanted.wakeups, no_wakeups),
        faults_counted: 0,
        syscalls_skipped: 0,
        cpu_time: None,
        last_look: None,
        follower: Follower::default(),
        tables: Tables::new(),
        catch_up: CatchUp::new(),
        later_map_events: Vec::new(),
        sync_asked: false,
        kernel_symbols: KernelSymbols::default(),
    };
    session.serve(&mut inbox, out)
}

pub(crate) struct Session {
    /// Whose programs may be sampled; 0: everybody's.
    pub(crate) invoker: u32,
    /// Sampling has begun: nothing but probes of programs that begin can be attached any more.
    started: bool,
    mappings_told: u32,
    input: Input,
    pub(crate) bpf: Bpf,
    pub(crate) attachment: Attachment,
    /// If allocations are wanted.
    probes: Option<Probes>,
    calls_wanted: bool,
    sample_hz: u32,
    counters_announced: u32,
    pub(crate) counters: Counters,
    call_probes: CallProbes,
    reports_wanted: bool,
    report_probes: ReportProbes,
    syscalls_wanted: bool,
    syscall_probes: Option<SyscallProbes>,
    no_syscalls: Option<SamplerError>,
    wakers: Wakers,
    /// Page faults that the kernel has counted, once sampling has ended.
    faults_counted: u64,
    /// System calls that it has let no program see, once sampling has ended.
    syscalls_skipped: u64,
    /// Since sampling began.
    cpu_time: Option<CpuTime>,
    /// If waits are wanted, since sampling began.
    last_look: Option<LastLook>,
    pub(crate) follower: Follower,
    tables: Tables,
    catch_up: CatchUp,
    later_map_events: Vec<MapEvent>,
    sync_asked: bool,
    kernel_symbols: KernelSymbols,
}

impl Session {
    fn serve(&mut self, inbox: &mut Inbox, out: &mut Outbox) -> Result<(), End> {
        let samples = Rc::new(RefCell::new(Records::default()));
        let sink = Rc::clone(&samples);
        let ring = self
            .bpf
            .sample_ring(move |bytes| sink.borrow_mut().push(bytes))
            .map_err(|e| End::Failed(SamplerStep::MapRing, errno_of(&e), 0))?;
        let mut counted = Instant::now();
        let mut looked = Instant::now();
        let mut stop = false;
        while !stop {
            let is_due = self.wait_for_input_or_events(inbox, out, ring.epoll_fd())?;
            loop {
                match inbox.next_message() {
                    Ok(Received::Message(ToSampler::Stop)) | Ok(Received::End) => stop = true,
                    Ok(Received::Message(message)) => {
                        self.handle(message, out)?;
                        continue;
                    }
                    Ok(Received::Nothing) => {}
                    Err(_) => return Err(End::Failed(SamplerStep::Protocol, 0, 0)),
                }
                break;
            }
            if stop {
                self.attachment.stop();
                self.counters.stop();
                self.probes = None;
                self.call_probes.detach();
                self.report_probes.detach();
                self.wakers.detach();
                self.end_sampled_events();
                if let Some(last_look) = self.last_look.take() {
                    self.bpf.end_open_waits(last_look, monotonic_ns());
                }
            } else if out.is_full() {
                out.flush()?;
                continue;
            }
            // The engine tells of many libraries that are loaded one after the other; each look costs system calls.
            if !(stop || is_due || self.sync_asked || looked.elapsed() >= LOOK_EVERY) {
                continue;
            }
            looked = Instant::now();
            // Samples first: a mapping that one of them needs was reported before it was taken.
            let _ = ring.consume();
            // The ring's descriptor stays readable until it is asked, even when it has been emptied.
            let _ = ring.poll(Duration::ZERO);
            self.forward_map_events(out)?;
            // Before the samples that need it.
            let (bpf, follower) = (&mut self.bpf, &mut self.follower);
            (self.catch_up).ask(bpf, follower, monotonic_ns(), stop, out)?;
            let mut samples = samples.borrow_mut();
            for bytes in samples.iter() {
                self.forward_sample(bytes, out)?;
            }
            samples.clear();
            for message in self.follower.exits.drain(..) {
                message.write(out)?;
            }
            if stop || counted.elapsed() >= COUNTS_EVERY {
                counted = Instant::now();
                FromSampler::Counts {
                    counters: self.counters(),
                    lost_mapping_records: self.follower.lost_records,
                }
                .write(out)?;
                if let Some(price) = self.call_probes.take_price() {
                    FromSampler::CallPrice(price).write(out)?;
                }
                let totals = self.call_probes.news();
                FromSampler::Calls { totals }.write(out)?;
                for times in self.call_probes.news_of_times(monotonic_ns()) {
                    FromSampler::CallTimes(times).write(out)?;
                }
            }
            if std::mem::take(&mut self.sync_asked) {
                FromSampler::Synced.write(out)?;
            }
            out.flush()?;
        }
        if self.call_probes.is_wanted() {
            let calls = self.bpf.calls_of_threads();
            FromSampler::CallsOfThreads { calls }.write(out)?;
        }
        if self.counters.is_wanted() {
            let totals = self.counters.totals(&self.bpf);
            FromSampler::Counted { totals }.write(out)?;
        }
        if let Some(time) = self.cpu_time.take() {
            let running_ns = self.bpf.end_cpu_time(time).unwrap_or(0);
            FromSampler::Ran { running_ns }.write(out)?;
        }
        FromSampler::Ended.write(out)?;
        Ok(())
    }

    /// Returns after [`LOOK_EVERY`], or earlier when the engine speaks or listens again, a ring fills, or a sample met an
    /// unknown file. False: only because the engine speaks.
    fn wait_for_input_or_events(
        &mut self,
        inbox: &mut Inbox,
        out: &Outbox,
        samples: RawFd,
    ) -> Result<bool, End> {
        let poll_in = |fd| libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        };
        let mut fds = vec![poll_in(self.input.as_raw_fd()), out.pollfd()];
        if !out.is_full() {
            fds.push(poll_in(samples));
            fds.extend(self.attachment.descriptors().map(poll_in));
        }
        let timeout = if !self.later_map_events.is_empty() {
            1
        } else if self.attachment.is_empty() {
            1000
        } else {
            LOOK_EVERY.as_millis()
        };
        // SAFETY: fds is a live array of the length that is passed.
        let ready = unsafe { libc::poll(fds.as_mut_ptr(), fds.len() as _, timeout as i32) };
        if ready > 0 && fds[0].revents != 0 {
            inbox.fill(&mut self.input)?;
        }
        let speaks_only = fds[0].revents != 0 && fds[1..].iter().all(|fd| fd.revents == 0);
        Ok(!speaks_only || !self.later_map_events.is_empty())
    }

    /// Keeps what a client can make us remember within bounds.
    fn count_told(&mut self, count: usize) -> Result<(), End> {
        self.mappings_told = self.mappings_told.saturating_add(1 + count as u32);
        if self.mappings_told > MAPPINGS_TOLD_MAX {
            return Err(End::Failed(SamplerStep::Protocol, 0, 0));
        }
        Ok(())
    }

    fn add_file(
        &mut self,
        id: FileId,
        first_page: u32,
        base_page: u32,
        page_count: u32,
        segments: Vec<Segment>,
    ) {
        let rows = FileRows {
            first_page,
            page_count,
            base_page,
            segments,
        };
        self.bpf.set_file_rows(id, &BpfFileRows::of(&rows));
        self.follower.add_file(id, rows);
    }

    /// Of the process that the engine has told of last.
    fn apply_read(&mut self) -> Result<(), End> {
        match self.catch_up.apply(&mut self.bpf, &mut self.follower) {
            0 => Ok(()),
            new => self.count_told(new),
        }
    }

    fn start(&mut self, out: &mut impl Write) -> Result<(), End> {
        if self.attachment.is_empty() || self.follower.is_empty() {
            return Err(End::Failed(SamplerStep::OpenSampleEvent, libc::ESRCH, 0));
        }
        let counting = self.bpf.begin_cpu_time();
        self.cpu_time = Some(counting.map_err(|e| failed(SamplerStep::AttachBpf, &e))?);
        if self.attachment.sees_waits() {
            let prepared = self.bpf.prepare_last_look();
            self.last_look = Some(prepared.map_err(|e| failed(SamplerStep::AttachBpf, &e))?);
        }
        self.call_probes.begin();
        if self.syscalls_wanted {
            match self.bpf.attach_syscalls() {
                Ok(probes) => self.syscall_probes = Some(probes),
                Err(error) => self.no_syscalls = Some(error),
            }
        }
        if self.attachment.sees_waits() {
            self.wakers.attach(&self.bpf);
        }
        self.attachment.start()?;
        self.counters.start()?;
        self.started = true;
        let later = match self.reports_wanted {
            true => Later::Probes,
            false => {
                self.input.refuse_files();
                Later::Nothing
            }
        };
        self.bpf.counters(); // libbpf asks once how many CPUs there are: that opens a file
        privilege::drop_all()
            .and_then(|()| seccomp::allow_only_serving(later))
            .map_err(|e| failed(SamplerStep::GiveUpRights, &e))?;
        FromSampler::Ready {
            hardware_cycles: self.attachment.hardware_cycles(),
            per_cpu: self.attachment.is_per_cpu(),
            no_waits: self.attachment.no_waits(),
            no_faults: self.attachment.faults.refused,
            no_syscalls: self.no_syscalls,
            no_wakeups: self.wakers.refused,
        }
        .write(out)?;
        Ok(())
    }
}

impl Watch for Bpf {
    fn look_at(&mut self, pid: u32) -> Option<Standing> {
        Bpf::look_at(self, pid)
    }

    fn unfollow(&mut self, pid: u32) {
        Bpf::unfollow(self, pid);
    }
}

fn monotonic_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: now is a valid place for the result.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

const _: () = assert!(Counter::ALL.len() == 21);
