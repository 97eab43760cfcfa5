//! Waiting time in what the editor records.

use std::path::Path;

use wire::{RecordRequest, RunOpened, request};

use crate::client::{Engine, text};
use crate::recordings::can_record;

/// A program that sleeps for 0.3 s, recorded and opened.
fn sleeper(no_waiting: bool) -> RunOpened {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut engine = Engine::start();
    engine.send(request::Body::Record(RecordRequest {
        program: "/bin/sleep".to_owned(),
        args: vec!["0.3".to_owned()],
        cwd: text(folder.path()),
        no_waiting,
        ..RecordRequest::default()
    }));
    let ended = engine.recorded();
    engine.open(Path::new(&ended.run_path))
}

/// `None`: the run has no such measure.
fn waited_ns(opened: &RunOpened) -> Option<u64> {
    let mut measures = opened.values.iter().zip(&opened.totals);
    let found = measures.find(|(of, _)| of.r#type == "wait");
    found.map(|(_, total)| total.value)
}

#[test]
fn waiting_time_is_a_measure_of_the_run_unless_it_is_not_wanted() {
    if !can_record() {
        return;
    }
    let (without, with) = (sleeper(true), sleeper(false));
    assert_eq!(waited_ns(&without), None);
    let unrecorded = |opened: &RunOpened| -> Vec<(String, String)> {
        let all = opened.unrecorded.iter();
        all.map(|of| (of.r#type.clone(), of.sentence.clone()))
            .collect()
    };
    let how = "Waiting time was not recorded. Record without --no-waiting.";
    assert_eq!(unrecorded(&without)[0], ("wait".into(), how.into()));
    assert_eq!(unrecorded(&with)[0].0, "alloc_space");
    let ns = waited_ns(&with).expect("the measure");
    assert!((300_000_000..400_000_000).contains(&ns), "{ns} ns");
    assert_eq!(with.default_value, without.default_value, "CPU time first");
}
