//! The build that was recorded before a change, run in turns with the present one; under real recordings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use profile::Profile;
use wire::{
    CompareBuildsRequest, EarlierBuildRequest, FileDifferenceRequest, OpenComparisonRequest,
    RecordRequest, RecordingEnded, StopRequest, Verdict, recording_progress, reply, request,
};

use crate::client::{Engine, text};
use crate::recordings::can_record;

/// A project of one source file: a loop that stays as it is and one that a change makes slower.
struct Project {
    folder: tempfile::TempDir,
}

const BEFORE: &str = "int main(int argc, char **argv) {
    volatile unsigned long same = 0, more = 0;
    FILE *names = fopen(\"names\", \"a\");
    fprintf(names, \"%s|%s|%s\\n\", argv[0], argv[1], getenv(\"MODE\"));
    for (unsigned long at = 0; at < 100000000ul; at++) same += at;
    for (unsigned long at = 0; at < 60000000ul; at++) more += at;
    return 0;
}
";

impl Project {
    fn new() -> Project {
        let folder = tempfile::tempdir().unwrap();
        let project = Project { folder };
        project.write(
            "work.c",
            &format!("#include <stdio.h>\n#include <stdlib.h>\n{BEFORE}"),
        );
        project.build(&["work.c"]);
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// A line above the loops, and a loop of three times as many rounds.
    fn change(&self) {
        let text = self
            .read("work.c")
            .replace("int main(", "/* A new line. */\nint main(");
        self.write("work.c", &text.replace("60000000ul", "180000000ul"));
        self.build(&["work.c"]);
    }

    fn build(&self, words: &[&str]) {
        self.gcc(&[words, &["-o", "work"]].concat());
    }

    fn gcc(&self, words: &[&str]) {
        let mut gcc = Command::new("gcc");
        let built = gcc
            .args(["-O1", "-g"])
            .args(words)
            .current_dir(self.folder.path());
        assert!(built.status().unwrap().success());
    }

    fn record(&self) -> RecordRequest {
        RecordRequest {
            program: text(&self.path("work")),
            args: vec!["argument".to_owned()],
            cwd: text(&self.path("")),
            env: [("MODE".to_owned(), "fast".to_owned())].into(),
            runs_directory: text(&self.path(".lineheat/runs")),
            ..RecordRequest::default()
        }
    }

    fn earlier(&self) -> request::Body {
        request::Body::EarlierBuild(EarlierBuildRequest {
            program: "./work".to_owned(),
            cwd: text(&self.path("")),
            runs_directory: text(&self.path(".lineheat/runs")),
        })
    }

    fn compare(&self, repeat: u32) -> request::Body {
        request::Body::CompareBuilds(CompareBuildsRequest {
            record: Some(RecordRequest {
                repeat,
                ..self.record()
            }),
            earlier_name: "work, earlier".to_owned(),
            until: 0.0,
        })
    }

    fn runs(&self) -> usize {
        let entries = fs::read_dir(self.path(".lineheat/runs")).unwrap();
        entries
            .filter(|entry| entry.as_ref().unwrap().path().extension() == Some("gz".as_ref()))
            .count()
    }
}

/// Until the recording has been saved, and what was heard about which build.
fn ended(
    engine: &mut Engine,
    request: request::Body,
) -> (RecordingEnded, Vec<recording_progress::Build>) {
    engine.send(request);
    let mut builds = Vec::new();
    loop {
        match engine.next().expect("a reply").body.expect("a body") {
            reply::Body::RecordingEnded(ended) => return (ended, builds),
            reply::Body::RecordingProgress(progress) => builds.push(progress.build()),
            reply::Body::Failure(failure) => panic!("{failure:?}"),
            _ => {}
        }
    }
}

fn text_in(run: &str, source: &str) -> Option<String> {
    let sources = Profile::open(Path::new(run)).unwrap().run.unwrap().sources;
    let mut found = sources
        .into_iter()
        .filter(|file| file.path.ends_with(source));
    found.next().map(|file| file.text)
}

fn problems(run: &str) -> String {
    Profile::open(Path::new(run))
        .unwrap()
        .run
        .unwrap()
        .problems
        .join("\n")
}

#[test]
fn the_last_build_runs_in_turns_with_the_present_one_and_keeps_its_own_text() {
    if !can_record() {
        return;
    }
    let project = Project::new();
    let mut engine = Engine::start();
    let failure = engine.fails(project.earlier());
    assert_eq!(failure.kind, "never-kept");
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
        verdicts.contains(&opened.verdict) && opened.change > 0.2,
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
    assert!((2.0..5.0).contains(&ratio(more)), "{lines:?}");
    assert_eq!(lines.verdict[more], i32::from(Verdict::Slower));
    assert_eq!((lines.changed[same], lines.changed[more]), (false, true));
    // The one before the change can be compared again.
    assert!(matches!(
        engine.ask(project.earlier()),
        reply::Body::EarlierBuild(_)
    ));
}

#[test]
fn no_build_is_kept_where_none_is_wanted() {
    if !can_record() {
        return;
    }
    let project = Project::new();
    let mut engine = Engine::start();
    let record = RecordRequest {
        no_kept_build: true,
        ..project.record()
    };
    let (done, _) = ended(&mut engine, request::Body::Record(record));
    assert_eq!(done.not_kept, None);
    assert!(!project.path(".lineheat/builds").exists());
    project.change();
    let failure = engine.fails(project.earlier());
    assert_eq!(failure.kind, "never-kept");
}

#[test]
fn a_build_that_cannot_be_kept_is_named_with_the_reason() {
    if !can_record() {
        return;
    }
    let project = Project::new();
    fs::create_dir_all(project.path(".lineheat")).unwrap();
    std::os::unix::fs::symlink("/tmp", project.path(".lineheat/builds")).unwrap();
    let mut engine = Engine::start();
    let (done, _) = ended(&mut engine, request::Body::Record(project.record()));
    assert!(Path::new(&done.run_path).exists());
    let told = done.not_kept.expect("a reason");
    assert_eq!(told.kind, "not-kept");
    let start = "The build that was profiled last is not kept: ";
    assert!(
        told.message.starts_with(start) && told.message.contains("follows no links in .lineheat"),
        "{told:?}"
    );
    assert_eq!(
        told.advice,
        "Check the folder .lineheat/builds, and profile it again."
    );
}

#[test]
fn split_debug_information_is_kept_with_the_program() {
    if !can_record() {
        return;
    }
    let project = Project::new();
    fs::create_dir_all(project.path("one")).unwrap();
    fs::create_dir_all(project.path("two")).unwrap();
    // Two units whose files have one name; each has a function that is inlined.
    let unit = |name: &str, inner: &str| {
        format!(
            "static inline __attribute__((always_inline)) void {inner}_{name}(volatile long *sum) {{
  for (long at = 0; at < 100000000; at++) *sum += at;
}}
long {name}(void) {{ volatile long sum = 0; {inner}_{name}(&sum); return sum; }}
"
        )
    };
    let main = "long one(void); long two(void);\nint main(void) { return (one() + two()) == 7; }\n";
    project.write("work.c", main);
    let build = |inner: &str| {
        for name in ["one", "two"] {
            project.write(&format!("{name}/unit.c"), &unit(name, inner));
            let source = format!("{name}/unit.c");
            let object = format!("{name}/unit.o");
            project.gcc(&["-gsplit-dwarf", "-c", &source, "-o", &object]);
        }
        project.build(&["-gsplit-dwarf", "work.c", "one/unit.o", "two/unit.o"]);
    };
    build("former");
    let mut engine = Engine::start();
    ended(&mut engine, request::Body::Record(project.record()));
    build("present");
    let (done, _) = ended(&mut engine, project.compare(1));
    for (run, inner) in [(&done.base_run_path, "former"), (&done.run_path, "present")] {
        let profile = Profile::open(Path::new(run)).unwrap();
        let names: Vec<&str> = (profile.functions.iter())
            .map(|function| profile.text(function.name))
            .collect();
        for name in ["one", "two"].map(|name| format!("{inner}_{name}")) {
            assert!(names.contains(&name.as_str()), "{run}: {names:?}");
        }
    }
    let told = problems(&done.base_run_path);
    assert!(!told.contains("split debug information"), "{told}");
}

#[test]
fn a_text_that_nobody_knows_any_more_is_not_made_up() {
    if !can_record() {
        return;
    }
    let project = Project::new();
    let mut engine = Engine::start();
    let (first, _) = ended(&mut engine, request::Body::Record(project.record()));
    fs::remove_file(first.run_path).unwrap();
    project.change();
    let (done, _) = ended(&mut engine, project.compare(1));
    assert_eq!(text_in(&done.base_run_path, "work.c"), None);
    let told = problems(&done.base_run_path);
    assert!(
        told.contains("The source text of the earlier build is not known for: work.c."),
        "{told}"
    );
    assert!(text_in(&done.run_path, "work.c").is_some());
}

/// A library, which is named by more than its file is, of so many rounds.
fn build_library(project: &Project, rounds: u64) {
    let source =
        format!("void heavy(void) {{\n  for (volatile long i = 0; i < {rounds}; i++) {{}}\n}}\n");
    project.write("heavy.c", &source);
    let flags = ["-shared", "-fPIC", "-Wl,-soname,libheavy.so.1"];
    project.gcc(&[&flags[..], &["-o", "libheavy.so.1.0", "heavy.c"]].concat());
}

/// A program, linked in this way, that does all its work in that library.
fn with_library(flags: &[&str]) -> Project {
    let project = Project::new();
    build_library(&project, 60_000_000);
    std::os::unix::fs::symlink("libheavy.so.1.0", project.path("libheavy.so.1")).unwrap();
    let main = "void heavy(void);\nint main(void) { heavy(); return 0; }\n";
    project.write("work.c", main);
    project.build(&[&["work.c", "libheavy.so.1.0"], flags].concat());
    project
}

fn user_ns(run: &str) -> f64 {
    let run = Profile::open(Path::new(run)).unwrap().run.unwrap();
    run.user_ns as f64
}

const NOT_AS_IT_WAS: &str =
    "The earlier build ran with files as they are now, not as they were: libheavy.so.1";

#[test]
fn a_library_of_the_workspace_runs_as_it_was() {
    if !can_record() {
        return;
    }
    let project = with_library(&["-Wl,--enable-new-dtags,-rpath,$ORIGIN"]);
    let mut engine = Engine::start();
    ended(&mut engine, request::Body::Record(project.record()));
    // The program stays.
    build_library(&project, 240_000_000);
    let (done, _) = ended(&mut engine, project.compare(1));
    let ratio = user_ns(&done.run_path) / user_ns(&done.base_run_path);
    assert!(ratio > 2.0, "{ratio}");
    let told = problems(&done.base_run_path);
    assert!(!told.contains("as they are now"), "{told}");
}

#[test]
fn a_library_that_is_found_as_it_is_now_is_named_in_the_comparison() {
    if !can_record() {
        return;
    }
    // DT_RPATH precedes LD_LIBRARY_PATH. This one leads from the copy to the folder of the project, from the program to none.
    let project = with_library(&["-Wl,--disable-new-dtags,-rpath,$ORIGIN/../../.."]);
    let record = RecordRequest {
        env: [("LD_LIBRARY_PATH".to_owned(), text(&project.path("")))].into(),
        ..project.record()
    };
    let mut engine = Engine::start();
    ended(&mut engine, request::Body::Record(record.clone()));
    build_library(&project, 240_000_000);
    let compare = CompareBuildsRequest {
        record: Some(record),
        ..CompareBuildsRequest::default()
    };
    let (done, _) = ended(&mut engine, request::Body::CompareBuilds(compare));
    let told = problems(&done.base_run_path);
    assert!(told.contains(NOT_AS_IT_WAS), "{told}");
    let [base_run, new_run] =
        [&done.base_run_path, &done.run_path].map(|run| engine.open(Path::new(run)).run);
    let request = OpenComparisonRequest {
        base_run,
        new_run,
        ..OpenComparisonRequest::default()
    };
    let opened = match engine.ask(request::Body::OpenComparison(request)) {
        reply::Body::ComparisonOpened(opened) => opened,
        other => panic!("{other:?}"),
    };
    let warnings = opened.warnings.join("\n");
    assert!(warnings.contains(NOT_AS_IT_WAS), "{warnings}");
}

#[test]
fn a_comparison_of_builds_that_is_discarded_leaves_no_run() {
    if !can_record() {
        return;
    }
    let project = Project::new();
    let mut engine = Engine::start();
    ended(&mut engine, request::Body::Record(project.record()));
    project.change();
    let record_id = engine.send(project.compare(1000));
    let discard = loop {
        match engine.next().expect("a reply").body.expect("a body") {
            reply::Body::RecordingProgress(so_far) if so_far.samples > 20 => {
                break request::Body::Stop(StopRequest {
                    record_id,
                    discard: true,
                });
            }
            reply::Body::Failure(failure) => panic!("{failure:?}"),
            _ => {}
        }
    };
    engine.send(discard);
    let last = loop {
        match engine.next().expect("a reply").body.expect("a body") {
            reply::Body::RecordingEnded(ended) => break ended,
            reply::Body::Failure(failure) => panic!("{failure:?}"),
            _ => {}
        }
    };
    assert_eq!(
        (last.run_path.as_str(), last.base_run_path.as_str()),
        ("", "")
    );
    assert_eq!(project.runs(), 1);
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
    assert_eq!(failure.kind, "nothing-to-compare");
    assert!(
        failure.message.contains("build was completed"),
        "{failure:?}"
    );
}
