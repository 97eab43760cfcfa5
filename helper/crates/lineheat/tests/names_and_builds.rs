//! Names by the mode that is asked for, and what a run says of how its program was built.

use std::path::Path;
use std::process::Command;

use crate::support::{can_record, lineheat};
use profile::{LineOf, MappingOf, Profile, ProfileBuilder, save};

fn run_of_a_template(path: &Path) {
    let mut builder = ProfileBuilder::new(&[("samples", "count")]);
    let program = builder.add_mapping(MappingOf {
        filename: "/project/app",
        symbolized: true,
        ..MappingOf::default()
    });
    let function = builder.add_function("max<int>", "_Z3maxIiET_S0_S0_", "/project/max.h", 3);
    let line = LineOf {
        function,
        line: 4,
        column: 0,
    };
    let location = builder.add_location(Some(program), 0x10, &[line]);
    builder.add_sample(&[location], &[100], &[]);
    save(&builder.finish(), path).unwrap();
}

fn printed(arguments: &[&str]) -> String {
    let output = lineheat(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn names_are_shown_as_asked_whatever_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pb.gz");
    run_of_a_template(&path);
    let run = path.to_str().unwrap();
    for (mode, expected) in [
        ("none", "_Z3maxIiET_S0_S0_"),
        ("simplified", "\"max\""),
        ("templates", "\"max<int>\""),
        ("full", "int max<int>(int, int)"),
    ] {
        let report = printed(&["report", run, "--json", "--demangle", mode]);
        assert!(report.contains(expected), "{mode}: {report}");
        let diff = printed(&["diff", run, "--against", run, "--json", "--demangle", mode]);
        assert!(diff.contains(expected), "{mode}: {diff}");
    }
    assert!(printed(&["report", run, "--json"]).contains("\"max<int>\""));
}

/// Records `source` built with `flags`, with a cache folder of its own.
fn recorded(folder: &Path, flags: &[&str]) -> Profile {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/hot_line.c");
    let (program, run) = (folder.join("program"), folder.join("run.pb.gz"));
    let compiled = Command::new("gcc")
        .args(flags)
        .arg("-o")
        .args([&program, &source])
        .status();
    assert!(compiled.unwrap().success());
    let recorded = lineheat(&["record", "--output"])
        .arg(&run)
        .arg("--")
        .arg(&program)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&recorded.stderr);
    Profile::open(&run).unwrap_or_else(|error| panic!("{error}\n{told}"))
}

#[test]
fn a_program_built_without_optimisation_or_lines_is_told_what_to_add() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let problems = |flags: &[&str]| {
        recorded(folder.path(), flags)
            .run
            .unwrap()
            .problems
            .join("\n")
    };
    let unoptimized = problems(&["-O0", "-g"]);
    assert!(
        unoptimized.contains("program was built without optimization")
            && unoptimized.contains("CMake: -DCMAKE_BUILD_TYPE=RelWithDebInfo"),
        "{unoptimized}"
    );
    let without_lines = problems(&["-O2"]);
    assert!(
        without_lines.contains("has no debug information")
            && without_lines.contains("CXXFLAGS=\"-O2 -g\""),
        "{without_lines}"
    );
    let well_built = problems(&["-O2", "-g"]);
    assert!(!well_built.contains("CMake"), "{well_built}");
}

#[test]
fn a_second_run_takes_its_names_from_the_first() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let hot = |profile: Profile| {
        let name = |function: &profile::Function| profile.text(function.name).to_owned();
        let mut names: Vec<String> = profile.functions.iter().map(name).collect();
        names.retain(|name| name == "spend" || name == "hot");
        names.sort();
        names
    };
    let first = hot(recorded(folder.path(), &["-O2", "-g"]));
    let kept = folder.path().join("cache/lineheat/symbols");
    assert!(kept.read_dir().unwrap().count() > 0);
    assert_eq!(hot(recorded(folder.path(), &["-O2", "-g"])), first);
    // A damaged cache is no cache.
    for file in kept.read_dir().unwrap() {
        std::fs::write(file.unwrap().path(), b"damaged").unwrap();
    }
    assert_eq!(hot(recorded(folder.path(), &["-O2", "-g"])), first);
    assert_eq!(first, ["hot", "spend"]);
}
