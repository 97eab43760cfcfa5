//! Modules that hurt the process that reads them: each costs its own names and a sentence; the others keep theirs.

#[path = "../../symbolize/tests/support/damaged_elf.rs"]
mod damaged_elf;
mod support;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use damaged_elf::damaged;
use support::Program;
use support::cpu_time::OwnTime;
use support::memory_group::MemoryGroup;
use symbolize::{
    AskedModule, Isolation, ModuleFile, ModuleSymbols, Options, symbolize_isolated,
    symbolize_module,
};

/// One test looks for the reader among the children of this process, so there must be no other.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn isolation() -> Isolation {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lineheat"));
    command.arg("symbolize-worker");
    Isolation::by(command)
}

fn at_path(path: &Path, vaddrs: Vec<u64>) -> AskedModule {
    let file = File::open(path).expect("readable");
    AskedModule {
        module: ModuleFile::opened(path, file),
        vaddrs,
    }
}

/// Addresses over the first 64 KiB of a program's code.
fn some_vaddrs() -> Vec<u64> {
    (0x1000..0x11000).step_by(16).collect()
}

fn sentence(symbols: &ModuleSymbols) -> &str {
    let problem = symbols.problem.as_deref().unwrap_or("no problem");
    assert!(problem.ends_with('.') && problem.len() > 20, "{problem}");
    problem
}

#[test]
fn a_thousand_damaged_modules_leave_their_neighbour_its_names() {
    let _alone = alone();
    let good = Program::compile("inlined");
    let vaddrs = some_vaddrs();
    let expected = symbolize_module(&ModuleFile::at_path(&good.path), &vaddrs);
    assert!(expected.has_lines && expected.chains.iter().any(|chain| !chain.is_empty()));
    let whole = std::fs::read(&good.path).expect("readable");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut without_names = 0;
    for batch in 0..20 {
        let mut asked = vec![at_path(&good.path, vaddrs.clone())];
        for number in 50 * batch..50 * (batch + 1) {
            let path = folder.path().join(number.to_string());
            std::fs::write(&path, damaged(&whole, number)).expect("written");
            asked.push(at_path(&path, vaddrs.clone()));
        }
        let started = OwnTime::of(&[std::process::id()]);
        let found = symbolize_isolated(&asked, &Options::default(), &mut isolation(), || {});
        assert!(started.elapsed() < Duration::from_secs(60), "batch {batch}");
        assert_eq!(found.len(), asked.len());
        assert_eq!(found[0], expected, "batch {batch}");
        for symbols in &found[1..] {
            assert_eq!(symbols.chains.len(), vaddrs.len());
            if symbols.chains.iter().all(Vec::is_empty) {
                sentence(symbols);
                without_names += 1;
            }
        }
    }
    assert!(without_names > 50, "only {without_names} have no names");
}

/// A library with some hundred thousand symbols, which every Rust toolchain has.
fn compiler_library() -> PathBuf {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output();
    let sysroot = String::from_utf8(output.expect("rustc").stdout).expect("UTF-8");
    let folder = Path::new(sysroot.trim()).join("lib");
    let entries = std::fs::read_dir(folder).expect("a toolchain");
    let mut paths = entries.map(|entry| entry.expect("readable").path());
    let is_driver = |path: &PathBuf| path.to_string_lossy().contains("librustc_driver");
    paths.find(is_driver).expect("the compiler's own library")
}

fn large_and_good(good: &Program) -> Vec<AskedModule> {
    let large = compiler_library();
    vec![
        at_path(&large, (0x10_0000..0x400_0000).step_by(64).collect()),
        at_path(&good.path, some_vaddrs()),
    ]
}

#[test]
fn a_module_that_takes_too_much_memory_costs_its_own_names() {
    let _alone = alone();
    let good = Program::compile("inlined");
    let mut isolation = isolation();
    isolation.memory_bytes = 24 << 20;
    let asked = large_and_good(&good);
    let found = symbolize_isolated(&asked, &Options::default(), &mut isolation, || {});
    let problem = sentence(&found[0]);
    assert!(problem.contains("symbols unreadable: "), "{problem}");
    assert!(found[0].chains.iter().all(Vec::is_empty));
    assert_eq!(found[0].chains.len(), asked[0].vaddrs.len());
    assert!(found[1].has_lines && found[1].chains.iter().any(|chain| !chain.is_empty()));
}

#[test]
fn a_reader_that_the_kernel_ends_for_want_of_memory_costs_one_modules_names() {
    let _alone = alone();
    let Some(group) = MemoryGroup::of(48 << 20) else {
        return;
    };
    let good = Program::compile("inlined");
    let mut isolation = Isolation::by(group.lineheat("symbolize-worker"));
    let asked = large_and_good(&good);
    let found = symbolize_isolated(&asked, &Options::default(), &mut isolation, || {});
    let problem = sentence(&found[0]);
    let killed = "killed, probably because memory ran out";
    assert!(problem.contains(killed), "{problem}");
    assert!(found[0].chains.iter().all(Vec::is_empty));
    assert!(found[1].has_lines && found[1].chains.iter().any(|chain| !chain.is_empty()));
}

/// The reading process of this test process, once there is one.
fn reader_of_ours() -> Option<u32> {
    let own = std::process::id().to_string();
    let processes = std::fs::read_dir("/proc").ok()?;
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .find(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let parent = stat
                .rsplit(") ")
                .next()
                .and_then(|rest| rest.split(' ').nth(1));
            line.ends_with(b"\0symbolize-worker\0") && parent == Some(&own)
        })
}

/// Lets `happen` see the reader while it reads a large library and a small program, time and again.
fn with_reader(
    isolation: &mut Isolation,
    mut happen: impl FnMut(u32) + Send,
) -> Vec<ModuleSymbols> {
    let good = Program::compile("inlined");
    let is_over = AtomicBool::new(false);
    let options = Options {
        time_limit: Duration::from_secs(1),
        ..Options::default()
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                if let Some(pid) = reader_of_ours() {
                    happen(pid);
                }
            }
        });
        let found = symbolize_isolated(&large_and_good(&good), &options, isolation, || {});
        is_over.store(true, Ordering::Relaxed);
        found
    })
}

fn signal(pid: u32, signal: i32) {
    // SAFETY: kill(2) has no preconditions; the process is a child of this test.
    unsafe { libc::kill(pid as i32, signal) };
}

#[test]
fn a_reader_that_is_killed_or_hangs_is_replaced_or_given_up() {
    let _alone = alone();
    let mut kills = 0;
    let started = OwnTime::of(&[std::process::id()]);
    let found = with_reader(&mut isolation(), |pid| {
        if kills < 2 {
            std::thread::sleep(Duration::from_millis(30));
            signal(pid, libc::SIGKILL);
            kills += 1;
        }
    });
    assert!(found[1].has_lines || sentence(&found[1]).contains("symbols unreadable"));
    assert!(started.elapsed() < Duration::from_secs(30));

    let mut isolation = isolation();
    isolation.grace = Duration::from_secs(1);
    let started = OwnTime::of(&[std::process::id()]);
    let found = with_reader(&mut isolation, |pid| signal(pid, libc::SIGSTOP));
    assert!(
        sentence(&found[0]).contains("took longer than 2 s"),
        "{:?}",
        found[0].problem
    );
    assert!(started.elapsed() < Duration::from_secs(30));

    let mut seen = String::new();
    with_reader(&mut isolation, |pid| {
        let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        if status.contains("NoNewPrivs:\t1") {
            seen = limits + &status;
        }
    });
    let limit = |name: &str| {
        let line = seen.lines().find(|line| line.starts_with(name));
        let words = line.map(|line| line[name.len()..].split_whitespace().next());
        words.flatten().unwrap_or("none").to_owned()
    };
    assert_eq!(limit("Max core file size"), "0");
    for limited in ["Max data size", "Max cpu time"] {
        assert!(limit(limited).parse::<u64>().is_ok(), "{limited}: {seen}");
    }
}

#[test]
fn without_a_reader_there_are_no_names_and_a_sentence() {
    let _alone = alone();
    let good = Program::compile("inlined");
    for program in ["/nonexistent/lineheat", "/bin/false", "/bin/cat"] {
        let asked = [at_path(&good.path, some_vaddrs())];
        let mut isolation = Isolation::by(Command::new(program));
        let found = symbolize_isolated(&asked, &Options::default(), &mut isolation, || {});
        assert!(
            sentence(&found[0]).contains("symbols unreadable: "),
            "{program}"
        );
        assert_eq!(found[0].chains.len(), asked[0].vaddrs.len());
    }
}
