//! A program and its library, each of which has half of the time, made on the spot.

use std::path::Path;
use std::process::Command;

pub const LIBRARY: &str = "
__attribute__((noinline)) long work(long n) {
    volatile long sum = 0;
    for (long i = 0; i < n; i++) sum += i;
    return sum;
}
";

/// C of the program: `main` calls `own`, which is here, and `work`, which is the library's.
pub fn program(main: &str) -> String {
    let own = LIBRARY.replace("work", "own");
    format!("#include <stdlib.h>\n#include <time.h>\nlong work(long n);{own}{main}")
}

/// gcc -O2 -g, in this folder, from `NAME.c`.
pub fn compile(folder: &Path, name: &str, source: &str, flags: &[&str]) {
    let file = format!("{name}.c");
    std::fs::write(folder.join(&file), source).expect("written");
    let status = (Command::new("gcc").current_dir(folder))
        .args(["-O2", "-g", "-o", name, &file])
        .args(flags)
        .status();
    assert!(status.expect("gcc is installed").success());
}
