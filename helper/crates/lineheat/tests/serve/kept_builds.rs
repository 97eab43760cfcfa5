//! What is kept of a build for later comparisons: the program, its libraries, its split debug information, its text.

use std::fs;
use std::path::Path;

use profile::Profile;
use wire::{CompareBuildsRequest, OpenComparisonRequest, RecordRequest, reply, request};

use crate::client::{Engine, text};
use crate::project::{Project, ended, problems, text_in};
use crate::recordings::can_record;

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
    assert_eq!(failure.kind(), wire::failure::Kind::NeverKept);
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
    assert_eq!(told.kind(), wire::failure::Kind::NotKept);
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
