//! The fuzz targets' entry functions under a seeded mutator, on the stable toolchain: some seconds in every test run.
#![allow(dead_code)] // Each test program uses a part.

/// xorshift64*: the same mutations on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16) as usize % limit.max(1)
    }
}

/// Each seed as it is, empty and cut input, then `rounds` mutations of seeds.
pub fn short_run(seeds: &[Vec<u8>], rounds: usize, read: impl Fn(&[u8])) {
    assert!(!seeds.is_empty(), "there is something to mutate");
    read(&[]);
    let mut random = Random(0x11_ea7);
    for seed in seeds {
        read(seed);
        for _ in 0..50 {
            read(&seed[..random.below(seed.len())]);
        }
    }
    for _ in 0..rounds {
        let mut bytes = seeds[random.below(seeds.len())].clone();
        for _ in 0..1 + random.below(6) {
            mutate(&mut bytes, &mut random);
        }
        read(&bytes);
    }
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        bytes.push(random.below(256) as u8);
    }
    let at = random.below(bytes.len());
    let end = (at + 1 + random.below(16)).min(bytes.len());
    match random.below(7) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.below(256) as u8,
        2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
        3 => drop(bytes.drain(at..end)),
        4 => {
            let piece = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, piece);
        }
        5 => {
            let value = [u64::MAX, 1 << 63, 1 << 32, 0x7fff_ffff, 0][random.below(5)];
            let stretch = bytes[at..].iter_mut().zip(value.to_le_bytes());
            stretch.for_each(|(byte, new)| *byte = new);
        }
        _ => bytes[at..end].fill(0xff),
    }
}
