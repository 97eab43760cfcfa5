//! Unwind rows of any `.eh_frame` and `.debug_frame`, of ELF files made around them and of whole ELF files; and rows that
//! were kept, damaged and whole.
#![allow(dead_code)] // Each test program uses a part.

use records::Rule;
use unwind::{FileRows, PackedPages, Row, RuleSet, layout_of_elf, rows_of_elf};

pub fn read(bytes: &[u8]) {
    kept_rows(bytes);
    if bytes.starts_with(b"\x7fELF") {
        return rows(bytes);
    }
    let Some(([kind, cut], rest)) = bytes.split_first_chunk() else {
        return;
    };
    let (first, second) = rest.split_at(rest.len() * usize::from(*cut) / 256);
    let machine = if kind & 1 == 0 { 62 } else { 183 };
    let name: &[u8] = if kind & 2 == 0 {
        b".eh_frame\0"
    } else {
        b".debug_frame\0"
    };
    rows(&elf_of(machine, &[(b".text\0", first), (name, second)]));
}

/// Of a whole ELF file.
pub fn rows(bytes: &[u8]) {
    let _ = layout_of_elf(bytes);
    let Ok(rows) = rows_of_elf(bytes) else {
        return;
    };
    assert!(rows.windows(2).all(|r| r[0].vaddr < r[1].vaddr));
    let mut rules = RuleSet::default();
    let packed = PackedPages::new(&rows, &mut rules);
    let known = |row: &u32| ((row >> 16) as usize) < rules.len();
    assert!(packed.rows.iter().all(known));
    let kept = FileRows::new(&rows).to_bytes();
    let again = FileRows::from_bytes(&kept).map(|again| again.numbered_in(&mut RuleSet::default()));
    // Rules of another machine's registers are never given to this one's kernel.
    let is_for_this_machine = |row: &Row| Rule::check_bytes(&row.rule.to_bytes()).is_some();
    assert_eq!(
        again,
        rows.iter().all(is_for_this_machine).then_some(packed)
    );
    let mut damaged = kept;
    for (byte, change) in damaged.iter_mut().zip(bytes.iter().rev()) {
        *byte ^= change & 0x11;
    }
    kept_rows(&damaged);
}

/// Refused, or within all bounds.
fn kept_rows(bytes: &[u8]) {
    let Some(rows) = FileRows::from_bytes(bytes) else {
        return;
    };
    let mut rules = RuleSet::default();
    let packed = rows.numbered_in(&mut rules);
    let known = |row: &u32| ((row >> 16) as usize) < rules.len();
    assert!(packed.rows.iter().all(known));
    let end = packed
        .pages
        .last()
        .map_or(0, |(first, count)| first + count);
    assert_eq!(end as usize, packed.rows.len());
}

/// An ELF file of these sections, mapped from 0x1000 on, the first as code, which is entered at its start.
pub fn elf_of(machine: u16, sections: &[(&[u8], &[u8])]) -> Vec<u8> {
    const HEADER: usize = 64 + 56;
    let mut names = b"\0.shstrtab\0".to_vec();
    let mut content: Vec<u8> = Vec::new();
    let mut headers = vec![0; 64];
    let header = |name: usize, kind: u32, flags: u64, address: u64, offset: usize, size: usize| {
        let mut header = (name as u32).to_le_bytes().to_vec();
        header.extend(kind.to_le_bytes());
        for word in [flags, address, offset as u64, size as u64, 0, 16, 0] {
            header.extend(word.to_le_bytes());
        }
        header
    };
    for (index, (name, bytes)) in sections.iter().enumerate() {
        let offset = HEADER + content.len();
        let flags = if index == 0 { 6 } else { 2 };
        let address = 0x1000 + offset as u64;
        headers.extend(header(names.len(), 1, flags, address, offset, bytes.len()));
        names.extend(*name);
        content.extend(*bytes);
    }
    headers.extend(header(1, 3, 0, 0, HEADER + content.len(), names.len()));
    let loaded = content.len() as u64;
    content.extend(&names);
    let mut elf = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0".to_vec();
    elf.extend(machine.to_le_bytes());
    elf.extend(1_u32.to_le_bytes());
    let headers_at = (HEADER + content.len()) as u64;
    for word in [0x1000 + HEADER as u64, 64, headers_at] {
        elf.extend(u64::to_le_bytes(word));
    }
    elf.extend(0_u32.to_le_bytes());
    let count = sections.len() as u16 + 2;
    for half in [64, 56, 1, 64, count, count - 1] {
        elf.extend(half.to_le_bytes());
    }
    elf.extend(1_u32.to_le_bytes());
    elf.extend(5_u32.to_le_bytes());
    let at = HEADER as u64;
    for word in [at, 0x1000 + at, 0x1000 + at, loaded, loaded, 0x1000] {
        elf.extend(word.to_le_bytes());
    }
    elf.extend(content);
    elf.extend(headers);
    elf
}

/// Code without call frame information: a frame, a switch, calls, jumps back and forth, a rounded stack.
const BARE_CODE: [u8; 64] = [
    0x55, 0x48, 0x89, 0xe5, 0x53, 0x48, 0x83, 0xec, 0x18, 0x85, 0xff, 0x74, 0x10, 0xe8, 0x16, 0, 0,
    0, 0xff, 0xe0, 0x31, 0xc0, 0x48, 0x83, 0xc4, 0x18, 0x5b, 0x5d, 0xc3, 0x75, 0xf5, 0xeb, 0xf3,
    0x66, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x4c, 0x8d, 0x54, 0x24, 8, 0x48, 0x83, 0xe4, 0xe0,
    0x41, 0xff, 0x72, 0xf8, 0x41, 0x52, 0xf0, 0x0f, 0xb1, 0x0f, 0x74, 0xfb, 0x49, 0x8d, 0x62,
];

/// A CIE and an FDE of GCC for x86-64, behind some code, and code that has neither.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seed = vec![0, 80];
    seed.extend([
        0x55, 0x48, 0x89, 0xe5, 0x53, 0x48, 0x83, 0xec, 0x18, 0x5b, 0x5d, 0xc3,
    ]);
    seed.extend([0x90; 24]);
    seed.extend([
        0x14, 0, 0, 0, 0, 0, 0, 0, 1, b'z', b'R', 0, 1, 0x78, 0x10, 1, 0x1b, 0x0c, 7, 8,
    ]);
    seed.extend([0x90, 1, 0, 0]);
    seed.extend([
        0x24, 0, 0, 0, 0x1c, 0, 0, 0, 0xc0, 0xff, 0xff, 0xff, 0x20, 0, 0, 0, 0,
    ]);
    seed.extend([
        0x41, 0x0e, 0x10, 0x86, 2, 0x43, 0x0d, 6, 0x41, 0x83, 3, 0x10, 6, 2, 0x77, 0x10,
    ]);
    seed.extend([0x58, 0x0c, 7, 8, 0, 0, 0]);
    let mut old = seed.clone();
    old[0] = 2;
    let mut arm = seed.clone();
    arm[0] = 1;
    let bare = [&[0, 255], &BARE_CODE[..]].concat();
    vec![seed, old, arm, bare]
}
