//! Compiles the programs of `tests/programs` with the machine's own compilers and asks other tools what they see.
#![allow(dead_code)] // Each test program uses a part.

pub mod damaged_elf;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use object::{Object, ObjectSection};
use symbolize::{DemangleMode, Frame, ModuleFile, Options, symbolize_module_with};

pub fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(name)
}

pub fn run(command: &mut Command) -> String {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    assert!(output.status.success(), "{command:?}: {}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Builds `source` into `folder` and gives the program's path.
pub fn compiled(folder: &Path, compiler: &str, source: &str, flags: &[&str]) -> PathBuf {
    let output = folder.join("program");
    run(Command::new(compiler)
        .arg(program(source))
        .args(flags)
        .arg("-o")
        .arg(&output));
    output
}

/// Addresses spread over the program's code.
pub fn code_addresses(path: &Path, step: usize) -> Vec<u64> {
    let all = section_addresses(path, ".text");
    all.into_iter().step_by(step).collect()
}

/// All addresses of a section; none when there is no such section.
pub fn section_addresses(path: &Path, name: &str) -> Vec<u64> {
    section_range(path, name).map_or(Vec::new(), |(start, end)| (start..end).collect())
}

/// First address of a section and the one after its last.
pub fn section_range(path: &Path, name: &str) -> Option<(u64, u64)> {
    let bytes = std::fs::read(path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let section = file.section_by_name(name)?;
    Some((section.address(), section.address() + section.size()))
}

#[derive(Clone, Copy)]
pub enum Peer {
    Binutils,
    Llvm,
}

/// What `addr2line -i -f` says: of each address, `(function, file, line)` from the innermost frame on.
pub fn peer(peer: Peer, path: &Path, vaddrs: &[u64]) -> Vec<Vec<Place>> {
    let mut child = Command::new(match peer {
        Peer::Binutils => "addr2line",
        Peer::Llvm => "llvm-addr2line",
    })
    .args(["-a", "-i", "-f", "-e"])
    .arg(path)
    .stdin(Stdio::piped())
    .stdout(Stdio::piped())
    .spawn()
    .unwrap();
    let mut input = child.stdin.take().unwrap();
    let asked: String = vaddrs.iter().map(|vaddr| format!("{vaddr:#x}\n")).collect();
    let writer = std::thread::spawn(move || input.write_all(asked.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut chains: Vec<Vec<Place>> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("0x") {
            chains.push(Vec::new());
            continue;
        }
        let place = lines.next().unwrap();
        let place = place.split(" (discriminator").next().unwrap();
        let (file, number) = place.rsplit_once(':').unwrap();
        chains.last_mut().unwrap().push((
            line.to_owned(),
            file.to_owned(),
            number.parse().unwrap_or(0),
        ));
    }
    assert_eq!(chains.len(), vaddrs.len());
    chains
}

/// `(system name, file, line)` as binutils writes them.
pub type Place = (String, String, u32);

pub fn ours(path: &Path, vaddrs: &[u64]) -> Vec<Vec<Place>> {
    let options = Options {
        demangle: DemangleMode::None,
        ..Options::default()
    };
    let place = |frame: Frame| {
        (
            match frame.system_name {
                unknown if unknown.is_empty() => "??".to_owned(),
                name => name.to_string(),
            },
            frame.file.map_or("??".to_owned(), |file| file.to_string()),
            frame.line,
        )
    };
    symbolize_module_with(&ModuleFile::at_path(path), vaddrs, &options)
        .chains
        .into_iter()
        .map(|chain| chain.into_iter().map(place).collect())
        .collect()
}

/// Removes `.` and `..` as our paths do, and what binutils says of unknown places.
pub fn comparable(chain: Vec<Place>) -> Vec<Place> {
    chain
        .into_iter()
        .filter(|(name, file, _)| name != "??" || file != "??")
        .map(|(name, file, line)| {
            let mut parts: Vec<&str> = Vec::new();
            for part in file.split('/') {
                match part {
                    "." => {}
                    ".." => drop(parts.pop()),
                    _ => parts.push(part),
                }
            }
            (name, parts.join("/"), line)
        })
        .collect()
}

/// Binutils shows the symbol of the whole function instead of the innermost frame's name when that has no linkage name.
pub fn agree(expected: &[Place], got: &[Place]) -> bool {
    let mangled = |name: &str| name.starts_with("_Z") || name.starts_with("_R");
    expected.len() == got.len()
        && expected.iter().zip(got).all(|(expected, got)| {
            (&expected.1, expected.2) == (&got.1, got.2)
                && (expected.0 == got.0 || (mangled(&expected.0) && !mangled(&got.0)))
        })
}

/// CPU time of this thread so far: a bound on it holds however busy the machine is.
pub fn own_cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux has it");
    let ran = stat.split_whitespace().next().expect("nanoseconds first");
    Duration::from_nanos(ran.parse().expect("a number"))
}

/// The same of all threads of this process, those that have ended included: other tests' too. `/proc/self/stat` counts in
/// ticks of 10 ms (proc(5)).
pub fn process_cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux has it");
    let (_, after_name) = stat.rsplit_once(") ").expect("a name in brackets");
    let ticks = after_name.split(' ').skip(11).take(2);
    let ticks: u32 = ticks.map(|n| n.parse::<u32>().expect("a number")).sum();
    Duration::from_millis(10) * ticks
}
