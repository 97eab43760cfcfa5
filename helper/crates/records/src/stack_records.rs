//! What samples are.

use crate::bytes::Fields;
use crate::layout::{COPIED_REGISTERS, StackEnd};
use crate::worth::Worth;

/// One stack. Addresses are where execution was (leaf) or the call was made (callers: return address − 1).
#[derive(Debug, Clone, PartialEq)]
pub struct SampleRecord {
    pub time_ns: u64, // CLOCK_MONOTONIC
    pub pid: u32,
    pub tid: u32,
    pub worth: Worth,
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
    pub worth: Worth,
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
    /// Of another stack, below that one; empty where there is none, or where it was not looked for.
    pub other: CopiedPiece,
}

/// Memory of a process.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CopiedPiece {
    /// Address of the first byte.
    pub start: u64,
    pub bytes: Vec<u8>,
}

/// Events of a thread that no sample stands for: where they were is not known.
#[derive(Debug, Clone, PartialEq)]
pub struct RestRecord {
    pub time_ns: u64, // CLOCK_MONOTONIC
    pub pid: u32,
    pub tid: u32,
    pub worth: Worth,
    pub comm: [u8; 16],
}
pub(crate) fn parse_sample(f: &mut Fields<'_>) -> Option<SampleRecord> {
    let (time_ns, pid, tid) = (f.u64()?, f.u32()?, f.u32()?);
    let worth = Worth::parse(f)?;
    let (kernel_count, user_count) = (f.u32()? as usize, f.u32()? as usize);
    let end = StackEnd::from_code(f.u8()?)?;
    let comm = f.bytes(16)?.try_into().ok()?;
    let kernel = f.bytes(kernel_count.checked_mul(4)?)?;
    let user = f.bytes(user_count.checked_mul(8)?)?;
    Some(SampleRecord {
        time_ns,
        pid,
        tid,
        worth,
        end,
        comm,
        kernel: numbers(kernel),
        user: user
            .chunks_exact(8)
            .map(|b| u64::from_le_bytes(b.try_into().expect("eight bytes")))
            .collect(),
    })
}

pub(crate) fn parse_copy(f: &mut Fields<'_>) -> Option<CopyRecord> {
    let (time_ns, pid, tid) = (f.u64()?, f.u32()?, f.u32()?);
    let worth = Worth::parse(f)?;
    let comm = f.bytes(16)?.try_into().ok()?;
    let (ip, is_exact) = (f.u64()?, f.u8()? != 0);
    let (other_start, other_length) = (f.u64()?, f.u32()? as usize);
    let kernel_count = f.u32()? as usize;
    let mut registers = [0; COPIED_REGISTERS];
    for register in &mut registers {
        *register = f.u64()?;
    }
    let kernel = f.bytes(kernel_count.checked_mul(4)?)?;
    let other = CopiedPiece {
        start: other_start,
        bytes: f.bytes(other_length)?.to_vec(),
    };
    Some(CopyRecord {
        time_ns,
        pid,
        tid,
        worth,
        comm,
        kernel: numbers(kernel),
        registers,
        ip,
        is_exact,
        stack: std::mem::take(&mut f.0).to_vec(),
        other,
    })
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    let (each, _) = bytes.as_chunks();
    each.iter().map(|b| u32::from_le_bytes(*b)).collect()
}
