//! A small run of known answer, in a folder with its source.
//!
//! 100 samples of 1 ms: 60 in `weigh` (line 3, inlined into `fill` at line 8), 30 in `fill` (line 9), 10 in the
//! kernel called from `main` (line 14). All are below `main`.

use std::path::{Path, PathBuf};

use profile::run::{Exit, Loss, Source};
use profile::{LineOf, MappingOf, Profile, ProfileBuilder, RunInfo, save};

pub const SOURCE: &str = "\
// A sample.
static int weigh(int value) {
    return value * 3;
}

int fill(int count) {
    for (int at = 0; at < count; at++)
        sum += weigh(at);
    return sum;
}

int main(void) {
    fill(1000);
    write(1, \"x\", 1);
}
";

pub struct Fixture {
    pub folder: tempfile::TempDir,
    pub source: PathBuf,
}

impl Fixture {
    pub fn new() -> Fixture {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let source = folder.path().join("src/sample.c");
        std::fs::create_dir_all(source.parent().expect("src")).expect("made");
        std::fs::write(&source, SOURCE).expect("written");
        Fixture { folder, source }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("runs").join(name)
    }

    /// A run whose source was recorded as `recorded`, with `weigh` taking `weigh_samples`.
    pub fn run_recorded_as(
        &self,
        name: &str,
        recorded: &str,
        weigh_samples: u64,
        started_s: i64,
    ) -> PathBuf {
        let mut builder = ProfileBuilder::new(&[("samples", "count"), ("cpu", "nanoseconds")]);
        let program = builder.add_mapping(MappingOf {
            filename: "/build/sample",
            build_id: "0123",
            memory_start: 0x1000,
            memory_limit: 0x9000,
            file_offset: 0,
            symbolized: true,
        });
        let kernel = builder.add_mapping(MappingOf {
            filename: "[kernel.kallsyms]",
            symbolized: true,
            ..MappingOf::default()
        });
        let weigh = builder.add_function("weigh", "weigh", recorded, 2);
        let fill = builder.add_function("fill", "fill", recorded, 6);
        let main = builder.add_function("main", "main", recorded, 12);
        let write = builder.add_function("ksys_write", "ksys_write", "", 0);
        let line = |function, line| LineOf {
            function,
            line,
            column: 0,
        };
        let in_weigh =
            builder.add_location(Some(program), 0x1010, &[line(weigh, 3), line(fill, 8)]);
        let in_fill = builder.add_location(Some(program), 0x1020, &[line(fill, 9)]);
        let calls_fill = builder.add_location(Some(program), 0x1030, &[line(main, 13)]);
        let calls_write = builder.add_location(Some(program), 0x1040, &[line(main, 14)]);
        let in_write = builder.add_location(Some(kernel), 0, &[line(write, 0)]);
        let mut timeline = Vec::new();
        let mut add = |stack: &[u32], samples: u64| {
            let sample = builder.add_sample(stack, &[samples, samples * 1_000_000], &[]);
            timeline.extend(std::iter::repeat_n(sample, samples as usize));
        };
        add(&[in_weigh, calls_fill], weigh_samples);
        add(&[in_fill, calls_fill], 30);
        add(&[in_write, calls_write], 10);
        // Each stack's samples all over the run: steps by the golden ratio.
        let mut order: Vec<usize> = (0..timeline.len()).collect();
        order.sort_by_key(|&at| (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let time_sample: Vec<u32> = order.into_iter().map(|at| timeline[at]).collect();
        builder.set_run(RunInfo {
            format: 1,
            name: name.trim_end_matches(".pb.gz").to_owned(),
            command: vec!["/build/sample".to_owned(), "ünï".to_owned()],
            started_unix_ns: started_s * 1_000_000_000,
            wall_ns: 200_000_000,
            samples_taken: weigh_samples + 45,
            samples_kept: weigh_samples + 40,
            losses: vec![Loss {
                cause: "ring-full".to_owned(),
                count: 5,
            }],
            exit: Some(Exit { code: 3, signal: 0 }),
            end_reason: profile::run::EndReason::Exited.into(),
            asked_hz: 999.0,
            time_delta_ns: vec![1_000_000; time_sample.len()],
            time_sample,
            problems: vec!["5 of 105 samples were lost.".to_owned()],
            sources: vec![Source {
                path: recorded.to_owned(),
                text: SOURCE.to_owned(),
                ..Source::default()
            }],
            ..RunInfo::default()
        });
        let path = self.path(name);
        save(&builder.finish(), &path).expect("saved");
        path
    }

    /// A profile as a run of this name, which may not exist yet.
    pub fn saved(&self, name: &str, profile: &Profile) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("runs")).expect("made");
        save(profile, &path).expect("saved");
        path
    }

    pub fn run(&self, name: &str, weigh_samples: u64) -> PathBuf {
        let recorded = self.source.to_str().expect("UTF-8");
        self.run_recorded_as(name, recorded, weigh_samples, 1_700_000_000)
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}
