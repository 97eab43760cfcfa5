use super::*;
use crate::CallPrice;
use crate::CallTimes;
use crate::CallsOfThread;
use crate::FileId;
use crate::LockHolder;
use crate::MessageReader;
use crate::SampleKind;
use crate::SamplerStep;
use crate::layout::{COPIED_REGISTERS, StackEnd};
use crate::stack_records::CopiedPiece;
use crate::{WaitCause, Woken, WokenBy};

fn sample() -> FromSampler {
    FromSampler::Sample(SampleRecord {
        time_ns: 5,
        pid: 1,
        tid: 2,
        worth: Worth::of_cpu(1_001_001),
        end: StackEnd::Root,
        comm: *b"worker\0\0\0\0\0\0\0\0\0\0",
        kernel: vec![3],
        user: vec![0x401000, 0x402000],
    })
}

#[test]
fn a_message_is_read_as_it_was_written() {
    let file = FileId {
        device_major: 8,
        device_minor: 1,
        inode: 99,
    };
    for message in [
        FromSampler::Hello { version: 1 },
        FromSampler::Ready {
            hardware_cycles: false,
            per_cpu: true,
            no_waits: None,
            no_faults: None,
            no_syscalls: None,
            no_wakeups: None,
        },
        FromSampler::Ready {
            hardware_cycles: true,
            per_cpu: false,
            no_waits: Some(SamplerError {
                step: SamplerStep::OpenSwitchEvent,
                errno: 13,
                pid: 0,
            }),
            no_faults: Some(SamplerError {
                step: SamplerStep::OpenFaultEvent,
                errno: 13,
                pid: 0,
            }),
            no_syscalls: None,
            no_wakeups: Some(SamplerError {
                step: SamplerStep::AttachWakers,
                errno: 22,
                pid: 0,
            }),
        },
        FromSampler::Rest(RestRecord {
            time_ns: 5,
            pid: 1,
            tid: 2,
            worth: Worth {
                kind: SampleKind::SyscallError,
                weight: 7,
                id: 257,
                ..Worth::default()
            },
            comm: [b'x'; 16],
        }),
        sample(),
        FromSampler::Copy(CopyRecord {
            time_ns: 5,
            pid: 1,
            tid: 2,
            worth: Worth::of_cpu(1_001_001),
            comm: [b'x'; 16],
            kernel: vec![3, 4],
            registers: [7; COPIED_REGISTERS],
            ip: 0x401000,
            is_exact: true,
            stack: vec![1, 2, 3],
            other: CopiedPiece {
                start: 0xc000_0000,
                bytes: vec![4, 5],
            },
        }),
        FromSampler::Freed {
            time_ns: 5,
            pid: 3,
            tid: 4,
            id: 9,
        },
        FromSampler::Calls {
            totals: vec![(0, 1_000_003), (7, u64::MAX)],
        },
        FromSampler::Counted {
            totals: vec![CounterTotal {
                count: 7,
                pending: 2,
                longest_gap: 4,
                precise: 3,
                ..CounterTotal::default()
            }],
        },
        FromSampler::CallsOfThreads {
            calls: vec![CallsOfThread {
                function: 7,
                pid: 3,
                tid: 4,
                calls: 5,
            }],
        },
        FromSampler::CallPrice(CallPrice {
            counted_ns: 700,
            timed_ns: 25_000,
        }),
        FromSampler::CallTimes(CallTimes {
            function: 7,
            sum_ns: 1 << 40,
            shortest_ns: 3,
            longest_ns: 1 << 39,
            unfinished: 2,
            no_room: 1,
            ended_ns: 5,
            buckets: vec![(3, 1), (319, u64::MAX)],
        }),
        FromSampler::WaitEnd(WaitEnd {
            began_ns: 5,
            pid: 1,
            tid: 2,
            comm: [b'x'; 16],
            waits: 3,
            span_ns: 1 << 41,
            waited_ns: 1 << 40,
            queued_ns: 7,
            cause: WaitCause {
                syscall: Some(202),
                was_preempted: false,
                waits_for_disk: false,
                waits_for_owner: true,
            },
            has_stack: true,
            place: 3,
            holder: LockHolder::of(4, 5),
            woken: Some(Woken {
                by: WokenBy::Network,
                tid: 9,
                sample_ns: 6,
            }),
        }),
        FromSampler::Mapped {
            time_ns: 1,
            pid: 2,
            mapping: Mapping {
                start: 3,
                length: 4,
                file_offset: 5,
                file,
            },
            path: b"/lib/x.so".to_vec(),
        },
        FromSampler::Forked {
            time_ns: 1,
            pid: 2,
            parent_pid: 3,
        },
        FromSampler::Executed { time_ns: 1, pid: 2 },
        FromSampler::Exited { time_ns: 3, pid: 2 },
        FromSampler::Ran { running_ns: 7 },
        FromSampler::Synced,
        FromSampler::Missed {
            pid: 7,
            since_ns: 5,
            forked_ns: 3,
            is_new: true,
        },
        FromSampler::MissedAll,
        FromSampler::ProgramPlaced {
            time_ns: 5,
            pid: 7,
            errno: 3,
        },
        FromSampler::KernelSymbol {
            id: 4,
            name: b"tcp_sendmsg".to_vec(),
        },
        FromSampler::Counts {
            counters: [
                5, 2, 1, 1, 1, 0, 0, 3, 9, 4, 7, 8, 6, 2, 10, 11, 12, 13, 14, 15, 16,
            ],
            lost_mapping_records: 0,
        },
        FromSampler::Failed(SamplerError {
            step: SamplerStep::NotAllowed,
            errno: 1,
            pid: 7,
        }),
        FromSampler::Ended,
    ] {
        let mut bytes = Vec::new();
        message.write(&mut bytes).unwrap();
        let mut reader = MessageReader::new(&bytes[..]);
        let (kind, body) = reader.next_message().unwrap().unwrap();
        assert_eq!(FromSampler::parse(kind, body).unwrap(), message);
    }
}

#[test]
fn a_sample_that_promises_more_frames_than_it_has_is_refused() {
    let mut bytes = Vec::new();
    sample().write(&mut bytes).unwrap();
    let cut = &bytes[8..bytes.len() - 8];
    assert!(matches!(
        FromSampler::parse(SAMPLE, cut),
        Err(MessageError::BadBody { kind: SAMPLE })
    ));
}
