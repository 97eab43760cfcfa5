//! The parts of messages that several of them have, or that are long.

use crate::bytes::Fields;
use crate::layout::{COPIED_REGISTERS, StackEnd};
use crate::sampler_error::SamplerError;
use crate::worth::Worth;
use crate::{CopiedPiece, CopyRecord, SampleRecord};

pub(super) fn parse_sample(f: &mut Fields<'_>) -> Option<SampleRecord> {
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

/// None inside: nothing was refused.
pub(super) fn parse_refusal(f: &mut Fields<'_>) -> Option<Option<SamplerError>> {
    match f.u8()? {
        0 => Some(None),
        _ => SamplerError::parse(f).map(Some),
    }
}

pub(super) fn parse_copy(f: &mut Fields<'_>) -> Option<CopyRecord> {
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
