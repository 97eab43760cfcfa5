//! One recording, from the engine's first message to the end of its input.

use std::cell::RefCell;
use std::io::{self, Write, stdin};
use std::os::fd::{AsRawFd, OwnedFd};
use std::rc::Rc;
use std::time::{Duration, Instant};

use records::layout::{KERNEL_FRAMES_MAX, SAMPLE_HEAD_BYTES, USER_FRAMES_MAX};
use records::{
    Counter, FileId, FromSampler, MappingRecord, PROTOCOL_VERSION, SampleRecord, SamplerStep,
    Segment, StackEnd, ToSampler,
};

use crate::bpf::{Bpf, Capacities};
use crate::inbox::{Inbox, Received};
use crate::kernel_symbols::KernelSymbols;
use crate::mappings::{FileRows, Mapped, Processes};
use crate::perf::{self, SampleEvent};
use crate::ring::{MapEvent, MapEventKind, MapRing};
use crate::tables::Tables;

/// Why a session ended early.
pub enum End {
    Failed(SamplerStep, i32),
    /// The engine does not read any more.
    EngineGone,
}

impl From<io::Error> for End {
    fn from(_: io::Error) -> End {
        End::EngineGone
    }
}

/// Bounds on what the engine may ask for: 64 Mi rows are 256 MiB, twenty times what clang with LLVM needs.
const ROWS_MAX: u32 = 64 << 20;
const PAGES_MAX: u32 = 16 << 20;
const HZ_MAX: u32 = 10_000;

/// How long samples and mapping events may wait in their rings.
const LOOK_EVERY: Duration = Duration::from_millis(20);
const COUNTS_EVERY: Duration = Duration::from_millis(250);

pub fn run(out: &mut impl Write) -> Result<(), End> {
    let protocol_error = |_| End::Failed(SamplerStep::Protocol, 0);
    let mut inbox = Inbox::default();
    let hello = loop {
        match inbox.next_message().map_err(protocol_error)? {
            Received::Message(message) => break message,
            Received::Nothing => inbox.fill(&mut stdin().lock())?,
            Received::End => return Ok(()),
        }
    };
    let ToSampler::Hello {
        version,
        sample_hz,
        kernel_stacks,
        row_capacity,
        page_capacity,
    } = hello
    else {
        return Err(End::Failed(SamplerStep::Protocol, 0));
    };
    FromSampler::Hello {
        version: PROTOCOL_VERSION,
    }
    .write(out)?;
    out.flush()?;
    let in_bounds =
        (1..=HZ_MAX).contains(&sample_hz) && row_capacity <= ROWS_MAX && page_capacity <= PAGES_MAX;
    if version != PROTOCOL_VERSION || !in_bounds {
        return Err(End::Failed(SamplerStep::Protocol, 0));
    }
    let symbols = std::thread::spawn(KernelSymbols::read);
    let bpf = Bpf::load(Capacities {
        rows: row_capacity,
        pages: page_capacity,
    })
    .map_err(|e| End::Failed(SamplerStep::LoadBpf, errno_of(&e)))?;
    let mut session = Session {
        bpf,
        event: SampleEvent {
            sample_hz,
            kernel_stacks,
            hardware_cycles: true,
        },
        processes: Processes::default(),
        tables: Tables::new(),
        sample_events: Vec::new(),
        map_events: Vec::new(),
        rings: Vec::new(),
        lost_mapping_records: 0,
        symbols: Some(symbols),
        kernel_symbols: KernelSymbols::default(),
    };
    session.serve(&mut inbox, out)
}

struct Session {
    bpf: Bpf,
    event: SampleEvent,
    processes: Processes,
    tables: Tables,
    sample_events: Vec<OwnedFd>,
    /// Kept open beside those that own a ring.
    map_events: Vec<OwnedFd>,
    rings: Vec<MapRing>,
    lost_mapping_records: u64,
    symbols: Option<std::thread::JoinHandle<KernelSymbols>>,
    kernel_symbols: KernelSymbols,
}

impl Session {
    fn serve(&mut self, inbox: &mut Inbox, out: &mut impl Write) -> Result<(), End> {
        let samples = Rc::new(RefCell::new(Vec::<Vec<u8>>::new()));
        let sink = Rc::clone(&samples);
        let ring = self
            .bpf
            .sample_ring(move |bytes| sink.borrow_mut().push(bytes.to_vec()))
            .map_err(|e| End::Failed(SamplerStep::MapRing, errno_of(&e)))?;
        let mut counted = Instant::now();
        let mut stop = false;
        while !stop {
            self.wait_for_input_or_events(inbox)?;
            loop {
                match inbox.next_message() {
                    Ok(Received::Message(ToSampler::Stop)) | Ok(Received::End) => stop = true,
                    Ok(Received::Message(message)) => {
                        self.handle(message, out)?;
                        continue;
                    }
                    Ok(Received::Nothing) => {}
                    Err(_) => return Err(End::Failed(SamplerStep::Protocol, 0)),
                }
                break;
            }
            if stop {
                for event in &self.sample_events {
                    let _ = perf::disable(event);
                }
            }
            // Samples first: a mapping that one of them needs was reported before it was taken.
            let _ = ring.consume();
            self.forward_map_events(out)?;
            for bytes in samples.borrow_mut().drain(..) {
                self.forward_sample(&bytes, out)?;
            }
            if stop || counted.elapsed() >= COUNTS_EVERY {
                counted = Instant::now();
                FromSampler::Counts {
                    counters: self.bpf.counters(),
                    lost_mapping_records: self.lost_mapping_records,
                }
                .write(out)?;
            }
            out.flush()?;
        }
        FromSampler::Ended.write(out)?;
        Ok(())
    }

    /// Returns after [`LOOK_EVERY`], or earlier when the engine speaks or an address space changes.
    fn wait_for_input_or_events(&self, inbox: &mut Inbox) -> Result<(), End> {
        let poll_in = |fd| libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        };
        let mut fds = vec![poll_in(stdin().as_raw_fd())];
        fds.extend(self.rings.iter().map(|r| poll_in(r.raw_fd())));
        let timeout = if self.sample_events.is_empty() {
            1000
        } else {
            LOOK_EVERY.as_millis()
        };
        // SAFETY: fds is a live array of the length that is passed.
        let ready = unsafe { libc::poll(fds.as_mut_ptr(), fds.len() as _, timeout as i32) };
        if ready > 0 && fds[0].revents != 0 {
            inbox.fill(&mut stdin().lock())?;
        }
        Ok(())
    }

    fn handle(&mut self, message: ToSampler, out: &mut impl Write) -> Result<(), End> {
        let outside = End::Failed(SamplerStep::Protocol, 0);
        match message {
            ToSampler::Rules { first, rules } => {
                put(self.bpf.rules.elements(), first, &rules).ok_or(outside)
            }
            ToSampler::Rows { first, rows } => {
                put(self.bpf.rows.elements(), first, &rows).ok_or(outside)
            }
            ToSampler::Pages { first, pages } => {
                put(self.bpf.pages.elements(), first, &pages).ok_or(outside)
            }
            ToSampler::File {
                id,
                first_page,
                base_page,
                page_count,
                segments,
            } => {
                self.add_file(id, first_page, base_page, page_count, segments);
                Ok(())
            }
            ToSampler::Mapping(mapping) => {
                self.add_mapping(mapping);
                Ok(())
            }
            ToSampler::Attach { tids } => self.attach(&tids, out),
            ToSampler::Hello { .. } | ToSampler::Stop => Err(outside),
        }
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
        for pid in self.processes.add_file(id, rows) {
            self.tables.publish(&mut self.bpf, &self.processes, pid);
        }
    }

    fn add_mapping(&mut self, m: MappingRecord) {
        let mapped = Mapped {
            start: m.start,
            end: m.start.saturating_add(m.length),
            file_offset: m.file_offset,
            file: m.file,
        };
        if self.processes.map(m.pid, mapped) {
            self.tables.publish(&mut self.bpf, &self.processes, m.pid);
        }
    }

    fn attach(&mut self, tids: &[u32], out: &mut impl Write) -> Result<(), End> {
        raise_descriptor_limit();
        for &tid in tids {
            match self.attach_thread(tid) {
                // A thread that ended meanwhile is no failure as long as another is left.
                Err(End::Failed(_, libc::ESRCH)) if tids.len() > 1 => {}
                other => other?,
            }
        }
        if self.sample_events.is_empty() {
            return Err(End::Failed(SamplerStep::OpenSampleEvent, libc::ESRCH));
        }
        if let Some(symbols) = self.symbols.take() {
            self.kernel_symbols = symbols.join().unwrap_or_default();
        }
        for event in &self.sample_events {
            perf::enable(event).map_err(|e| failed(SamplerStep::AttachBpf, &e))?;
        }
        crate::privilege::drop_all().map_err(|e| failed(SamplerStep::Protocol, &e))?;
        FromSampler::Ready {
            hardware_cycles: self.event.hardware_cycles,
        }
        .write(out)?;
        Ok(())
    }

    fn attach_thread(&mut self, tid: u32) -> Result<(), End> {
        // SAFETY: sysconf has no preconditions.
        let cpus = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_CONF) } as i32;
        let first_thread = self.rings.is_empty();
        for cpu in 0..cpus {
            let event = match perf::open_map_event(tid, cpu) {
                Ok(event) => event,
                Err(e) if e.raw_os_error() == Some(libc::ENODEV) => continue, // CPU is offline
                Err(e) => return Err(failed(SamplerStep::OpenMapEvent, &e)),
            };
            if first_thread {
                let ring = MapRing::new(event).map_err(|e| failed(SamplerStep::MapRing, &e))?;
                self.rings.push(ring);
            } else if let Some(ring) = self.rings.get(cpu as usize) {
                perf::share_ring(&event, ring.owner())
                    .map_err(|e| failed(SamplerStep::MapRing, &e))?;
                self.map_events.push(event);
            }
        }
        let event = self.open_sample_event(tid)?;
        self.bpf
            .attach(&event)
            .map_err(|e| End::Failed(SamplerStep::AttachBpf, errno_of(&e)))?;
        self.sample_events.push(event);
        Ok(())
    }

    /// Hardware cycles where the machine has counters, the CPU clock otherwise; the first thread decides for all.
    fn open_sample_event(&mut self, tid: u32) -> Result<OwnedFd, End> {
        match perf::open_sample_event(tid, self.event) {
            Err(e)
                if self.event.hardware_cycles
                    && self.sample_events.is_empty()
                    && e.raw_os_error() != Some(libc::ESRCH) =>
            {
                self.event.hardware_cycles = false;
                perf::open_sample_event(tid, self.event)
            }
            other => other,
        }
        .map_err(|e| failed(SamplerStep::OpenSampleEvent, &e))
    }

    fn forward_map_events(&mut self, out: &mut impl Write) -> Result<(), End> {
        let mut events = Vec::new();
        for ring in &mut self.rings {
            ring.drain(&mut events);
        }
        events.sort_by_key(|e| e.time_ns);
        for event in events {
            if let Some(message) = self.apply(event) {
                message.write(out)?;
            }
        }
        Ok(())
    }

    /// Keeps the BPF program's view of the process up to date; gives what the engine must know.
    fn apply(&mut self, event: MapEvent) -> Option<FromSampler> {
        let MapEvent { time_ns, pid, kind } = event;
        match kind {
            MapEventKind::Mapped {
                start,
                length,
                file_offset,
                file,
                path,
            } => {
                let file = if path == b"[vdso]" {
                    FileId::VDSO
                } else {
                    file
                };
                self.add_mapping(MappingRecord {
                    pid,
                    start,
                    length,
                    file_offset,
                    file,
                });
                Some(FromSampler::Mapped {
                    time_ns,
                    pid,
                    start,
                    length,
                    file_offset,
                    file,
                    path,
                })
            }
            MapEventKind::Forked { parent_pid } => {
                self.processes.fork(pid, parent_pid);
                if pid == parent_pid {
                    return None;
                }
                self.tables.share(pid, parent_pid);
                Some(FromSampler::Forked {
                    time_ns,
                    pid,
                    parent_pid,
                })
            }
            MapEventKind::Executed => {
                self.processes.execute(pid);
                self.tables.forget(&self.bpf, pid);
                Some(FromSampler::Executed { time_ns, pid })
            }
            MapEventKind::ThreadExited => {
                if self.processes.exit_thread(pid) {
                    self.tables.forget(&self.bpf, pid);
                }
                None
            }
            MapEventKind::Lost { count } => {
                self.lost_mapping_records += count;
                None
            }
        }
    }

    fn forward_sample(&mut self, bytes: &[u8], out: &mut impl Write) -> Result<(), End> {
        let Some((mut sample, kernel)) = parse_sample(bytes) else {
            return Ok(()); // cannot be: the BPF program writes whole samples; the engine sees kept ≠ received
        };
        for (depth, address) in kernel.into_iter().enumerate() {
            // Callers hold return addresses: the call is before them.
            let (id, name) = self.kernel_symbols.id_of(address - u64::from(depth > 0));
            if let Some(name) = name {
                FromSampler::KernelSymbol {
                    id,
                    name: name.as_bytes().to_vec(),
                }
                .write(out)?;
            }
            sample.kernel.push(id);
        }
        FromSampler::Sample(sample).write(out)?;
        Ok(())
    }
}

/// `struct sample_head` and its frames; kernel addresses are given apart from the record that leaves the process.
fn parse_sample(bytes: &[u8]) -> Option<(SampleRecord, Vec<u64>)> {
    let mut f = records::bytes::Fields(bytes);
    let (time_ns, pid, tid) = (f.u64()?, f.u32()?, f.u32()?);
    let (kernel_frames, user_frames) = (f.u16()? as usize, f.u16()? as usize);
    let end = StackEnd::from_code(f.u8()?)?;
    f.bytes(3)?;
    let comm = f.bytes(16)?.try_into().ok()?;
    debug_assert_eq!(bytes.len() - f.0.len(), SAMPLE_HEAD_BYTES);
    let kernel_frames = kernel_frames.min(KERNEL_FRAMES_MAX);
    let kernel = (0..kernel_frames).map(|_| f.u64()).collect::<Option<_>>()?;
    let user = (0..user_frames.min(USER_FRAMES_MAX))
        .map(|_| f.u64())
        .collect::<Option<_>>()?;
    let sample = SampleRecord {
        time_ns,
        pid,
        tid,
        end,
        comm,
        kernel: Vec::with_capacity(kernel_frames),
        user,
    };
    Some((sample, kernel))
}

/// Copies `new` to its place; None when it does not fit.
fn put<T: Copy>(elements: &mut [T], first: u32, new: &[T]) -> Option<()> {
    let end = (first as usize).checked_add(new.len())?;
    elements.get_mut(first as usize..end)?.copy_from_slice(new);
    Some(())
}

fn failed(step: SamplerStep, error: &io::Error) -> End {
    End::Failed(step, error.raw_os_error().unwrap_or(0))
}

fn errno_of(error: &libbpf_rs::Error) -> i32 {
    match error.kind() {
        libbpf_rs::ErrorKind::PermissionDenied => libc::EPERM,
        libbpf_rs::ErrorKind::NotFound => libc::ENOENT,
        _ => io::Error::last_os_error().raw_os_error().unwrap_or(0),
    }
}

/// Attaching to a process takes two descriptors and more for each of its threads.
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

const _: () = assert!(Counter::ALL.len() == 4);
