//! Cost that moves between a function and what it calls is seen at both ends, and noise in a neighbour is no such move.

use crate::simulation::{Path, Truth, move_rates, path, simulated};
use crate::support::Chance;
use analysis::{Comparison, compared_functions};

const SEED: u64 = 21;

/// Six executions each of the paths and ten other functions.
fn compared(paths: &[Path]) -> Comparison {
    let others = (0..10).map(|other| {
        let frames = format!("main@m.c:1 other{other}@m.c:{}", 100 + other);
        path(&frames, 500.0, 500.0, 0.01)
    });
    let all: Vec<Path> = paths.iter().cloned().chain(others).collect();
    simulated(&all, 6, 0.0, &mut Chance(SEED))
}

/// "name verdict [note]" of self, of what is told from noise, by name; one of the other functions may be, by chance.
fn told(comparison: &Comparison) -> Vec<String> {
    let mut rows: Vec<String> = (compared_functions(comparison).iter())
        .filter(|row| !row.name.starts_with("other"))
        .filter(|row| row.effects.self_.verdict.is_significant())
        .map(|row| {
            format!(
                "{} {} [{}]",
                row.name,
                row.effects.self_.verdict.word(),
                row.note
            )
        })
        .collect();
    rows.sort();
    rows
}

#[test]
fn code_that_is_split_off_into_several_parts_moved() {
    let found = compared(&[
        path("main@m.c:1 f@m.c:5", 900.0, 300.0, 0.01),
        path("main@m.c:1 f@m.c:6 first@m.c:20", 0.0, 400.0, 0.01),
        path("main@m.c:1 f@m.c:7 second@m.c:30", 0.0, 150.0, 0.01),
        path(
            "main@m.c:1 f@m.c:7 second@m.c:31 third@m.c:40",
            0.0,
            50.0,
            0.01,
        ),
    ]);
    assert_eq!(
        told(&found),
        [
            "f moved [cost moved to first, second, third]",
            "first moved [cost moved here from f]",
            "second moved [cost moved here from f]",
            "third moved [cost moved here from f]",
        ]
    );
}

#[test]
fn a_function_that_is_inlined_into_several_callers_moved() {
    let found = compared(&[
        path("main@m.c:1 a@m.c:5", 300.0, 500.0, 0.01),
        path("main@m.c:1 b@m.c:9", 400.0, 500.0, 0.01),
        path("main@m.c:1 a@m.c:6 leaf@m.c:20", 200.0, 0.0, 0.01),
        path("main@m.c:1 b@m.c:10 leaf@m.c:20", 100.0, 0.0, 0.01),
    ]);
    assert_eq!(
        told(&found),
        [
            "a moved [cost moved here from leaf]",
            "b moved [cost moved here from leaf]",
            "leaf moved [cost moved to a, b]",
        ]
    );
}

/// No caller shows it alone.
#[test]
fn a_function_that_is_inlined_into_very_many_callers_moved() {
    let mut paths = Vec::new();
    for caller in 0..12 {
        let frames = format!("main@m.c:1 caller{caller}@m.c:{}", 5 + caller);
        paths.push(path(&frames, 200.0, 212.0, 0.02));
        paths.push(path(&format!("{frames} leaf@m.c:50"), 12.0, 0.0, 0.02));
    }
    let found = told(&compared(&paths));
    assert!(
        found
            .iter()
            .any(|row| row.starts_with("leaf moved [cost moved to caller")),
        "{found:#?}"
    );
    assert!(
        !found
            .iter()
            .any(|row| row.contains(" gone ") || row.contains("slower")),
        "{found:#?}"
    );
}

#[test]
fn an_end_with_too_few_samples_for_a_test_takes_part() {
    let found = compared(&[
        path("main@m.c:1 f@m.c:5", 11.0, 7.2, 0.0),
        path("main@m.c:1 f@m.c:6 g@m.c:20", 0.0, 1.9, 0.0),
        path("main@m.c:1 f@m.c:7 h@m.c:30", 0.0, 1.9, 0.0),
    ]);
    // So little may not be told; but if it is, then of all ends.
    let found = told(&found);
    assert!(found.is_empty() || found.len() == 3, "{found:#?}");

    let found = compared(&[
        path("main@m.c:1 f@m.c:5", 20.0, 4.0, 0.0),
        path("main@m.c:1 f@m.c:6 g@m.c:20", 0.0, 4.0, 0.0),
        path("main@m.c:1 f@m.c:7 h@m.c:30", 0.0, 4.0, 0.0),
        path("main@m.c:1 f@m.c:7 i@m.c:40", 0.0, 4.0, 0.0),
        path("main@m.c:1 f@m.c:7 j@m.c:50", 0.0, 4.0, 0.0),
    ]);
    assert_eq!(
        told(&found),
        [
            "f moved [cost moved to g, h, i and 1 more]",
            "g moved [cost moved here from f]",
            "h moved [cost moved here from f]",
            "i moved [cost moved here from f]",
            "j moved [cost moved here from f]",
        ]
    );
}

#[test]
fn two_functions_that_changed_without_a_call_between_them_did_not_exchange_cost() {
    let found = compared(&[
        path("main@m.c:1 f@m.c:5", 300.0, 500.0, 0.01),
        path("main@m.c:1 f@m.c:6 shared@m.c:20", 200.0, 200.0, 0.01),
        path("main@m.c:1 k@m.c:9 shared@m.c:20", 200.0, 0.0, 0.01),
    ]);
    assert_eq!(told(&found), ["f slower []", "shared faster []"]);
}

#[test]
fn a_function_that_became_slower_beside_noisy_callees_is_called_slower() {
    for runs in [3, 5, 10] {
        let rates = move_rates(Truth::Slower(80.0), runs, 6, 0.25, (150, 8));
        assert!(rates.moved.share() <= 0.04, "{runs}: {rates:?}");
        let equal = move_rates(Truth::Equal, runs, 6, 0.25, (100, 4));
        assert!(equal.moved.share() <= 0.01, "{runs}: {equal:?}");
        let moved = move_rates(Truth::Moved(200.0), runs, 6, 0.05, (50, 5));
        assert!(moved.moved.share() >= 0.9, "{runs}: {moved:?}");
    }
}
