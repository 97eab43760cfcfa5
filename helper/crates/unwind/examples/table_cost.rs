//! What the unwind tables of one ELF file cost: `table_cost FILE` prints a JSON object of CPU milliseconds to make them
//! and to have them from kept bytes, rows, and the sizes of the file and of the kept bytes. For `npm run bench -- cost`.

use std::process::ExitCode;

use unwind::{FileRows, PackedPages, RuleSet, rows_of_elf};

/// The kernel brings the CPU time of a thread up to date with every tick only.
const REPEATS: u64 = 50;

fn main() -> ExitCode {
    let Some(file) = std::env::args_os().nth(1) else {
        eprintln!("table_cost: name one ELF file.");
        return ExitCode::from(2);
    };
    let bytes = match std::fs::read(&file) {
        Ok(bytes) => bytes,
        Err(e) => {
            eprintln!("table_cost: {}: {e}", file.display());
            return ExitCode::FAILURE;
        }
    };
    let before = cpu_ns();
    let rows = match rows_of_elf(&bytes) {
        Ok(rows) => rows,
        Err(e) => {
            eprintln!("table_cost: {}: {e}", file.display());
            return ExitCode::FAILURE;
        }
    };
    let packed = PackedPages::new(&rows, &mut RuleSet::default());
    let made_ns = cpu_ns() - before;
    let kept = FileRows::new(&rows).to_bytes();
    let again =
        || FileRows::from_bytes(&kept).map(|rows| rows.numbered_in(&mut RuleSet::default()));
    let before = cpu_ns();
    for _ in 0..REPEATS {
        std::hint::black_box(again());
    }
    let had_ns = (cpu_ns() - before) / REPEATS;
    if again() != Some(packed.clone()) {
        eprintln!("table_cost: {}: kept rows are others", file.display());
        return ExitCode::FAILURE;
    }
    println!(
        r#"{{"cpuMs":{:.2},"keptCpuMs":{:.2},"rows":{},"bytes":{},"keptBytes":{}}}"#,
        made_ns as f64 / 1e6,
        had_ns as f64 / 1e6,
        packed.rows.len(),
        bytes.len(),
        kept.len()
    );
    ExitCode::SUCCESS
}

/// CPU time of this thread (proc(5), schedstat: the first number).
fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ')
        .next()
        .and_then(|word| word.parse().ok())
        .unwrap_or(0)
}
