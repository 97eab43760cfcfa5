//! The hostile pprof files, each by its number: the same on every machine.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::contradictions::contradictions;
use crate::pprof_fields::{message, number, text, with};
use crate::text_profiles::Chance;
use crate::text_profiles::damage::{gzip, mutated, valid_run};

pub struct HostileFile {
    pub kind: String,
    pub bytes: Vec<u8>,
}

/// One of: bits flipped and pieces moved (packed and unpacked), a cut, a contradiction, a bomb, another format.
pub fn hostile_file(index: u64) -> HostileFile {
    let mut chance =
        Chance(0x1_9e37_79b9 + (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) % 0xffff_ffff);
    let round = index / 8;
    let (kind, bytes) = match index % 8 {
        0 => {
            let packed = gzip(&valid_run(&mut chance));
            (
                "packed bytes damaged".to_owned(),
                mutated(&mut chance, packed),
            )
        }
        1 | 2 => {
            let plain = valid_run(&mut chance);
            let kind = "unpacked bytes damaged".to_owned();
            (kind, gzip(&mutated(&mut chance, plain)))
        }
        3 => cut(&mut chance, round),
        4 | 5 => contradiction(&mut chance, 2 * round + index % 2),
        6 => bomb(round),
        _ => other_format(&mut chance, round),
    };
    HostileFile { kind, bytes }
}

fn cut(chance: &mut Chance, round: u64) -> (String, Vec<u8>) {
    let plain = valid_run(chance);
    let mut bytes = match round % 2 {
        0 => gzip(&plain),
        _ => plain,
    };
    let length = chance.below(bytes.len() as u64) as usize;
    bytes.truncate(length);
    // Cut and packed: the compression is whole, what it holds is not.
    match round % 4 {
        1 => ("cut, then packed".to_owned(), gzip(&bytes)),
        _ => ("cut".to_owned(), bytes),
    }
}

/// A valid run and what contradicts it; later rounds are damaged besides.
fn contradiction(chance: &mut Chance, round: u64) -> (String, Vec<u8>) {
    let valid = valid_run(chance);
    let all = contradictions(&valid, chance);
    let (kind, plain) = &all[round as usize % all.len()];
    let plain = match round as usize / all.len() {
        0 => plain.clone(),
        _ => mutated(chance, plain.clone()),
    };
    ((*kind).to_owned(), gzip(&plain))
}

const MIB: usize = 1 << 20;

/// Kinds of bombs.
const BOMBS: u64 = 18;

fn bomb(round: u64) -> (String, Vec<u8>) {
    let fast = |plain: &[u8]| gzip(plain);
    let repeat = |part: &[u8], times: u64| with("more", part.repeat(times as usize));
    let random_stacks = |depth: usize, count: u64| {
        let mut chance = Chance(round + 64);
        let mut plain = with("sample", Vec::new());
        for id in 2..=120 {
            let line = message(4, &[number(1, 1), number(2, id)]);
            plain.extend(message(4, &[number(1, id), line]));
        }
        for _ in 0..count {
            let stack: Vec<u8> = (0..depth).map(|_| 1 + chance.below(120) as u8).collect();
            plain.extend(message(2, &[text(1, &stack), number(2, 1)]));
        }
        plain
    };
    // The first of each are smaller: a quick run has no others.
    let part = if round < BOMBS { 10 } else { 1 };
    let sample = message(2, &[number(1, 1), number(2, 1)]);
    let line = message(4, &[number(1, 1), number(2, 1)]);
    let (kind, bytes) = match round % BOMBS {
        0 => ("1 GiB of zeros", zeros(1024)),
        1 => ("20 million frames in one sample", {
            let stack = text(1, &vec![1; 20_000_000]);
            fast(&with("sample", message(2, &[stack, number(2, 1)])))
        }),
        2 => ("a million samples", fast(&repeat(&sample, 1_000_000))),
        3 => ("too many samples", fast(&repeat(&sample, 2_100_000))),
        4 => ("too many strings", fast(&repeat(&text(6, b""), 2_100_000))),
        5 => (
            "stacks of 64 frames",
            fast(&random_stacks(64, 100_000 / part)),
        ),
        6 => (
            "stacks of 2,000 frames",
            fast(&random_stacks(2_000, 20_000 / part)),
        ),
        7 => (
            "a string of 200 MiB",
            fast(&with("more", text(6, &vec![b'a'; 200 * MIB]))),
        ),
        8 => (
            "200 strings of 1 MiB",
            fast(&repeat(&text(6, &vec![b'b'; MIB]), 200)),
        ),
        9 => ("a million lines in one location", {
            fast(&with(
                "location",
                message(4, &[number(1, 1), line.repeat(1_000_000)]),
            ))
        }),
        10 => ("millions of lines", {
            let lines = line.repeat(1000);
            let more = (2..5_000 / part).flat_map(|id| message(4, &[number(1, id), lines.clone()]));
            fast(&with("more", more.collect()))
        }),
        11 => ("a million labels in one sample", {
            let label = message(3, &[number(1, 1), number(2, 2)]);
            let parts = [number(1, 1), number(2, 1), label.repeat(1_000_000)];
            fast(&with("sample", message(2, &parts)))
        }),
        12 => ("millions of labels", {
            let label = message(3, &[number(1, 1), number(2, 2)]);
            let sample = message(2, &[number(1, 1), number(2, 1), label.repeat(250)]);
            fast(&repeat(&sample, 28_000 / part))
        }),
        13 => ("a timeline of 90 million entries", {
            fast(&with(
                "more",
                message(7001, &[text(27, &vec![0; 90 * MIB])]),
            ))
        }),
        14 => ("two million functions", {
            let functions =
                (2..1_900_000).flat_map(|id| message(5, &[number(1, id), number(2, 4)]));
            fast(&with("more", functions.collect()))
        }),
        15 => ("200,000 entries of the run description", {
            let entry = message(25, &[text(1, b"/bin/x")]);
            fast(&with("more", message(7001, &[entry.repeat(150_000)])))
        }),
        16 => ("a name that demangles to gigabytes", {
            let name = format!("_Z1f{}", "NSt4pairI".repeat(3000));
            fast(&with("strings", strings(&["", "cpu", "ns", &name, &name])))
        }),
        _ => ("messages in messages", {
            let nested = (0..100_000).fold(Vec::new(), |inner: Vec<u8>, _| match inner.len() {
                0..60_000 => message(7001, &[inner]),
                _ => inner,
            });
            fast(&with("more", nested))
        }),
    };
    (format!("bomb: {kind}"), bytes)
}

pub fn strings(all: &[&str]) -> Vec<u8> {
    all.iter()
        .flat_map(|entry| text(6, entry.as_bytes()))
        .collect()
}

/// Many members of gzip: cheap to make, and as deep as one.
fn zeros(mib: usize) -> Vec<u8> {
    let mut member = GzEncoder::new(Vec::new(), Compression::best());
    let zeros = vec![0; 16 * MIB];
    member.write_all(&zeros).expect("a Vec takes everything");
    let member = member.finish().expect("a Vec takes everything");
    member.repeat(mib / 16)
}

fn other_format(chance: &mut Chance, round: u64) -> (String, Vec<u8>) {
    let valid = valid_run(chance);
    let packed = gzip(&valid);
    let (kind, bytes) = match round % 16 {
        0 => ("empty", Vec::new()),
        1 => ("one byte", vec![0x0a]),
        2 => (
            "text",
            b"main: work took 12 ms\nmain: idle for 3 ms\n".to_vec(),
        ),
        3 => ("JSON", b"{\"shared\": {\"frames\": []}}".to_vec()),
        4 => ("ELF", [&b"\x7fELF\x02\x01\x01"[..], &[0; 200]].concat()),
        5 => (
            "a header of gzip only",
            vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3],
        ),
        6 => ("gzip in gzip", gzip(&packed)),
        7 => (
            "two profiles in two members",
            [packed.clone(), packed].concat(),
        ),
        8 => (
            "garbage after the end",
            [packed, vec![0xde, 0xad, 0xbe, 0xef]].concat(),
        ),
        9 => ("a wrong checksum", {
            let mut bytes = packed;
            let at = bytes.len() - 6;
            bytes[at] ^= 0x55;
            bytes
        }),
        10 => ("perf.data", [&b"PERFILE2"[..], &[0; 120]].concat()),
        11 => ("zstd", vec![0x28, 0xb5, 0x2f, 0xfd, 0, 1, 2, 3]),
        12 => (
            "noise",
            (0..4000).map(|_| chance.below(256) as u8).collect(),
        ),
        13 => ("packed noise", {
            let noise: Vec<u8> = (0..4000).map(|_| chance.below(256) as u8).collect();
            gzip(&noise)
        }),
        14 => ("halves of two profiles", {
            let other = valid_run(chance);
            gzip(&[&valid[..valid.len() / 2], &other[other.len() / 2..]].concat())
        }),
        _ => ("zeros", vec![0; 5000]),
    };
    (format!("no profile: {kind}"), bytes)
}
