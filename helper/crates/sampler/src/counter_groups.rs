//! Which counters of hardware count at the same times.

use perf_events::counter_event::CounterEvent;

/// Fewer than most CPUs have counters: one may be in use already, and a group that never fits would never count.
const GROUP_MAX: usize = 4;

/// Of these: counted at the same times before any others, since their ratio is shown.
const FIRST: [CounterEvent; 2] = [
    CounterEvent::CYCLES,
    CounterEvent { kind: 0, config: 1 }, // instructions
];

/// Those that need a counter of the CPU.
pub fn of_hardware(events: impl IntoIterator<Item = CounterEvent>) -> Vec<CounterEvent> {
    let all = events.into_iter();
    all.filter(|event| !event.is_software()).collect()
}

/// The number of each event's group, below their number. `None`: it is counted by itself. `fit`: whether the CPU counts these together.
pub fn groups_of(
    events: &[CounterEvent],
    fit: impl Fn(&[CounterEvent]) -> bool,
) -> Vec<Option<usize>> {
    let mut groups: Vec<Vec<CounterEvent>> = Vec::new();
    let mut numbers = vec![None; events.len()];
    let mut order: Vec<usize> = (0..events.len()).collect();
    order.sort_by_key(|at| !FIRST.contains(&events[*at]));
    for at in order {
        let event = events[at];
        if event.is_software() || !fit(&[event]) {
            continue;
        }
        let has_room = |group: &Vec<CounterEvent>| {
            group.len() < GROUP_MAX && fit(&[&group[..], &[event]].concat())
        };
        let number = groups.iter().position(has_room).unwrap_or(groups.len());
        if number == groups.len() {
            groups.push(Vec::new());
        }
        groups[number].push(event);
        numbers[at] = Some(number);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOFTWARE: u32 = 1;
    const RAW: u32 = 4;

    fn event(kind: u32, config: u64) -> CounterEvent {
        CounterEvent { kind, config }
    }

    #[test]
    fn events_that_the_cpu_counts_together_are_in_groups() {
        let raw = |config| event(RAW, config);
        let [instructions, cycles, faults] = [event(0, 1), event(0, 0), event(SOFTWARE, 2)];
        let any = |_: &[CounterEvent]| true;
        assert_eq!(groups_of(&[faults, cycles], any), [None, Some(0)]);
        // Cycles and instructions first, in whatever order they were asked for.
        let asked = [raw(1), raw(2), raw(3), raw(4), instructions, cycles];
        let groups = [Some(0), Some(0), Some(1), Some(1), Some(0), Some(0)];
        assert_eq!(groups_of(&asked, any), groups);
        let pairs = |events: &[CounterEvent]| events.len() <= 2;
        let groups = [Some(1), Some(1), Some(2), Some(2), Some(0), Some(0)];
        assert_eq!(groups_of(&asked, pairs), groups);
        let no_raw = |events: &[CounterEvent]| events.iter().all(|of| of.kind != RAW);
        assert_eq!(groups_of(&asked[3..], no_raw), [None, Some(0), Some(0)]);
        assert_eq!(of_hardware([faults, cycles]), [cycles]);
    }
}
