//! An ELF file and what damage makes of it, by number: the same on every machine.
#![allow(dead_code)] // Each test program uses a part.

use std::ops::Range;

/// A generator of the xorshift family.
pub struct Random(u64);

impl Random {
    pub fn of(number: u64) -> Random {
        Random((number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 16) as usize % limit.max(1)
    }
}

/// Bytes anywhere, in the headers, in one stretch; absurd sizes; pieces moved; cut.
pub fn damaged(whole: &[u8], number: u64) -> Vec<u8> {
    let everywhere = 0..whole.len();
    let mut random = Random::of(number);
    let mut bytes = damaged_within(whole, &everywhere, number);
    if random.below(8) == 0 {
        bytes.truncate(random.below(whole.len()));
    }
    bytes
}

/// The same length, and the same bytes outside of `part`.
pub fn damaged_within(whole: &[u8], part: &Range<usize>, number: u64) -> Vec<u8> {
    let mut random = Random::of(number ^ 0xe1f);
    let mut bytes = whole.to_vec();
    let place = |random: &mut Random| part.start + random.below(part.len());
    let end = |at: usize, length: usize| (at + length).min(part.end);
    match number % 5 {
        0 | 1 => {
            for _ in 0..1 + random.below(64) {
                let at = place(&mut random);
                bytes[at] = random.next() as u8;
            }
        }
        // At the end stand the headers of the sections.
        2 => {
            for _ in 0..1 + random.below(4) {
                let near_end = part.len().min(2500);
                let at = (part.end - near_end + random.below(near_end)) & !7;
                let value = [u64::MAX, 1 << 63, 1 << 40, 0, 0x7fff_ffff][random.below(5)];
                for (offset, byte) in value.to_le_bytes().into_iter().enumerate() {
                    if part.contains(&(at + offset)) {
                        bytes[at + offset] = byte;
                    }
                }
            }
        }
        3 => {
            let (from, to) = (place(&mut random), place(&mut random));
            let length = (1 + random.below(4096))
                .min(part.end - from)
                .min(part.end - to);
            bytes.copy_within(from..from + length, to);
        }
        _ => {
            let from = place(&mut random);
            let value = [0, 0xff, 0x80, 0x7f, 1][random.below(5)];
            let to = end(from, 1 + random.below(2000));
            bytes[from..to].fill(value);
        }
    }
    bytes
}
