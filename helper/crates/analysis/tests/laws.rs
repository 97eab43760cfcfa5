//! Laws that hold for any profile, tried on many made by chance.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::support::{Chance, profile_of, with_timeline};
use analysis::{
    Amounts, Analyzed, Comparison, Side, TotalColumns, Verdict, compared_flame_graph,
    compared_functions, compared_lines, flame_graph, function_table, line_table, merge,
};

const CPU: usize = 1;

/// Runs `law` on profiles of many sizes.
fn for_profiles(law: impl Fn(&mut Chance, String)) {
    for seed in 1..=60 {
        let mut chance = Chance(seed * 0x9e37_79b9);
        let text = chance.profile_text(seed * 3);
        law(&mut chance, text);
    }
}

fn side(analyzed: &Arc<Analyzed>) -> Side {
    Side::of_run(analyzed.clone())
}

/// Function totals from the flame graph: a node counts for its function unless one above it did.
fn functions_of_flame_graph(analyzed: &Analyzed) -> BTreeMap<(String, String), Amounts> {
    let graph = flame_graph(analyzed, CPU);
    let key = |node: usize| {
        let frame = graph.frame[node] as usize;
        let text = |id: u32| graph.frames.strings[id as usize].clone();
        (
            text(graph.frames.name[frame]),
            text(graph.frames.file[frame]),
        )
    };
    let mut sums: BTreeMap<(String, String), Amounts> = BTreeMap::new();
    for node in 1..graph.frame.len() {
        let (value, samples) = (graph.self_value[node], u64::from(graph.self_samples[node]));
        let self_ = &mut sums.entry(key(node)).or_default().self_;
        self_.value += value;
        self_.samples += samples;
        let mut above = vec![];
        let mut at = node;
        while at > 0 {
            above.push(key(at));
            at -= graph.parent_distance[at] as usize;
        }
        above.sort();
        above.dedup();
        for key in above {
            let total = &mut sums.entry(key).or_default().total;
            total.value += value;
            total.samples += samples;
        }
    }
    sums
}

fn functions(analyzed: &Analyzed) -> BTreeMap<(String, String), Amounts> {
    (function_table(analyzed, CPU).iter())
        .map(|row| {
            let function = analyzed.function(row.function);
            (
                (
                    analyzed.text(function.name).to_owned(),
                    analyzed.text(function.file).to_owned(),
                ),
                row.amounts,
            )
        })
        .collect()
}

#[test]
fn self_of_all_functions_is_the_total_and_no_total_is_more() {
    for_profiles(|_, text| {
        let analyzed = Analyzed::new(profile_of(&text));
        let total = analyzed.total(CPU);
        let rows = function_table(&analyzed, CPU);
        assert_eq!(
            rows.iter().map(|row| row.amounts.self_.value).sum::<u64>(),
            total.value
        );
        assert_eq!(
            rows.iter()
                .map(|row| row.amounts.self_.samples)
                .sum::<u64>(),
            total.samples
        );
        for amounts in rows
            .iter()
            .map(|r| r.amounts)
            .chain(line_table(&analyzed, CPU).iter().map(|r| r.amounts))
        {
            assert!(
                amounts.self_.value <= amounts.total.value && amounts.total.value <= total.value
            );
            assert!(amounts.self_.samples <= amounts.total.samples);
        }
    });
}

#[test]
fn the_flame_graph_holds_the_same_sums_as_the_tables() {
    for_profiles(|_, text| {
        let analyzed = Analyzed::new(profile_of(&text));
        assert_eq!(functions_of_flame_graph(&analyzed), functions(&analyzed));
    });
}

/// By node, the sum of a column over the node and all below it.
fn sums_below(graph: &analysis::FlameGraph, column: &[u64]) -> Vec<u64> {
    let is_below = |mut node: usize, wanted: usize| {
        while node > wanted {
            node -= graph.parent_distance[node] as usize;
        }
        node == wanted
    };
    (0..column.len())
        .map(|wanted| {
            let below = (wanted..column.len()).filter(|&node| is_below(node, wanted));
            below.map(|node| column[node]).sum()
        })
        .collect()
}

fn check_totals(
    graph: &analysis::FlameGraph,
    totals: &TotalColumns,
    value: &[u64],
    samples: &[u32],
) {
    let samples: Vec<u64> = samples.iter().map(|&samples| samples.into()).collect();
    for (sent, own) in [(&totals.value, value), (&totals.samples, &samples)] {
        let sums = sums_below(graph, own);
        for node in 0..own.len() {
            let total = if sent[node] == 0 {
                own[node]
            } else {
                sent[node]
            };
            assert_eq!(total, sums[node]);
        }
    }
}

#[test]
fn a_nodes_total_is_the_sum_of_its_self_and_all_below_it() {
    for_profiles(|chance, text| {
        let base = Arc::new(Analyzed::new(profile_of(&text)));
        let graph = flame_graph(&base, CPU);
        check_totals(
            &graph,
            &graph.totals,
            &graph.self_value,
            &graph.self_samples,
        );

        let new = Arc::new(Analyzed::new(profile_of(&chance.profile_text(30))));
        let comparison = Comparison::new(side(&base), side(&new), None).expect("the same values");
        let graph = compared_flame_graph(&comparison);
        check_totals(
            &graph,
            &graph.totals,
            &graph.self_value,
            &graph.self_samples,
        );
        let new = graph.compared.as_ref().expect("both columns");
        check_totals(&graph, &new.totals, &new.self_value, &new.self_samples);
        let changes: Vec<u64> = (graph.self_value.iter().zip(&new.self_value))
            .map(|(base, new)| base.abs_diff(*new))
            .collect();
        assert_eq!(new.churn, sums_below(&graph, &changes));
    });
}

#[test]
fn the_order_of_samples_and_of_merging_does_not_matter() {
    for_profiles(|chance, text| {
        let other = chance.profile_text(20);
        let one_file = Analyzed::new(profile_of(&format!("{text}{other}")));
        let mut reversed: Vec<&str> = text.lines().collect();
        reversed.reverse();
        let reversed = profile_of(&reversed.join("\n"));
        for order in [
            vec![profile_of(&text), profile_of(&other)],
            vec![profile_of(&other), reversed],
        ] {
            let merged = Analyzed::new(merge(order).expect("the same sample types"));
            assert_eq!(functions(&merged), functions(&one_file));
            assert_eq!(functions_of_flame_graph(&merged), functions(&one_file));
        }
    });
}

#[test]
fn a_run_against_itself_shows_no_difference() {
    for_profiles(|chance, text| {
        let profile = with_timeline(profile_of(&text), chance);
        let analyzed = Arc::new(Analyzed::new(profile));
        let comparison =
            Comparison::new(side(&analyzed), side(&analyzed), None).expect("the same values");
        for row in compared_functions(&comparison)
            .iter()
            .chain(&compared_lines(&comparison))
        {
            assert_eq!(row.base, row.new);
            assert!(
                matches!(row.verdict, Verdict::Noise | Verdict::TooFew),
                "{row:?}"
            );
        }
        let graph = compared_flame_graph(&comparison);
        let new = graph.compared.expect("both columns");
        assert_eq!(
            (&graph.self_value, &graph.self_samples),
            (&new.self_value, &new.self_samples)
        );
        assert_eq!(comparison.matched_share(), 1.0);
    });
}

#[test]
fn a_comparison_keeps_all_samples_of_both_sides() {
    for_profiles(|chance, text| {
        let base = Arc::new(Analyzed::new(profile_of(&text)));
        let new = Arc::new(Analyzed::new(profile_of(&chance.profile_text(30))));
        let comparison = Comparison::new(side(&base), side(&new), None).expect("the same values");
        let rows = compared_functions(&comparison);
        let sum = |part: fn(&analysis::ComparedRow) -> u64| rows.iter().map(part).sum::<u64>();
        assert_eq!(sum(|row| row.base.self_.value), base.total(CPU).value);
        assert_eq!(sum(|row| row.new.self_.value), new.total(CPU).value);
        let graph = compared_flame_graph(&comparison);
        assert_eq!(graph.self_value.iter().sum::<u64>(), base.total(CPU).value);
        assert_eq!(
            graph.compared.expect("both").self_value.iter().sum::<u64>(),
            new.total(CPU).value
        );
        let lines = compared_lines(&comparison);
        let own: u64 = line_table(&new, CPU)
            .iter()
            .map(|row| row.amounts.self_.value)
            .sum();
        assert_eq!(
            lines.iter().map(|row| row.new.self_.value).sum::<u64>(),
            own
        );
    });
}

/// By name, file, module and line of the definition; and by file and line.
type Sums = (
    BTreeMap<(String, String, String, u32), Amounts>,
    BTreeMap<(String, u32), Amounts>,
);

fn sums_of(analyzed: &Analyzed) -> Sums {
    let functions = function_table(analyzed, CPU).into_iter().map(|row| {
        let function = analyzed.function(row.function);
        let [name, file, module] = [function.name, function.file, function.module]
            .map(|text| analyzed.text(text).to_owned());
        ((name, file, module, function.line), row.amounts)
    });
    let lines = line_table(analyzed, CPU).into_iter().map(|row| {
        let file = analyzed.file_path(row.place.file).to_owned();
        ((file, row.place.line), row.amounts)
    });
    (functions.collect(), lines.collect())
}

/// A side of several files never makes one profile of them; it says the same.
#[test]
fn pooled_files_say_what_one_profile_of_all_their_samples_says() {
    for_profiles(|chance, text| {
        let texts = [text, chance.profile_text(40), chance.profile_text(90)];
        let files = || texts.iter().map(|text| profile_of(text)).collect();
        let pooled = Side::of(files()).expect("the same values").analyzed;
        let merged = Analyzed::new(merge(files()).expect("the same values"));
        assert_eq!(pooled.total(CPU), merged.total(CPU));
        assert_eq!(sums_of(&pooled), sums_of(&merged));
        assert_eq!(
            functions_of_flame_graph(&pooled),
            functions_of_flame_graph(&merged)
        );
    });
}
