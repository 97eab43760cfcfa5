//! As much of perf's file format (tools/perf/Documentation/perf.data-file-format.txt) and of its records
//! (perf_event_open(2)) as the comparison needs: mappings, and samples with registers and stack bytes.

use walk::x86_64::Registers;

use crate::support::Mapped;

pub struct Sample<'a> {
    pub pid: u32,
    pub tid: u32,
    pub time_ns: u64,
    pub registers: Registers,
    pub stack: &'a [u8],
}

pub enum Record<'a> {
    Mapped(u32, Mapped),
    /// Child, parent.
    Forked(u32, u32),
    Executed(u32),
    Sample(Sample<'a>),
}

/// What a sample holds, by bit of `perf_event_attr::sample_type`, in the order of the bytes.
const IDENTIFIER: u64 = 1 << 16;
const IP: u64 = 1;
const TID: u64 = 1 << 1;
const TIME: u64 = 1 << 2;
const ADDRESS: u64 = 1 << 3;
const ID: u64 = 1 << 6;
const STREAM_ID: u64 = 1 << 9;
const CPU: u64 = 1 << 7;
const PERIOD: u64 = 1 << 8;
const CALLCHAIN: u64 = 1 << 5;
const REGISTERS: u64 = 1 << 12;
const STACK: u64 = 1 << 13;

const MISC_EXEC: u16 = 1 << 13;
const PROT_EXEC: u32 = 4;

/// perf's numbers of rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, then of rip and the flags.
const REGISTER_NUMBERS: [u32; 16] = [0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const IP_NUMBER: u32 = 8;
const FLAGS_NUMBER: u32 = 9;

/// The records in the order of the file; None where it is cut or of another kind.
pub fn records(file: &[u8]) -> Option<Vec<Record<'_>>> {
    if file.get(..8)? != b"PERFILE2" {
        return None;
    }
    let (attributes, data, size) = (u64_at(file, 24)?, u64_at(file, 40)?, u64_at(file, 48)?);
    let attribute = file.get(attributes as usize..)?;
    let (sample_type, mask) = (u64_at(attribute, 24)?, u64_at(attribute, 80)?);
    let mut rest = file.get(data as usize..(data + size) as usize)?;
    let mut records = Vec::new();
    while rest.len() >= 8 {
        let kind = u32::from_le_bytes(rest[..4].try_into().ok()?);
        let misc = u16::from_le_bytes(rest[4..6].try_into().ok()?);
        let length = usize::from(u16::from_le_bytes(rest[6..8].try_into().ok()?));
        let body = rest.get(8..length)?;
        match kind {
            10 => records.extend(mapping(body)),
            3 if misc & MISC_EXEC != 0 => records.push(Record::Executed(u32_at(body, 0)?)),
            7 => records.push(Record::Forked(u32_at(body, 0)?, u32_at(body, 4)?)),
            9 => records.extend(sample(body, sample_type, mask).map(Record::Sample)),
            _ => {}
        }
        rest = &rest[length..];
    }
    Some(records)
}

fn mapping(body: &[u8]) -> Option<Record<'_>> {
    if u32_at(body, 56)? & PROT_EXEC == 0 {
        return None;
    }
    let path = body.get(64..)?.split(|b| *b == 0).next()?;
    let start = u64_at(body, 8)?;
    let mapped = Mapped {
        start,
        end: start.checked_add(u64_at(body, 16)?)?,
        file_offset: u64_at(body, 24)?,
        path: String::from_utf8_lossy(path).into_owned(),
    };
    Some(Record::Mapped(u32_at(body, 0)?, mapped))
}

fn sample(body: &[u8], sample_type: u64, mask: u64) -> Option<Sample<'_>> {
    let mut at = 0;
    let mut word = |bit: u64| -> Option<u64> {
        if sample_type & bit == 0 {
            return Some(0);
        }
        at += 8;
        u64_at(body, at - 8)
    };
    word(IDENTIFIER)?;
    word(IP)?;
    let ids = word(TID)?;
    let time_ns = word(TIME)?;
    for bit in [ADDRESS, ID, STREAM_ID, CPU, PERIOD] {
        word(bit)?;
    }
    for _ in 0..word(CALLCHAIN)? {
        word(CALLCHAIN)?;
    }
    if word(REGISTERS)? == 0 {
        return None; // a thread of the kernel
    }
    let mut values = [0; 64];
    for (number, value) in values.iter_mut().enumerate() {
        if mask >> number & 1 == 1 {
            *value = word(REGISTERS)?;
        }
    }
    let size = word(STACK)? as usize;
    let stack = body.get(at..at.checked_add(size)?)?;
    let used = u64_at(body, at + size)? as usize;
    let value = |number: u32| values[number as usize];
    let [rcx, r11] = [value(2), value(19)];
    let ip = value(IP_NUMBER);
    Some(Sample {
        pid: ids as u32,
        tid: (ids >> 32) as u32,
        time_ns,
        registers: Registers {
            general: REGISTER_NUMBERS.map(value),
            ip,
            is_exact: !(rcx == ip && r11 == value(FLAGS_NUMBER)), // else in a system call
        },
        stack: &stack[..used.min(size)],
    })
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}
