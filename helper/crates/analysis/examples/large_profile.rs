//! Writes a large synthetic profile, or times what opening one costs.
//!
//!     large_profile write FILE [SAMPLES]     20,000 functions, 60,000 locations, half as many tree nodes as samples
//!     large_profile time FILE                one line per step: CPU and wall milliseconds, peak memory at the end

use std::fs;
use std::path::Path;
use std::time::Instant;

use analysis::{Analyzed, flame_graph, function_table, line_detail, line_measures, line_table};
use profile::{LabelValue, LineOf, MappingOf, Profile, ProfileBuilder, save};

const FUNCTIONS: u64 = 20_000;
const LOCATIONS: u64 = 60_000;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["write", file] => write(Path::new(file), 1_000_000),
        ["write", file, samples] => write(
            Path::new(file),
            samples.parse().expect("a number of samples"),
        ),
        ["time", file] => time(Path::new(file)),
        _ => {
            eprintln!("usage: large_profile write FILE [SAMPLES] | time FILE");
            std::process::exit(2);
        }
    }
}

/// xorshift64*: the same file each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % limit
    }
}

/// Stacks follow a random tree of half as many nodes as samples, about 14 deep; each sample has its own label, so
/// that equal stacks stay apart as they do in files of other programs.
fn write(file: &Path, samples: u64) {
    let mut chance = Chance(42);
    let mut builder = ProfileBuilder::new(&[("samples", "count"), ("cpu", "nanoseconds")]);
    let module = builder.add_mapping(MappingOf {
        filename: "/opt/large/bin/server",
        symbolized: true,
        ..MappingOf::default()
    });
    let functions: Vec<u32> = (0..FUNCTIONS)
        .map(|n| {
            let name = format!(
                "large::module_{}::Type{}::method_{n}(int, char const*)",
                n % 97,
                n % 1009
            );
            builder.add_function(
                &name,
                &name,
                &format!("/opt/large/src/module_{}/file_{}.cc", n % 97, n % 701),
                1,
            )
        })
        .collect();
    let locations: Vec<u32> = (0..LOCATIONS)
        .map(|n| {
            let line = LineOf {
                function: functions[(n % FUNCTIONS) as usize],
                line: (10 + n / FUNCTIONS * 7) as u32,
                column: 0,
            };
            builder.add_location(Some(module), 0x1000 + n * 16, &[line])
        })
        .collect();

    let mut tree: Vec<(u32, u32)> = vec![(0, locations[0])];
    let nodes = samples / 2;
    for node in 1..nodes {
        // Near the end of the tree so far, so that it grows deep rather than wide.
        let parent = node - 1 - chance.below(node.min(nodes / 7 + 1));
        tree.push((parent as u32, locations[chance.below(LOCATIONS) as usize]));
    }
    for sample in 0..samples {
        let mut node = chance.below(nodes) as usize;
        let mut stack = Vec::with_capacity(32);
        while node != 0 {
            stack.push(tree[node].1);
            node = tree[node].0 as usize;
        }
        stack.push(tree[0].1);
        let labels = [("request", LabelValue::Number(sample as i64 + 1, ""))];
        builder.add_sample(&stack, &[1, 1_001_001], &labels);
    }
    save(&builder.finish(), file).expect("the file can be written");
}

fn time(file: &Path) {
    let profile = step("open", || Profile::open(file).expect("a valid profile"));
    let samples = profile.samples.len();
    let frames = profile.samples.stacks.frames();
    let analyzed = step("resolve names", || Analyzed::new(profile));
    let measure = analyzed.default_measure();
    let functions = step("functions", || function_table(&analyzed, measure)).len();
    let lines = step("lines", || line_table(&analyzed, measure)).len();
    let graph = step("flame graph", || flame_graph(&analyzed, measure));
    let place = analyzed.places()[analyzed.places().len() / 2];
    step("hover of a line", || {
        line_detail(&analyzed, measure, place.file, place.line, 5)
    });
    step("all measures of it", || {
        line_measures(&analyzed, place.file, place.line).len()
    });
    println!(
        "{samples} samples, {frames} frames, {functions} functions, {lines} lines, {} nodes, {} pruned",
        graph.frame.len(),
        graph.pruned_nodes
    );
    println!("peak memory {} MiB", peak_kib() / 1024);
}

fn step<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let (started, cpu) = (Instant::now(), cpu_ms());
    let result = work();
    println!(
        "{name:<14} {:>6} ms CPU {:>6} ms wall",
        cpu_ms() - cpu,
        started.elapsed().as_millis()
    );
    result
}

/// User and system time of this process; /proc counts in hundredths of a second.
fn cpu_ms() -> u64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("/proc is mounted");
    let after_name = stat.rsplit(')').next().expect("a name in parentheses");
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |index: usize| fields[index].parse::<u64>().expect("a number");
    (ticks(11) + ticks(12)) * 10
}

fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("/proc is mounted");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .expect("the peak is there");
    line.split_whitespace()
        .nth(1)
        .and_then(|kib| kib.parse().ok())
        .expect("a number")
}
