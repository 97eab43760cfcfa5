//! Engine → sampler: what to sample, and the rows to unwind with.

use std::io::{self, Write};
use std::ops::Range;

use crate::allocation_places::AllocationPlace;
use crate::bytes::{Body, Fields, MessageError, write_message};
use crate::calls::CallPlace;
use crate::counters::CounterRequest;
use crate::layout::Timers;
use crate::mapping::{FileId, Mapping, parse_file_id, parse_mapping, put_file_id, put_mapping};
use crate::{MESSAGE_BYTES_MAX, Rule};

/// An executable segment of a file: where its bytes lie in the file and in the ELF's own address space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    pub file_offset: u64,
    pub size: u64,
    pub vaddr: u64,
}

impl Segment {
    /// Where in the file what is mapped of it begins and ends: at borders of pages, so the rest of its first and last page
    /// is mapped, too. `page_bytes`: of the kernel that maps it.
    pub fn mapped_part(&self, page_bytes: u64) -> Range<u64> {
        let end = self.file_offset.saturating_add(self.size);
        let end = end.saturating_add(page_bytes - 1);
        self.file_offset & !(page_bytes - 1)..end & !(page_bytes - 1)
    }
}

/// The vaddr of what lies at `file_offset`, if code does, as mapped with pages of `page_bytes`. Any segments are taken: a file
/// may claim what it likes.
pub fn vaddr_of_offset(segments: &[Segment], file_offset: u64, page_bytes: u64) -> Option<u64> {
    let covers = |s: &&Segment| s.mapped_part(page_bytes).contains(&file_offset);
    let segment = segments.iter().find(covers)?;
    Some(
        segment
            .vaddr
            .wrapping_sub(segment.file_offset)
            .wrapping_add(file_offset),
    )
}

/// A thread and the process that it belongs to, by their numbers in the PID namespace that sampler and engine share, as every
/// pid and tid of this protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId {
    pub pid: u32,
    pub tid: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ToSampler {
    /// First message. Capacities are the sizes of the maps that will hold the unwind rows.
    Hello {
        version: u32,
        sample_hz: u32,
        kernel_stacks: bool,
        /// A deeper user stack keeps its leaf side.
        user_frames: u32,
        row_capacity: u32,
        page_capacity: u32,
        /// Of stacks whose rows are not there yet; only of processes that the engine has started.
        stack_copies: bool,
        timers: Timers,
        /// Waiting time, too.
        waits: bool,
        /// Allocations, too: [`ToSampler::Allocations`] follows.
        allocations: bool,
        /// Calls of functions, too: [`ToSampler::Calls`] follows.
        calls: bool,
        /// And how long each takes.
        latency: bool,
        /// Page faults, too.
        faults: bool,
        /// System calls, too: those of the whole machine become slower.
        syscalls: bool,
        /// So many counters of events, too: [`ToSampler::Counters`] follows.
        counters: u32,
        /// Allocations that programs report themselves, too: [`ToSampler::AllocationPlaces`] and [`ToSampler::ProgramPlaces`] may follow.
        allocation_places: bool,
        /// Who ended each wait, too: wake-ups of the whole machine become slower.
        wakeups: bool,
    },
    /// Which events are counted. Before [`ToSampler::Attach`].
    Counters { events: Vec<CounterRequest> },
    Rules {
        first: u32,
        rules: Vec<[u8; Rule::BYTES]>,
    },
    /// A row: offset in its page (low 16 bits), rule (high 16 bits).
    Rows { first: u32, rows: Vec<u32> },
    /// A page: first row (low 32 bits), number of rows (high 32 bits).
    Pages { first: u32, pages: Vec<u64> },
    /// The rows of a file are complete: use them for its mappings, also those already reported.
    File {
        id: FileId,
        first_page: u32,
        /// vaddr >> PAGE_SHIFT of the first page.
        base_page: u32,
        page_count: u32,
        segments: Vec<Segment>,
    },
    /// Of a process that was attached to; of any other it is ignored.
    Mapping { pid: u32, mapping: Mapping },
    /// Sample these threads and what they will start. May come several times before [`ToSampler::Start`]; a thread that is
    /// sampled already is left out. With timers of CPUs, the whole processes are sampled, the engine's own apart: of that
    /// one, the first thread that is named.
    Attach { threads: Vec<ThreadId> },
    /// Where the preloaded library calls the probes: offsets in the file that comes with the first byte of this message
    /// (unix(7), `SCM_RIGHTS`), open for reading.
    Allocations { allocated: u64, freed: u64 },
    /// Where calls are counted, and end, in the file that comes with the first byte of this message, open for reading. After
    /// [`ToSampler::Attach`], once for each file or, of more than [`CallPlace::PER_MESSAGE`] places, several times. A file that is not the user's own has probes in the attached processes only.
    Calls { places: Vec<CallPlace> },
    /// Where the program that was launched reports its allocations, in the file that comes with the first byte of this message, open
    /// for reading. After [`ToSampler::Attach`]. A file that is not the user's own has probes in the attached processes only.
    AllocationPlaces { places: Vec<AllocationPlace> },
    /// The same of a program that this process executes, which the target has started; the file comes with the first byte, too. Also
    /// after [`ToSampler::Start`]. Answered by [`FromSampler::ProgramPlaced`](crate::FromSampler::ProgramPlaced).
    ProgramPlaces {
        pid: u32,
        places: Vec<AllocationPlace>,
    },
    /// Begin to sample. The sampler gives up its rights here: only [`ToSampler::ProgramPlaces`] can be attached later.
    Start,
    /// Answered by `Synced` once all that the kernel reported before has been applied and passed on.
    Sync,
    /// What `/proc` said of a process at `read_ns` (CLOCK_MONOTONIC), after [`FromSampler::Missed`](crate::FromSampler::Missed):
    /// its threads, followed by its mappings. No threads: it has ended. Ignored when it is not followed, or has executed
    /// another program since.
    Read {
        pid: u32,
        read_ns: u64,
        threads: Vec<u32>,
    },
    /// All that the sampler had asked about was read.
    CaughtUp,
    /// Stop sampling, send what is left and end.
    Stop,
}

const HELLO: u32 = 1;
const RULES: u32 = 2;
const ROWS: u32 = 3;
const PAGES: u32 = 4;
const FILE: u32 = 5;
const MAPPING: u32 = 6;
const ATTACH: u32 = 7;
const STOP: u32 = 8;
const START: u32 = 9;
const SYNC: u32 = 10;
const READ: u32 = 11;
const CAUGHT_UP: u32 = 12;
const ALLOCATIONS: u32 = 13;
const CALLS: u32 = 14;
const COUNTERS: u32 = 15;
const ALLOCATION_PLACES: u32 = 16;
const PROGRAM_PLACES: u32 = 17;

/// Room for elements in one message beside its other fields.
const ELEMENT_BYTES_MAX: usize = MESSAGE_BYTES_MAX - 64;

impl ToSampler {
    /// Writes the message; long lists of rows, pages, rules and threads are split over several messages.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Hello {
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
            } => {
                let body = Body::default()
                    .u32(*version)
                    .u32(*sample_hz)
                    .u32(u32::from(*kernel_stacks))
                    .u32(*user_frames)
                    .u32(*row_capacity)
                    .u32(*page_capacity)
                    .u32(u32::from(*stack_copies))
                    .u32(*timers as u32)
                    .u32(u32::from(*waits))
                    .u32(u32::from(*allocations))
                    .u32(u32::from(*calls))
                    .u32(u32::from(*latency))
                    .u32(u32::from(*faults))
                    .u32(u32::from(*syscalls))
                    .u32(*counters)
                    .u32(u32::from(*allocation_places))
                    .u32(u32::from(*wakeups));
                write_message(out, HELLO, &body.0)
            }
            Self::Rules { first, rules } => write_split(out, RULES, *first, rules, |r| *r),
            Self::Rows { first, rows } => write_split(out, ROWS, *first, rows, |r| r.to_le_bytes()),
            Self::Pages { first, pages } => {
                write_split(out, PAGES, *first, pages, |p| p.to_le_bytes())
            }
            Self::File {
                id,
                first_page,
                base_page,
                page_count,
                segments,
            } => {
                let mut body = put_file_id(Body::default(), *id)
                    .u32(*first_page)
                    .u32(*base_page)
                    .u32(*page_count);
                for s in segments.iter().take(ELEMENT_BYTES_MAX / 24) {
                    body = body.u64(s.file_offset).u64(s.size).u64(s.vaddr);
                }
                write_message(out, FILE, &body.0)
            }
            Self::Mapping { pid, mapping } => {
                let body = put_mapping(Body::default().u32(*pid), mapping);
                write_message(out, MAPPING, &body.0)
            }
            Self::Attach { threads } => {
                for part in threads.chunks(ELEMENT_BYTES_MAX / 8) {
                    let body = (part.iter()).fold(Body::default(), |b, t| b.u32(t.pid).u32(t.tid));
                    write_message(out, ATTACH, &body.0)?;
                }
                Ok(())
            }
            Self::Allocations { allocated, freed } => {
                let body = Body::default().u64(*allocated).u64(*freed);
                write_message(out, ALLOCATIONS, &body.0)
            }
            Self::Calls { places } => {
                let places = places.iter().take(CallPlace::PER_MESSAGE);
                let body = places.fold(Body::default(), |body, place| place.put(body));
                write_message(out, CALLS, &body.0)
            }
            Self::Counters { events } => {
                let body = events.iter().fold(Body::default(), |b, of| of.put(b));
                write_message(out, COUNTERS, &body.0)
            }
            Self::AllocationPlaces { places } => {
                let body = put_places(Body::default(), places);
                write_message(out, ALLOCATION_PLACES, &body.0)
            }
            Self::ProgramPlaces { pid, places } => {
                let body = put_places(Body::default().u32(*pid), places);
                write_message(out, PROGRAM_PLACES, &body.0)
            }
            Self::Start => write_message(out, START, &[]),
            Self::Sync => write_message(out, SYNC, &[]),
            Self::Read {
                pid,
                read_ns,
                threads,
            } => {
                let body = Body::default().u32(*pid).u64(*read_ns);
                let threads = threads.iter().take(ELEMENT_BYTES_MAX / 4);
                write_message(out, READ, &threads.fold(body, |b, tid| b.u32(*tid)).0)
            }
            Self::CaughtUp => write_message(out, CAUGHT_UP, &[]),
            Self::Stop => write_message(out, STOP, &[]),
        }
    }

    /// # Errors
    /// An unknown kind, or a body that its kind does not allow.
    pub fn parse(kind: u32, body: &[u8]) -> Result<ToSampler, MessageError> {
        let mut f = Fields(body);
        let message = match kind {
            HELLO => (|| {
                Some(Self::Hello {
                    version: f.u32()?,
                    sample_hz: f.u32()?,
                    kernel_stacks: f.u32()? != 0,
                    user_frames: f.u32()?,
                    row_capacity: f.u32()?,
                    page_capacity: f.u32()?,
                    stack_copies: f.u32()? != 0,
                    timers: Timers::from_code(f.u32()?)?,
                    waits: f.u32()? != 0,
                    allocations: f.u32()? != 0,
                    calls: f.u32()? != 0,
                    latency: f.u32()? != 0,
                    faults: f.u32()? != 0,
                    syscalls: f.u32()? != 0,
                    counters: f.u32()?,
                    allocation_places: f.u32()? != 0,
                    wakeups: f.u32()? != 0,
                })
                .filter(|_| f.0.is_empty())
            })(),
            RULES => parse_list(&mut f, |f| f.bytes(Rule::BYTES)?.try_into().ok())
                .filter(|(_, rules)| rules.iter().all(|r| Rule::check_bytes(r).is_some()))
                .map(|(first, rules)| Self::Rules { first, rules }),
            ROWS => parse_list(&mut f, |f| f.u32()).map(|(first, rows)| Self::Rows { first, rows }),
            PAGES => {
                parse_list(&mut f, |f| f.u64()).map(|(first, pages)| Self::Pages { first, pages })
            }
            FILE => (|| {
                let id = parse_file_id(&mut f)?;
                let (first_page, base_page, page_count) = (f.u32()?, f.u32()?, f.u32()?);
                let mut segments = Vec::new();
                while !f.0.is_empty() {
                    segments.push(Segment {
                        file_offset: f.u64()?,
                        size: f.u64()?,
                        vaddr: f.u64()?,
                    });
                }
                Some(Self::File {
                    id,
                    first_page,
                    base_page,
                    page_count,
                    segments,
                })
            })(),
            MAPPING => (|| {
                let pid = f.u32()?;
                let mapping = parse_mapping(&mut f)?;
                Some(Self::Mapping { pid, mapping }).filter(|_| f.0.is_empty())
            })(),
            ATTACH => (|| {
                let mut threads = Vec::new();
                while !f.0.is_empty() {
                    let (pid, tid) = (f.u32()?, f.u32()?);
                    threads.push(ThreadId { pid, tid });
                }
                Some(Self::Attach { threads })
            })(),
            ALLOCATIONS => (|| {
                let (allocated, freed) = (f.u64()?, f.u64()?);
                f.end().map(|()| Self::Allocations { allocated, freed })
            })(),
            CALLS => CallPlace::parse_all(&mut f).map(|places| Self::Calls { places }),
            COUNTERS => CounterRequest::parse_all(&mut f).map(|events| Self::Counters { events }),
            ALLOCATION_PLACES => {
                AllocationPlace::parse_all(&mut f).map(|places| Self::AllocationPlaces { places })
            }
            PROGRAM_PLACES => (|| {
                let pid = f.u32()?;
                let places = AllocationPlace::parse_all(&mut f)?;
                Some(Self::ProgramPlaces { pid, places })
            })(),
            START => f.end().map(|()| Self::Start),
            SYNC => f.end().map(|()| Self::Sync),
            READ => (|| {
                let (pid, read_ns) = (f.u32()?, f.u64()?);
                let mut threads = Vec::new();
                while !f.0.is_empty() {
                    threads.push(f.u32()?);
                }
                Some(Self::Read {
                    pid,
                    read_ns,
                    threads,
                })
            })(),
            CAUGHT_UP => f.end().map(|()| Self::CaughtUp),
            STOP => f.end().map(|()| Self::Stop),
            _ => return Err(MessageError::UnknownKind(kind)),
        };
        message.ok_or(MessageError::BadBody { kind })
    }
}

fn put_places(body: Body, places: &[AllocationPlace]) -> Body {
    let places = places
        .iter()
        .take(ELEMENT_BYTES_MAX / AllocationPlace::BYTES);
    places.fold(body, |body, place| place.put(body))
}

fn write_split<T, const N: usize>(
    out: &mut impl Write,
    kind: u32,
    first: u32,
    elements: &[T],
    to_bytes: impl Fn(&T) -> [u8; N],
) -> io::Result<()> {
    let per_message = ELEMENT_BYTES_MAX / N;
    for (part, chunk) in elements.chunks(per_message).enumerate() {
        let mut body = Body::default().u32(first + (part * per_message) as u32).0;
        let head = body.len();
        // A library has a million rows: no growing for each.
        body.resize(head + N * chunk.len(), 0);
        for (bytes, element) in body[head..].chunks_exact_mut(N).zip(chunk) {
            bytes.copy_from_slice(&to_bytes(element));
        }
        write_message(out, kind, &body)?;
    }
    Ok(())
}

fn parse_list<T>(
    f: &mut Fields<'_>,
    element: impl Fn(&mut Fields<'_>) -> Option<T>,
) -> Option<(u32, Vec<T>)> {
    let first = f.u32()?;
    let mut list = Vec::with_capacity(f.0.len() / size_of::<T>());
    while !f.0.is_empty() {
        list.push(element(f)?);
    }
    Some((first, list))
}

#[cfg(test)]
mod tests;
