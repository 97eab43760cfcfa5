//! The total of a caller of nearly everything does not contradict the whole without a reason.

use crate::simulation::{Path, nested_rates, path, simulated};
use crate::support::Chance;
use analysis::{
    ComparedRow, Comparison, Verdict, compared_flame_graph, compared_functions, compared_lines,
};

/// Twenty functions below main, the first with so many samples, and another thread.
fn program(first: [f64; 2], thread: [f64; 2], noise: f64) -> Vec<Path> {
    let mut paths: Vec<Path> = (1..20)
        .map(|function| {
            let frames = format!("main@m.c:1 f{function}@m.c:{}", 10 + function);
            path(&frames, 400.0, 400.0, 0.005)
        })
        .collect();
    paths.push(path("main@m.c:2 hot@m.c:5", first[0], first[1], 0.005));
    paths.push(path("thread@t.c:1", thread[0], thread[1], noise));
    paths
}

fn main_of(comparison: &Comparison) -> ComparedRow {
    let rows = compared_functions(comparison);
    rows.into_iter()
        .find(|row| row.name == "main")
        .expect("there")
}

#[test]
fn a_total_that_a_callee_changed_names_it_where_the_whole_is_noise() {
    let paths = program([800.0, 1200.0], [1200.0, 1200.0], 0.5);
    let comparison = simulated(&paths, 6, 0.0, &mut Chance(3));
    assert_eq!(comparison.whole().verdict, Verdict::Noise);
    let main = main_of(&comparison);
    assert!(main.effects.total.q < 0.05);
    assert_eq!(main.effects.total.verdict, Verdict::MovedWithin);
    assert_eq!(main.verdict.word(), "moved-within");
    assert_eq!(main.note, "total changed by hot");
    let graph = compared_flame_graph(&comparison)
        .compared
        .expect("both columns");
    assert_eq!(graph.total_effects[0].verdict, Verdict::Noise);
    assert_eq!(graph.total_effects[1].verdict, Verdict::MovedWithin);
    let slower: Vec<u32> = (compared_lines(&comparison).iter())
        .filter(|row| row.effects.total.verdict == Verdict::Slower)
        .map(|row| row.line)
        .collect();
    // The line of the function, and the one that calls it: neither is nearly everything.
    assert_eq!(slower, [5, 2]);
}

#[test]
fn a_total_stays_changed_where_the_rest_changed_the_other_way() {
    let paths = program([800.0, 1200.0], [1200.0, 800.0], 0.005);
    let comparison = simulated(&paths, 6, 0.0, &mut Chance(3));
    assert_eq!(comparison.whole().verdict, Verdict::Noise);
    let main = main_of(&comparison);
    assert_eq!(main.effects.total.verdict, Verdict::Slower);
    assert_eq!(main.note, "the rest of the program changed the other way");
}

#[test]
fn a_total_that_nothing_explains_is_noise_as_the_whole_is() {
    let equal = nested_rates((0.15, -0.15), 5, (80.0, 0.1), (150, 6));
    assert!(equal.contradicts.share() <= 0.01, "{equal:?}");
    let grown = nested_rates((0.5, 0.0), 5, (1400.0, 0.5), (60, 7));
    let [within, all] = [grown.moved_within, grown.told_by_q].map(|rate| rate.times as f64);
    assert!(all >= 10.0 && within >= 0.6 * all, "{grown:?}");
    assert!(grown.misnamed.share() <= 0.2, "{grown:?}");
}
