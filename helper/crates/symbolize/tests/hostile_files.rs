//! Files made to hurt: each costs its own names and a sentence, never the process.

mod support;

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

use support::damaged_elf::damaged;
use support::{code_addresses, compiled, process_cpu_time};
use symbolize::{ModuleFile, symbolize_module};

/// Panics when it does not come back, as from a FIFO that nobody writes to.
fn problem_of(path: &Path) -> String {
    let (tell, told) = channel();
    let path = path.to_owned();
    std::thread::spawn(move || {
        let _ = tell.send(symbolize_module(&ModuleFile::at_path(&path), &[0x1000]));
    });
    let symbols = told.recv_timeout(Duration::from_secs(60)).expect("it ends");
    assert_eq!(symbols.chains, [[]]);
    symbols.problem.unwrap()
}

#[test]
fn only_regular_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    let name = CString::new(fifo.as_os_str().as_bytes()).unwrap();
    // SAFETY: `name` is a C string that lives over the call.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    assert!(problem_of(&fifo).contains("not a regular file"));
    assert!(problem_of(Path::new("/dev/zero")).contains("not a regular file"));
    assert!(problem_of(folder.path()).contains("not a regular file"));
    assert!(problem_of(&folder.path().join("none")).contains("Cannot open "));
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    std::os::unix::fs::symlink(&one, &other).unwrap();
    std::os::unix::fs::symlink(&other, &one).unwrap();
    assert!(problem_of(&one).contains("Cannot open "));
}

#[test]
fn what_is_no_elf_file_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let check = |content: &[u8]| {
        let path = folder.path().join("file");
        std::fs::write(&path, content).unwrap();
        assert!(problem_of(&path).contains("not a readable ELF file"));
    };
    check(b"");
    check(b"#!/bin/sh\n");
    check(b"\x7fELF");
    check(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    let huge = folder.path().join("file");
    std::fs::File::create(&huge)
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    assert!(problem_of(&huge).contains("more than the maximum"));
}

#[test]
fn inlined_calls_nested_without_end_do_not_overflow_the_stack() {
    let folder = tempfile::tempdir().unwrap();
    for levels in ["1000", "250000", "2000000"] {
        let levels = format!("-Wa,--defsym,LEVELS={levels}");
        let path = compiled(folder.path(), "gcc", "deep.s", &[&levels]);
        let symbols = symbolize_module(&ModuleFile::at_path(&path), &code_addresses(&path, 1));
        assert!(
            symbols
                .chains
                .iter()
                .flatten()
                .any(|frame| frame.name == "main")
        );
    }
}

#[test]
fn a_thousand_damaged_files_are_survived() {
    let folder = tempfile::tempdir().unwrap();
    let path = compiled(folder.path(), "g++", "shapes.cpp", &["-O2", "-g"]);
    let vaddrs = code_addresses(&path, 16);
    let whole = std::fs::read(&path).unwrap();
    let mut with_problem = 0;
    for number in 0..1000 {
        let bytes = damaged(&whole, number);
        let start = process_cpu_time();
        let symbols = symbolize_module(&ModuleFile::from_bytes("damaged", bytes), &vaddrs);
        assert!(process_cpu_time() - start < Duration::from_secs(12));
        assert_eq!(symbols.chains.len(), vaddrs.len());
        with_problem += usize::from(symbols.problem.is_some());
    }
    assert!(
        with_problem > 100,
        "only {with_problem} files had a problem"
    );
}
