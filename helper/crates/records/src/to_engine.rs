//! Sampler → engine: samples, what happened to the address spaces, and counts.

use std::io::{self, Write};

use crate::bytes::{Body, Fields, MessageError, write_message};
use crate::layout::{COPIED_REGISTERS, Counter, StackEnd};
use crate::to_sampler::{FileId, file_id, parse_file_id};

/// One stack. Addresses are where execution was (leaf) or the call was made (callers: return address − 1).
#[derive(Debug, Clone, PartialEq)]
pub struct SampleRecord {
    pub time_ns: u64, // CLOCK_MONOTONIC
    pub pid: u32,
    pub tid: u32,
    pub end: StackEnd,
    pub comm: [u8; 16],
    /// Ids of kernel symbols, innermost first; 0: a kernel address without a name.
    pub kernel: Vec<u32>,
    /// Innermost first.
    pub user: Vec<u64>,
}

/// A sample whose user stack is still to be unwound: what it takes to do so.
#[derive(Debug, Clone, PartialEq)]
pub struct CopyRecord {
    pub time_ns: u64, // CLOCK_MONOTONIC
    pub pid: u32,
    pub tid: u32,
    pub comm: [u8; 16],
    /// As in [`SampleRecord`].
    pub kernel: Vec<u32>,
    /// By DWARF number.
    pub registers: [u64; COPIED_REGISTERS],
    pub ip: u64,
    /// False: `ip` is a return address, that of a system call.
    pub is_exact: bool,
    /// From the stack pointer up.
    pub stack: Vec<u8>,
}

/// What the sampler was doing when it had to give up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SamplerStep {
    Protocol,
    LoadBpf,
    OpenSampleEvent,
    OpenMapEvent,
    MapRing,
    AttachBpf,
    Write,
    /// The kernel says that the user may not look into process `pid`.
    NotAllowed,
    /// The user has as many recordings as one may have.
    TooManyRecordings,
    GiveUpRights,
}

impl SamplerStep {
    const ALL: [SamplerStep; 10] = [
        SamplerStep::Protocol,
        SamplerStep::LoadBpf,
        SamplerStep::OpenSampleEvent,
        SamplerStep::OpenMapEvent,
        SamplerStep::MapRing,
        SamplerStep::AttachBpf,
        SamplerStep::Write,
        SamplerStep::NotAllowed,
        SamplerStep::TooManyRecordings,
        SamplerStep::GiveUpRights,
    ];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SamplerError {
    pub step: SamplerStep,
    /// 0 when the step failed for another reason.
    pub errno: i32,
    /// The process that it is about; 0: none.
    pub pid: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FromSampler {
    Hello {
        version: u32,
    },
    /// Sampling has started.
    Ready {
        hardware_cycles: bool,
    },
    Sample(SampleRecord),
    Copy(CopyRecord),
    /// An executable mapping appeared. The path is as the kernel gave it.
    Mapped {
        time_ns: u64,
        pid: u32,
        start: u64,
        length: u64,
        file_offset: u64,
        file: FileId,
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
    /// For how long the sampled threads have run, by the kernel's own count: what samples should be there.
    Ran {
        running_ns: u64,
    },
    /// Answers `Sync`.
    Synced,
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

impl FromSampler {
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let b = Body::default();
        match self {
            Self::Hello { version } => write_message(out, HELLO, &b.u32(*version).0),
            Self::Ready { hardware_cycles } => {
                write_message(out, READY, &b.u8(u8::from(*hardware_cycles)).0)
            }
            Self::Sample(s) => {
                let mut b = b
                    .u64(s.time_ns)
                    .u32(s.pid)
                    .u32(s.tid)
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
                let mut b = b
                    .u64(c.time_ns)
                    .u32(c.pid)
                    .u32(c.tid)
                    .bytes(&c.comm)
                    .u64(c.ip)
                    .u8(u8::from(c.is_exact))
                    .u32(c.kernel.len() as u32);
                for register in &c.registers {
                    b = b.u64(*register);
                }
                for id in &c.kernel {
                    b = b.u32(*id);
                }
                write_message(out, COPY, &b.bytes(&c.stack).0)
            }
            Self::Mapped {
                time_ns,
                pid,
                start,
                length,
                file_offset,
                file,
                path,
            } => {
                let b = file_id(b.u64(*time_ns).u32(*pid), *file)
                    .u64(*start)
                    .u64(*length)
                    .u64(*file_offset)
                    .bytes(path);
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
            Self::Ran { running_ns } => write_message(out, RAN, &b.u64(*running_ns).0),
            Self::Synced => write_message(out, SYNCED, &[]),
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
            Self::Failed(e) => {
                let b = b.u32(e.step as u32).u32(e.errno as u32);
                write_message(out, FAILED, &b.u32(e.pid).0)
            }
            Self::Ended => write_message(out, ENDED, &[]),
        }
    }

    /// # Errors
    /// An unknown kind, or a body that its kind does not allow.
    pub fn parse(kind: u32, body: &[u8]) -> Result<FromSampler, MessageError> {
        let mut f = Fields(body);
        let message = match kind {
            HELLO => f.u32().map(|version| Self::Hello { version }),
            READY => f.u8().map(|h| Self::Ready {
                hardware_cycles: h != 0,
            }),
            SAMPLE => parse_sample(&mut f).map(Self::Sample),
            COPY => parse_copy(&mut f).map(Self::Copy),
            MAPPED => (|| {
                let (time_ns, pid) = (f.u64()?, f.u32()?);
                let file = parse_file_id(&mut f)?;
                let (start, length, file_offset) = (f.u64()?, f.u64()?, f.u64()?);
                let path = std::mem::take(&mut f.0).to_vec();
                Some(Self::Mapped {
                    time_ns,
                    pid,
                    start,
                    length,
                    file_offset,
                    file,
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
            RAN => f.u64().map(|running_ns| Self::Ran { running_ns }),
            SYNCED => Some(Self::Synced),
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
            FAILED => (|| {
                Some(Self::Failed(SamplerError {
                    step: *SamplerStep::ALL.get(f.u32()? as usize)?,
                    errno: f.u32()? as i32,
                    pid: f.u32()?,
                }))
            })(),
            ENDED => Some(Self::Ended),
            _ => return Err(MessageError::UnknownKind(kind)),
        };
        message
            .filter(|_| f.0.is_empty())
            .ok_or(MessageError::BadBody { kind })
    }
}

fn parse_sample(f: &mut Fields<'_>) -> Option<SampleRecord> {
    let (time_ns, pid, tid) = (f.u64()?, f.u32()?, f.u32()?);
    let (kernel_count, user_count) = (f.u32()? as usize, f.u32()? as usize);
    let end = StackEnd::from_code(f.u8()?)?;
    let comm = f.bytes(16)?.try_into().ok()?;
    let kernel = f.bytes(kernel_count.checked_mul(4)?)?;
    let user = f.bytes(user_count.checked_mul(8)?)?;
    Some(SampleRecord {
        time_ns,
        pid,
        tid,
        end,
        comm,
        kernel: numbers(kernel),
        user: user
            .chunks_exact(8)
            .map(|b| u64::from_le_bytes(b.try_into().expect("eight bytes")))
            .collect(),
    })
}

fn parse_copy(f: &mut Fields<'_>) -> Option<CopyRecord> {
    let (time_ns, pid, tid) = (f.u64()?, f.u32()?, f.u32()?);
    let comm = f.bytes(16)?.try_into().ok()?;
    let (ip, is_exact, kernel_count) = (f.u64()?, f.u8()? != 0, f.u32()? as usize);
    let mut registers = [0; COPIED_REGISTERS];
    for register in &mut registers {
        *register = f.u64()?;
    }
    let kernel = f.bytes(kernel_count.checked_mul(4)?)?;
    Some(CopyRecord {
        time_ns,
        pid,
        tid,
        comm,
        kernel: numbers(kernel),
        registers,
        ip,
        is_exact,
        stack: std::mem::take(&mut f.0).to_vec(),
    })
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    let (each, _) = bytes.as_chunks();
    each.iter().map(|b| u32::from_le_bytes(*b)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MessageReader;

    fn sample() -> FromSampler {
        FromSampler::Sample(SampleRecord {
            time_ns: 5,
            pid: 1,
            tid: 2,
            end: StackEnd::Root,
            comm: *b"worker\0\0\0\0\0\0\0\0\0\0",
            kernel: vec![3],
            user: vec![0x401000, 0x402000],
        })
    }

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let file = FileId {
            device_major: 8,
            device_minor: 1,
            inode: 99,
        };
        for message in [
            FromSampler::Hello { version: 1 },
            FromSampler::Ready {
                hardware_cycles: false,
            },
            sample(),
            FromSampler::Copy(CopyRecord {
                time_ns: 5,
                pid: 1,
                tid: 2,
                comm: [b'x'; 16],
                kernel: vec![3, 4],
                registers: [7; COPIED_REGISTERS],
                ip: 0x401000,
                is_exact: true,
                stack: vec![1, 2, 3],
            }),
            FromSampler::Mapped {
                time_ns: 1,
                pid: 2,
                start: 3,
                length: 4,
                file_offset: 5,
                file,
                path: b"/lib/x.so".to_vec(),
            },
            FromSampler::Forked {
                time_ns: 1,
                pid: 2,
                parent_pid: 3,
            },
            FromSampler::Executed { time_ns: 1, pid: 2 },
            FromSampler::Exited { time_ns: 3, pid: 2 },
            FromSampler::Ran { running_ns: 7 },
            FromSampler::Synced,
            FromSampler::KernelSymbol {
                id: 4,
                name: b"tcp_sendmsg".to_vec(),
            },
            FromSampler::Counts {
                counters: [5, 2, 1, 1, 1, 0],
                lost_mapping_records: 0,
            },
            FromSampler::Failed(SamplerError {
                step: SamplerStep::NotAllowed,
                errno: 1,
                pid: 7,
            }),
            FromSampler::Ended,
        ] {
            let mut bytes = Vec::new();
            message.write(&mut bytes).unwrap();
            let mut reader = MessageReader::new(&bytes[..]);
            let (kind, body) = reader.next_message().unwrap().unwrap();
            assert_eq!(FromSampler::parse(kind, body).unwrap(), message);
        }
    }

    #[test]
    fn a_sample_that_promises_more_frames_than_it_has_is_refused() {
        let mut bytes = Vec::new();
        sample().write(&mut bytes).unwrap();
        let cut = &bytes[8..bytes.len() - 8];
        assert!(matches!(
            FromSampler::parse(SAMPLE, cut),
            Err(MessageError::BadBody { kind: SAMPLE })
        ));
    }
}
