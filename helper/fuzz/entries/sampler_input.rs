//! Messages between engine and sampler, in both directions: what was understood is written as it was read.

use records::{FromSampler, MessageReader, ToSampler, vaddr_of_offset};

pub fn read(bytes: &[u8]) {
    let mut reader = MessageReader::new(bytes);
    while let Ok(Some((kind, body))) = reader.next_message() {
        let body = body.to_vec();
        if let Ok(message) = ToSampler::parse(kind, &body) {
            let mut written = Vec::new();
            message.write(&mut written).expect("a Vec takes everything");
            let mut again = MessageReader::new(&written[..]);
            // An empty list is written as no message at all.
            if let Some((kind, body)) = again.next_message().expect("our own bytes") {
                assert_eq!(ToSampler::parse(kind, body).expect("our own"), message);
            }
            if let ToSampler::File { segments, .. } = message {
                for segment in &segments {
                    vaddr_of_offset(&segments, segment.file_offset, 4096);
                    vaddr_of_offset(&segments, segment.size, 4096);
                }
            }
        }
        if let Ok(message) = FromSampler::parse(kind, &body) {
            let mut written = Vec::new();
            message.write(&mut written).expect("a Vec takes everything");
        }
    }
}

/// Whole streams to begin with.
#[allow(dead_code)] // The fuzzer keeps what it found itself.
pub fn seeds() -> Vec<Vec<u8>> {
    use records::{FileId, Mapping, Segment, ThreadId};
    let id = FileId {
        device_major: 8,
        device_minor: 1,
        inode: 42,
    };
    let messages = [
        ToSampler::Hello {
            version: 2,
            sample_hz: 999,
            kernel_stacks: true,
            user_frames: 128,
            row_capacity: 1000,
            page_capacity: 10,
            stack_copies: true,
            timers: records::layout::Timers::Best,
            waits: false,
            allocations: false,
            calls: false,
            latency: false,
            faults: false,
            syscalls: false,
            counters: 0,
            allocation_places: true,
            wakeups: true,
        },
        ToSampler::Rows {
            first: 0,
            rows: vec![1, 2, 3],
        },
        ToSampler::Pages {
            first: 0,
            pages: vec![3 << 32],
        },
        ToSampler::File {
            id,
            first_page: 0,
            base_page: 1,
            page_count: 1,
            segments: vec![Segment {
                file_offset: 0x1000,
                size: 0x2000,
                vaddr: 0x401000,
            }],
        },
        ToSampler::Mapping {
            pid: 7,
            mapping: Mapping {
                start: 0x1000,
                length: 0x2000,
                file_offset: 0x1000,
                file: id,
            },
        },
        ToSampler::Attach {
            threads: vec![ThreadId { pid: 7, tid: 8 }],
        },
        ToSampler::Start,
        ToSampler::Sync,
        ToSampler::Stop,
    ];
    let mut stream = Vec::new();
    for message in &messages {
        message.write(&mut stream).expect("a Vec takes everything");
    }
    vec![stream]
}
