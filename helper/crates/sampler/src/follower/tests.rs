use records::Mapping;

use super::*;

/// What the BPF program knows, by process.
#[derive(Default)]
struct Known(HashMap<u32, Standing>);

impl Watch for Known {
    fn look_at(&mut self, pid: u32) -> Option<Standing> {
        self.0.get(&pid).copied()
    }

    fn unfollow(&mut self, pid: u32) {
        self.0.remove(&pid);
    }
}

impl Known {
    fn follow(&mut self, pid: u32, since_ns: u64) -> &mut Standing {
        let standing = self.0.entry(pid).or_default();
        standing.since_ns = since_ns;
        standing
    }
}

fn event(time_ns: u64, pid: u32, kind: MapEventKind) -> MapEvent {
    MapEvent {
        time_ns,
        pid,
        tid: pid,
        kind,
    }
}

fn maps(time_ns: u64, pid: u32, start: u64) -> MapEvent {
    let kind = MapEventKind::Mapped {
        mapping: Mapping {
            start,
            length: 0x1000,
            file_offset: 0,
            file: FileId::VDSO,
        },
        path: b"/a".to_vec(),
    };
    event(time_ns, pid, kind)
}

fn executes(time_ns: u64, pid: u32) -> MapEvent {
    event(time_ns, pid, MapEventKind::Executed)
}

fn forks(time_ns: u64, parent_pid: u32, pid: u32) -> MapEvent {
    let parent_tid = parent_pid;
    let kind = MapEventKind::Forked {
        parent_pid,
        parent_tid,
    };
    event(time_ns, pid, kind)
}

/// What is passed on, in short: `m` mapped, `x` executed, `f` forked, each with its process.
fn told(follower: &mut Follower, known: &mut Known, events: Vec<MapEvent>) -> String {
    let mut tell = Vec::new();
    follower.hear(events, known, &mut tell);
    let word = |m: &FromSampler| match m {
        FromSampler::Mapped { pid, .. } => format!("m{pid}"),
        FromSampler::Executed { pid, .. } => format!("x{pid}"),
        FromSampler::Forked { pid, .. } => format!("f{pid}"),
        other => format!("{other:?}"),
    };
    tell.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn following(pid: u32) -> (Follower, Known) {
    let (mut follower, mut known) = (Follower::default(), Known::default());
    known.follow(pid, 0);
    follower.add_thread(ThreadId { pid, tid: pid });
    (follower, known)
}

#[test]
fn nothing_is_passed_on_of_a_process_that_is_not_followed() {
    let (mut follower, mut known) = following(1);
    let events = vec![
        maps(1, 2, 0x1000),
        executes(2, 2),
        forks(3, 2, 3),
        maps(4, 1, 0x1000),
    ];
    assert_eq!(told(&mut follower, &mut known, events), "m1");
}

#[test]
fn an_exec_is_passed_on_with_its_mappings_once_the_program_is_known_to_be_allowed() {
    let (mut follower, mut known) = following(1);
    let events = vec![maps(5, 1, 0x1000), executes(10, 1), maps(11, 1, 0x2000)];
    assert_eq!(told(&mut follower, &mut known, events), "m1");
    known.follow(1, 0).executed_ns = 12;
    let events = vec![maps(13, 1, 0x3000)];
    assert_eq!(told(&mut follower, &mut known, events), "x1 m1 m1");
    assert_eq!(
        follower.processes().table(1).len(),
        2,
        "those of the new program"
    );
}

#[test]
fn a_program_that_may_not_be_looked_into_is_forgotten_with_all_that_it_starts() {
    let (mut follower, mut known) = following(1);
    known.follow(1, 0).refused_ns = 12;
    let events = vec![
        maps(5, 1, 0x1000),
        executes(10, 1),
        maps(11, 1, 0x2000),
        forks(13, 1, 2),
        maps(14, 1, 0x3000),
        executes(15, 1),
    ];
    assert_eq!(told(&mut follower, &mut known, events), "m1");
    assert!(!follower.knows(1) && known.0.is_empty());
}

#[test]
fn of_two_execs_the_one_before_the_refused_is_passed_on() {
    let (mut follower, mut known) = following(1);
    let standing = known.follow(1, 0);
    (standing.executed_ns, standing.refused_ns) = (12, 22);
    let events = vec![
        executes(10, 1),
        maps(11, 1, 0x1000),
        executes(20, 1),
        maps(21, 1, 0x2000),
    ];
    assert_eq!(told(&mut follower, &mut known, events), "x1 m1");
}

#[test]
fn what_a_program_did_before_it_was_seen_hiding_is_taken_for_hidden_and_its_successor_not() {
    let (mut follower, mut known) = following(1);
    known.follow(1, 0).hidden_ns = 8;
    let events = vec![maps(5, 1, 0x1000), maps(9, 1, 0x2000)];
    assert_eq!(told(&mut follower, &mut known, events), "");
    known.follow(1, 0).executed_ns = 22;
    let events = vec![executes(20, 1), maps(21, 1, 0x1000)];
    assert_eq!(told(&mut follower, &mut known, events), "x1 m1");
    known.follow(1, 0).is_hidden = true;
    assert_eq!(
        told(&mut follower, &mut known, vec![maps(30, 1, 0x2000)]),
        ""
    );
}

#[test]
fn a_child_is_followed_if_the_kernel_program_has_seen_its_birth() {
    let (mut follower, mut known) = following(1);
    known.follow(2, 11);
    let events = vec![
        forks(10, 1, 2),
        maps(12, 2, 0x1000),
        forks(13, 1, 3),
        maps(14, 3, 0x1000),
    ];
    assert_eq!(told(&mut follower, &mut known, events), "f2 m2");
    assert_eq!(follower.lost_records, 1);
}

#[test]
fn what_happened_to_an_earlier_process_of_the_number_is_not_passed_on() {
    let (mut follower, mut known) = following(1);
    known.follow(1, 20);
    let events = vec![maps(19, 1, 0x1000), maps(21, 1, 0x1000)];
    assert_eq!(told(&mut follower, &mut known, events), "m1");
}

#[test]
fn the_end_within_an_exec_is_passed_on_unless_the_program_gains_rights() {
    for (gains_rights, exits) in [(false, 1), (true, 0)] {
        let (mut follower, mut known) = following(1);
        known.follow(1, 0).is_hidden = gains_rights;
        let ends = event(12, 1, MapEventKind::ThreadExited);
        assert_eq!(
            told(&mut follower, &mut known, vec![executes(10, 1), ends]),
            ""
        );
        assert!(!follower.knows(1) && follower.execs.is_empty());
        assert_eq!(follower.exits.len(), exits);
    }
}

#[test]
fn after_a_gap_what_was_not_heard_is_taken_over_and_what_is_heard_later_stays() {
    let (mut follower, mut known) = following(1);
    let events = vec![maps(1, 1, 0x1000), maps(30, 1, 0x9000)];
    told(&mut follower, &mut known, events);
    assert!(!follower.take_missed());
    let gap = event(31, 0, MapEventKind::Lost { count: 7 });
    told(&mut follower, &mut known, vec![gap]);
    assert!(follower.take_missed() && !follower.take_missed());
    assert_eq!(follower.lost_records, 0, "the engine is to read first");
    let read = |start| Mapped {
        start,
        end: start + 0x1000,
        file_offset: 0,
        file: FileId::VDSO,
        since_ns: 20,
    };
    assert!(follower.map_unless_later(1, read(0x5000)));
    assert!(!follower.map_unless_later(1, read(0x9000)), "heard later");
    assert!(!follower.map_unless_later(2, read(0x5000)), "not followed");
    let starts: Vec<u64> = (follower.processes().table(1).iter().map(|m| m.start)).collect();
    assert_eq!(starts, [0x1000, 0x5000, 0x9000]);
    follower.execute_unheard(1, 40);
    assert!(follower.processes().table(1).is_empty());
    follower.end_unheard(1, 50, &mut known);
    assert!(!follower.knows(1) && known.0.is_empty());
    assert_eq!(
        follower.exits,
        [FromSampler::Exited {
            time_ns: 50,
            pid: 1
        }]
    );
}
