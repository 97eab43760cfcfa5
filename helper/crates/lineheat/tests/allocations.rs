//! Allocated memory of small programs with a known answer, under real BPF.

use std::process::{Command, Output};

use crate::support::memory::{assert_estimated, at_line, points_at, problems_of, samples_of};
use crate::support::{Program, can_record, lineheat};
use profile::Profile;

/// With each byte sampled: nothing is an estimate.
fn record_exactly(program: &Program) -> Profile {
    let run = program.run_path();
    let output = lineheat(&["record", "--alloc", "--output"])
        .arg(&run)
        .arg("--")
        .arg(&program.path)
        .env("LINEHEAT_ALLOC_INTERVAL", "1")
        .output()
        .expect("lineheat runs");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("exited with 0"), "{told}");
    Profile::open(&run).expect("a run")
}

fn print_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_leak_is_in_use_at_its_line_and_what_is_freed_is_not() {
    if !can_record() {
        return;
    }
    let program = Program::compile("leak");
    let (profile, _) = program.record(&["--alloc"]);
    let samples = samples_of(&profile);
    let (leaked, in_use) = at_line(&samples, program.line_of("the leak"));
    let [_, points] = points_at(&samples, program.line_of("the leak"));
    assert_eq!(leaked, in_use, "nothing of it is freed");
    assert_estimated(&profile, "in use", in_use.0, points, 64.0 * 4e6);
    assert_estimated(&profile, "blocks", in_use.1 * 64, points, 64.0 * 4e6);
    let (brief, brief_in_use) = at_line(&samples, program.line_of("the brief one"));
    assert_eq!(brief_in_use, (0, 0));
    let [points, _] = points_at(&samples, program.line_of("the brief one"));
    assert_estimated(&profile, "freed at once", brief.0, points, 200.0 * 8e6);
    assert_eq!(problems_of(&profile), "");
    for sample in &samples {
        let leaf = sample.frames.first().expect("a frame");
        assert!(
            ["kept", "brief"].contains(&leaf.as_str()),
            "{leaf} allocates"
        );
        let last = sample.frames.last().expect("a frame");
        assert_eq!(last, "_start", "stacks are whole");
    }
}

#[test]
fn every_function_that_allocates_or_frees_is_counted_exactly() {
    if !can_record() {
        return;
    }
    let program = Program::compile("allocators");
    let profile = record_exactly(&program);
    let samples = samples_of(&profile);
    // Marker, bytes of a block, blocks, of them not freed.
    for (marker, bytes, blocks, kept) in [
        ("/* by malloc", 100, 10, 2),
        ("/* by calloc", 210, 10, 2),
        ("/* by realloc */", 330, 10, 2),
        ("/* by reallocarray", 440, 10, 2),
        ("/* by memalign", 550, 10, 2),
        ("/* by aligned_alloc", 640, 10, 2),
        ("/* by valloc", 770, 10, 2),
        ("/* by pvalloc", 880, 10, 2),
        ("/* by posix_memalign", 990, 10, 2),
        ("/* by the C library", 10, 10, 2),
        ("/* a chain begins", 10, 2, 0),
        ("/* it grows", 5000, 2, 0),
        ("/* it shrinks", 200, 2, 0),
        ("/* it moves", 1_000_000, 2, 1),
        ("/* freed by another thread", 48, 100, 0),
        ("/* in threads", 56, 400, 400),
        ("/* kept by the parent", 3000, 1, 1),
        ("/* by the child */", 7000, 1, 1),
        ("/* by the child, and freed", 500, 1, 0),
        ("/* kept although", 600, 1, 1),
        ("/* too large", 0, 0, 0),
    ] {
        let of = |count: u64| (bytes * count, count);
        let found = at_line(&samples, program.line_of(marker));
        assert_eq!(found, (of(blocks), of(kept)), "{marker}");
    }
    assert_eq!(problems_of(&profile), "");
}

#[test]
fn containers_of_cpp_are_found_at_the_lines_that_fill_them() {
    if !can_record() {
        return;
    }
    let program = Program::compile_cpp("containers");
    check_containers(&program, "the node", 96);
    let samples = samples_of(&record_exactly(&program));
    let wide = at_line(&samples, program.line_of("the wide one"));
    assert_eq!(wide, ((640_000, 1000), (640_000, 1000)));
}

#[test]
fn containers_of_rust_are_found_at_the_lines_that_fill_them() {
    if !can_record() {
        return;
    }
    check_containers(&Program::compile_rust("containers"), "the box", 80);
}

/// 40,000 blocks of this size are kept; a vector of 8,000,000 B is filled and freed.
fn check_containers(program: &Program, kept: &str, bytes: u64) {
    let samples = samples_of(&record_exactly(program));
    let (allocated, in_use) = at_line(&samples, program.line_of(kept));
    assert_eq!(allocated, (40_000 * bytes, 40_000));
    assert_eq!(in_use, allocated);
    let (grown, left) = at_line(&samples, program.line_of("the number"));
    assert!(grown.0 > 8_000_000, "{grown:?}");
    assert_eq!(left, (0, 0));
}

#[test]
fn a_program_that_another_one_starts_is_counted_too() {
    if !can_record() {
        return;
    }
    let program = Program::compile("leak");
    let run = program.run_path();
    let recorded = lineheat(&["record", "--alloc", "--output"])
        .arg(&run)
        .args(["--", "sh", "-c", "\"$0\"; exit 3"])
        .arg(&program.path)
        .output()
        .expect("lineheat runs");
    assert!(
        print_of(&recorded).contains("exited with 3"),
        "{recorded:?}"
    );
    let profile = Profile::open(&run).expect("a run");
    let samples = samples_of(&profile);
    let (_, in_use) = at_line(&samples, program.line_of("the leak"));
    let [_, points] = points_at(&samples, program.line_of("the leak"));
    assert_estimated(&profile, "in use", in_use.0, points, 64.0 * 4e6);
    assert_eq!(problems_of(&profile), "");
}

#[test]
fn a_library_that_is_preloaded_already_stays_and_nothing_else_changes() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = folder.path().join("run.pb.gz");
    let environment = |alloc: &[&str]| {
        let recorded = lineheat(&["record", "--output"])
            .arg(&run)
            .args(alloc)
            .args(["--", "env"])
            .env("LD_PRELOAD", "libm.so.6")
            .output()
            .expect("lineheat runs");
        let printed = String::from_utf8(recorded.stdout).expect("UTF-8");
        let lines = printed.lines().map(str::to_owned);
        lines.collect::<Vec<String>>()
    };
    let (mut with, mut without) = (environment(&["--alloc"]), environment(&[]));
    let is_preload = |line: &String| line.starts_with("LD_PRELOAD=");
    let preload = with.iter().find(|line| is_preload(line)).expect("set");
    assert!(
        preload.ends_with("/liblineheat_alloc.so:libm.so.6"),
        "{preload}"
    );
    with.retain(|line| !is_preload(line));
    without.retain(|line| !is_preload(line));
    assert_eq!(with, without);
}

#[test]
fn a_program_that_cannot_be_sampled_says_why() {
    if !can_record() {
        return;
    }
    let compile = |name: &str, source: &str, flags: &[&str]| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("program.c");
        std::fs::write(&file, source).expect("writable");
        let path = folder.path().join(name);
        let compiled = Command::new("gcc")
            .arg(&file)
            .arg("-o")
            .arg(&path)
            .args(flags)
            .status();
        assert!(compiled.expect("gcc is installed").success());
        (folder, path)
    };
    let main = "#include <stdlib.h>\nint main(void) { return malloc(7) == 0; }";
    let own = "#include <stddef.h>\nvoid *mi_malloc(size_t n) { static char a[99]; return a + n; }\nint main(void) { return mi_malloc(7) == 0; }";
    for (source, flags, sentence) in [
        (
            main,
            &["-static"][..],
            "plain allocates was not recorded: it is statically linked",
        ),
        (own, &[], "plain has an allocator of its own (mimalloc)"),
        (main, &[], ""),
    ] {
        let (folder, path) = compile("plain", source, flags);
        let run = folder.path().join("run.pb.gz");
        let recorded = lineheat(&["record", "--alloc", "--output"])
            .arg(&run)
            .arg("--")
            .arg(&path)
            .output();
        let recorded = recorded.expect("lineheat runs");
        assert!(recorded.status.success());
        let said = String::from_utf8_lossy(&recorded.stderr);
        assert!(said.contains(sentence), "at once: {said}");
        let profile = Profile::open(&run).expect("a run");
        let problems = problems_of(&profile);
        assert!(problems.contains(sentence), "{problems}");
        assert_eq!(sentence.is_empty(), problems.is_empty(), "{problems}");
        assert!(profile.find_sample_type("inuse_space", "bytes").is_some());
    }
    // Of programs that the command starts, how many.
    let (folder, path) = compile("plain", main, &["-static"]);
    let run = folder.path().join("run.pb.gz");
    let recorded = lineheat(&["record", "--alloc", "--output"])
        .arg(&run)
        .args(["--", "sh", "-c", "\"$0\"; \"$0\"; exit 0"])
        .arg(&path)
        .output();
    assert!(recorded.expect("lineheat runs").status.success());
    let problems = problems_of(&Profile::open(&run).expect("a run"));
    assert!(
        problems.contains("2 of 3 programs of the target"),
        "{problems}"
    );
}

#[test]
fn allocations_are_refused_where_they_cannot_be_recorded() {
    let refused = |args: &[&str]| {
        let output = lineheat(&[&["record", "--alloc"], args].concat()).output();
        let output = output.expect("lineheat runs");
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        print_of(&output)
    };
    let attached = refused(&["--pid", "1"]);
    assert!(
        attached.contains("cannot record allocations of a running process"),
        "{attached}"
    );
    let without = refused(&["--unprivileged", "--", "true"]);
    assert!(
        without.contains("cannot record allocations without privileges"),
        "{without}"
    );
}

#[test]
fn a_recording_without_allocations_has_no_measure_of_them_and_a_report_states_its_error() {
    if !can_record() {
        return;
    }
    let program = Program::compile("leak");
    let (profile, _) = program.record(&[]);
    assert!(profile.find_sample_type("alloc_space", "bytes").is_none());
    program.record(&["--alloc"]);
    let run = program.run_path();
    let run = run.to_str().expect("UTF-8");
    let shown = |args: &[&str]| {
        let output = lineheat(args).output().expect("lineheat runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let report = shown(&["report", run, "--measure", "inuse_space"]);
    let line = report.lines().find(|line| line.starts_with("samples "));
    let line = line.expect("a line of samples");
    assert!(line.contains("on average 512 KiB or more apart"), "{line}");
    let number = |text: Option<&str>| text.and_then(|text| text.trim().parse::<f64>().ok());
    let (_, stated) = line.split_once("inuse_space about ").expect(line);
    let (mib, error) = stated.split_once(" MiB (± ").expect(line);
    let mib = number(Some(mib)).expect(line);
    let error = number(error.strip_suffix(" %)")).expect(line);
    assert!((4.0..15.0).contains(&error), "{line}");
    // 64 bytes, 4,000,000 times. On a slow machine, samples are farther apart and the error is larger.
    let off = 100.0 * (mib - 256e6 / 1_048_576.0).abs() / mib;
    assert!(off < 5.0 * error, "{line}");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/programs/leak.c");
    let source = std::fs::canonicalize(source).expect("the source");
    let listing = shown(&[
        "annotate",
        run,
        source.to_str().expect("UTF-8"),
        "--measure",
        "inuse_space",
    ]);
    let leak = listing.lines().find(|line| line.contains("/* the leak */"));
    assert!(
        leak.is_some_and(|line| line.contains("100.0 %")),
        "{listing}"
    );
    let other = program.directory.path().join("other.pb.gz");
    std::fs::rename(run, &other).expect("moved");
    program.record(&["--alloc"]);
    let other = other.to_str().expect("UTF-8");
    let diff = shown(&["diff", other, "--against", run, "--measure", "alloc_space"]);
    assert!(diff.contains("alloc_space"), "{diff}");
    let refused = lineheat(&["report", run, "--measure", "peak_space", "--time", "0-1"]).output();
    let why = print_of(&refused.expect("lineheat runs"));
    assert!(why.contains("A run has one peak"), "{why}");
}
