//! What two runs share, and what is said of their differences.

use crate::support::comparisons::{boxes, compare, functions, run_of, sides, timed};
use analysis::{
    NamedFunction, compared_callers, compared_files, compared_flame_graph,
    compared_flame_graph_without, compared_functions, compared_lines, file_difference,
};

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
            "main 433>550 noise total",
        ]
    );
}

/// A small net change of large ones that nearly cancel out.
#[test]
fn no_row_contributes_more_than_there_is_in_its_direction() {
    let base = "main@m.c:1 more@m.c:2 100\nmain@m.c:1 most@m.c:3 100\nmain@m.c:1 less@m.c:4 400\nmain@m.c:1 same@m.c:5 50";
    let new = "main@m.c:1 more@m.c:2 200\nmain@m.c:1 most@m.c:3 400\nmain@m.c:1 less@m.c:4 20\nmain@m.c:1 same@m.c:5 50";
    let comparison = compare(base, new);
    for rows in [compared_functions(&comparison), compared_lines(&comparison)] {
        let shares: Vec<f64> = rows.iter().map(|row| row.contribution).collect();
        // less, most, more, then those without a change; all in all it became slower.
        assert_eq!(shares[..4], [-1.0, 0.75, 0.25, 0.0]);
    }
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
    let comparison = timed(base, new);
    let rows: Vec<String> = (compared_lines(&comparison).iter())
        .map(|row| format!("{}<{} {}", row.line, row.base_line, row.verdict.word()))
        .collect();
    assert_eq!(rows, ["4<3 slower", "4<4 gone", "3<2 noise"]);
    assert_eq!(comparison.warnings().len(), 1);
    assert!(comparison.warnings()[0].starts_with("One execution per side"));

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
    let rows = boxes(&graph);
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
fn callers_and_hidden_functions_are_those_of_both_sides() {
    let comparison = compare(
        "main@m.c:1 old@m.c:2 leaf@m.c:9 5\nmain@m.c:1 both@m.c:3 leaf@m.c:9 8",
        "main@m.c:1 both@m.c:3 leaf@m.c:9 9\nmain@m.c:1 fresh@m.c:7 leaf@m.c:9 1",
    );
    let rows: Vec<String> = (compared_callers(&comparison, &NamedFunction::new("leaf", "app"))
        .iter())
    .map(|caller| {
        let (base, new) = (caller.amount.samples, caller.new_amount.samples);
        format!("{} {base}>{new}", caller.name)
    })
    .collect();
    assert_eq!(rows, ["both 8>9", "old 5>0", "fresh 0>1"]);

    let hidden = [
        NamedFunction::new("leaf", "app"),
        NamedFunction::new("old", "app"),
    ];
    let graph = compared_flame_graph_without(&comparison, &hidden);
    let rows = boxes(&graph);
    assert_eq!(
        rows,
        ["all:0 0>0", "main:1 5>0", "both:3 8>9", "fresh:7 0>1"]
    );
}
