//! Where a program says itself which of its allocations are samples: Go's heap profiler, and the probes `otel_memory:alloc` and
//! `otel_memory:free`. The twin of `struct allocation_place` in `bpf/records.h`.

use crate::bytes::{Body, Fields};

/// Places of all files of a recording together.
pub const ALLOCATION_PLACES_MAX: usize = 256;

/// What passing a place means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum PlaceRole {
    /// Go has sampled a block. The weight is the mean distance between samples, in bytes.
    GoAllocation = 0,
    /// Go begins to free what it keeps of the block at the address: often, but not always, a sample.
    GoFreeBegins = 1,
    /// It was a sample, by the same thread.
    GoFree = 2,
    /// A program reports a sample. The weight is how many bytes it stands for.
    Allocation = 3,
    /// The block of such a sample is freed.
    Free = 4,
}

/// Where a number is when the place is passed. A register is a word of `struct pt_regs`, by its index there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    None,
    Constant(i64),
    Register(u8),
    /// At a register's value and an offset.
    Memory(u8, i64),
    /// At an offset from the instruction.
    NearCode(i64),
}

/// A number that a place has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    pub source: Source,
    /// 1 to 8; the rest of its word is something else.
    pub bytes: u8,
    pub is_signed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllocationPlace {
    /// Of the instruction, in the file.
    pub offset: u64,
    /// Of the number that the kernel raises while there is a probe, in the file; 0: none.
    pub semaphore: u64,
    pub role: PlaceRole,
    /// Passing it means nothing while one of these processor flags is set; 0: always something.
    pub flags_clear: u32,
    pub address: Operand,
    pub size: Operand,
    pub weight: Operand,
}

/// Words of `struct pt_regs`.
#[cfg(target_arch = "x86_64")]
pub const REGISTER_WORDS: u8 = 21;
#[cfg(target_arch = "aarch64")]
pub const REGISTER_WORDS: u8 = 34;

impl PlaceRole {
    pub const ALL: [PlaceRole; 5] = [
        PlaceRole::GoAllocation,
        PlaceRole::GoFreeBegins,
        PlaceRole::GoFree,
        PlaceRole::Allocation,
        PlaceRole::Free,
    ];

    pub fn is_allocation(self) -> bool {
        matches!(self, PlaceRole::GoAllocation | PlaceRole::Allocation)
    }
}

impl Operand {
    pub const NONE: Operand = Operand::word(Source::None);

    pub const fn word(source: Source) -> Operand {
        Operand {
            source,
            bytes: 8,
            is_signed: false,
        }
    }

    /// As `struct operand`.
    fn put(self, body: Body) -> Body {
        let (kind, register, offset) = match self.source {
            Source::None => (0, 0, 0),
            Source::Constant(value) => (1, 0, value),
            Source::Register(register) => (2, register, 0),
            Source::Memory(register, offset) => (3, register, offset),
            Source::NearCode(offset) => (4, 0, offset),
        };
        let body = body.u8(kind).u8(register).u8(self.bytes);
        body.u8(self.is_signed.into()).u32(0).u64(offset as u64)
    }

    fn parse(f: &mut Fields<'_>) -> Option<Operand> {
        let (kind, register, bytes, is_signed) = (f.u8()?, f.u8()?, f.u8()?, f.u8()?);
        f.u32()?;
        let offset = f.u64()? as i64;
        let source = match kind {
            0 => Source::None,
            1 => Source::Constant(offset),
            2 => Source::Register(register),
            3 => Source::Memory(register, offset),
            4 => Source::NearCode(offset),
            _ => return None,
        };
        let in_bounds = register < REGISTER_WORDS && (1..=8).contains(&bytes);
        in_bounds.then_some(Operand {
            source,
            bytes,
            is_signed: is_signed != 0,
        })
    }
}

impl AllocationPlace {
    pub const BYTES: usize = 16 + Self::BPF_BYTES;
    /// Of `struct allocation_place`.
    pub const BPF_BYTES: usize = 8 + 3 * 16;

    pub(crate) fn put(self, body: Body) -> Body {
        self.put_bpf(body.u64(self.offset).u64(self.semaphore))
    }

    fn put_bpf(self, body: Body) -> Body {
        let body = body.u8(self.role as u8).u8(0).u8(0).u8(0);
        let body = body.u32(self.flags_clear);
        let operands = [self.address, self.size, self.weight];
        operands
            .iter()
            .fold(body, |body, operand| operand.put(body))
    }

    /// As `struct allocation_place`.
    pub fn bpf_bytes(self) -> Vec<u8> {
        self.put_bpf(Body::default()).0
    }

    /// All that is left.
    pub(crate) fn parse_all(f: &mut Fields<'_>) -> Option<Vec<AllocationPlace>> {
        let mut places = Vec::new();
        while !f.0.is_empty() {
            let (offset, semaphore) = (f.u64()?, f.u64()?);
            let role = *PlaceRole::ALL.get(usize::from(f.u8()?))?;
            f.bytes(3)?;
            places.push(AllocationPlace {
                offset,
                semaphore,
                role,
                flags_clear: f.u32()?,
                address: Operand::parse(f)?,
                size: Operand::parse(f)?,
                weight: Operand::parse(f)?,
            });
        }
        Some(places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> AllocationPlace {
        AllocationPlace {
            offset: 0x1234,
            semaphore: 0x40,
            role: PlaceRole::Allocation,
            flags_clear: 0x41,
            address: Operand::word(Source::Register(10)),
            size: Operand {
                source: Source::Memory(4, -8),
                bytes: 4,
                is_signed: true,
            },
            weight: Operand::word(Source::NearCode(-1)),
        }
    }

    #[test]
    fn a_place_is_read_as_it_was_written() {
        let bytes = place().put(Body::default()).0;
        assert_eq!(bytes.len(), AllocationPlace::BYTES);
        assert_eq!(place().bpf_bytes(), bytes[16..]);
        assert_eq!(
            AllocationPlace::parse_all(&mut Fields(&bytes)),
            Some(vec![place()])
        );
    }

    #[test]
    fn a_number_beyond_the_registers_or_of_no_size_is_refused() {
        let read = |place: AllocationPlace| {
            let bytes = place.put(Body::default()).0;
            AllocationPlace::parse_all(&mut Fields(&bytes))
        };
        let mut wrong = place();
        wrong.address.source = Source::Register(REGISTER_WORDS);
        assert_eq!(read(wrong), None);
        let mut wrong = place();
        wrong.weight.bytes = 9;
        assert_eq!(read(wrong), None);
        let mut bytes = place().put(Body::default()).0;
        bytes[16] = PlaceRole::ALL.len() as u8;
        assert_eq!(AllocationPlace::parse_all(&mut Fields(&bytes)), None);
    }
}
