//! The processes that open and read files of the target.

use std::time::Duration;

use crate::held_parts::{Holder, child};
use crate::held_starts::{Held, Which};
use crate::place::{AT_LAST, Place, Recorder, for_both, why};
use crate::support::lineheat;

/// A recording in which helpers of this name hold themselves.
fn record(holder: Holder, name: &str, which: Which, program: &[&str]) -> (Place, Recorder, Held) {
    let place = Place::new();
    let mut engine = lineheat(&[]);
    let held = Held::started_by(&mut engine, name, which, holder);
    let recorder = place.record_by(engine, &[], program);
    (place, recorder, held)
}

#[test]
fn an_opener_that_is_held_at_start_is_replaced() {
    for_both(|_, holder| {
        let (place, mut recorder, held) = record(holder, "open-worker", Which::First, &["20"]);
        assert_eq!(recorder.ends_within(AT_LAST), 0, "{}", place.told());
        assert!(place.has_name("main"), "{}", place.told());
        place.assert_kept(40, &[]);
        assert_eq!(held.pids().len(), 1);
        place.assert_nothing_runs(&held.pids());
    });
}

#[test]
fn openers_that_are_all_held_cost_names_and_nothing_else() {
    for_both(|how, holder| {
        let (place, mut recorder, held) = record(holder, "open-worker", Which::All, &["20"]);
        assert_eq!(recorder.ends_within(AT_LAST), 0, "{}", place.told());
        let part = "the process that opens files did not respond for";
        place.assert_kept(40, &[part, why(how)]);
        place.assert_nothing_runs(&held.pids());
    });
}

#[test]
fn an_opener_that_is_held_in_the_middle_is_replaced() {
    for_both(|_, holder| {
        let place = Place::new();
        let library = place.path("libwork.so");
        let mut recorder = place.record(&["30", library.to_str().expect("UTF-8")]);
        let opener = child(recorder.pid(), "open-worker");
        std::thread::sleep(Duration::from_millis(150));
        holder.hold(opener);
        assert_eq!(recorder.ends_within(AT_LAST), 0, "{}", place.told());
        assert!(place.has_name("work"), "{}", place.told());
        place.assert_nothing_runs(&[opener]);
    });
}

#[test]
fn a_second_ctrl_c_ends_a_recording_whose_openers_are_held() {
    for_both(|_, holder| {
        let (place, mut recorder, held) = record(holder, "open-worker", Which::All, &["600"]);
        held.wait();
        std::thread::sleep(Duration::from_millis(300));
        recorder.ends_at_once();
        place.assert_nothing_runs(&held.pids());
    });
}

#[test]
fn a_symbolizer_that_is_held_is_replaced() {
    for_both(|_, holder| {
        let (place, mut recorder, held) = record(holder, "symbolize-worker", Which::First, &["10"]);
        assert_eq!(recorder.ends_within(AT_LAST), 0, "{}", place.told());
        assert!(place.has_name("main"), "{}", place.told());
        assert_eq!(held.pids().len(), 1);
        place.assert_nothing_runs(&held.pids());
    });
}

#[test]
fn symbolizers_that_are_all_held_cost_names_and_nothing_else() {
    for_both(|how, holder| {
        let (place, mut recorder, held) = record(holder, "symbolize-worker", Which::All, &["10"]);
        assert_eq!(recorder.ends_within(AT_LAST), 0, "{}", place.told());
        let part = "the process that reads symbols did not respond for 5 s";
        place.assert_kept(20, &[part, why(how)]);
        place.assert_nothing_runs(&held.pids());
    });
}

#[test]
fn a_second_ctrl_c_ends_a_recording_whose_symbolizer_is_held() {
    for_both(|_, holder| {
        let (place, mut recorder, held) = record(holder, "symbolize-worker", Which::All, &["600"]);
        recorder.is_recording();
        recorder.interrupt();
        held.wait();
        recorder.interrupt();
        recorder.ends_within(crate::place::AT_ONCE);
        place.assert_kept(
            20,
            &["the recording was stopped immediately, before it was read"],
        );
        place.assert_nothing_runs(&held.pids());
    });
}
