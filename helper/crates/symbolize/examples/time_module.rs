//! Times the symbolization of addresses spread over a module's code: `time_module FILE [COUNT [THREADS]]`.

use std::time::Instant;

use object::{Object, ObjectSection};
use symbolize::{ModuleFile, Options, symbolize_module_with};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("a file");
    let mut number = |default: usize| {
        arguments
            .next()
            .map_or(default, |text| text.parse().expect("a number"))
    };
    let count = number(10_000);
    let threads = number(Options::default().threads);

    let bytes = std::fs::read(&path).expect("a readable file");
    let file = object::File::parse(&*bytes).expect("an ELF file");
    let text = file.section_by_name(".text").expect("code");
    let step = (text.size() / count as u64).max(1);
    let vaddrs: Vec<u64> = (0..count as u64)
        .map(|at| text.address() + at * step)
        .collect();

    let options = Options {
        threads,
        ..Options::default()
    };
    let start = Instant::now();
    let symbols = symbolize_module_with(&ModuleFile::at_path(&path), &vaddrs, &options);
    let spent = start.elapsed();
    let frames: usize = symbols.chains.iter().map(Vec::len).sum();
    let known = symbols
        .chains
        .iter()
        .filter(|chain| !chain.is_empty())
        .count();
    println!(
        "{count} addresses, {threads} threads: {:.3} s, {known} known, {frames} frames, problem {:?}",
        spent.as_secs_f64(),
        symbols.problem
    );
}
