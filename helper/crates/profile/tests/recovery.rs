//! Runs whose recording did not end properly: what their journal holds is opened, becomes the run, and never more.

use std::path::Path;
use std::sync::Arc;

use profile::run::{JournalModule, JournalStep, JournalThread, RunInfo};
use profile::{
    ErrorKind, Journal, Profile, RunFile, WAIT, WAITING, WaitReason, journal_path, place,
    sample_repetitions, save,
};

/// One stack on one thread; `samples` more of it.
fn step(first: bool, samples: u64, so_far: u64) -> JournalStep {
    let new = JournalStep {
        modules: vec![JournalModule {
            path: "/bin/work".to_owned(),
            memory_start: 0x1000,
            memory_limit: 0x9000,
            file_offset: 0,
        }],
        places: vec![place::MODULES, 0x1234, place::KERNEL, 7],
        stacks: vec![2, 1, 0],
        threads: vec![JournalThread {
            pid: 42,
            tid: 42,
            name: "work".to_owned(),
            repetition: 3,
        }],
        groups: vec![0, 0],
        ..JournalStep::default()
    };
    JournalStep {
        counts: vec![0, samples],
        time_first: so_far,
        time_every: 1,
        time_sample: vec![0; samples as usize],
        time_delta_ns: vec![10; samples as usize],
        run: Some(RunInfo {
            format: 1,
            started_unix_ns: 99,
            wall_ns: 1_000_000_000 * (so_far + samples),
            samples_taken: so_far + samples,
            samples_kept: so_far + samples,
            ..RunInfo::default()
        }),
        period_ns: 1_000_000,
        ..if first { new } else { JournalStep::default() }
    }
}

fn two_steps(run: &Path) -> Journal {
    let mut journal = Journal::create(&Arc::new(RunFile::new(run).unwrap())).unwrap();
    journal.append(&step(true, 3, 0)).unwrap();
    journal.append(&step(false, 2, 3)).unwrap();
    journal
}

/// As if the process that wrote it had ended: no process has number 0.
fn abandon(run: &Path) {
    let path = journal_path(run);
    let bytes = std::fs::read(&path).unwrap();
    let end = bytes.iter().position(|b| *b == b'\n').unwrap();
    let whole = [b"lineheat-journal 1 0 0", &bytes[end..]].concat();
    std::fs::write(path, whole).unwrap();
}

#[test]
fn an_abandoned_journal_becomes_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pb.gz");
    two_steps(&path);
    abandon(&path);
    let opened = Profile::open(&path).unwrap();
    assert_eq!((opened.total(0), opened.total(1)), (5, 5_000_000));
    let run = opened.run.as_ref().unwrap();
    assert!(run.partial);
    assert_eq!(run.time_delta_ns.len(), 5);
    assert_eq!(sample_repetitions(&opened), [3]);
    assert!(run.problems[0].contains("Its first 5.0 s, 5 samples, were recovered"));
    assert!(!journal_path(&path).exists());
    let again = Profile::open(&path).unwrap();
    assert_eq!(again.samples, opened.samples);
    assert_eq!(again.run, opened.run);
}

#[test]
fn waits_are_recovered_with_their_reasons_and_apart_from_cpu_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pb.gz");
    let mut journal = Journal::create(&Arc::new(RunFile::new(&path).unwrap())).unwrap();
    journal.append(&step(true, 3, 0)).unwrap();
    // Two groups on the same stack: one wait of 70 ns, of which another 30 ns were for a CPU.
    let waits = JournalStep {
        groups: vec![0, 0, 0, 0],
        group_kinds: vec![WAITING; 2],
        group_reasons: vec![WaitReason::Sleep as u32, WaitReason::RunQueue as u32],
        sums: vec![1, 1, 1, 70, 2, 1, 0, 30],
        ..step(false, 0, 3)
    };
    journal.append(&waits).unwrap();
    abandon(&path);
    let opened = Profile::open(&path).unwrap();
    let totals: Vec<u64> = (0..4).map(|measure| opened.total(measure)).collect();
    assert_eq!(totals, [3, 3_000_000, 100, 1]);
    let reason_of = |sample: usize| {
        let mut labels = opened.samples.labels_of(sample).iter();
        labels
            .find(|label| opened.text(label.key) == WAIT)
            .map(|label| opened.text(label.text))
    };
    let reasons: Vec<_> = (0..3).map(reason_of).collect();
    assert_eq!(reasons, [None, Some("sleep"), Some("run queue")]);
}

#[test]
fn while_it_is_recorded_the_journal_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pb.gz");
    let journal = two_steps(&path);
    assert!(profile::is_being_recorded(&path));
    let opened = Profile::open(&path).unwrap();
    assert_eq!(opened.total(0), 5);
    assert_eq!(opened.run.unwrap().recorder_pid, std::process::id());
    assert!(!path.exists() && journal_path(&path).exists());
    journal.remove();
    assert!(!profile::is_being_recorded(&path));
    assert_eq!(Profile::open(&path).unwrap_err().kind, ErrorKind::NotFound);
}

#[test]
fn a_journal_opens_up_to_wherever_it_is_cut_or_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pb.gz");
    two_steps(&path);
    abandon(&path);
    let whole = std::fs::read(journal_path(&path)).unwrap();
    let first_only = |damaged: &[u8]| {
        std::fs::write(journal_path(&path), damaged).unwrap();
        let _ = std::fs::remove_file(&path);
        match Profile::open(&path) {
            Ok(opened) => {
                let run = opened.run.as_ref().unwrap();
                assert_eq!(opened.total(0), run.samples_kept);
                assert!(run.partial);
                opened.total(0)
            }
            Err(error) => {
                assert!(error.message.contains("run.pb.gz"), "{error}");
                0
            }
        }
    };
    for end in 1..whole.len() {
        assert!([0, 3].contains(&first_only(&whole[..end])), "cut at {end}");
    }
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x10;
        let in_first_line = whole[..at].iter().all(|b| *b != b'\n');
        let total = first_only(&changed);
        assert!(
            [0, 3].contains(&total) || in_first_line,
            "changed at {at}: {total}"
        );
    }
}

#[test]
fn a_run_that_was_saved_is_not_replaced_by_its_own_journal_and_an_older_one_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pb.gz");
    two_steps(&path);
    abandon(&path);
    let mut saved = Profile::open(&path).unwrap();
    saved.run.as_mut().unwrap().partial = false;
    for (started, wanted_partial) in [(99, false), (98, true)] {
        saved.run.as_mut().unwrap().started_unix_ns = started;
        save(&saved, &path).unwrap();
        two_steps(&path);
        abandon(&path);
        assert_eq!(
            Profile::open(&path).unwrap().run.unwrap().partial,
            wanted_partial
        );
        assert!(!journal_path(&path).exists());
    }
}

#[test]
fn a_step_that_refers_to_what_is_not_there_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pb.gz");
    let changes: [fn(&mut JournalStep); 10] = [
        |s| s.counts = vec![1, 5],
        |s| s.counts = vec![0],
        |s| s.counts = vec![0, u64::MAX],
        |s| s.groups = vec![1, 0],
        |s| s.groups = vec![0, 1],
        |s| s.stacks = vec![1, 2],
        |s| s.stacks = vec![9, 0],
        |s| s.places = vec![place::MODULES + 1, 0],
        |s| s.time_sample = vec![8, 8],
        |s| s.group_reasons = vec![1],
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut journal = Journal::create(&Arc::new(RunFile::new(&path).unwrap())).unwrap();
        journal.append(&step(true, 3, 0)).unwrap();
        let mut bad = step(false, 2, 3);
        change(&mut bad);
        journal.append(&bad).unwrap();
        abandon(&path);
        let opened = Profile::open(&path).unwrap();
        assert_eq!(opened.total(0), 3, "change {number}");
        let problems = opened.run.unwrap().problems;
        assert!(problems[0].ends_with("The rest of its journal is damaged."));
        std::fs::remove_file(&path).unwrap();
    }
}
