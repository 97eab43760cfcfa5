//! Writes a run of a program with very many functions, for the comparison of several such files.
//!
//!     many_functions write FILE SEED DEPTH [FUNCTIONS]     stacks DEPTH deep on average, 1,000,000 functions
//!
//! One location and one sample for each function. Files of one DEPTH are of one program: the same call tree, sampled by
//! chance. As in a recorded file, tables are in the order in which samples met their entries, another one in each file.
//! An even SEED is another build, in which one function in a thousand has another name.

use std::path::Path;

use profile::run::EndReason;
use profile::{LineOf, MappingOf, ProfileBuilder, RunInfo, save};

const PERIOD_NS: u64 = 1_001_001;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: Option<u64>| -> u64 {
        let given = args.get(index).map(|text| text.parse().expect("a number"));
        given.or(default).expect("another argument")
    };
    let Some(("write", file)) = args.first().map(String::as_str).zip(args.get(1)) else {
        eprintln!("usage: many_functions write FILE SEED DEPTH [FUNCTIONS]");
        std::process::exit(2);
    };
    let functions = number(4, Some(1_000_000));
    write(Path::new(file), number(2, None), number(3, None), functions);
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

/// By function its only caller, and how often it is sampled on average: most hardly ever, a few often.
fn program(functions: u64, depth: u64) -> Vec<(u32, u64)> {
    let mut chance = Chance(42);
    let reach = (functions / depth).max(1);
    (0..functions)
        .map(|function| {
            let caller = function.saturating_sub(1 + chance.below(reach));
            let mean = match chance.below(16) {
                0 => 1 << chance.below(8),
                _ => 1,
            };
            (caller as u32, mean)
        })
        .collect()
}

fn write(file: &Path, seed: u64, depth: u64, functions: u64) {
    let program = program(functions, depth);
    let mut chance = Chance(0x9e37_79b9 + seed);
    let mut order: Vec<u32> = (0..functions as u32).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, chance.below(last as u64 + 1) as usize);
    }
    let mut builder = ProfileBuilder::new(&[("samples", "count"), ("cpu", "nanoseconds")]);
    let module = builder.add_mapping(MappingOf {
        filename: "/opt/large/bin/server",
        symbolized: true,
        ..MappingOf::default()
    });
    let mut locations: Vec<Option<u32>> = vec![None; program.len()];
    let mut samples = 0;
    for leaf in order {
        let (mut stack, mut at) = (Vec::new(), leaf as usize);
        loop {
            let add = || add_location(&mut builder, module, at as u64, seed);
            stack.push(*locations[at].get_or_insert_with(add));
            if at == 0 {
                break;
            }
            at = program[at].0 as usize;
        }
        let count = 1 + chance.below(2 * program[leaf as usize].1);
        samples += count;
        builder.push_sample(&stack, &[count, count * PERIOD_NS], &[]);
    }
    let started = 1_700_000_000_000_000_000 + 60_000_000_000 * seed as i64;
    let wall_ns = samples * PERIOD_NS;
    builder.set_time(started, wall_ns as i64);
    let mut run = RunInfo {
        format: 1,
        command: vec!["/opt/large/bin/server".to_owned()],
        started_unix_ns: started,
        wall_ns,
        samples_taken: samples,
        samples_kept: samples,
        ..RunInfo::default()
    };
    run.set_end_reason(EndReason::Exited);
    builder.set_run(run);
    save(&builder.finish(), file).expect("the file can be written");
}

fn add_location(builder: &mut ProfileBuilder, module: u32, function: u64, seed: u64) -> u32 {
    let is_renamed = seed.is_multiple_of(2) && function.is_multiple_of(1000);
    let verb = if is_renamed { "handle" } else { "process" };
    let name = format!(
        "large::module_{}::{verb}_{function}(int, char const*)",
        function % 997
    );
    let source = format!("/opt/large/src/module_{}.cc", function % 9973);
    let first = 1 + function as u32 / 9973 * 20;
    let function_id = builder.add_function(&name, &name, &source, first);
    let line = LineOf {
        function: function_id,
        line: first + 3,
        column: 0,
    };
    builder.add_location(Some(module), 0x1000 + function * 16, &[line])
}
