//! Sampler → engine: samples, what happened to the address spaces, and counts.

use std::io::{self, Write};

use crate::MESSAGE_BYTES_MAX;
use crate::bytes::{Body, Fields, MessageError, write_message};
use crate::calls::{CallPrice, CallTimes, CallsOfThread};
use crate::counters::CounterTotal;
use crate::layout::Counter;
use crate::mapping::{Mapping, parse_mapping, put_mapping};
use crate::sampler_error::SamplerError;
use crate::stack_records::{CopyRecord, RestRecord, SampleRecord, parse_copy, parse_sample};
use crate::wait::WaitEnd;
use crate::worth::Worth;

#[derive(Debug, Clone, PartialEq)]
pub enum FromSampler {
    Hello {
        version: u32,
    },
    /// Sampling has started.
    Ready {
        hardware_cycles: bool,
        /// By a timer on each CPU, not by the threads' own.
        per_cpu: bool,
        /// Waits were asked for, and this is why they are not seen.
        no_waits: Option<SamplerError>,
        /// The same of page faults and of system calls.
        no_faults: Option<SamplerError>,
        no_syscalls: Option<SamplerError>,
        /// The same of who ended waits.
        no_wakeups: Option<SamplerError>,
    },
    Sample(SampleRecord),
    Copy(CopyRecord),
    WaitEnd(WaitEnd),
    /// Events that no sample stands for.
    Rest(RestRecord),
    /// Memory was freed, whose allocation was a sample with this id.
    Freed {
        time_ns: u64,
        pid: u32,
        tid: u32,
        id: u32,
    },
    /// An executable mapping appeared. The path is as the kernel gave it.
    Mapped {
        time_ns: u64,
        pid: u32,
        mapping: Mapping,
        path: Vec<u8>,
    },
    Forked {
        time_ns: u64,
        pid: u32,
        parent_pid: u32,
    },
    /// The process replaced its program: its mappings are gone.
    Executed {
        time_ns: u64,
        pid: u32,
    },
    /// The process's last thread has ended.
    Exited {
        time_ns: u64,
        pid: u32,
    },
    KernelSymbol {
        id: u32,
        name: Vec<u8>,
    },
    /// Totals since the start, in the order of [`Counter::ALL`]; then lost records of mappings.
    Counts {
        counters: [u64; Counter::ALL.len()],
        lost_mapping_records: u64,
    },
    /// Calls of functions since the start; a function that is not named has as many as before.
    Calls {
        /// Number of the function, and calls.
        totals: Vec<(u32, u64)>,
    },
    /// At the end: the same by thread, as far as there was room for threads.
    CallsOfThreads {
        calls: Vec<CallsOfThread>,
    },
    /// At the end: of each counter that was asked for.
    Counted {
        totals: Vec<CounterTotal>,
    },
    /// How long the calls of a function took; when this changes.
    CallTimes(CallTimes),
    /// Before calls are counted, where it could be measured.
    CallPrice(CallPrice),
    /// For how long the sampled threads have run, by the kernel's own count: what samples should be there.
    Ran {
        running_ns: u64,
    },
    /// Answers `Sync`.
    Synced,
    /// The kernel may have dropped records of this process since `since_ns`: what it has mapped is to be read from `/proc`
    /// and answered with [`ToSampler::Read`](crate::ToSampler::Read).
    Missed {
        pid: u32,
        since_ns: u64,
        /// When it was forked; 0: it was attached to.
        forked_ns: u64,
        /// The sampler did not know of it: its fork was dropped.
        is_new: bool,
    },
    /// These were all: to be answered with [`ToSampler::CaughtUp`](crate::ToSampler::CaughtUp).
    MissedAll,
    /// Answers [`ToSampler::ProgramPlaces`](crate::ToSampler::ProgramPlaces): since this time the probes are there, unless `errno` is
    /// not 0: then it says why they are not.
    ProgramPlaced {
        time_ns: u64,
        pid: u32,
        errno: i32,
    },
    Failed(SamplerError),
    /// Everything has been sent.
    Ended,
}

const HELLO: u32 = 1;
const READY: u32 = 2;
const SAMPLE: u32 = 3;
const MAPPED: u32 = 4;
const FORKED: u32 = 5;
const EXECUTED: u32 = 6;
const KERNEL_SYMBOL: u32 = 7;
const COUNTS: u32 = 8;
const FAILED: u32 = 9;
const ENDED: u32 = 10;
const EXITED: u32 = 11;
const RAN: u32 = 12;
const SYNCED: u32 = 13;
const COPY: u32 = 14;
const MISSED: u32 = 15;
const MISSED_ALL: u32 = 16;
const WAIT_END: u32 = 17;
const FREED: u32 = 18;
const CALLS: u32 = 19;
const CALLS_OF_THREADS: u32 = 20;
const REST: u32 = 21;
const COUNTED: u32 = 22;
const CALL_TIMES: u32 = 23;
const PROGRAM_PLACED: u32 = 24;
const CALL_PRICE: u32 = 25;

/// Room for elements in one message beside its other fields.
const ELEMENT_BYTES_MAX: usize = MESSAGE_BYTES_MAX - 64;

/// In as many messages as they take.
fn put_all<T>(
    out: &mut impl Write,
    message: u32,
    elements: &[T],
    bytes: usize,
    put: impl Fn(Body, &T) -> Body,
) -> io::Result<()> {
    let mut parts = elements.chunks(ELEMENT_BYTES_MAX / bytes);
    parts.try_for_each(|part| {
        write_message(out, message, &part.iter().fold(Body::default(), &put).0)
    })
}

impl FromSampler {
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let b = Body::default();
        match self {
            Self::Hello { version } => write_message(out, HELLO, &b.u32(*version).0),
            Self::Ready {
                hardware_cycles,
                per_cpu,
                no_waits,
                no_faults,
                no_syscalls,
                no_wakeups,
            } => {
                let mut b = b.u8((*hardware_cycles).into()).u8((*per_cpu).into());
                for refused in [no_waits, no_faults, no_syscalls, no_wakeups] {
                    b = b.u8(refused.is_some().into());
                    if let Some(error) = refused {
                        b = error.write(b);
                    }
                }
                write_message(out, READY, &b.0)
            }
            Self::Sample(s) => {
                let mut b = (s.worth)
                    .write(b.u64(s.time_ns).u32(s.pid).u32(s.tid))
                    .u32(s.kernel.len() as u32)
                    .u32(s.user.len() as u32)
                    .u8(s.end as u8)
                    .bytes(&s.comm);
                for id in &s.kernel {
                    b = b.u32(*id);
                }
                for address in &s.user {
                    b = b.u64(*address);
                }
                write_message(out, SAMPLE, &b.0)
            }
            Self::Copy(c) => {
                let mut b = (c.worth)
                    .write(b.u64(c.time_ns).u32(c.pid).u32(c.tid))
                    .bytes(&c.comm)
                    .u64(c.ip)
                    .u8(u8::from(c.is_exact))
                    .u64(c.other.start)
                    .u32(c.other.bytes.len() as u32)
                    .u32(c.kernel.len() as u32);
                for register in &c.registers {
                    b = b.u64(*register);
                }
                for id in &c.kernel {
                    b = b.u32(*id);
                }
                write_message(out, COPY, &b.bytes(&c.other.bytes).bytes(&c.stack).0)
            }
            Self::WaitEnd(end) => write_message(out, WAIT_END, &end.put(b).0),
            Self::Rest(rest) => {
                let b = b.u64(rest.time_ns).u32(rest.pid).u32(rest.tid);
                write_message(out, REST, &rest.worth.write(b).bytes(&rest.comm).0)
            }
            Self::Freed {
                time_ns,
                pid,
                tid,
                id,
            } => write_message(out, FREED, &b.u64(*time_ns).u32(*pid).u32(*tid).u32(*id).0),
            Self::Mapped {
                time_ns,
                pid,
                mapping,
                path,
            } => {
                let b = put_mapping(b.u64(*time_ns).u32(*pid), mapping).bytes(path);
                write_message(out, MAPPED, &b.0)
            }
            Self::Forked {
                time_ns,
                pid,
                parent_pid,
            } => write_message(out, FORKED, &b.u64(*time_ns).u32(*pid).u32(*parent_pid).0),
            Self::Executed { time_ns, pid } => {
                write_message(out, EXECUTED, &b.u64(*time_ns).u32(*pid).0)
            }
            Self::Exited { time_ns, pid } => {
                write_message(out, EXITED, &b.u64(*time_ns).u32(*pid).0)
            }
            Self::Calls { totals } => {
                put_all(out, CALLS, totals, 12, |b, (f, n)| b.u32(*f).u64(*n))
            }
            Self::CallsOfThreads { calls } => put_all(
                out,
                CALLS_OF_THREADS,
                calls,
                CallsOfThread::BYTES,
                |b, of| of.put(b),
            ),
            Self::Counted { totals } => {
                put_all(out, COUNTED, totals, CounterTotal::BYTES, |b, of| of.put(b))
            }
            Self::CallTimes(times) => write_message(out, CALL_TIMES, &times.put(b).0),
            Self::CallPrice(price) => write_message(out, CALL_PRICE, &price.put(b).0),
            Self::Ran { running_ns } => write_message(out, RAN, &b.u64(*running_ns).0),
            Self::Synced => write_message(out, SYNCED, &[]),
            Self::Missed {
                pid,
                since_ns,
                forked_ns,
                is_new,
            } => {
                let b = b.u32(*pid).u64(*since_ns).u64(*forked_ns);
                write_message(out, MISSED, &b.u8(u8::from(*is_new)).0)
            }
            Self::MissedAll => write_message(out, MISSED_ALL, &[]),
            Self::ProgramPlaced {
                time_ns,
                pid,
                errno,
            } => {
                let b = b.u64(*time_ns).u32(*pid).u32(errno.cast_unsigned());
                write_message(out, PROGRAM_PLACED, &b.0)
            }
            Self::KernelSymbol { id, name } => {
                write_message(out, KERNEL_SYMBOL, &b.u32(*id).bytes(name).0)
            }
            Self::Counts {
                counters,
                lost_mapping_records,
            } => {
                let b = counters.iter().fold(b, |b, c| b.u64(*c));
                write_message(out, COUNTS, &b.u64(*lost_mapping_records).0)
            }
            Self::Failed(error) => write_message(out, FAILED, &error.write(b).0),
            Self::Ended => write_message(out, ENDED, &[]),
        }
    }

    /// # Errors
    /// An unknown kind, or a body that its kind does not allow.
    pub fn parse(kind: u32, body: &[u8]) -> Result<FromSampler, MessageError> {
        let mut f = Fields(body);
        let message = match kind {
            HELLO => f.u32().map(|version| Self::Hello { version }),
            READY => (|| {
                Some(Self::Ready {
                    hardware_cycles: f.u8()? != 0,
                    per_cpu: f.u8()? != 0,
                    no_waits: parse_refusal(&mut f)?,
                    no_faults: parse_refusal(&mut f)?,
                    no_syscalls: parse_refusal(&mut f)?,
                    no_wakeups: parse_refusal(&mut f)?,
                })
            })(),
            SAMPLE => parse_sample(&mut f).map(Self::Sample),
            COPY => parse_copy(&mut f).map(Self::Copy),
            WAIT_END => WaitEnd::parse(&mut f).map(Self::WaitEnd),
            REST => (|| {
                Some(Self::Rest(RestRecord {
                    time_ns: f.u64()?,
                    pid: f.u32()?,
                    tid: f.u32()?,
                    worth: Worth::parse(&mut f)?,
                    comm: f.bytes(16)?.try_into().ok()?,
                }))
            })(),
            FREED => (|| {
                Some(Self::Freed {
                    time_ns: f.u64()?,
                    pid: f.u32()?,
                    tid: f.u32()?,
                    id: f.u32()?,
                })
            })(),
            CALLS => (|| {
                let mut totals = Vec::new();
                while !f.0.is_empty() {
                    totals.push((f.u32()?, f.u64()?));
                }
                Some(Self::Calls { totals })
            })(),
            CALLS_OF_THREADS => (|| {
                let mut calls = Vec::new();
                while !f.0.is_empty() {
                    calls.push(CallsOfThread::parse(&mut f)?);
                }
                Some(Self::CallsOfThreads { calls })
            })(),
            CALL_TIMES => CallTimes::parse(&mut f).map(Self::CallTimes),
            CALL_PRICE => CallPrice::parse(&mut f).map(Self::CallPrice),
            MAPPED => (|| {
                let (time_ns, pid) = (f.u64()?, f.u32()?);
                let mapping = parse_mapping(&mut f)?;
                let path = std::mem::take(&mut f.0).to_vec();
                Some(Self::Mapped {
                    time_ns,
                    pid,
                    mapping,
                    path,
                })
            })(),
            FORKED => (|| {
                Some(Self::Forked {
                    time_ns: f.u64()?,
                    pid: f.u32()?,
                    parent_pid: f.u32()?,
                })
            })(),
            EXECUTED => (|| {
                Some(Self::Executed {
                    time_ns: f.u64()?,
                    pid: f.u32()?,
                })
            })(),
            EXITED => (|| {
                Some(Self::Exited {
                    time_ns: f.u64()?,
                    pid: f.u32()?,
                })
            })(),
            COUNTED => CounterTotal::parse_all(&mut f).map(|totals| Self::Counted { totals }),
            RAN => f.u64().map(|running_ns| Self::Ran { running_ns }),
            SYNCED => Some(Self::Synced),
            MISSED => (|| {
                Some(Self::Missed {
                    pid: f.u32()?,
                    since_ns: f.u64()?,
                    forked_ns: f.u64()?,
                    is_new: f.u8()? != 0,
                })
            })(),
            MISSED_ALL => Some(Self::MissedAll),
            PROGRAM_PLACED => (|| {
                Some(Self::ProgramPlaced {
                    time_ns: f.u64()?,
                    pid: f.u32()?,
                    errno: f.u32()?.cast_signed(),
                })
            })(),
            KERNEL_SYMBOL => f.u32().map(|id| Self::KernelSymbol {
                id,
                name: std::mem::take(&mut f.0).to_vec(),
            }),
            COUNTS => (|| {
                let mut counters = [0; Counter::ALL.len()];
                for c in &mut counters {
                    *c = f.u64()?;
                }
                Some(Self::Counts {
                    counters,
                    lost_mapping_records: f.u64()?,
                })
            })(),
            FAILED => SamplerError::parse(&mut f).map(Self::Failed),
            ENDED => Some(Self::Ended),
            _ => return Err(MessageError::UnknownKind(kind)),
        };
        message
            .filter(|_| f.0.is_empty())
            .ok_or(MessageError::BadBody { kind })
    }
}

/// None inside: nothing was refused.
fn parse_refusal(f: &mut Fields<'_>) -> Option<Option<SamplerError>> {
    match f.u8()? {
        0 => Some(None),
        _ => SamplerError::parse(f).map(Some),
    }
}

#[cfg(test)]
mod tests;
