//! Programs are executed instruction by instruction, and the stack is walked after each: it must reach the thread's
//! start every time, and its callers may change only as a call, a return or a jump changes them.

mod aarch64;
#[path = "../support/mod.rs"]
mod support;
// Its programs are executed by the machine itself.
#[cfg(target_arch = "x86_64")]
mod x86_64;

use std::path::{Path, PathBuf};
use std::process::Command;

/// No call frame information.
const BARE: [&str; 3] = [
    "-fno-asynchronous-unwind-tables",
    "-fno-exceptions",
    "-fno-unwind-tables",
];

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(name)
}

fn build(compiler: &mut Command) {
    let built = compiler.output().expect("the compiler is installed");
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
}

fn compile_with(compiler: &str, name: &str, flags: &[&str], directory: &Path) -> PathBuf {
    let program = directory.join("program");
    let mut compiler = Command::new(compiler);
    compiler.args(flags).arg("-o").arg(&program);
    build(compiler.arg(source(name)));
    program
}
