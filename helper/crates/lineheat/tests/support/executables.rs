//! Files that a test makes and then executes. Processes of their own write them: were such a file open for writing in ours, a
//! process that another thread starts just then would keep it open for a moment, and nobody could execute it (ETXTBSY).
#![allow(dead_code)] // Each test program uses a part.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// With the mode that it has, as far as it may be kept.
pub fn copy_executable(from: &Path, to: &Path) {
    let copied = Command::new("cp").args([from, to]).status();
    assert!(copied.expect("cp is there").success(), "{to:?}");
}

pub fn write_executable(path: &Path, content: &[u8]) {
    let mut sh = Command::new("sh");
    sh.args(["-c", r#"cat > "$0" && chmod 755 "$0""#]).arg(path);
    let mut writer = sh.stdin(Stdio::piped()).spawn().expect("sh is there");
    let mut stdin = writer.stdin.take().expect("piped");
    stdin.write_all(content).expect("written");
    drop(stdin);
    assert!(writer.wait().expect("waited for").success(), "{path:?}");
}

/// A script for sh.
pub fn write_script(path: &Path, text: &str) {
    write_executable(path, format!("#!/bin/sh\n{text}\n").as_bytes());
}
