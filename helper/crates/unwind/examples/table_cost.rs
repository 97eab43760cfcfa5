//! What the unwind tables of one ELF file cost: `table_cost FILE` prints a JSON object of CPU milliseconds, rows and
//! the file's size. For `npm run bench -- cost`.

use std::process::ExitCode;

use unwind::{PackedPages, RuleSet, rows_of_elf};

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
    println!(
        r#"{{"cpuMs":{:.2},"rows":{},"bytes":{}}}"#,
        (cpu_ns() - before) as f64 / 1e6,
        packed.rows.len(),
        bytes.len()
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
