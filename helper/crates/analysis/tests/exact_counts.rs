//! Comparisons of what is counted without sampling: events vary by their number, and by how much executions differ.

use analysis::{Comparison, Side, Verdict, compared_functions};
use profile::{LineOf, ProfileBuilder};

/// One execution for each count, with one sample that has all the calls.
fn side(calls: [u64; 4]) -> Side {
    let execution = |calls| {
        let types = [
            ("samples", "count"),
            ("cpu", "nanoseconds"),
            ("calls", "count"),
        ];
        let mut builder = ProfileBuilder::new(&types);
        let function = builder.add_function("work", "work", "/src/work.c", 1);
        let lines = [LineOf {
            function,
            line: 3,
            column: 0,
        }];
        let location = builder.add_location(None, 16, &lines);
        builder.push_sample(&[location], &[1, 1_000_000, calls], &[]);
        builder.finish()
    };
    let side = Side::of(calls.map(execution).into()).expect("alike");
    side.about("calls").expect("they have it")
}

fn compared(base: [u64; 4], new: [u64; 4]) -> Comparison {
    Comparison::new(side(base), side(new), None).expect("the same values")
}

#[test]
fn half_as_many_calls_again_are_more_however_few_samples_have_them() {
    let comparison = compared([6000; 4], [9000; 4]);
    let whole = comparison.whole();
    assert_eq!(whole.verdict, Verdict::Slower, "{}", whole.sentence);
    assert!(0.4 < whole.low && whole.low < 0.5, "{whole:?}");
    assert!(0.5 < whole.high && whole.high < 0.6, "{whole:?}");
    let rows = compared_functions(&comparison);
    let work = rows.iter().find(|row| row.name == "work").expect("a row");
    assert_eq!(comparison.verdict_word(work.verdict), "more");
}

#[test]
fn as_many_calls_and_calls_that_vary_are_noise() {
    for (base, new) in [
        ([6000; 4], [6000; 4]),
        ([6000; 4], [6010; 4]),
        ([2000, 9000, 4000, 8000], [9000, 3000, 11_000, 5000]),
    ] {
        let comparison = compared(base, new);
        let whole = comparison.whole();
        assert_eq!(whole.verdict, Verdict::Noise, "{}", whole.sentence);
    }
}
