//! Times the comparison of two profiles whose call trees have so many nodes.
//!
//!     compare_cost [NODES] [RUNS]     500,000 nodes; RUNS executions a side (1: one each, with a timeline)
//!
//! One line a step: "step: milliseconds of wall time, of CPU time".

mod large_tree;

use std::time::Instant;

use analysis::{Analyzed, Comparison, Side, compared_flame_graph, compared_functions, flame_graph};
use large_tree::Tree;

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |default: u64| {
        args.next()
            .map_or(default, |text| text.parse().expect("a number"))
    };
    let (nodes, runs) = (number(500_000), number(1));
    let tree = Tree::new(nodes);
    let [base, new] = [7, 8].map(|seed| Analyzed::new(tree.profile(seed, runs, 1)));
    let of_side = |analyzed: &Analyzed| {
        let graph = flame_graph(analyzed, analyzed.default_measure());
        graph.frame.len() as u64 + graph.pruned_nodes
    };
    println!("nodes of base: {}", of_side(&base));
    println!("nodes of new: {}", of_side(&new));
    let sides = [base, new].map(|analyzed| Side::of_run(std::sync::Arc::new(analyzed)));
    let [base, new] = sides;
    let comparison = step("comparison with tests of functions and lines", || {
        Comparison::new(base, new, None).expect("the same values")
    });
    let rows = step("table of functions", || compared_functions(&comparison));
    let graph = step("difference of the trees", || {
        compared_flame_graph(&comparison)
    });
    println!("functions: {}", rows.len());
    println!(
        "nodes of both: {}",
        graph.frame.len() as u64 + graph.pruned_nodes
    );
    println!("nodes drawn: {}", graph.frame.len());
    let effects = graph.compared.expect("both sides").total_effects;
    let tested = effects.iter().filter(|effect| !effect.q.is_nan()).count();
    println!("nodes tested: {tested}");
}

fn step<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let (started, cpu) = (Instant::now(), cpu_ms());
    let result = work();
    println!(
        "{name}: {} {}",
        started.elapsed().as_millis(),
        cpu_ms() - cpu
    );
    result
}

/// User and system time of this process; /proc counts in hundredths of a second.
fn cpu_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("/proc is mounted");
    let after_name = stat.rsplit(')').next().expect("a name in parentheses");
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |index: usize| fields[index].parse::<u64>().expect("a number");
    (ticks(11) + ticks(12)) * 10
}
