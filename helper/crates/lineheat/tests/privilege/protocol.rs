//! Messages that no engine sends: the sampler ends, within a second, and says no more than why.

use std::time::Duration;

use records::layout::Timers;
use records::{
    FromSampler, MESSAGE_BYTES_MAX, PROTOCOL_VERSION, SamplerStep, ThreadId, ToSampler,
    write_message,
};

use crate::client::Sampler;
use crate::installed::{Installed, Running, USER, as_user};

fn bytes_of(messages: &[ToSampler]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for message in messages {
        message.write(&mut bytes).unwrap();
    }
    bytes
}

fn raw(kind: u32, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_message(&mut bytes, kind, body).unwrap();
    bytes
}

#[test]
fn unknown_long_and_misplaced_messages_end_it_within_a_second() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let hello = bytes_of(&[Sampler::hello()]);
    let other_version = ToSampler::Hello {
        version: PROTOCOL_VERSION - 1,
        sample_hz: 999,
        kernel_stacks: true,
        user_frames: 64,
        row_capacity: 1,
        page_capacity: 1,
        stack_copies: true,
        timers: Timers::Best,
        waits: false,
        allocations: false,
        calls: false,
        latency: false,
        faults: false,
        syscalls: false,
        counters: 0,
        allocation_places: false,
        wakeups: false,
    };
    let rows = ToSampler::Rows {
        first: u32::MAX - 1,
        rows: vec![1, 2, 3],
    };
    for (what, bytes) in [
        ("nothing but noise", vec![0xff; 100_000]),
        ("a length of nothing", vec![0, 0, 0, 0]),
        ("Start before Hello", bytes_of(&[ToSampler::Start])),
        ("another version", bytes_of(&[other_version])),
        ("two greetings", [hello.clone(), hello.clone()].concat()),
        ("an unknown kind", [hello.clone(), raw(4711, b"")].concat()),
        ("a short body", [hello.clone(), raw(6, b"123")].concat()),
        ("rows outside", [hello.clone(), bytes_of(&[rows])].concat()),
        (
            "Start without a thread",
            [hello.clone(), bytes_of(&[ToSampler::Start])].concat(),
        ),
        (
            "too long",
            [
                hello.clone(),
                (MESSAGE_BYTES_MAX as u32 + 1).to_le_bytes().to_vec(),
                vec![0; 8],
            ]
            .concat(),
        ),
    ] {
        let mut sampler = Sampler::start(USER, &installed.sampler());
        let bytes = match bytes.strip_prefix(&hello[..]) {
            None => &bytes[..],
            Some(rest) => {
                sampler.say(&Sampler::hello());
                sampler.say(&ToSampler::Sync);
                assert!(sampler.says(|m| *m == FromSampler::Synced));
                rest
            }
        };
        sampler.say_bytes(bytes);
        let (after, code) = sampler.end();
        assert_eq!(code, Some(3), "{what}");
        assert!(after < Duration::from_secs(1), "{what}: {after:?}");
        let samples = sampler
            .heard()
            .iter()
            .any(|m| matches!(m, FromSampler::Sample(_)));
        assert!(!samples, "{what}");
    }
}

#[test]
fn nothing_can_be_attached_once_the_rights_are_given_up() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let target = Running::start(as_user(USER, &installed.program("secrets")).args(["plain", "60"]));
    let thread = ThreadId {
        pid: target.pid(),
        tid: target.pid(),
    };
    for late in [
        ToSampler::Start,
        ToSampler::Attach {
            threads: vec![thread],
        },
    ] {
        let mut sampler = Sampler::start(USER, &installed.sampler());
        sampler.attach(target.pid());
        assert!(sampler.is_ready());
        sampler.say(&late);
        let (after, code) = sampler.end();
        assert!(
            code == Some(3) && after < Duration::from_secs(1),
            "{code:?} {after:?}"
        );
        let protocol = |m: &FromSampler| matches!(m, FromSampler::Failed(e) if e.step == SamplerStep::Protocol);
        assert!(sampler.says(protocol));
    }
}

/// Some thousand messages that differ from right ones by a few bytes.
#[test]
fn damaged_messages_neither_crash_it_nor_reach_a_call_that_is_not_allowed() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..100 {
        let target = std::process::id();
        let mut bytes = bytes_of(&[
            Sampler::hello(),
            ToSampler::Rows {
                first: 0,
                rows: vec![1, 2, 3],
            },
            ToSampler::Pages {
                first: 0,
                pages: vec![1 << 32],
            },
            ToSampler::Attach {
                threads: vec![ThreadId {
                    pid: target,
                    tid: target,
                }],
            },
            ToSampler::Sync,
            ToSampler::Start,
        ]);
        let first = if random() % 2 == 0 { 0 } else { 32 }; // often a right greeting
        for _ in 0..1 + random() % 4 {
            let at = first + random() as usize % (bytes.len() - first);
            bytes[at] = random() as u8;
        }
        let mut sampler = Sampler::start(USER, &installed.sampler());
        sampler.say_bytes(&bytes);
        sampler.close_input();
        let (_, code) = sampler.end();
        assert!(matches!(code, Some(0 | 3)), "{code:?} for {bytes:x?}");
    }
}
