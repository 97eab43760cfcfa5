//! Valid run files and what damage makes of them.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use profile::RunInfo;
use profile::run::{Module, Source};

use super::{Chance, profile_of};

/// A run with everything that a run file may hold, not compressed.
pub fn valid_run(chance: &mut Chance) -> Vec<u8> {
    let mut profile = profile_of(&chance.profile_text(30));
    profile.run = Some(RunInfo {
        format: 1,
        name: "a run".into(),
        sources: vec![Source {
            path: "/src/1.c".into(),
            text: "line\n".repeat(60),
            ..Source::default()
        }],
        modules: vec![Module {
            path: "/bin/app".into(),
            producers: vec!["cc".into()],
            ..Module::default()
        }],
        time_sample: vec![0, 1, 2],
        time_delta_ns: vec![1, 2, 3],
        ..RunInfo::default()
    });
    let mut gzip = Vec::new();
    profile.write(&mut gzip).expect("a Vec takes everything");
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(gzip.as_slice())
        .read_to_end(&mut plain)
        .expect("valid gzip");
    plain
}

pub fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(plain).expect("a Vec takes everything");
    gzip.finish().expect("a Vec takes everything")
}

/// One of: flipped bits, a byte of another value, a cut, a piece removed, a piece repeated.
pub fn mutated(chance: &mut Chance, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..1 + chance.below(3) {
        let at = chance.below(bytes.len() as u64) as usize;
        let end = (at + 1 + chance.below(20) as usize).min(bytes.len());
        match chance.below(5) {
            0 => bytes[at] ^= 1 << chance.below(8),
            1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][chance.below(5) as usize],
            2 => bytes.truncate(at.max(1)),
            3 => drop(bytes.drain(at..end)),
            _ => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
        }
        if bytes.is_empty() {
            bytes.push(0);
        }
    }
    bytes
}
