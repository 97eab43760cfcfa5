//! A hash for short keys that come from a file or a recorded program: fast, and seeded so that neither can make it
//! collide.

use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

#[derive(Clone)]
pub struct SeededHash {
    seed: u64,
    factor: u64,
}

impl Default for SeededHash {
    fn default() -> Self {
        let random = RandomState::new();
        SeededHash {
            seed: random.hash_one(1u8),
            factor: random.hash_one(2u8) | 1,
        }
    }
}

impl BuildHasher for SeededHash {
    type Hasher = Folded;

    fn build_hasher(&self) -> Folded {
        Folded {
            state: self.seed,
            factor: self.factor,
        }
    }
}

/// Each word: xor, 64 × 64 → 128 bit product, both halves folded together.
pub struct Folded {
    state: u64,
    factor: u64,
}

impl Hasher for Folded {
    #[inline]
    fn finish(&self) -> u64 {
        self.state
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            let word = word.try_into().expect("eight bytes");
            self.write_u64(u64::from_le_bytes(word));
        }
        let rest = words.remainder();
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.state ^ word) * u128::from(self.factor);
        self.state = (product as u64) ^ (product >> 64) as u64;
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }
}

/// For keys that are 64-bit hashes themselves.
pub type AlreadyHashed = BuildHasherDefault<Hashed>;

#[derive(Default)]
pub struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are 64-bit hashes");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
