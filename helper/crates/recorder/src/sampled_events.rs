//! Page faults and system calls: samples that stand for several of them, and the rest that no sample stands for. Sums are exact.

use profile::{SampleDetail, Sums};
use records::{RestRecord, SampleKind, SampleRecord, Worth};

use super::locator::Locator;
use super::stacks::{CountedStacks, Thread};

#[derive(Default)]
pub struct SampledEvents {
    pub faults: SeenEvents,
    pub syscalls: SeenEvents,
    /// Time in system calls for which there is no room in a run.
    pub beyond_ns: u64,
    syscall_ns: u64,
    /// The kernel gives large pages of its own accord.
    pub has_huge_pages: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SeenEvents {
    pub all: u64,
    /// Those of which no stack is known.
    pub without_stack: u64,
}

/// Of all threads together, 26 days: see `waits`.
const TOTAL_NS_MAX: u64 = 1 << 51;

impl SampledEvents {
    pub fn add(&mut self, sample: SampleRecord, locator: &mut Locator) {
        let worth = sample.worth;
        let (stack, thread) = locator.locate(sample);
        self.add_to(stack, thread, worth, locator.stacks);
    }

    /// Events that no sample stands for. `repetition` as in [`CountedStacks::add`].
    pub fn add_rest(&mut self, rest: &RestRecord, repetition: u32, stacks: &mut CountedStacks) {
        let thread = stacks.thread(Thread {
            pid: rest.pid,
            tid: rest.tid,
            name: rest.comm,
            repetition,
        });
        self.add_to(None, thread, rest.worth, stacks);
    }

    fn add_to(
        &mut self,
        stack: Option<u32>,
        thread: u32,
        worth: Worth,
        stacks: &mut CountedStacks,
    ) {
        let Worth {
            kind, weight, id, ..
        } = worth;
        let (seen, detail, value) = match kind {
            SampleKind::Fault if id == 0 => (&mut self.faults, SampleDetail::MinorFault, 0),
            SampleKind::Fault => (&mut self.faults, SampleDetail::MajorFault, 0),
            _ => (&mut self.syscalls, SampleDetail::Syscall(id), worth.value),
        };
        let value = match kind {
            SampleKind::Syscall => value,
            _ => 0,
        };
        if kind != SampleKind::SyscallError {
            seen.all += u64::from(weight);
            seen.without_stack += stack.map_or(u64::from(weight), |_| 0);
        }
        let kept_ns = value.min(TOTAL_NS_MAX - self.syscall_ns);
        self.syscall_ns += kept_ns;
        self.beyond_ns += value - kept_ns;
        let sums = Sums {
            samples: 1,
            weight: weight.into(),
            value: kept_ns,
        };
        stacks.add_sums(stack, thread, kind, Some(detail), sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(kind: SampleKind, weight: u32, value: u64, id: u32) -> RestRecord {
        RestRecord {
            time_ns: 5,
            pid: 1,
            tid: 1,
            worth: Worth {
                kind,
                value,
                weight,
                id,
                ..Worth::default()
            },
            comm: [0; 16],
        }
    }

    fn sums_of(stacks: &CountedStacks) -> Vec<(Option<SampleDetail>, u64, u64)> {
        let groups = stacks.groups.values().iter().zip(&stacks.sums);
        groups
            .map(|(group, sums)| (group.detail, sums.weight, sums.value))
            .collect()
    }

    #[test]
    fn what_no_sample_stands_for_is_in_the_sums_of_its_thread() {
        let (mut events, mut stacks) = (SampledEvents::default(), CountedStacks::default());
        for record in [
            rest(SampleKind::Fault, 3, 1, 0),
            rest(SampleKind::Fault, 2, 1, 1),
            rest(SampleKind::Syscall, 7, 900, 39),
            rest(SampleKind::SyscallError, 4, 1, 39),
        ] {
            events.add_rest(&record, 0, &mut stacks);
        }
        let getpid = Some(SampleDetail::Syscall(39));
        let expected = [
            (Some(SampleDetail::MinorFault), 3, 0),
            (Some(SampleDetail::MajorFault), 2, 0),
            (getpid, 7, 900),
            (getpid, 4, 0),
        ];
        assert_eq!(sums_of(&stacks), expected);
        assert_eq!((events.faults.all, events.faults.without_stack), (5, 5));
        assert_eq!((events.syscalls.all, events.syscalls.without_stack), (7, 7));
        assert_eq!(stacks.sample_count(), 0, "no samples of CPU time");
    }

    #[test]
    fn time_beyond_what_a_run_can_hold_is_counted_apart() {
        let (mut events, mut stacks) = (SampledEvents::default(), CountedStacks::default());
        for _ in 0..2 {
            let record = rest(SampleKind::Syscall, 1, TOTAL_NS_MAX - 1, 0);
            events.add_rest(&record, 0, &mut stacks);
        }
        assert_eq!(stacks.sums[0].value, TOTAL_NS_MAX);
        assert_eq!(events.beyond_ns, TOTAL_NS_MAX - 2);
    }
}
