//! The kernel's rings, filled with any bytes: records are parsed or left out, and the ring is emptied.

use std::fs::File;
use std::io::Write;
use std::os::fd::FromRawFd;

use perf_events::map_event::parse_map_event;
use perf_events::ring::{RECORD_HEADER_BYTES, Ring};
use stack_copies::{STACK_BYTES, parse_name_event, parse_sample, parse_sample_with_chain};

const PAGE_BYTES: usize = 4096;
const DATA_PAGES: usize = 2;
const DATA_BYTES: usize = DATA_PAGES * PAGE_BYTES;
/// In the first page, as the kernel has it.
const HEAD_OFFSET: usize = 1024;

/// The first two bytes say where in the ring the rest begins.
pub fn read(bytes: &[u8]) {
    let Some(([low, high], bytes)) = bytes.split_first_chunk() else {
        return;
    };
    let records = &bytes[..bytes.len().min(DATA_BYTES)];
    parse(bytes);
    let tail = u16::from_le_bytes([*low, *high]) as usize & !7;
    let mut pages = vec![0; PAGE_BYTES + DATA_BYTES];
    let head = (tail + records.len()) as u64;
    pages[HEAD_OFFSET..HEAD_OFFSET + 8].copy_from_slice(&head.to_le_bytes());
    pages[HEAD_OFFSET + 8..HEAD_OFFSET + 16].copy_from_slice(&(tail as u64).to_le_bytes());
    for (offset, byte) in records.iter().enumerate() {
        pages[PAGE_BYTES + (tail + offset) % DATA_BYTES] = *byte;
    }
    // SAFETY: the name is a C string; the new descriptor is owned by the file alone.
    let mut file = unsafe { File::from_raw_fd(libc::memfd_create(c"ring".as_ptr(), 0)) };
    file.write_all(&pages).expect("memory");
    let mut ring = Ring::new(file.into(), DATA_PAGES).map_err(|(_, error)| error);
    let ring = ring.as_mut().expect("a file in memory can be mapped");
    let mut taken = 0;
    ring.drain(|record| {
        assert!(record.len() >= RECORD_HEADER_BYTES);
        taken += record.len();
        parse(record);
    });
    assert!(taken <= records.len());
    ring.drain(|_| panic!("the ring was emptied"));
}

fn parse(record: &[u8]) {
    let _ = parse_map_event(record);
    let _ = parse_name_event(record);
    for copy in [parse_sample(record), parse_sample_with_chain(record)]
        .into_iter()
        .flatten()
    {
        assert!(copy.stack.len() <= record.len().max(STACK_BYTES as usize));
        assert!(8 * copy.chain.len() <= record.len());
    }
}

/// A record of each kind.
#[allow(dead_code)] // The fuzzer keeps what it found itself.
pub fn seeds() -> Vec<Vec<u8>> {
    let record = |kind: u32, words: &[u64]| {
        let mut bytes = kind.to_le_bytes().to_vec();
        bytes.extend(0x2000_u16.to_le_bytes());
        bytes.extend((8 + 8 * words.len() as u16).to_le_bytes());
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes
    };
    let name = u64::from_le_bytes(*b"worker\0\0");
    let mut sample = vec![8 << 32 | 7, 123, 2];
    sample.extend(1..=24);
    sample.extend([16, 1, 2, 8]);
    let mut with_chain = sample.clone();
    with_chain.splice(2..2, [3, -512_i64 as u64, 0x501, 0x601]);
    let all = [
        record(
            10,
            &[
                8 << 32 | 7,
                0x1000,
                0x2000,
                0,
                1 << 32 | 8,
                42,
                0,
                5,
                name,
                8 << 32 | 7,
                123,
            ],
        ),
        record(3, &[8 << 32 | 7, name, 8 << 32 | 7, 123]),
        record(7, &[7, 8 << 32 | 8, 99, 8 << 32 | 7, 123]),
        record(4, &[7, 8 << 32 | 8, 99, 8 << 32 | 7, 123]),
        record(2, &[1, 17, 8 << 32 | 7, 123]),
        record(9, &sample),
        record(9, &with_chain),
    ];
    [&[0, 0][..], &[0xf0, 0x1f]]
        .map(|start| [start, &all.concat()].concat())
        .into()
}
