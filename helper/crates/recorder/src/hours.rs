//! Hours of recording in a minute: samples as they would come, with the journal that they would have.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use profile::run::RunInfo;
use profile::{Profile, RunFile};
use records::{SampleRecord, StackEnd, Worth};

use super::address_spaces::AddressSpaces;
use super::journal::{Present, Steps};
use super::modules::Modules;
use super::stacks::CountedStacks;

const THREADS: u64 = 8;
const HZ: u64 = 999;

struct Recorder {
    stacks: CountedStacks,
    spaces: AddressSpaces,
    modules: Modules,
    steps: Steps,
    journal_time: Duration,
}

impl Recorder {
    fn new(run: &Path) -> Recorder {
        let mut steps = Steps::default();
        steps.keep_beside(Arc::new(RunFile::new(run).unwrap()));
        Recorder {
            stacks: CountedStacks::default(),
            spaces: AddressSpaces::default(),
            modules: Modules::default(),
            steps,
            journal_time: Duration::ZERO,
        }
    }

    fn add(&mut self, time_ns: u64, tid: u64, user: Vec<u64>) {
        let sample = SampleRecord {
            time_ns,
            pid: 1,
            tid: tid as u32,
            worth: Worth::of_cpu(1_001_001),
            end: StackEnd::Root,
            comm: *b"busy\0\0\0\0\0\0\0\0\0\0\0\0",
            kernel: vec![],
            user,
        };
        self.stacks.add(sample, 0, &self.spaces, &self.modules);
    }

    fn append_step(&mut self) {
        let started = Instant::now();
        let samples = self.stacks.sample_count();
        let present = Present {
            modules: &self.modules,
            stacks: &self.stacks,
            kernel_names: &[],
            started_monotonic_ns: 0,
            sample_hz: HZ as u32,
            run: RunInfo {
                format: 1,
                started_unix_ns: 1,
                wall_ns: 1,
                samples_taken: samples,
                samples_kept: samples,
                ..RunInfo::default()
            },
        };
        self.steps.append(Duration::ZERO, present);
        assert!(self.steps.failed.is_none());
        self.journal_time += started.elapsed();
    }
}

/// `depth` frames; which, the bits of `number` say.
fn stack_of(number: u64, depth: u64) -> Vec<u64> {
    (0..depth)
        .map(|at| 0x1000 + 16 * at + (number >> (at % 48) & 1))
        .collect()
}

fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap();
    1024 * line
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
}

fn total(profile: &Profile) -> u64 {
    profile.total(profile.find_sample_type("samples", "count").unwrap())
}

/// Of the 512 MB that the engine may have, the tables, the modules' files and the end of the recording take the rest.
const MEMORY_BYTES_MAX: u64 = 300 << 20;

#[test]
fn an_hour_of_eight_busy_threads_stays_within_bounds_and_so_does_its_journal() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run.pb.gz");
    let before = resident_bytes();
    let mut recorder = Recorder::new(&run);
    let samples = THREADS * HZ * 3600;
    let mut random = 1u64;
    for number in 0..samples {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        // Some 4,000 stacks, few of them often, as programs have them.
        let which = (random >> 52) & (random >> 40) & 0xfff;
        let time_ns = number * 1_000_000_000 / (THREADS * HZ);
        recorder.add(time_ns, number % THREADS, stack_of(which, 24));
        if number.is_multiple_of(THREADS * HZ / 2) {
            recorder.append_step();
        }
    }
    recorder.append_step();
    let grown = resident_bytes().saturating_sub(before);
    let journal_bytes = std::fs::metadata(profile::journal_path(&run))
        .unwrap()
        .len();
    let share = recorder.journal_time.as_secs_f64() / 3600.0;
    println!(
        "{samples} samples: {} MB more, a journal of {} MB, {:.3} % of a core for it",
        grown >> 20,
        journal_bytes >> 20,
        100.0 * share
    );
    assert_eq!(
        recorder
            .stacks
            .sums
            .iter()
            .map(|sums| sums.samples)
            .sum::<u64>(),
        samples
    );
    assert_eq!(recorder.stacks.without_stack, 0);
    assert!(grown < MEMORY_BYTES_MAX, "{} MB", grown >> 20);
    assert!(journal_bytes < 256 << 20, "{journal_bytes}");
    assert!(share < 0.02, "{share}");
    let recovered = Profile::open(&run).unwrap();
    assert_eq!(total(&recovered), samples);
    recorder.steps.remove();
    drop(recovered);
    drop(recorder);
    a_hundred_thousand_new_stacks_a_second(&run);
}

/// In the same test: memory is measured.
fn a_hundred_thousand_new_stacks_a_second(run: &Path) {
    let before = resident_bytes();
    let mut recorder = Recorder::new(run);
    let (rate, seconds) = (100_000u64, 20);
    for number in 0..rate * seconds {
        recorder.add(number * 10_000, number % THREADS, stack_of(number, 24));
        if number.is_multiple_of(rate / 2) {
            recorder.append_step();
        }
    }
    recorder.append_step();
    let grown = resident_bytes().saturating_sub(before);
    let stacks = &recorder.stacks;
    println!(
        "{} samples, each of a new stack: {} MB more, {} without their stack",
        stacks.sample_count(),
        grown >> 20,
        stacks.without_stack
    );
    assert_eq!(
        stacks.sums.iter().map(|sums| sums.samples).sum::<u64>(),
        rate * seconds
    );
    assert!(stacks.without_stack > rate, "there were more than fit");
    assert!(grown < MEMORY_BYTES_MAX, "{} MB", grown >> 20);
    let recovered = Profile::open(run).unwrap();
    assert_eq!(total(&recovered), rate * seconds);
    recorder.steps.remove();
}
