//! Times selections of a profile whose call tree has so many nodes.
//!
//!     selection_cost [NODES] [THREADS]     500,000 nodes, twice as many samples; 8 threads
//!
//! One line a step: "step: median, least and most of the milliseconds of CPU time". Each is of another part of the run.

mod large_tree;

use std::hint::black_box;
use std::ops::Range;

use analysis::{
    Analyzed, FunctionFilter, NamedFunction, Selection, TimelineOf, Transform, file_heat,
    flame_graph, function_table, hot_files, timeline,
};
use large_tree::{Tree, thread_cpu_ns};

const REPEATS: u64 = 11;

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |default: u64| {
        args.next()
            .map_or(default, |text| text.parse().expect("a number"))
    };
    let (nodes, threads) = (number(500_000), number(8));
    let whole = Analyzed::new(Tree::new(nodes).profile(7, 1, threads));
    let measure = whole.default_measure();
    let file = hot_files(&whole, measure)[0].file;
    let end = whole
        .profile()
        .run
        .as_ref()
        .map_or(0, |run| run.time_delta_ns.iter().sum::<u64>());
    println!("samples: {}", whole.total(measure).samples);
    println!("nodes: {}", flame_graph(&whole, measure).pruned_nodes);
    let during = |at: u64, transforms: Vec<Transform>| {
        let from = end / 20 * at;
        let selection = Selection {
            times: vec![Range {
                start: from,
                end: from + end / 10,
            }],
            transforms,
            ..Selection::default()
        };
        whole.selected(&selection).expect("a part of the time")
    };
    // What is made at the first question stays.
    black_box(during(0, Vec::new()));
    step("heat of a file of a tenth of the time", |at| {
        black_box(file_heat(&during(at, Vec::new()), measure, file, None));
    });
    step("table of functions of a tenth of the time", |at| {
        black_box(function_table(&during(at, Vec::new()), measure));
    });
    step("flame graph of a tenth of the time", |at| {
        black_box(flame_graph(&during(at, Vec::new()), measure));
    });
    step("heat of a file of one thread", |at| {
        let selection = Selection {
            threads: vec![(1 + at % threads).to_string()],
            ..Selection::default()
        };
        let selected = whole.selected(&selection).expect("a thread");
        black_box(file_heat(&selected, measure, file, None));
    });
    let named =
        |at: u64| FunctionFilter::Pattern(format!("large::module_{}::method_{at}(int)", at % 97));
    let transformed = |transform: Transform| {
        let selection = Selection {
            transforms: vec![transform],
            ..Selection::default()
        };
        black_box(whole.selected(&selection).expect("a function"));
    };
    step("focus on a function", |at| {
        transformed(Transform::FocusFunction(named(at)))
    });
    step("merge a function", |at| {
        transformed(Transform::MergeFunction(named(at)))
    });
    step("merge the functions of a pattern", |at| {
        let pattern = format!("large::module_{at}::*");
        transformed(Transform::MergeFunction(FunctionFilter::Pattern(pattern)));
    });
    step("collapse a recursion", |at| {
        transformed(Transform::CollapseRecursion(named(at)))
    });
    step("just my code, half of the functions", |at| {
        transformed(Transform::MyCode {
            folders: vec!["/opt/large/src".to_owned()],
            opened: vec![named(at)],
        })
    });
    let tinted = NamedFunction::new("large::module_1::method_1(int)", "server");
    step("timeline of 1600 columns, a function tinted", |at| {
        let wanted = TimelineOf {
            time: at..end,
            columns: 1600,
            tracks: 0..64,
            by_process: false,
            measure: 0,
            tinted: Some(&tinted),
            folders: &[],
        };
        black_box(timeline(&whole, &wanted));
    });
}

fn step(name: &str, mut work: impl FnMut(u64)) {
    let mut taken: Vec<f64> = (0..REPEATS)
        .map(|at| {
            let before = thread_cpu_ns();
            work(at);
            (thread_cpu_ns() - before) as f64 / 1e6
        })
        .collect();
    taken.sort_by(f64::total_cmp);
    let (median, least, most) = (taken[taken.len() / 2], taken[0], taken[taken.len() - 1]);
    println!("{name}: {median:.1} {least:.1} {most:.1}");
}
