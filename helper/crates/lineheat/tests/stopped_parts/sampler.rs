//! The sampler.

use std::time::Duration;

use crate::held_parts::{Holder, How, child, engine_with_sampler, marked};
use crate::place::{AT_LAST, AT_ONCE, Place, for_both, why};
use crate::support::can_record;

#[test]
fn a_sampler_that_is_held_at_start_costs_the_kernels_part() {
    for_both(|how, holder| {
        let place = Place::new();
        let engine = engine_with_sampler(place.folder.path(), &holder.holds_itself());
        let mut recorder = place.record_by(engine, &[], &["10"]);
        let sampler = child(recorder.pid(), "lineheat-sampler");
        assert_eq!(recorder.ends_within(AT_LAST), 0, "{}", place.told());
        place.assert_told("the sampler did not respond for 20 s");
        place.assert_told(why(how));
        place.assert_kept(20, &["in user space only"]);
        place.assert_nothing_runs(&[sampler]);
    });
}

#[test]
fn a_sampler_that_reads_nothing_costs_the_kernels_part() {
    if !can_record() {
        return;
    }
    let place = Place::new();
    let engine = engine_with_sampler(place.folder.path(), "exec sleep 600");
    let mut recorder = place.record_by(engine, &[], &["10"]);
    let sampler = child(recorder.pid(), "sleep");
    assert_eq!(recorder.ends_within(AT_LAST), 0, "{}", place.told());
    place.assert_told("the sampler did not respond for 20 s");
    place.assert_kept(20, &["in user space only"]);
    place.assert_nothing_runs(&[sampler]);
}

#[test]
fn every_signal_is_obeyed_while_the_sampler_is_held_at_start() {
    if !can_record() {
        return;
    }
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        let place = Place::new();
        let engine = engine_with_sampler(place.folder.path(), "kill -STOP $$");
        let mut recorder = place.record_by(engine, &[], &["600"]);
        let sampler = child(recorder.pid(), "lineheat-sampler");
        std::thread::sleep(Duration::from_millis(200));
        recorder.signal(signal);
        recorder.ends_within(AT_ONCE);
        place.assert_told("Stopped before the recording started: nothing was recorded.");
        place.assert_nothing_runs(&[sampler]);
    }
}

#[test]
fn a_sampler_that_is_held_in_the_middle_costs_what_comes_after() {
    for_both(|how, holder| {
        let place = Place::new();
        let mut recorder = place.record(&["20"]);
        recorder.is_recording();
        let sampler = child(recorder.pid(), "lineheat-sample");
        holder.hold(sampler);
        assert_eq!(recorder.ends_within(AT_LAST), 0, "{}", place.told());
        place.assert_kept(20, &["The sampler did not respond for 5 s", why(how)]);
        assert!(place.profile().run.expect("our own run").partial);
        place.assert_nothing_runs(&[sampler]);
    });
}

#[test]
fn a_sampler_that_says_nothing_while_its_command_runs_on_is_waited_for_ten_seconds() {
    for_both(|how, holder| {
        let place = Place::new();
        let mut recorder = place.record(&["150"]);
        recorder.is_recording();
        let sampler = child(recorder.pid(), "lineheat-sample");
        holder.hold(sampler);
        assert_eq!(recorder.ends_within(AT_LAST), 0, "{}", place.told());
        place.assert_told("The sampler has not responded for 3 s");
        place.assert_kept(20, &["The sampler did not respond for 10 s", why(how)]);
        place.assert_told("the command exited with 0");
        place.assert_nothing_runs(&[sampler]);
    });
}

#[test]
fn a_sampler_that_is_continued_in_time_costs_counted_samples_only() {
    if !can_record() {
        return;
    }
    let place = Place::new();
    let mut recorder = place.record(&["60"]);
    recorder.is_recording();
    let sampler = child(recorder.pid(), "lineheat-sample") as i32;
    // SAFETY: kill has no memory preconditions.
    unsafe { libc::kill(sampler, libc::SIGSTOP) };
    std::thread::sleep(Duration::from_secs(2));
    // SAFETY: as above.
    unsafe { libc::kill(sampler, libc::SIGCONT) };
    assert_eq!(recorder.ends_within(AT_LAST), 0, "{}", place.told());
    let info = place.profile().run.expect("our own run");
    let lost: u64 = info.losses.iter().map(|loss| loss.count).sum();
    assert_eq!(info.samples_taken, info.samples_kept + lost);
    assert!(!info.partial && info.samples_kept > 50, "{}", place.told());
}

#[test]
fn a_second_ctrl_c_ends_a_recording_whose_sampler_is_held() {
    for_both(|_, holder| {
        let place = Place::new();
        let mut recorder = place.record(&["600"]);
        recorder.is_recording();
        let sampler = child(recorder.pid(), "lineheat-sample");
        holder.hold(sampler);
        recorder.ends_at_once();
        place.assert_kept(20, &["The sampler did not respond for"]);
        place.assert_nothing_runs(&[sampler]);
    });
}

#[test]
fn what_a_killed_recorder_had_is_in_the_journal_though_its_sampler_was_held_from_the_first_moment()
{
    if !can_record() {
        return;
    }
    let place = Place::new();
    let mut recorder = place.record(&["600"]);
    let sampler = child(recorder.pid(), "lineheat-sample");
    std::thread::sleep(Duration::from_millis(400));
    Holder::of(How::Stopped)
        .expect("no group is needed")
        .hold(sampler);
    recorder.is_recording();
    recorder.engine.kill().expect("ours");
    recorder.engine.wait().expect("ours");
    place.profile();
    for pid in marked(&place.mark) {
        // Its command goes on, as it would have without us.
        let pid: i32 = pid
            .split('"')
            .nth(1)
            .expect("quoted")
            .parse()
            .expect("a number");
        // SAFETY: kill has no memory preconditions.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
    place.assert_nothing_runs(&[sampler]);
}
