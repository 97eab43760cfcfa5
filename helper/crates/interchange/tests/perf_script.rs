//! Text of `perf script` has the totals of `perf report`, whichever fields were printed.

use std::collections::BTreeMap;

use crate::support::{fixture, functions, lines, measures, mutants, names, open, opened, refusal};
use profile::ErrorKind;

#[test]
fn both_texts_have_the_samples_that_perf_report_counts() {
    for name in ["mill.perf-script.txt", "mill.perf-script-srcline.txt"] {
        let profile = open(&fixture(name)).unwrap();
        assert_eq!(measures(&profile), ["samples count", "cpu nanoseconds"]);
        assert_eq!(profile.default_measure(), 1);
        assert_eq!(profile.total(0), 193);
        assert_eq!(
            profile.total(1),
            649_831_579,
            "the event count of perf report"
        );
        let expected = [
            ("__get_user_8", 1),
            ("finish_task_switch.isra.0", 5),
            ("grind", 151),
            ("irqentry_exit_to_user_mode", 4),
            ("sift", 32),
        ];
        let expected = expected.map(|(name, count)| (name.to_owned(), count));
        assert_eq!(functions(&profile, 0), BTreeMap::from(expected), "{name}");
        assert_eq!(profile.text(profile.mappings[0].filename), "/src/mill/mill");
        assert_eq!(
            names(&profile, 0),
            ["grind", "main", "__libc_start_call_main"]
        );
        let has_lines = name.contains("srcline");
        let said = profile.problems.iter().any(|of| of.contains("-F +srcline"));
        assert_eq!(said, !has_lines, "{:?}", profile.problems);
    }
}

#[test]
fn source_lines_are_those_of_perf_report() {
    let profile = open(&fixture("mill.perf-script-srcline.txt")).unwrap();
    let lines = lines(&profile, 0);
    let expected = [(29, 109), (30, 39), (37, 20), (38, 12), (12, 3)];
    for (line, count) in expected {
        assert_eq!(lines[&format!("mill.c:{line}")], count, "line {line}");
    }
    assert_eq!(lines[":0"], 10, "the kernel");
    assert_eq!(profile.problems, Vec::<String>::new());
}

#[test]
fn kernel_frames_are_of_the_kernel_and_inlined_ones_of_their_place() {
    let text = "my worker 7 12269/12270 [001] 12825.226371: 5 cycles:u: \n\
        \tffffffff813a2413 finish_task_switch.isra.0+0x93 ([kernel.kallsyms])\n\
        \t            11c8 crush\n  mill.c:12 (inlined)\n\
        \t            11c8 press (inlined)\n\
        \t            11c8 grind+0x28 (/src/mill (1)/mill)\n  mill.c:29\n\
        \t           d44a3 [unknown] (/usr/lib/libc.so.6)\n\n\
        mill 12269/12269 [000] 12826.226371: 7 page-faults: \n\
        \t            1097 std::vector<int, std::allocator<int> >::f(int) const+0x27 (/src/mill (1)/mill)\n\n";
    let profile = opened(text).unwrap();
    let kinds = [
        "cycles:u_sample count",
        "cycles:u_event count",
        "page-faults_sample count",
        "page-faults_event count",
    ];
    assert_eq!(measures(&profile), kinds);
    assert_eq!(profile.default_measure(), 1);
    let totals: Vec<u64> = (0..4).map(|measure| profile.total(measure)).collect();
    assert_eq!(totals, [1, 5, 1, 7]);
    assert_eq!(profile.duration_nanos, 1_000_000_000);
    let expected = ["finish_task_switch.isra.0", "crush", "press", "grind"];
    assert_eq!(names(&profile, 0), expected);
    assert_eq!(
        names(&profile, 1),
        ["std::vector<int, std::allocator<int> >::f(int) const"]
    );
    assert_eq!(
        profile.samples.stack(0).len(),
        3,
        "two are inlined into the third"
    );
    let modules: Vec<&str> = (profile.samples.stack(0).iter())
        .map(|at| profile.locations.mapping[*at as usize])
        .map(|at| profile.text(profile.mappings[at as usize].filename))
        .collect();
    assert_eq!(
        modules,
        ["[kernel]", "/src/mill (1)/mill", "/usr/lib/libc.so.6"]
    );
    let labels: Vec<(&str, &str, i64)> = (profile.samples.labels_of(0).iter())
        .map(|label| {
            (
                profile.text(label.key),
                profile.text(label.text),
                label.number,
            )
        })
        .collect();
    for label in [
        ("pid", "", 12269),
        ("tid", "", 12270),
        ("thread", "my worker 7", 0),
    ] {
        assert!(labels.contains(&label), "{labels:?}");
    }
}

#[test]
fn fewer_fields_give_what_they_have() {
    let alone = "             own 12516 12829.509204:    2004008 cpu-clock:      55ece716b6e5 sort<int, int>+0xd5 (/x/own)\n  ops.h:158\n";
    let profile = opened(alone.repeat(3)).unwrap();
    assert_eq!([profile.total(0), profile.total(1)], [3, 6_012_024]);
    assert_eq!(lines(&profile, 0)["ops.h:158"], 3);
    assert!(
        profile.problems[0].starts_with("The text has no call stacks"),
        "{:?}",
        profile.problems
    );

    let names_only =
        "\n\t            1585 work\n\t            15f9 main\n\n\n\t            1585 work\n\n";
    let profile = opened(names_only).unwrap();
    assert_eq!(measures(&profile), ["samples count"]);
    assert_eq!(functions(&profile, 0)["work"], 2);
    assert_eq!(profile.samples.len(), 2);
    assert_eq!(profile.problems.len(), 2, "{:?}", profile.problems);

    let no_event =
        "my worker 7 12269 \n\t            1585 work\n\nown 5 \n\t            1585 work\n\n";
    let profile = opened(no_event).unwrap();
    assert_eq!(profile.total(0), 2);
    assert_eq!(profile.samples.len(), 2, "of two threads");
}

#[test]
fn other_records_and_lines_are_counted_or_passed_over() {
    let text = "# ========\n# captured on    : Thu\n#\n\
        own 5 0.000000: PERF_RECORD_MMAP2 5/5: [0x5(0x1000) @ 0x1000 fe:00 1 1]: r-xp /x/own\n\
        own 5 1.000000: 10 cycles: \n\t            1585 work+0x5 (/x/own)\n|7  int sum;\n\n\
        own 5 1.000000: PERF_RECORD_LOST lost 12\n";
    let profile = opened(text).unwrap();
    assert_eq!(profile.total(1), 10);
    let problems = profile.problems.join("\n");
    assert!(problems.contains("perf lost 12 records"), "{problems}");
    assert!(
        problems.contains("1 lines of the text are no samples"),
        "{problems}"
    );
}

#[test]
fn what_is_damaged_or_no_text_of_perf_is_named() {
    let text =
        "own 5 1.000000: 10 cycles: \n\t            1585 work+0x5 (/x/own)\n\nnonsense here\n";
    assert_eq!(
        refusal(text),
        "Line 4 of the perf script text is \"nonsense here\", where a sample (command, thread, time and event) is expected."
    );
    let huge = "own 5 1.000000: 9007199254740991 cycles: \n\t            1585 work\n\n".repeat(2);
    assert!(refusal(huge).contains("add up to 2^53"), "too much");
    let only_others = "own 5 0.000000: PERF_RECORD_COMM: own:5/5\nown 5 0.1:\n";
    assert_eq!(
        opened(only_others).unwrap_err().kind,
        ErrorKind::NotAProfile
    );
    for text in [
        "a page 12\nof prose\n",
        "[   12.345678] usb 1-1: new device\n",
        "\tindented\n\tprose\n",
        "bash-123 [000] 12.345678: sched_switch: prev\n",
    ] {
        let error = opened(text).unwrap_err();
        assert_eq!(error.kind, ErrorKind::NotAProfile, "{text}: {error}");
    }
}

#[test]
fn five_hundred_mutants_are_shown_or_refused_with_their_cause() {
    let files = ["mill.perf-script.txt", "mill.perf-script-srcline.txt"]
        .map(|name| std::fs::read(fixture(name)).unwrap());
    mutants(&files, b"\t \n9:(/\xff");
}
