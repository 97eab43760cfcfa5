//! Times the steps of comparing run files, half of them with the other half.
//!
//!     compare_files BASE... NEW...     as many of each
//!
//! One line a step: "step: milliseconds of CPU time, of wall time".

use std::path::Path;
use std::time::Instant;

use analysis::{ComparedTable, Comparison, Side};
use profile::{Opener, Profile};

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let mut profiles: Vec<Profile> = step("read", || {
        let mut opener = Opener::default();
        let opened = files.iter().map(|file| opener.open(Path::new(file)));
        opened.map(|profile| profile.expect("a run")).collect()
    });
    let new = profiles.split_off(profiles.len() / 2);
    let base = step("pool base", || Side::of(profiles).expect("the same values"));
    let new = step("pool new", || Side::of(new).expect("the same values"));
    let comparison = step("compare", || {
        Comparison::new(base, new, None).expect("the same values")
    });
    let shown = step("first rows", || {
        let table = ComparedTable::functions(&comparison);
        table.first_by(30, |row| {
            std::cmp::Reverse(row.self_change().unsigned_abs())
        })
    });
    println!(
        "largest change: {} ns of {}",
        shown[0].self_change(),
        shown[0].name
    );
}

fn step<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let (started, cpu) = (Instant::now(), cpu_ms());
    let result = work();
    let wall = started.elapsed().as_millis();
    println!("{name}: {} {wall}", cpu_ms() - cpu);
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
