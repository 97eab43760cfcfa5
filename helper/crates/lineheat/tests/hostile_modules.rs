//! Programs with damaged debug information, symbols and unwind information, recorded for real: every sample is kept, and
//! only the damaged file's names are missing, with the reason.
//!
//! Some of them run here; `npm run bench -- hostile` records a thousand (`LINEHEAT_HOSTILE_MODULES=1000`).

#[path = "../../symbolize/tests/support/damaged_elf.rs"]
mod damaged_elf;

use std::ops::Range;

use crate::support::executables::write_executable;
use crate::support::halves;
use crate::support::{can_record, lineheat, samples};
use damaged_elf::{Random, damaged_within};
use profile::Profile;

const MAIN: &str = "int main(void) { return own(90000000) + work(90000000) == 7; }";

/// What neither the kernel nor the dynamic loader reads: what unwinds, and all behind what is loaded.
fn unread_parts(elf: &[u8]) -> [Range<usize>; 2] {
    const LOAD: u32 = 1;
    const UNWIND_INDEX: u32 = 0x6474_e550;
    let number = |at: usize| u64::from_le_bytes(elf[at..at + 8].try_into().expect("8 bytes"));
    let headers = (0..usize::from(elf[56])).map(|index| 64 + 56 * index);
    let segments: Vec<(u32, Range<usize>)> = headers
        .map(|at| {
            let kind = u32::from_le_bytes(elf[at..at + 4].try_into().expect("4 bytes"));
            let start = number(at + 8) as usize;
            (kind, start..start + number(at + 32) as usize)
        })
        .collect();
    let of_kind = |wanted: u32| segments.iter().filter(move |(kind, _)| *kind == wanted);
    let index = &of_kind(UNWIND_INDEX).next().expect("made by gcc").1;
    let around = |(_, segment): &&(u32, Range<usize>)| segment.contains(&index.start);
    let unwinding = index.start..of_kind(LOAD).find(around).expect("it is loaded").1.end;
    let loaded = of_kind(LOAD).map(|(_, segment)| segment.end).max();
    [unwinding, loaded.expect("a program")..elf.len()]
}

/// Where the section headers are and how many: for debuggers only.
const SECTION_FIELDS: [Range<usize>; 2] = [40..48, 58..64];

fn damaged_program(whole: &[u8], number: u64) -> Vec<u8> {
    let [unwinding, behind] = unread_parts(whole);
    let mut random = Random::of(number);
    let mut bytes = damaged_within(whole, &behind, number);
    if number.is_multiple_of(3) {
        bytes = damaged_within(&bytes, &unwinding, number);
    }
    if number % 16 == 5 {
        let fields = &SECTION_FIELDS[random.below(2)];
        bytes = damaged_within(&bytes, fields, number);
    }
    if number % 16 == 7 {
        bytes.truncate(behind.start + random.below(behind.len()));
    }
    bytes
}

#[test]
fn a_run_of_a_damaged_program_keeps_all_samples_and_all_other_names() {
    if !can_record() {
        return;
    }
    let asked = std::env::var("LINEHEAT_HOSTILE_MODULES").ok();
    let count: u64 = asked.map_or(12, |count| count.parse().expect("a number of programs"));
    let first = std::env::var("LINEHEAT_HOSTILE_FIRST").ok();
    let first: u64 = first.map_or(0, |number| number.parse().expect("a program's number"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    halves::compile(
        folder.path(),
        "libgood.so",
        halves::LIBRARY,
        &["-shared", "-fPIC"],
    );
    let flags = ["-L.", "-lgood", "-Wl,-rpath,$ORIGIN"];
    halves::compile(folder.path(), "program", &halves::program(MAIN), &flags);
    let program = folder.path().join("program");
    let whole = std::fs::read(&program).expect("readable");
    let (mut nameless, mut told, mut taken) = (0, 0, 0);
    for number in first..first + count {
        let damaged = folder.path().join(format!("damaged{number}"));
        write_executable(&damaged, &damaged_program(&whole, number));
        let run = folder.path().join("run.pb.gz");
        let output = lineheat(&["record", "--output"])
            .arg(&run)
            .arg("--")
            .arg(&damaged)
            // All have one build-id: kept names would hide the damage.
            .env(
                "XDG_CACHE_HOME",
                folder.path().join(format!("cache{number}")),
            )
            .output()
            .expect("lineheat runs");
        let context = || format!("{number}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{}", context());
        let profile = Profile::open(&run).unwrap_or_else(|error| panic!("{error} {}", context()));
        let info = profile.run.as_ref().expect("our own run");
        assert_eq!(
            info.losses.iter().map(|loss| loss.count).sum::<u64>(),
            0,
            "{}",
            context()
        );
        assert!(info.samples_taken >= 20, "{}", context());
        taken += info.samples_taken;
        let named = |name: &str| {
            let is_leaf = |frames: &[(&str, u32)]| frames.first().is_some_and(|f| f.0 == name);
            let all = samples(&profile);
            all.iter()
                .filter(|(_, frames, _)| is_leaf(frames))
                .map(|(count, ..)| count)
                .sum::<u64>()
        };
        assert!(
            named("work") >= 8,
            "the library lost its names, {}",
            context()
        );
        let module = |name: &str| {
            info.modules
                .iter()
                .find(|module| module.path.ends_with(name))
        };
        let library = module("libgood.so").expect("it ran");
        assert_eq!(library.problem, "", "{}", context());
        let problem = &module(&format!("damaged{number}")).expect("it ran").problem;
        // A name that was overwritten is another name; none at all must have a reason.
        let unnamed = |sample: usize| {
            let leaf = *profile.samples.stack(sample).first()?;
            let is_unnamed = profile.locations.lines_of(leaf).is_empty();
            let mapping = profile.locations.mapping[leaf as usize];
            let file = profile.text(profile.mappings.get(mapping as usize)?.filename);
            (is_unnamed && file.ends_with(&format!("damaged{number}")))
                .then(|| format!("{:#x} in {file}", profile.locations.address[leaf as usize]))
        };
        if let Some(place) = (0..profile.samples.len()).find_map(unnamed) {
            nameless += 1;
            let none = "no names and no reason";
            assert!(problem.len() > 20, "{none} at {place}, {}", context());
        }
        told += u64::from(!problem.is_empty());
        let shown = lineheat(&["report"])
            .arg(&run)
            .output()
            .expect("lineheat runs");
        assert!(shown.status.success(), "{}", context());
        std::fs::remove_file(&damaged).expect("ours");
    }
    println!(
        "{{\"modules\":{count},\"samples\":{taken},\"lost\":0,\"withProblem\":{told},\"withoutNames\":{nameless}}}"
    );
}
