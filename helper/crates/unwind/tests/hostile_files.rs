//! Damaged and invented files: no panic, no endless work, and rows that stay in order.

use crate::entry::{elf_of, rows as read_all};
use crate::short_run::Random;

/// The dynamic loader: every machine has one, with all sections of interest.
fn real_file() -> Vec<u8> {
    let path = match cfg!(target_arch = "aarch64") {
        true => "/lib/ld-linux-aarch64.so.1",
        false => "/lib64/ld-linux-x86-64.so.2",
    };
    std::fs::read(path).expect("a Linux with glibc")
}

#[test]
fn a_file_that_is_cut_anywhere() {
    let file = real_file();
    for length in (0..file.len()).step_by(file.len() / 97) {
        read_all(&file[..length]);
    }
}

#[test]
fn a_file_with_damaged_bytes() {
    let file = real_file();
    let mut random = Random(0x5eed_0f11);
    for round in 0..400 {
        let mut damaged = file.clone();
        for _ in 0..1 + random.below(24) {
            // Headers are at both ends of the file, where a change does most.
            let at = match round % 4 {
                0 => random.below(1024),
                1 => file.len() - 1 - random.below(4096),
                _ => random.below(file.len()),
            };
            damaged[at] = random.below(256) as u8;
        }
        read_all(&damaged);
    }
}

#[test]
fn numbers_at_their_limits_in_every_header_field() {
    let file = real_file();
    for at in (16..1024).step_by(8) {
        for value in [u64::MAX, u64::MAX - 7, 1 << 63, 1 << 40] {
            let mut damaged = file.clone();
            damaged[at..at + 8].copy_from_slice(&value.to_le_bytes());
            read_all(&damaged);
        }
    }
}

#[test]
fn megabytes_of_hostile_code_without_call_frame_information() {
    const X86_64: u16 = 62;
    for instructions in [
        &[0xeb, 0xff][..],                  // a jump into itself
        &[0x50, 0x74, 0xfd],                // ever deeper
        &[0x74, 0x40, 0x55, 0x75, 0xc0],    // back and forth
        &[0x53, 0xff, 0xe0],                // switches
        &[0xe8, 0, 0, 0, 0, 0x50, 0x74, 1], // calls of what follows
    ] {
        let code = instructions.repeat((10 << 20) / instructions.len());
        read_all(&elf_of(X86_64, &[(b".text\0", &code)]));
    }
}
