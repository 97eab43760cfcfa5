//! What tests of the formats share.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use flate2::read::GzDecoder;
use profile::{Profile, ProfileError};
use symbolize::symbolize_module;
use tempfile::TempDir;

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/exchange")
        .join(name)
}

/// The profile in a folder, with the program of its name `mill` beside it.
pub fn with_program(name: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let mut program = Vec::new();
    let compressed = std::fs::read(fixture("mill.elf.gz")).unwrap();
    GzDecoder::new(&compressed[..])
        .read_to_end(&mut program)
        .unwrap();
    std::fs::write(folder.path().join("mill"), program).unwrap();
    let path = folder.path().join(name);
    std::fs::copy(fixture(name), &path).unwrap();
    (folder, path)
}

/// Of mill.gperf-cpu.prof. `87  53.0%  53.0%       87  53.0% grind /src/mill/mill.c:29` → the line and its samples, without
/// those that have none.
pub fn lines_of_google_pprof() -> BTreeMap<String, u64> {
    let text = std::fs::read_to_string(fixture("mill.gperf-cpu-lines.txt")).unwrap();
    (text.lines().skip(1))
        .filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let count = words[0].parse().unwrap();
            (count > 0).then(|| (words[words.len() - 1].to_owned(), count))
        })
        .collect()
}

/// With symbols read in this process.
pub fn open(path: &Path) -> Result<Profile, ProfileError> {
    interchange::open(path, |asked| {
        let symbols = asked
            .iter()
            .map(|of| symbolize_module(&of.module, &of.vaddrs));
        symbols.collect()
    })
}

pub fn opened(text: impl AsRef<[u8]>) -> Result<Profile, ProfileError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("any name");
    std::fs::write(&path, text).unwrap();
    open(&path)
}

/// What a refusal says behind the path.
pub fn refusal(text: impl AsRef<[u8]>) -> String {
    let shown = String::from_utf8_lossy(text.as_ref()).into_owned();
    let error = opened(text).expect_err(&shown);
    let (_, message) = error.message.split_once(": ").unwrap();
    message.to_owned()
}

/// "name unit" of each.
pub fn measures(profile: &Profile) -> Vec<String> {
    (profile.measures().into_iter())
        .map(|of| format!("{} {}", of.name, of.unit))
        .collect()
}

/// By what `of` says of the innermost frame: its function, file and line; "" for what has no frame or no name.
pub fn sums(
    profile: &Profile,
    measure: usize,
    of: impl Fn(&str, &str, u32) -> String,
) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for sample in 0..profile.samples.len() {
        let leaf = profile.samples.stack(sample).first();
        let line = leaf.and_then(|leaf| profile.locations.lines_of(*leaf).first());
        let key = line.map_or(String::new(), |line| {
            let function = profile.functions[line.function as usize];
            let [name, file] = [function.name, function.filename].map(|id| profile.text(id));
            of(name, file, line.line)
        });
        *sums.entry(key).or_default() += profile.value(sample, measure);
    }
    sums
}

/// By "file:line" of the innermost frame.
pub fn lines(profile: &Profile, measure: usize) -> BTreeMap<String, u64> {
    sums(profile, measure, |_, file, line| format!("{file}:{line}"))
}

/// By the function of the innermost frame.
pub fn functions(profile: &Profile, measure: usize) -> BTreeMap<String, u64> {
    sums(profile, measure, |name, _, _| name.to_owned())
}

/// The functions of a sample's stack, leaf first, inlined ones too.
pub fn names(profile: &Profile, sample: usize) -> Vec<&str> {
    (profile.samples.stack(sample).iter())
        .flat_map(|location| profile.locations.lines_of(*location))
        .map(|line| profile.text(profile.functions[line.function as usize].name))
        .collect()
}

/// Each of five hundred changed copies of `files` is shown, with values that add up, or refused with its cause.
pub fn mutants(files: &[Vec<u8>], inserted: &[u8]) {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut below = |limit: usize| {
        state = (state.wrapping_mul(6_364_136_223_846_793_005)).wrapping_add(1);
        (state >> 33) as usize % limit
    };
    let (mut shown, mut refused) = (0, 0);
    for round in 0..500 {
        let mut bytes = files[round % files.len()].clone();
        for _ in 0..=below(4) {
            let at = below(bytes.len());
            match below(4) {
                0 => bytes[at] = below(256) as u8,
                1 if below(3) == 0 => bytes.truncate(at.max(1)),
                1 => bytes[at] ^= 1 << below(8),
                2 => drop(bytes.drain(at..(at + 1 + below(200)).min(bytes.len()))),
                _ => bytes.insert(at, inserted[below(inserted.len())]),
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        let start = Instant::now();
        match opened(&bytes) {
            Ok(profile) => {
                shown += 1;
                for measure in 0..profile.sample_types.len() {
                    let sum: u64 = functions(&profile, measure).values().sum();
                    assert_eq!(sum, profile.total(measure), "mutant {round}");
                }
            }
            Err(error) => {
                refused += 1;
                assert!(error.message.len() > 30, "mutant {round}: {error}");
            }
        }
        assert!(start.elapsed().as_secs() < 5, "mutant {round}");
    }
    eprintln!("{shown} shown, {refused} refused");
    assert!(
        shown + refused == 500 && shown > 20,
        "{shown} shown, {refused} refused"
    );
}
