use super::*;
use crate::PlaceKind;
use crate::layout::COPIED_REGISTERS;
use crate::{MessageReader, Operand, PlaceRole, RuleKind};

fn round_trip(message: ToSampler) -> Vec<ToSampler> {
    let mut bytes = Vec::new();
    message.write(&mut bytes).unwrap();
    let mut reader = MessageReader::new(&bytes[..]);
    let mut parsed = Vec::new();
    while let Some((kind, body)) = reader.next_message().unwrap() {
        parsed.push(ToSampler::parse(kind, body).unwrap());
    }
    parsed
}

#[test]
fn a_message_is_read_as_it_was_written() {
    let id = FileId {
        device_major: 254,
        device_minor: 0,
        inode: 77,
    };
    let segment = Segment {
        file_offset: 0x1000,
        size: 0x500,
        vaddr: 0x401000,
    };
    for message in [
        ToSampler::Hello {
            version: 1,
            sample_hz: 999,
            kernel_stacks: true,
            user_frames: 512,
            row_capacity: 5,
            page_capacity: 6,
            stack_copies: true,
            timers: Timers::PerThread,
            waits: true,
            allocations: true,
            calls: true,
            latency: true,
            faults: true,
            syscalls: true,
            counters: 2,
            allocation_places: true,
            wakeups: true,
        },
        ToSampler::Counters {
            events: vec![CounterRequest { kind: 1, config: 2 }],
        },
        ToSampler::Calls {
            places: vec![CallPlace {
                offset: 0x1234,
                function: 4095,
                kind: PlaceKind::LeftIf { condition: 15 },
            }],
        },
        ToSampler::AllocationPlaces {
            places: vec![AllocationPlace {
                offset: 0x1234,
                semaphore: 0,
                role: PlaceRole::GoFree,
                flags_clear: 0x41,
                address: Operand::NONE,
                size: Operand::NONE,
                weight: Operand::NONE,
            }],
        },
        ToSampler::ProgramPlaces {
            pid: 7,
            places: vec![AllocationPlace {
                offset: 0x1234,
                semaphore: 0,
                role: PlaceRole::GoAllocation,
                flags_clear: 0x41,
                address: Operand::NONE,
                size: Operand::NONE,
                weight: Operand::NONE,
            }],
        },
        ToSampler::Allocations {
            allocated: 0x1060,
            freed: 0x1070,
        },
        ToSampler::Rules {
            first: 3,
            rules: vec![Rule::of_kind(RuleKind::End).to_bytes()],
        },
        ToSampler::Pages {
            first: 0,
            pages: vec![7 | 1 << 32],
        },
        ToSampler::File {
            id,
            first_page: 1,
            base_page: 4,
            page_count: 2,
            segments: vec![segment],
        },
        ToSampler::Mapping {
            pid: 1,
            mapping: Mapping {
                start: 4096,
                length: 4096,
                file_offset: 0,
                file: id,
            },
        },
        ToSampler::Attach {
            threads: vec![ThreadId { pid: 1, tid: 2 }],
        },
        ToSampler::Start,
        ToSampler::Sync,
        ToSampler::Read {
            pid: 4,
            read_ns: 1 << 40,
            threads: vec![4, 5],
        },
        ToSampler::CaughtUp,
        ToSampler::Stop,
    ] {
        assert_eq!(round_trip(message.clone()), [message]);
    }
}

#[test]
fn many_rows_are_split_and_keep_their_places() {
    let rows: Vec<u32> = (0..40_000).collect();
    let parts = round_trip(ToSampler::Rows {
        first: 10,
        rows: rows.clone(),
    });
    assert!(parts.len() > 1);
    let mut next = 10;
    for part in parts {
        let ToSampler::Rows { first, rows: part } = part else {
            panic!("not rows");
        };
        assert_eq!(first, next);
        assert_eq!(part[0], first - 10);
        next += part.len() as u32;
    }
    assert_eq!(next, 10 + rows.len() as u32);
}

#[test]
fn a_segment_covers_its_pages_and_an_absurd_one_does_no_harm() {
    let segment = Segment {
        file_offset: 0x1800,
        size: 0x100,
        vaddr: 0x40_1800,
    };
    let vaddr = |offset| vaddr_of_offset(&[segment], offset, 4096);
    assert_eq!(vaddr(0x1000), Some(0x40_1000));
    assert_eq!(vaddr(0x1fff), Some(0x40_1fff));
    assert_eq!(vaddr(0x2000), None);
    assert_eq!(vaddr_of_offset(&[segment], 0, 16384), Some(0x40_0000));
    let absurd = Segment {
        file_offset: u64::MAX - 5,
        size: u64::MAX,
        vaddr: u64::MAX,
    };
    assert_eq!(vaddr_of_offset(&[absurd], 0x1000, 4096), None);
}

#[test]
fn a_rule_with_a_register_that_does_not_exist_is_refused() {
    let mut rule = Rule::of_kind(RuleKind::Register).to_bytes();
    rule[1] = COPIED_REGISTERS as u8;
    let body = Body::default().u32(0).bytes(&rule);
    assert!(matches!(
        ToSampler::parse(RULES, &body.0),
        Err(MessageError::BadBody { kind: RULES })
    ));
}

#[test]
fn a_length_above_the_limit_is_refused_before_it_is_allocated() {
    let bytes = u32::MAX.to_le_bytes();
    assert!(matches!(
        MessageReader::new(&bytes[..]).next_message(),
        Err(MessageError::BadLength(u32::MAX))
    ));
}
