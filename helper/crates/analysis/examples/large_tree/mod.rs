//! A profile whose call tree has so many nodes, the same each time.

#![allow(dead_code)] // Each example uses its own part.

use profile::run::Repetition;
use profile::{LabelValue, LineOf, MappingOf, Profile, ProfileBuilder, RunInfo};

const FUNCTIONS: u64 = 20_000;
const PERIOD_NS: u64 = 1_001_001;

/// CPU time of this thread so far, which other programs disturb least.
pub fn thread_cpu_ns() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("/proc is mounted");
    let ran = stat.split_whitespace().next().expect("a number first");
    ran.parse().expect("nanoseconds")
}

/// xorshift64*: the same each time.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % limit
    }
}

/// By node its parent and its function, about 14 deep.
pub struct Tree(Vec<(u32, u32)>);

impl Tree {
    pub fn new(nodes: u64) -> Tree {
        let mut chance = Chance(42);
        let mut tree = vec![(0, 0)];
        for node in 1..nodes {
            // Near the end of the tree so far, so that it grows deep rather than wide.
            let parent = node - 1 - chance.below(node.min(nodes / 7 + 1));
            tree.push((parent as u32, chance.below(FUNCTIONS) as u32));
        }
        Tree(tree)
    }

    /// Each node sampled once, and as many samples again by chance, shared among the runs and, if there are several, threads.
    pub fn profile(&self, seed: u64, runs: u64, threads: u64) -> Profile {
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
                let folder = ["src", "third-party"][usize::from(n % 701 >= 350)];
                let file = format!("/opt/large/{folder}/file_{}.cc", n % 701);
                let function = builder.add_function(&name, &name, &file, 1);
                let line = LineOf {
                    function,
                    line: 10 + n as u32,
                    column: 0,
                };
                builder.add_location(Some(module), 0x1000 + n * 16, &[line])
            })
            .collect();
        let nodes = self.0.len() as u64;
        let mut timeline: Vec<u32> = (0..2 * nodes)
            .map(|sample| {
                let mut node = if sample < nodes {
                    sample
                } else {
                    chance.below(nodes)
                } as usize;
                let mut stack = Vec::with_capacity(32);
                while node != 0 {
                    stack.push(locations[self.0[node].1 as usize]);
                    node = self.0[node].0 as usize;
                }
                stack.push(locations[0]);
                let run = 1 + chance.below(runs) as i64;
                let mut labels = Vec::new();
                if runs > 1 {
                    labels.push(("repetition", LabelValue::Number(run, "")));
                }
                if threads > 1 {
                    let tid = 1 + chance.below(threads) as i64;
                    labels.push(("tid", LabelValue::Number(tid, "")));
                }
                builder.push_sample(&stack, &[1, PERIOD_NS], &labels)
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
