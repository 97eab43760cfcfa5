//! Opens files and prints their totals, their hottest lines, what they lack, and the CPU time and memory that opening took:
//! `cargo run --release -p interchange --example open FILE…`

use std::collections::BTreeMap;
use std::path::PathBuf;

use profile::Profile;
use symbolize::{AskedModule, ModuleSymbols, symbolize_module};

const SHOWN: usize = 8;

fn main() {
    for path in std::env::args_os().skip(1).map(PathBuf::from) {
        let before = cpu_seconds();
        let opened = interchange::open(&path, symbols);
        let seconds = cpu_seconds() - before;
        println!(
            "{}: {seconds:.2} s of CPU time, {} MiB at most",
            path.display(),
            peak_mib()
        );
        match opened {
            Ok(profile) => print(&profile),
            Err(error) => println!("  refused: {error}"),
        }
    }
}

/// Read in this process.
fn symbols(asked: &[AskedModule]) -> Vec<ModuleSymbols> {
    let symbols = asked
        .iter()
        .map(|of| symbolize_module(&of.module, &of.vaddrs));
    symbols.collect()
}

fn print(profile: &Profile) {
    for (at, measure) in profile.measures().iter().enumerate() {
        println!(
            "  {} = {} {}",
            measure.name,
            profile.total(at),
            measure.unit
        );
    }
    let measure = profile.default_measure();
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for sample in 0..profile.samples.len() {
        let leaf = profile.samples.stack(sample).first();
        let line = leaf.and_then(|leaf| profile.locations.lines_of(*leaf).first());
        let place = line.map_or("(no name)".to_owned(), |line| {
            let function = profile.functions[line.function as usize];
            let [name, file] = [function.name, function.filename].map(|id| profile.text(id));
            format!("{name} {file}:{}", line.line)
        });
        *sums.entry(place).or_default() += profile.value(sample, measure);
    }
    let mut sums: Vec<(String, u64)> = sums.into_iter().collect();
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(*sum));
    for (place, sum) in sums.iter().take(SHOWN) {
        println!("  {sum:>14} {place}");
    }
    for problem in &profile.problems {
        println!("  note: {problem}");
    }
}

/// Of this process, all threads.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u64 = (fields.split_whitespace().skip(11).take(2))
        .filter_map(|ticks| ticks.parse::<u64>().ok())
        .sum();
    ticks as f64 / 100.0
}

fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}
