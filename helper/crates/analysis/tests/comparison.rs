//! What two runs share, and what is said of their differences.

mod support;

use std::sync::Arc;

use analysis::{
    Analyzed, Comparison, Side, compared_files, compared_flame_graph, compared_functions,
    compared_lines, file_difference, merge,
};
use profile::run::{Loss, Source};
use profile::{Profile, RunInfo};
use support::{PERIOD_NS, profile_of};

fn run_of(text: &str, source: &str) -> Profile {
    let mut profile = profile_of(text);
    profile.run = Some(RunInfo {
        format: 1,
        cwd: "/src".into(),
        event: "cpu-clock".into(),
        asked_hz: 999.0,
        samples_taken: 100,
        sources: vec![Source {
            path: "/src/m.c".into(),
            text: source.into(),
            ..Source::default()
        }],
        ..RunInfo::default()
    });
    profile
}

fn sides(base: Profile, new: Profile) -> Comparison {
    let side = |profile| Side::of(vec![profile]).expect("one kind of values");
    Comparison::new(side(base), side(new), None).expect("the same values")
}

fn compare(base: &str, new: &str) -> Comparison {
    sides(profile_of(base), profile_of(new))
}

/// "name base>new verdict" of self, or of total where the verdict is about that.
fn functions(comparison: &Comparison) -> Vec<String> {
    (compared_functions(comparison).iter())
        .map(|row| {
            let part = |amounts: analysis::Amounts| match row.about_self {
                true => amounts.self_.value / PERIOD_NS,
                false => amounts.total.value / PERIOD_NS,
            };
            let about = if row.about_self { "" } else { " total" };
            format!(
                "{} {}>{} {}{about}",
                row.name,
                part(row.base),
                part(row.new),
                row.verdict.word()
            )
        })
        .collect()
}

#[test]
fn each_function_gets_its_verdict_largest_change_first() {
    let base = "main@m.c:1 slow@m.c:2 100\nmain@m.c:1 fast@m.c:3 200\nmain@m.c:1 old@m.c:4 50\nmain@m.c:1 rare@m.c:5 3\nmain@m.c:1 same@m.c:6 80";
    let new = "main@m.c:1 slow@m.c:2 300\nmain@m.c:1 fast@m.c:3 100\nmain@m.c:1 fresh@m.c:4 60\nmain@m.c:1 rare@m.c:5 5\nmain@m.c:1 same@m.c:6 85";
    assert_eq!(
        functions(&compare(base, new)),
        [
            "slow 100>300 slower",
            "fast 200>100 faster",
            "fresh 0>60 new",
            "old 50>0 gone",
            "same 80>85 noise",
            "rare 3>5 too-few total",
            "main 433>550 slower total",
        ]
    );
}

#[test]
fn clones_hashes_and_the_name_of_the_program_do_not_part_functions() {
    let base = "app1!work.part.0@m.c:1 60\napp1!krate::f::h0123456789abcdef@m.c:2 40";
    let new = "app2!work@m.c:1 60\napp2!krate::f::hfedcba9876543210@m.c:2 40";
    let comparison = compare(base, new);
    assert_eq!(
        functions(&comparison),
        [
            "work 60>60 noise",
            "krate::f::hfedcba9876543210 40>40 noise"
        ]
    );
    assert_eq!(comparison.matched_share(), 1.0);
}

#[test]
fn functions_of_one_name_in_several_files_stay_apart_and_addresses_never_match_by_number() {
    let text = "helper@a.c:1 30\nhelper@b.c:1 70\nlibx.so!0x500 20";
    let moved = "helper@a.c:1 70\nhelper@b.c:1 30\nlibx.so!0x640 20";
    assert_eq!(
        functions(&compare(text, moved)),
        [
            "helper 30>70 slower",
            "helper 70>30 faster",
            "[libx.so] 20>20 noise"
        ]
    );
}

#[test]
fn lines_match_through_the_two_saved_texts() {
    let base = run_of(
        "main@m.c:2 50\nmain@m.c:3 40\nmain@m.c:4 30",
        "one\ntwo\nthree\nfour\n",
    );
    let new = run_of("main@m.c:3 50\nmain@m.c:4 90", "// new\none\ntwo\nTHREE\n");
    let comparison = sides(base, new);
    let rows: Vec<String> = (compared_lines(&comparison).iter())
        .map(|row| format!("{}<{} {}", row.line, row.base_line, row.verdict.word()))
        .collect();
    assert_eq!(rows, ["4<3 slower", "4<4 gone", "3<2 noise"]);
    assert!(
        comparison.warnings().is_empty(),
        "{:?}",
        comparison.warnings()
    );

    let now = file_difference(&comparison, "m.c", Some("one\ntwo\nTHREE\nmore\n")).expect("known");
    let lines: Vec<(u32, u64, u64, bool)> = (now.lines.iter())
        .map(|line| {
            (
                line.line,
                line.base.self_.samples,
                line.new.self_.samples,
                line.changed,
            )
        })
        .collect();
    assert_eq!(
        lines,
        [(2, 50, 50, false), (3, 40, 90, true), (4, 30, 0, true)]
    );
    assert_eq!(compared_files(&comparison).len(), 1);
    assert_eq!(file_difference(&comparison, "other.c", None), None);
}

#[test]
fn files_match_below_each_working_directory() {
    let mut base = run_of("main@old/m.c:2 50", "");
    let mut new = run_of("main@new/m.c:2 70", "");
    base.run.as_mut().expect("a run").cwd = "/src/old".into();
    new.run.as_mut().expect("a run").cwd = "/src/new".into();
    let comparison = sides(base, new);
    let rows = compared_lines(&comparison);
    assert_eq!((rows.len(), rows[0].file.as_str()), (1, "/src/new/m.c"));
    assert_eq!(
        (rows[0].base.self_.samples, rows[0].new.self_.samples),
        (50, 70)
    );
}

#[test]
fn the_union_tree_holds_new_and_vanished_paths() {
    let comparison = compare(
        "main@m.c:1 old@m.c:2 5\nmain@m.c:1 both@m.c:3 8",
        "main@m.c:1 ~both@m.c:3 9\nmain@m.c:1 fresh@m.c:7 1",
    );
    let graph = compared_flame_graph(&comparison);
    let new = graph.compared.as_ref().expect("both columns");
    let rows: Vec<String> = (0..graph.frame.len())
        .map(|node| {
            let name =
                &graph.frames.strings[graph.frames.name[graph.frame[node] as usize] as usize];
            format!(
                "{name}:{} {}>{}",
                graph.line[node], graph.self_samples[node], new.self_samples[node]
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            "all:0 0>0",
            "main:1 0>0",
            "both:3 8>9",
            "old:2 5>0",
            "fresh:7 0>1"
        ]
    );
}

#[test]
fn several_runs_of_a_side_are_shown_per_run() {
    let runs = |count: u64, samples: u64| Side {
        analyzed: Arc::new(Analyzed::new(
            merge(
                (0..count)
                    .map(|_| profile_of(&format!("main@m.c:1 {samples}")))
                    .collect(),
            )
            .expect("alike"),
        )),
        runs: count,
    };
    let comparison = Comparison::new(runs(3, 100), runs(2, 100)).expect("the same values");
    assert_eq!(functions(&comparison), ["main 100>100 noise"]);
    assert_eq!(
        (
            comparison.base_total().samples,
            comparison.new_total().samples
        ),
        (300, 200)
    );
}

#[test]
fn unlike_runs_are_told() {
    let base = run_of("main@m.c:1 50", "");
    let mut new = run_of("main@m.c:1 50", "");
    let run = new.run.as_mut().expect("a run");
    run.asked_hz = 4999.0;
    run.event = "cycles".into();
    run.losses = vec![Loss {
        cause: "ring-full".into(),
        count: 6,
    }];
    let warnings = sides(base, new).warnings();
    for part in [
        "event differs: cpu-clock in the base",
        "4999 Hz",
        "lost 6.0 %",
    ] {
        assert!(
            warnings.iter().any(|warning| warning.contains(part)),
            "{part}: {warnings:?}"
        );
    }

    let other = profile::ProfileBuilder::new(&[("inuse_space", "bytes")]).finish();
    let side = |profile| Side {
        analyzed: Arc::new(Analyzed::new(profile)),
        runs: 1,
    };
    let error = Comparison::new(side(other), side(profile_of("main@m.c:1 50")))
        .err()
        .expect("refused");
    assert!(
        error.contains("inuse_space/bytes") && error.contains("cpu/nanoseconds"),
        "{error}"
    );
}
