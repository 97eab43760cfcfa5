//! Allocations of Go programs, which Go samples itself, against Go's own heap profile and a known answer.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::memory::{
    Memory, Sample, assert_estimated, at_line, points_at, problems_of, samples_of,
};
use crate::support::{Program, can_record, lineheat};
use profile::Profile;

/// Each version of Go that is installed: what a shell finds, and Debian's.
fn compilers() -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from("go")];
    found.extend(
        [PathBuf::from("/usr/lib/go/bin/go")]
            .into_iter()
            .filter(|go| go.exists()),
    );
    found
}

struct Recorded {
    profile: Profile,
    said: String,
}

fn record(program: &Path, run: &Path, options: &[&str], env: &[(&str, &str)]) -> Recorded {
    let output = lineheat(&["record", "--alloc", "--output"])
        .arg(run)
        .args(options)
        .arg("--")
        .arg(program)
        .envs(env.iter().copied())
        .output()
        .expect("lineheat runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("exited with 0"), "{said}");
    Recorded {
        profile: Profile::open(run).expect("a run"),
        said,
    }
}

/// Of the sentences of a run.
fn about_memory(profile: &Profile) -> String {
    let problems = problems_of(profile);
    let of_memory = problems.lines().filter(|text| text.contains("alloc"));
    of_memory.collect::<Vec<_>>().join("\n")
}

/// Lines of the program's functions that are known by a marker,
/// and the sizes of blocks that Go takes there.
const MARKERS: [(&str, [u64; 3]); 5] = [
    ("// the leak", [128; 3]),
    ("// the brief one", [1024; 3]),
    ("// large ones", [8 << 20; 3]),
    ("// with a finalizer", [128; 3]),
    ("// deep in a grown stack", [2048, 2304, 2688]),
];

/// What a profile has at a line of heap.go, allocated and in use, in blocks of these sizes: what Go's runtime allocates for itself
/// below that line has others. `rounded`: by so many percent of a block.
fn blocks_at(profile: &Profile, line: u32, sizes: [u64; 3], rounded: u64) -> (Memory, Memory) {
    let column = |name, unit| profile.find_sample_type(name, unit).expect(name);
    let [allocated, in_use] = [
        ("alloc_space", "alloc_objects"),
        ("inuse_space", "inuse_objects"),
    ]
    .map(|(bytes, blocks)| (column(bytes, "bytes"), column(blocks, "count")));
    let file = |function: u32| profile.text(profile.functions[function as usize].filename);
    let mut sums: (Memory, Memory) = Default::default();
    for sample in 0..profile.samples.len() {
        let locations = profile.samples.stack(sample).iter();
        let mut lines = locations.flat_map(|location| profile.locations.lines_of(*location));
        let is_there = lines.any(|at| at.line == line && file(at.function).ends_with("/heap.go"));
        let of = |(bytes, blocks)| (profile.value(sample, bytes), profile.value(sample, blocks));
        for (sum, measure) in [(&mut sums.0, allocated), (&mut sums.1, in_use)] {
            let (bytes, blocks) = of(measure);
            let has = |size: u64| (size * blocks).abs_diff(bytes) <= size * rounded / 100;
            if is_there && sizes.iter().any(|size| has(*size)) {
                *sum = (sum.0 + bytes, sum.1 + blocks);
            }
        }
    }
    sums
}

/// Both round, by stack and size.
fn assert_same(what: &str, ours: u64, own: u64, rounded: u64) {
    let bound = rounded.max(own / 1000);
    assert!(ours.abs_diff(own) <= bound, "{what}: {ours}, Go says {own}");
}

#[test]
fn what_go_samples_is_what_its_own_heap_profile_has() {
    if !can_record() {
        return;
    }
    for go in compilers() {
        for arguments in [&[][..], &["-buildmode=pie"]] {
            let program = Program::compile_go_by(&go, "heap", arguments);
            let own = program.directory.path().join("own.pb.gz");
            let env = [("HEAP_PROFILE", own.to_str().expect("UTF-8"))];
            let Recorded { profile, .. } = record(&program.path, &program.run_path(), &[], &env);
            let samples = samples_of(&profile);
            let own = Profile::open(&own).expect("Go's own profile");
            for (marker, sizes) in MARKERS {
                let line = program.line_of(marker);
                let (allocated, in_use) = blocks_at(&profile, line, sizes, 100);
                let (own_allocated, own_in_use) = blocks_at(&own, line, sizes, 100);
                let what = |of| format!("{} {arguments:?} {marker}, {of}", go.display());
                assert_same(&what("allocated"), allocated.0, own_allocated.0, 1 << 10);
                assert_same(&what("blocks"), allocated.1, own_allocated.1, 10);
                assert_same(&what("in use"), in_use.0, own_in_use.0, 1 << 10);
                assert_same(&what("blocks in use"), in_use.1, own_in_use.1, 10);
            }
            let leak = program.line_of("// the leak");
            let (_, in_use) = at_line(&samples, leak);
            let [_, points] = points_at(&samples, leak);
            assert_estimated(&profile, "leak", in_use.0, points, 128.0 * 5e5);
            assert_eq!(about_memory(&profile), "");
        }
    }
}

/// Of what is allocated there, a name of a function and whether a stack ends as one of Go should.
fn stacks_of(samples: &[Sample], line: u32) -> BTreeSet<(&str, &str)> {
    let at = samples.iter().filter(|sample| sample.lines.contains(&line));
    at.map(|sample| {
        let last = sample.frames.last().map_or("", String::as_str);
        let main = sample.frames.iter().find(|name| name.starts_with("main."));
        (main.map_or("", String::as_str), last)
    })
    .collect()
}

#[test]
fn with_each_byte_sampled_blocks_of_go_are_exact() {
    if !can_record() {
        return;
    }
    for go in compilers() {
        let program = Program::compile_go_by(&go, "heap", &[]);
        let run = program.run_path();
        let own = program.directory.path().join("own.pb.gz");
        let env = [
            ("HEAP_RATE", "1"),
            ("HEAP_PROFILE", own.to_str().expect("UTF-8")),
        ];
        let Recorded { profile, said } = record(&program.path, &run, &[], &env);
        let samples = samples_of(&profile);
        let own = Profile::open(&own).expect("Go's own profile");
        for ((marker, sizes), blocks) in MARKERS.into_iter().zip([5000, 3000, 20, 100, 20]) {
            let line = program.line_of(marker);
            let (allocated, in_use) = blocks_at(&profile, line, sizes, 0);
            assert_eq!(allocated.1, blocks, "{marker}, {go:?}");
            assert_eq!(
                in_use,
                blocks_at(&own, line, sizes, 0).1,
                "{marker}, {go:?}"
            );
        }
        let deep = program.line_of("// deep in a grown stack");
        assert_eq!(
            stacks_of(&samples, deep),
            BTreeSet::from([("main.deep", "runtime.goexit")]),
            "whole stacks, {go:?}"
        );
        let rates = "sets runtime.MemProfileRate: Go sampled its allocations 1 B";
        assert!(problems_of(&profile).contains(rates), "{said}");
    }
}

#[test]
fn go_that_does_not_read_its_profile_is_sampled_in_each_execution() {
    if !can_record() {
        return;
    }
    for go in compilers() {
        let program = Program::compile_go_by(&go, "collecting", &[]);
        let options = ["--repeat", "2"];
        let Recorded { profile, said } = record(&program.path, &program.run_path(), &options, &[]);
        let samples = samples_of(&profile);
        let leaf = program.line_of("return &tree{}");
        let kept = profile.run.as_ref().expect("a run").repetitions.len();
        assert_eq!(kept, 2);
        // 800 × 2^14 and 2^18 leaves of 16 B, twice.
        let truth = 2.0 * 16.0 * (800.0 * 16384.0 + 262_144.0);
        let (allocated, _) = at_line(&samples, leaf);
        let leaves: Vec<_> = samples
            .iter()
            .filter(|of| of.lines.contains(&leaf))
            .collect();
        let points: u64 = leaves.iter().map(|of| of.points[0]).sum();
        assert_estimated(&profile, "leaves", allocated.0, points, truth);
        assert_eq!(about_memory(&profile), "", "{said}");
    }
}

/// Stripped to the table that Go keeps for its own stack traces.
const STRIPPED: &str = "-ldflags=-s -w";

#[test]
fn go_without_symbols_is_sampled_by_what_its_code_shows() {
    if !can_record() {
        return;
    }
    for go in compilers() {
        for arguments in [&[STRIPPED][..], &[STRIPPED, "-buildmode=pie"]] {
            let program = Program::compile_go_by(&go, "collecting", arguments);
            let Recorded { profile, .. } = record(&program.path, &program.run_path(), &[], &[]);
            let samples = samples_of(&profile);
            let leaf = program.line_of("return &tree{}");
            let truth = 16.0 * (800.0 * 16384.0 + 262_144.0);
            let (allocated, _) = at_line(&samples, leaf);
            let [points, _] = points_at(&samples, leaf);
            assert_estimated(&profile, "leaves", allocated.0, points, truth);
            assert_eq!(about_memory(&profile), "", "{go:?} {arguments:?}");
        }
    }
}

/// Its branch over what turns sampling off, made another one.
fn without_known_code(program: &Path) {
    let mut bytes = std::fs::read(program).expect("readable");
    let is_it = |code: &[u8]| {
        code.starts_with(&[0x80, 0x3d]) && code[6..].starts_with(&[0, 0x74, 0x0b, 0x48, 0xc7, 0x05])
    };
    let at = bytes.windows(12).position(is_it);
    bytes[at.expect("schedinit has it") + 7] = 0x75;
    std::fs::write(program, bytes).expect("written");
}

#[test]
fn go_that_cannot_be_sampled_says_why() {
    if !can_record() {
        return;
    }
    let stripped = Program::compile_go_by(Path::new("go"), "collecting", &[STRIPPED]);
    without_known_code(&stripped.path);
    let Recorded { profile, said } = record(&stripped.path, &stripped.run_path(), &[], &[]);
    let sentence = "What collecting allocates in Go was not recorded: it has no symbol table, and its code does not show where";
    assert!(said.contains(sentence), "{said}");
    assert!(problems_of(&profile).contains(sentence));
    assert_eq!(samples_of(&profile).len(), 0, "nothing is guessed");
}
