//! Functions and lines of two builds find each other, whatever a rebuild changes.

use crate::support::{Chance, profile_of, recorded_run, with_timeline};
use analysis::{Comparison, Side, Verdict, compared_functions, compared_lines};
use profile::Profile;

fn run_of(text: &str, source: &str) -> Profile {
    let mut profile = profile_of(text);
    profile.run = Some(recorded_run(source));
    profile
}

fn compare(base: Profile, new: Profile) -> Comparison {
    let mut chance = Chance(7);
    let mut side = |profile| Side::of(vec![with_timeline(profile, &mut chance)]).expect("one file");
    let (base, new) = (side(base), side(new));
    Comparison::new(base, new, None).expect("the same values")
}

/// "name base>new" of the samples of self, in the order of the table.
fn rows(comparison: &Comparison) -> Vec<String> {
    (compared_functions(comparison).iter())
        .map(|row| {
            format!(
                "{} {}>{}",
                row.name, row.base.self_.samples, row.new.self_.samples
            )
        })
        .collect()
}

#[test]
fn a_rebuild_with_shifted_lines_matches_every_line() {
    let source: String = (1..=40).map(|line| format!("line {line};\n")).collect();
    let text = |shift: u32| {
        (0..4)
            .map(|f| {
                let lines = (0..5).map(|l| {
                    format!(
                        "main@m.c:{} f{f}@m.c:{} 50\n",
                        1 + shift,
                        8 * f + l + 2 + shift
                    )
                });
                lines.collect::<String>()
            })
            .collect::<String>()
    };
    let base = run_of(&text(0), &source);
    let new = run_of(&text(3), &format!("// a\n// b\n// c\n{source}"));
    let comparison = compare(base, new);
    assert_eq!(comparison.matched_share(), 1.0);
    let lines = compared_lines(&comparison);
    assert_eq!(lines.len(), 21);
    for row in &lines {
        assert_eq!(
            (row.base.total.samples, row.line),
            (row.new.total.samples, row.base_line + 3)
        );
        assert!(!row.verdict.is_significant(), "{row:?}");
    }
}

#[test]
fn names_that_a_rebuild_changes_match() {
    let pairs = [
        (
            "app!krate::work::h0123456789abcdef",
            "app!krate::work::hfedcba9876543210",
        ),
        ("app!step.constprop.0.isra.3", "app!step.isra.0"),
        ("app!inner.llvm.11111", "app!inner.llvm.22222.cold"),
        ("libz.so.1.2.13!inflate", "libz.so.1.3.1!inflate"),
        ("tests-0123456789abcdef!case", "tests-aaaaaaaaaaaaaaaa!case"),
        ("[kernel]do_syscall", "[kernel]do_syscall"),
    ];
    let text = |side: fn(&(&'static str, &'static str)) -> &'static str| {
        pairs
            .iter()
            .map(|pair| format!("{} 40\n", side(pair)))
            .collect::<String>()
    };
    let comparison = compare(run_of(&text(|p| p.0), ""), run_of(&text(|p| p.1), ""));
    assert_eq!(comparison.matched_share(), 1.0, "{:?}", rows(&comparison));
}

#[test]
fn lambdas_match_by_their_line_when_one_was_put_before_them() {
    let source = "auto a = [] { x(); };\nauto b = [] { y(); };\n";
    let base = "main@m.c:1 main::{lambda()#1}::operator()()_const@m.c:?1 60\nmain@m.c:1 main::{lambda()#2}::operator()()_const@m.c:?2 90";
    let new = "main@m.c:1 main::{lambda()#2}::operator()()_const@m.c:?2 60\nmain@m.c:1 main::{lambda()#3}::operator()()_const@m.c:?3 90\nmain@m.c:1 main::{lambda()#1}::operator()()_const@m.c:?1 30";
    let comparison = compare(
        run_of(base, source),
        run_of(new, &format!("auto first = [] {{ z(); }};\n{source}")),
    );
    assert_eq!(
        rows(&comparison),
        [
            "main::{lambda()#1}::operator()()_const 0>30",
            "main 0>0",
            "main::{lambda()#3}::operator()()_const 90>90",
            "main::{lambda()#2}::operator()()_const 60>60"
        ]
    );
}

#[test]
fn closures_of_which_nothing_is_known_but_the_number_match_in_their_order() {
    let text = "app!krate::main::{{closure}}#0 40\napp!krate::main::{{closure}}#1 60";
    let comparison = compare(run_of(text, ""), run_of(text, ""));
    assert_eq!(
        rows(&comparison),
        [
            "krate::main::{{closure}}#1 60>60",
            "krate::main::{{closure}}#0 40>40"
        ]
    );
}

const BODY: &str = "    int sum = 0;\n    for (int i = 0; i < n; i++)\n        sum += table[i] * 3;\n    return sum;\n}\n";

#[test]
fn a_renamed_function_is_found_by_its_text_and_callers() {
    let source =
        |name: &str| format!("int {name}(int n) {{\n{BODY}\nint main() {{\n    call();\n}}\n");
    let stacks = |name: &str, samples: u64| {
        format!("main@n.c:1 {name}@m.c:1 {samples}\nmain@n.c:1 other@n.c:3 300\n")
    };
    let base = run_of(&stacks("weigh", 400), &source("weigh"));
    let new = run_of(&stacks("weigh_items", 402), &source("weigh_items"));
    let comparison = compare(base, new);
    let found = compared_functions(&comparison);
    let renamed = found
        .iter()
        .find(|row| row.name == "weigh_items")
        .expect("there");
    assert_eq!(
        (renamed.base.self_.samples, renamed.new.self_.samples),
        (400, 402)
    );
    assert_eq!(renamed.note, "renamed from weigh");
    assert_eq!(renamed.verdict, Verdict::Moved);
    assert_eq!(comparison.matched_share(), 1.0);
    assert_eq!(found.iter().filter(|row| row.name == "weigh").count(), 0);

    // The same, but it became twice as slow.
    let new = run_of(&stacks("weigh_items", 800), &source("weigh_items"));
    let comparison = compare(run_of(&stacks("weigh", 400), &source("weigh")), new);
    let found = compared_functions(&comparison);
    assert_eq!(found[0].note, "renamed from weigh");
    assert_eq!(found[0].verdict, Verdict::Slower);
}

#[test]
fn another_function_in_its_place_is_new_and_the_old_one_gone() {
    let base = run_of(
        "main@n.c:1 weigh@m.c:1 400\nmain@n.c:1 other@n.c:3 300",
        &format!("int weigh(int n) {{\n{BODY}"),
    );
    let new = run_of(
        "main@n.c:1 parse@m.c:1 400\nmain@n.c:1 other@n.c:3 300",
        "void parse() {\n    while (next())\n        push(token());\n    close();\n}\n",
    );
    let comparison = compare(base, new);
    let verdicts: Vec<(String, Verdict)> = (compared_functions(&comparison).into_iter())
        .take(2)
        .map(|row| (row.name, row.verdict))
        .collect();
    assert_eq!(
        verdicts,
        [
            ("parse".into(), Verdict::New),
            ("weigh".into(), Verdict::Gone)
        ]
    );
    assert!((comparison.matched_share() - 600.0 / 1400.0).abs() < 1e-9);
}

/// Called alike, at the same cost, and named alike but for the word that tells them apart.
#[test]
fn an_alternative_without_its_text_is_not_the_same_function_renamed() {
    let stacks = |name: &str, callee: &str| {
        format!(
            "main@n.c:1 pack@n.c:4 {name} 400\nmain@n.c:1 pack@n.c:4 {name}{callee} 60\nmain@n.c:1 other@n.c:3 300\n"
        )
    };
    let names = |base: &str, new: &str, callee: &str| {
        let side = |name: &str| run_of(&stacks(name, callee), "");
        let rows = compared_functions(&compare(side(base), side(new)));
        let of = rows.iter().find(|row| row.name == new).expect("there");
        (of.verdict, of.note.clone())
    };
    for (base, new) in [
        ("compress_by_byte", "compress_by_word"),
        ("sumByRow", "sumByColumn"),
        ("fft_radix2", "fft_radix4"),
        ("quick_sort", "heap_sort"),
    ] {
        for callee in ["", " memcpy"] {
            assert_eq!(
                names(base, new, callee),
                (Verdict::New, String::new()),
                "{base}"
            );
        }
    }
    for (base, new) in [
        ("compress", "compress_block"),
        ("A::compress", "B::compress"),
    ] {
        let (verdict, note) = names(base, new, "");
        assert_eq!(
            (verdict, note),
            (Verdict::Moved, format!("renamed from {base}"))
        );
    }
    // Even with most of the cost in the same callees.
    let rounds = |name: &str| {
        run_of(
            &format!(
                "main@n.c:1 {name} mix 300\nmain@n.c:1 {name} rotate 200\nmain@n.c:1 {name} 100"
            ),
            "",
        )
    };
    let rows = compared_functions(&compare(rounds("by_byte"), rounds("by_word")));
    assert!(rows.iter().all(|row| row.note.is_empty()), "{rows:?}");
    // What it calls tells what it does.
    let wrapper = |name: &str| {
        run_of(
            &format!(
                "main@n.c:1 {name} parse 300\nmain@n.c:1 {name} check 200\nmain@n.c:1 {name} 20"
            ),
            "",
        )
    };
    let rows = compared_functions(&compare(wrapper("read_all"), wrapper("load")));
    assert!(
        rows.iter().any(|row| row.note == "renamed from read_all"),
        "{rows:?}"
    );
}

#[test]
fn inlining_with_a_record_of_it_changes_nothing() {
    let base = "main@m.c:1 fill@m.c:3 weigh@m.c:8 500\nmain@m.c:1 fill@m.c:4 200";
    let new = "main@m.c:1 fill@m.c:3 ~weigh@m.c:8 500\nmain@m.c:1 fill@m.c:4 200";
    let comparison = compare(run_of(base, ""), run_of(new, ""));
    assert_eq!(comparison.matched_share(), 1.0);
    assert_eq!(
        rows(&comparison),
        ["weigh 500>500", "fill 200>200", "main 0>0"]
    );
    assert!(
        compared_functions(&comparison)
            .iter()
            .all(|row| !row.verdict.is_significant())
    );
}

#[test]
fn cost_that_went_into_the_caller_is_told_as_that() {
    let base = "main@m.c:1 fill@m.c:3 weigh@m.c:8 500\nmain@m.c:1 fill@m.c:4 200\nmain@m.c:1 rest@m.c:20 700";
    let new = "main@m.c:1 fill@m.c:3 505\nmain@m.c:1 fill@m.c:4 200\nmain@m.c:1 rest@m.c:20 695";
    let comparison = compare(run_of(base, ""), run_of(new, ""));
    let found: Vec<(String, Verdict, String)> = (compared_functions(&comparison).into_iter())
        .take(2)
        .map(|row| (row.name, row.effects.self_.verdict, row.note))
        .collect();
    assert_eq!(
        found,
        [
            (
                "fill".into(),
                Verdict::Moved,
                "cost moved here from weigh".into()
            ),
            ("weigh".into(), Verdict::Moved, "cost moved to fill".into()),
        ]
    );
}

#[test]
fn a_renamed_file_is_found_by_its_text() {
    let source: String = (1..=40).map(|line| format!("line {line};\n")).collect();
    let base = run_of("main@m.c:5 f@m.c:9 400", &source);
    let mut new = run_of(
        "main@other.c:6 f@other.c:10 400",
        &format!("// new\n{source}"),
    );
    new.run.as_mut().expect("a run").sources[0].path = "/src/other.c".into();
    let lines: Vec<(String, u32, u32)> = (compared_lines(&compare(base, new)).into_iter())
        .map(|row| (row.file, row.base_line, row.line))
        .collect();
    assert_eq!(
        lines,
        [
            ("/src/other.c".into(), 9, 10),
            ("/src/other.c".into(), 5, 6)
        ]
    );
}

/// OCaml has functions by symbol alone, and each of their lines may come from another file.
#[test]
fn a_function_without_a_known_definition_is_one_whatever_files_its_lines_are_of() {
    let base = "main@m.c:1 entry@m.c:?3 60\nmain@m.c:1 entry@buffer.c:?7 20";
    let new = "main@m.c:1 entry@buffer.c:?7 85";
    let comparison = compare(run_of(base, ""), run_of(new, ""));
    assert_eq!(rows(&comparison), ["entry 80>85", "main 0>0"]);
    let notes: Vec<String> = (compared_functions(&comparison).into_iter())
        .map(|row| row.note)
        .collect();
    assert_eq!(notes, ["", ""]);
}

#[test]
fn of_one_build_the_compilers_numbers_are_names() {
    let base = "main@m.c:1 fun_12@m.c:?3 60\nmain@m.c:1 fun_15@m.c:?9 90";
    let new = "main@m.c:1 fun_15@m.c:?3 90";
    let built = |text: &str, id: &str| {
        let mut profile = run_of(text, "");
        let id = profile.strings.push(id).expect("room for a text");
        profile
            .mappings
            .iter_mut()
            .for_each(|mapping| mapping.build_id = id);
        profile
    };
    let same = compare(built(base, "aa"), built(new, "aa"));
    assert_eq!(rows(&same), ["fun_12 60>0", "main 0>0", "fun_15 90>90"]);
    let other = compare(built(base, "aa"), built(new, "bb"));
    assert_eq!(rows(&other), ["fun_15 90>0", "fun_15 60>90", "main 0>0"]);
}
