//! Times the comparison of two profiles whose call trees have so many nodes.
//!
//!     compare_cost [NODES] [RUNS]     500,000 nodes; RUNS executions a side (1: one each, with a timeline)
//!
//! One line a step: "step: milliseconds of wall time, of CPU time".

use std::time::Instant;

use analysis::{Analyzed, Comparison, Side, compared_flame_graph, compared_functions, flame_graph};
use profile::run::Repetition;
use profile::{LabelValue, LineOf, MappingOf, Profile, ProfileBuilder, RunInfo};

const FUNCTIONS: u64 = 20_000;
const PERIOD_NS: u64 = 1_001_001;

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |default: u64| {
        args.next()
            .map_or(default, |text| text.parse().expect("a number"))
    };
    let (nodes, runs) = (number(500_000), number(1));
    let tree = Tree::new(nodes);
    let [base, new] = [7, 8].map(|seed| Analyzed::new(tree.profile(seed, runs)));
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
    let graph = step("difference of the trees", || compared_flame_graph(&comparison));
    println!("functions: {}", rows.len());
    println!("nodes of both: {}", graph.frame.len() as u64 + graph.pruned_nodes);
    println!("nodes drawn: {}", graph.frame.len());
    let effects = graph.compared.expect("both sides").total_effects;
    let tested = effects.iter().filter(|effect| !effect.q.is_nan()).count();
    println!("nodes tested: {tested}");
}

fn step<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let (started, cpu) = (Instant::now(), cpu_ms());
    let result = work();
    println!("{name}: {} {}", started.elapsed().as_millis(), cpu_ms() - cpu);
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

/// xorshift64*: the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % limit
    }
}

/// By node its parent and its function, about 14 deep.
struct Tree(Vec<(u32, u32)>);

impl Tree {
    fn new(nodes: u64) -> Tree {
        let mut chance = Chance(42);
        let mut tree = vec![(0, 0)];
        for node in 1..nodes {
            // Near the end of the tree so far, so that it grows deep rather than wide.
            let parent = node - 1 - chance.below(node.min(nodes / 7 + 1));
            tree.push((parent as u32, chance.below(FUNCTIONS) as u32));
        }
        Tree(tree)
    }

    /// Each node sampled once, and as many samples again by chance, shared among the runs.
    fn profile(&self, seed: u64, runs: u64) -> Profile {
        let mut chance = Chance(seed);
        let mut builder = ProfileBuilder::new(&[("samples", "count"), ("cpu", "nanoseconds")]);
        let module = builder.add_mapping(MappingOf {
            filename: "/opt/large/bin/server",
            symbolized: true,
            ..MappingOf::default()
        });
        let locations: Vec<u32> = (0..FUNCTIONS)
            .map(|n| {
                let name = format!("large::module_{}::method_{n}(int)", n % 97);
                let file = format!("/opt/large/src/file_{}.cc", n % 701);
                let function = builder.add_function(&name, &name, &file, 1);
                let line = LineOf { function, line: 10 + n as u32, column: 0 };
                builder.add_location(Some(module), 0x1000 + n * 16, &[line])
            })
            .collect();
        let nodes = self.0.len() as u64;
        let mut timeline: Vec<u32> = (0..2 * nodes)
            .map(|sample| {
                let mut node = if sample < nodes { sample } else { chance.below(nodes) } as usize;
                let mut stack = Vec::with_capacity(32);
                while node != 0 {
                    stack.push(locations[self.0[node].1 as usize]);
                    node = self.0[node].0 as usize;
                }
                stack.push(locations[0]);
                let run = 1 + chance.below(runs) as i64;
                let label = ("repetition", LabelValue::Number(run, ""));
                let labels = if runs > 1 { &[label][..] } else { &[] };
                builder.push_sample(&stack, &[1, PERIOD_NS], labels)
            })
            .collect();
        for last in (1..timeline.len()).rev() {
            timeline.swap(last, chance.below(last as u64 + 1) as usize);
        }
        let repetition = Repetition {
            wall_ns: 1_000_000_000,
            ..Repetition::default()
        };
        builder.set_run(RunInfo {
            format: 1,
            time_delta_ns: vec![PERIOD_NS; timeline.len()],
            time_sample: timeline,
            repetitions: vec![repetition; if runs > 1 { runs as usize } else { 0 }],
            ..RunInfo::default()
        });
        builder.finish()
    }
}
