//! One PERF_RECORD_SAMPLE, laid out as perf_event_open(2) says for the fields that `stack_copy_event` asks for.

use perf_events::registers::{GENERAL_REGISTERS, REGISTERS, by_dwarf_number};
use perf_events::ring::RECORD_HEADER_BYTES;
use perf_events::stack_copy_event::CHAIN_MAX;
use records::bytes::Fields;

/// How much of a stack is copied. 8 KiB are too few for 43 % of the stacks of a Rust program, 16 KiB for 5 %, 32 KiB
/// for 0.1 %; a record must stay below 64 KiB.
pub const STACK_BYTES: u32 = 32 << 10;

/// A thread interrupted in user space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackCopy {
    pub time_ns: u64, // CLOCK_MONOTONIC
    pub pid: u32,
    pub tid: u32,
    pub thread_name: [u8; 16],
    /// None: the kernel had none to give.
    pub registers: Option<UserRegisters>,
    /// What the kernel found by frame pointers: the interrupted address, then return addresses, at most [`CHAIN_MAX`].
    /// Empty where it was not asked.
    pub chain: Vec<u64>,
    /// What lay at the stack pointer and above; at most [`STACK_BYTES`], less where memory was not readable.
    pub stack: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserRegisters {
    /// By DWARF number.
    pub general: [u64; GENERAL_REGISTERS],
    pub ip: u64,
    /// Not so for 32-bit code.
    pub is_64_bit: bool,
}

/// Entries from here on are no addresses, but say whose addresses follow (PERF_CONTEXT_MAX of linux/perf_event.h).
const CONTEXTS: u64 = -4095_i64 as u64;

const ABI_NONE: u64 = 0; // enum perf_sample_regs_abi
const ABI_64: u64 = 2;

/// The sample of a whole record, its thread not named yet; None when the record is shorter than it says.
pub fn parse_sample(record: &[u8]) -> Option<StackCopy> {
    parse(record, |_| Some(Vec::new()))
}

/// As [`parse_sample`], of an event that was asked for the chain of frame pointers.
pub fn parse_sample_with_chain(record: &[u8]) -> Option<StackCopy> {
    parse(record, parse_chain)
}

fn parse(record: &[u8], chain: fn(&mut Fields) -> Option<Vec<u64>>) -> Option<StackCopy> {
    let mut f = Fields(record.get(RECORD_HEADER_BYTES..)?);
    let (pid, tid, time_ns) = (f.u32()?, f.u32()?, f.u64()?);
    let chain = chain(&mut f)?;
    let registers = match f.u64()? {
        ABI_NONE => None,
        abi => Some(parse_registers(&mut f, abi == ABI_64)?),
    };
    let size = usize::try_from(f.u64()?).ok()?;
    let mut stack: &[u8] = &[];
    if size > 0 {
        let room = f.bytes(size)?;
        let copied = usize::try_from(f.u64()?).ok()?;
        stack = room.get(..copied)?;
    }
    Some(StackCopy {
        time_ns,
        pid,
        tid,
        thread_name: [0; 16],
        registers,
        chain,
        stack: stack.to_vec(),
    })
}

/// Without what says whose the addresses are: all are in user space.
fn parse_chain(f: &mut Fields) -> Option<Vec<u64>> {
    let length = usize::try_from(f.u64()?).ok()?.checked_mul(8)?;
    let entries = f.bytes(length)?.as_chunks().0;
    let addresses = entries.iter().map(|bytes| u64::from_le_bytes(*bytes));
    let addresses = addresses.filter(|&entry| entry < CONTEXTS);
    Some(addresses.take(CHAIN_MAX.into()).collect())
}

fn parse_registers(f: &mut Fields, is_64_bit: bool) -> Option<UserRegisters> {
    let mut got = [0; REGISTERS];
    for register in &mut got {
        *register = f.u64()?;
    }
    let (general, ip) = by_dwarf_number(got);
    Some(UserRegisters {
        general,
        ip,
        is_64_bit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::bytes::Body;

    const CONTEXT_USER: u64 = -512_i64 as u64;
    const CHAIN: [u64; 3] = [CONTEXT_USER, 0x501, 0x601];
    const TIME_NS: u64 = 5;
    const PID: u32 = 6;
    const TID: u32 = 7;

    /// A record whose registers are 1, 2 … in the order of the kernel's numbers, with 16 bytes of room for the stack.
    fn record(abi: u64, copied: u64) -> Vec<u8> {
        record_of(start(), abi, copied)
    }

    fn record_with_chain(chain: &[u64], abi: u64, copied: u64) -> Vec<u8> {
        let counted = start().u64(chain.len() as u64);
        let body = chain.iter().fold(counted, |body, entry| body.u64(*entry));
        record_of(body, abi, copied)
    }

    fn start() -> Body {
        Body::default().u32(PID).u32(TID).u64(TIME_NS)
    }

    fn record_of(start: Body, abi: u64, copied: u64) -> Vec<u8> {
        let mut body = start.u64(abi);
        for register in (1..=REGISTERS as u64).take_while(|_| abi != ABI_NONE) {
            body = body.u64(register);
        }
        let body = body.u64(16).u64(0x1111).u64(0x2222).u64(copied);
        let mut out = 9_u32.to_le_bytes().to_vec();
        out.extend([0, 0]);
        out.extend(((body.0.len() + 8) as u16).to_le_bytes());
        out.extend(body.0);
        out
    }

    #[test]
    fn a_sample_has_its_registers_and_the_readable_part_of_its_stack() {
        let sample = parse_sample(&record(ABI_64, 8)).unwrap();
        assert_eq!(
            (sample.time_ns, sample.pid, sample.tid),
            (TIME_NS, PID, TID)
        );
        let registers = sample.registers.unwrap();
        let (general, ip) = by_dwarf_number(std::array::from_fn(|number| number as u64 + 1));
        assert_eq!((registers.general, registers.ip), (general, ip));
        assert!(registers.is_64_bit);
        assert_eq!(sample.stack, 0x1111_u64.to_le_bytes());
        assert_eq!(sample.chain, []);
    }

    #[test]
    fn a_sample_without_registers_is_a_sample() {
        let sample = parse_sample(&record(ABI_NONE, 0)).unwrap();
        assert_eq!((sample.registers, sample.stack.len()), (None, 0));
    }

    #[test]
    fn a_chain_comes_without_what_says_whose_it_is_and_changes_nothing_else() {
        let sample = parse_sample_with_chain(&record_with_chain(&CHAIN, ABI_64, 8)).unwrap();
        let without = parse_sample(&record(ABI_64, 8)).unwrap();
        let chain = vec![0x501, 0x601];
        assert_eq!(sample, StackCopy { chain, ..without });
    }

    #[test]
    fn a_chain_is_bounded_and_may_be_empty() {
        let chain_of = |chain: &[u64]| {
            let record = record_with_chain(chain, ABI_64, 8);
            parse_sample_with_chain(&record).unwrap().chain
        };
        assert_eq!(chain_of(&[]), []);
        assert_eq!(chain_of(&[CONTEXT_USER]), []);
        let long: Vec<u64> = (1..=200).collect();
        assert_eq!(chain_of(&long), long[..CHAIN_MAX.into()]);
    }

    #[test]
    fn lengths_that_the_record_does_not_hold_are_refused() {
        assert_eq!(parse_sample(&record(ABI_64, 17)), None);
        let whole = record(ABI_64, 8);
        for cut in 0..whole.len() {
            assert_eq!(parse_sample(&whole[..cut]), None, "{cut}");
        }
    }

    #[test]
    fn chains_that_the_record_does_not_hold_are_refused() {
        let whole = record_with_chain(&CHAIN, ABI_64, 8);
        for cut in 0..whole.len() {
            assert_eq!(parse_sample_with_chain(&whole[..cut]), None, "{cut}");
        }
        for length in [1000, 1 << 32, 1 << 61, (1 << 61) + 1, u64::MAX] {
            let mut record = whole.clone();
            let at = RECORD_HEADER_BYTES + 16;
            record[at..at + 8].copy_from_slice(&length.to_le_bytes());
            assert_eq!(parse_sample_with_chain(&record), None, "{length}");
        }
    }
}
