//! The build that was recorded before a change, run in turns with the present one; under real recordings.

use std::fs;
use std::path::Path;

use profile::Profile;
use wire::{
    FileDifferenceRequest, OpenComparisonRequest, StopRequest, Verdict, recording_progress, reply,
    request,
};

use crate::client::{Engine, text};
use crate::project::{Project, ended, problems, text_in};
use crate::recordings::can_record;

#[test]
fn the_last_build_runs_in_turns_with_the_present_one_and_keeps_its_own_text() {
    if !can_record() {
        return;
    }
    let project = Project::new();
    let mut engine = Engine::start();
    let failure = engine.fails(project.earlier());
    assert_eq!(failure.kind(), wire::failure::Kind::NeverKept);
    assert_eq!(
        failure.message,
        "There is no earlier build of work to compare with."
    );
    ended(&mut engine, request::Body::Record(project.record()));
    let failure = engine.fails(project.earlier());
    assert!(
        failure
            .message
            .contains("has not changed since it was last profiled"),
        "{failure:?}"
    );
    let before = project.read("work.c");
    project.change();
    assert!(matches!(
        engine.ask(project.earlier()),
        reply::Body::EarlierBuild(_)
    ));
    fs::remove_file(project.path("names")).unwrap();
    let (done, builds) = ended(&mut engine, project.compare(3));
    for build in [
        recording_progress::Build::Earlier,
        recording_progress::Build::Present,
    ] {
        assert!(builds.contains(&build), "{builds:?}");
    }
    // Both were called alike, in the same folder, with the same environment.
    let call = format!("{}|argument|fast\n", text(&project.path("work")));
    assert_eq!(project.read("names"), call.repeat(6));
    assert_eq!(text_in(&done.base_run_path, "work.c"), Some(before));
    assert_eq!(
        text_in(&done.run_path, "work.c"),
        Some(project.read("work.c"))
    );
    let saved = Profile::open(Path::new(&done.base_run_path))
        .unwrap()
        .run
        .unwrap();
    assert_eq!(saved.name, "work, earlier");
    assert_eq!(
        saved.command,
        [text(&project.path("work")), "argument".to_owned()]
    );
    assert!(
        !problems(&done.base_run_path).contains("work.c"),
        "{}",
        problems(&done.base_run_path)
    );

    let [base_run, new_run] = [&done.base_run_path, &done.run_path]
        .map(|run| engine.open_in(Path::new(run), &[&project.path("")]).run);
    let request = OpenComparisonRequest {
        base_run,
        new_run,
        ..Default::default()
    };
    let reply::Body::ComparisonOpened(opened) = engine.ask(request::Body::OpenComparison(request))
    else {
        panic!()
    };
    // A machine with other work may hide it in three executions, but does not turn it round.
    let verdicts = [Verdict::Slower, Verdict::Noise].map(i32::from);
    assert!(
        verdicts.contains(&opened.verdict) && opened.change > 0.4,
        "{}",
        opened.sentence
    );
    assert_eq!(
        (opened.base_executions.len(), opened.new_executions.len()),
        (3, 3)
    );
    let request = FileDifferenceRequest {
        comparison: opened.comparison,
        path: text(&project.path("work.c")),
        has_text: true,
        text: project.read("work.c"),
    };
    let reply::Body::FileDifference(lines) = engine.ask(request::Body::FileDifference(request))
    else {
        panic!()
    };
    let row_of = |word: &str| {
        let line = project
            .read("work.c")
            .lines()
            .position(|l| l.contains(word))
            .unwrap()
            + 1;
        (lines.line.iter().position(|at| *at == line as u32)).unwrap_or_else(|| panic!("{lines:?}"))
    };
    let (same, more) = (row_of("same += at"), row_of("more += at"));
    // Eight and nine in the present text, seven and eight in the former one.
    assert_eq!((lines.line[same], lines.line[more]), (8, 9));
    let ratio = |row: usize| lines.new_self[row] as f64 / lines.base_self[row] as f64;
    assert!((0.5..2.0).contains(&ratio(same)), "{lines:?}");
    assert!((3.4..8.3).contains(&ratio(more)), "{lines:?}");
    assert!(verdicts.contains(&lines.verdict[more]), "{lines:?}");
    assert_eq!((lines.changed[same], lines.changed[more]), (false, true));
    // The one before the change can be compared again.
    assert!(matches!(
        engine.ask(project.earlier()),
        reply::Body::EarlierBuild(_)
    ));
}

/// One of the two is told first, and ends the turns of both.
#[test]
fn a_comparison_of_builds_that_is_discarded_leaves_no_run() {
    if !can_record() {
        return;
    }
    let project = Project::new();
    let mut engine = Engine::start();
    ended(&mut engine, request::Body::Record(project.record()));
    project.change();
    // While its first execution runs, and while later ones do.
    for begun in 1..=6 {
        project.write("names", "");
        let record_id = engine.send(project.compare(1000));
        loop {
            let has_begun = project.read("names").lines().count() >= begun;
            match engine.next().expect("a reply").body.expect("a body") {
                reply::Body::RecordingProgress(so_far) if has_begun && so_far.samples > 20 => break,
                reply::Body::Failure(failure) => panic!("{failure:?}"),
                _ => {}
            }
        }
        let discard = true;
        engine.send(request::Body::Stop(StopRequest { record_id, discard }));
        let last = engine.recorded();
        let runs = (last.run_path.as_str(), last.base_run_path.as_str());
        assert_eq!(runs, ("", ""), "{begun}");
        assert_eq!(project.runs(), 1, "{begun}");
    }
}

#[test]
fn builds_that_are_stopped_before_both_have_run_are_not_compared() {
    if !can_record() {
        return;
    }
    let project = Project::new();
    // Seconds, so that the stop is heard before the first execution ends, whatever else the machine does.
    let long = project
        .read("work.c")
        .replace("100000000ul", "4000000000ul");
    project.write("work.c", &long);
    project.build(&["work.c"]);
    let mut engine = Engine::start();
    ended(&mut engine, request::Body::Record(project.record()));
    project.change();
    let record_id = engine.send(project.compare(1000));
    let mut asked = false;
    let failure = loop {
        match engine.next().expect("a reply").body.expect("a body") {
            reply::Body::RecordingProgress(so_far) if so_far.samples > 20 && !asked => {
                asked = true;
                engine.send(request::Body::Stop(StopRequest {
                    record_id,
                    discard: false,
                }));
            }
            reply::Body::Failure(failure) => break failure,
            reply::Body::RecordingEnded(ended) => panic!("{ended:?}"),
            _ => {}
        }
    };
    assert_eq!(failure.kind(), wire::failure::Kind::NothingToCompare);
    assert!(
        failure.message.contains("build was completed"),
        "{failure:?}"
    );
}
