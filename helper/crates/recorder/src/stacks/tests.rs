use records::Worth;

use super::*;
use crate::wait_causes::Holder;

fn sample(time_ns: u64, tid: u32, user: &[u64]) -> SampleRecord {
    SampleRecord {
        time_ns,
        pid: 1,
        tid,
        worth: Worth::of_cpu(1_000_000),
        end: StackEnd::Root,
        comm: [0; 16],
        kernel: vec![],
        user: user.to_vec(),
    }
}

#[test]
fn equal_stacks_of_a_thread_are_counted_together() {
    let (spaces, modules) = (AddressSpaces::default(), Modules::default());
    let mut stacks = CountedStacks::default();
    stacks.add(sample(10, 1, &[1, 2]), 0, &spaces, &modules);
    stacks.add(sample(11, 1, &[1, 2]), 0, &spaces, &modules);
    stacks.add(sample(12, 2, &[1, 2]), 0, &spaces, &modules);
    stacks.add(sample(13, 1, &[3, 2]), 0, &spaces, &modules);
    let counts: Vec<u64> = stacks.sums.iter().map(|sums| sums.samples).collect();
    assert_eq!(counts, [2, 1, 1]);
    assert_eq!(stacks.sums[0].value, 2_000_000);
    assert_eq!(stacks.stacks.len(), 2);
    assert_eq!(stacks.times, [(10, 0), (11, 0), (12, 1), (13, 2)]);
    assert_eq!(stacks.sample_count(), 4);
}

const SMALL: Bounds = Bounds {
    places: 1000,
    stacks: 10,
    frames: 100,
    threads: 3,
    groups: 12,
    caused_groups: 3,
    times: 8,
};

#[test]
fn without_room_samples_are_counted_by_thread_and_the_sum_stays() {
    let (spaces, modules) = (AddressSpaces::default(), Modules::default());
    let mut stacks = CountedStacks::within(SMALL);
    for n in 0..1000u64 {
        let tid = n as u32 % 5;
        stacks.add(sample(n, tid, &[n, n + 1, 7]), 0, &spaces, &modules);
    }
    assert_eq!(stacks.sample_count(), 1000);
    assert_eq!(
        stacks.sums.iter().map(|sums| sums.samples).sum::<u64>(),
        1000
    );
    assert_eq!(stacks.without_stack, 990);
    assert_eq!(stacks.stacks.len(), 11, "one of them for all others");
    assert_eq!(
        stacks.threads.values().len(),
        4,
        "one of them for all others"
    );
    let known: Vec<u64> = (0..3).map(|t| samples_of(&stacks, t)).collect();
    assert_eq!(known, [200, 200, 200]);
}

fn samples_of(stacks: &CountedStacks, thread: u32) -> u64 {
    let groups = stacks.groups.values().iter().zip(&stacks.sums);
    groups
        .filter(|(group, _)| group.thread == thread)
        .map(|(_, sums)| sums.samples)
        .sum()
}

#[test]
fn of_very_many_holders_of_locks_the_waits_stay_and_are_counted() {
    let mut stacks = CountedStacks::within(SMALL);
    let stack = Some(stacks.stacks.number(&[]));
    for tid in 0..5 {
        let held = CountedWait {
            reason: WaitReason::Lock,
            cause: Cause::of(
                Some(Holder {
                    name: [tid; 16],
                    stack: None,
                }),
                None,
            ),
            time: WaitTime {
                sample: 0,
                start_ns: 1,
                length_ns: 7,
                waited_ns: 7,
                waits: 1,
            },
        };
        for _ in 0..2 {
            stacks.add_wait(stack, 0, held);
        }
    }
    let held = |group: &&Group| group.cause.is_some();
    assert_eq!(stacks.groups.values().iter().filter(held).count(), 3);
    assert_eq!(stacks.without_cause, 4);
    let waited: u64 = stacks.sums.iter().map(|sums| sums.value).sum();
    assert_eq!(waited, 70);
}

#[test]
fn of_very_many_samples_every_second_ones_time_is_kept_and_so_on() {
    let (spaces, modules) = (AddressSpaces::default(), Modules::default());
    let mut stacks = CountedStacks::within(SMALL);
    for n in 0..100 {
        stacks.add(sample(n, 1, &[1]), 0, &spaces, &modules);
    }
    let times: Vec<u64> = stacks.times.iter().map(|(time, _)| *time).collect();
    assert_eq!(stacks.times_every, 16);
    assert_eq!(times, [0, 16, 32, 48, 64, 80, 96]);
}
