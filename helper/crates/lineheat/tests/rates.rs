//! Programs with more events than their stacks could be walked for: totals stay exact or unbiased, walks stay within their budgets, and
//! nothing is lost.

use crate::support::memory::{assert_estimated, at_line, points_at, problems_of, samples_of};
use crate::support::{Program, can_record, lineheat};
use profile::Profile;

/// Of all kinds of events together.
const STACKS_PER_SECOND_AND_CPU: f64 = 5_000.0;
const ALLOCATIONS_PER_SECOND: f64 = 2_000.0;

/// One sample of the columns that are asked for: values, label `syscall`, functions and lines.
struct Row {
    values: Vec<u64>,
    syscall: String,
    frames: Vec<(String, u32)>,
}

fn rows(profile: &Profile, columns: &[(&str, &str)]) -> Vec<Row> {
    let find = |(name, unit): &(&str, &str)| profile.find_sample_type(name, unit).expect(name);
    let columns: Vec<usize> = columns.iter().map(find).collect();
    let text = |at| profile.text(at).to_owned();
    let row = |sample: usize| {
        let labels = profile.samples.labels_of(sample);
        let syscall = labels.iter().find(|of| profile.text(of.key) == "syscall");
        let stack = profile.samples.stack(sample).iter();
        let lines = stack.flat_map(|at| profile.locations.lines_of(*at));
        Row {
            values: (columns.iter().map(|column| profile.value(sample, *column))).collect(),
            syscall: syscall.map_or(String::new(), |of| text(of.text)),
            frames: lines
                .map(|of| (text(profile.functions[of.function as usize].name), of.line))
                .collect(),
        }
    };
    (0..profile.samples.len()).map(row).collect()
}

fn sum(rows: &[Row], column: usize, holds: impl Fn(&Row) -> bool) -> u64 {
    let chosen = rows.iter().filter(|row| holds(row));
    chosen.map(|row| row.values[column]).sum()
}

fn wall_seconds(profile: &Profile) -> f64 {
    profile.run.as_ref().expect("a run").wall_ns as f64 / 1e9
}

#[test]
fn events_of_all_kinds_at_once_are_exact_and_their_stacks_within_the_budget() {
    if !can_record() {
        return;
    }
    let program = Program::compile("rush");
    let (profile, output) = program.record(&["--alloc", "--faults", "--syscalls"]);
    let printed = String::from_utf8_lossy(&output.stdout);
    let truth: Vec<u64> = printed.split_whitespace().flat_map(str::parse).collect();
    let [faults_truth, waited_truth_ns] = truth[..] else {
        panic!("{printed}")
    };
    let all = rows(
        &profile,
        &[
            ("syscalls", "count"),
            ("syscall_errors", "count"),
            ("faults", "count"),
            ("wait", "nanoseconds"),
            ("syscall_samples", "count"),
            ("fault_samples", "count"),
            ("alloc_samples", "count"),
        ],
    );
    let calls =
        |name: &str| [0, 1].map(|column| sum(&all, column, |row| row.syscall.ends_with(name)));
    assert_eq!(calls("getppid"), [800_000, 0]);
    assert_eq!(calls("chdir"), [40_000, 40_000]);
    assert_eq!(calls("nanosleep")[0], 40_000);
    let faults = sum(&all, 2, |_| true);
    // The rest is what any program needs to begin.
    let others = faults - faults_truth;
    assert!(others < 2_000, "{faults}, of the loops {faults_truth}");
    let waited = sum(&all, 3, |row| row.frames.iter().any(|of| of.0 == "member"));
    let off = waited.abs_diff(waited_truth_ns) as f64 / waited_truth_ns as f64;
    assert!(off < 0.01, "waited {waited}, in truth {waited_truth_ns} ns");
    let samples = samples_of(&profile);
    let line = program.line_of("the block");
    let [points, _] = points_at(&samples, line);
    let ((allocated, _), _) = at_line(&samples, line);
    assert_estimated(
        &profile,
        "blocks",
        allocated,
        points,
        4.0 * 1e4 * 20.0 * 4e3,
    );
    let problems = problems_of(&profile);
    assert!(!problems.contains("lost"), "{problems}");
    let waits = profile.find_sample_type("waits", "count").expect("waits");
    let walks = profile.total(waits) as f64 * (1.0 - charged_by_place(&problems))
        + [4, 5, 6]
            .map(|column| sum(&all, column, |_| true) as f64)
            .iter()
            .sum::<f64>();
    let cpus = std::thread::available_parallelism().expect("known").get() as f64;
    let rate = walks / wall_seconds(&profile) / cpus;
    assert!(
        rate < STACKS_PER_SECOND_AND_CPU,
        "{rate} a second and CPU: {problems}"
    );
}

#[test]
fn what_is_counted_is_reported_as_counted_where_memory_is_sampled_too() {
    if !can_record() {
        return;
    }
    let program = Program::compile("rush");
    program.record(&["--alloc", "--faults", "--syscalls"]);
    let run = program.run_path();
    let shown = |measure: &str, more: &[&str]| {
        let output = lineheat(&["report", "--measure", measure])
            .args(more)
            .arg(&run)
            .output();
        let output = output.expect("it runs");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    for (measure, end) in [
        ("faults", ", each counted"),
        ("syscalls", ", each counted"),
        ("syscall_errors", " syscall_errors, each counted"),
        ("syscall", " s in all"),
    ] {
        let report = shown(measure, &[]);
        let line = report.lines().find(|line| line.starts_with("samples "));
        let line = line.expect("a line of samples");
        assert!(line.ends_with(end) && !line.contains("KiB"), "{line}");
    }
    let refused = shown("faults", &["--time", "0-1"]);
    assert!(
        refused.contains("does not say when its page faults were"),
        "{refused}"
    );
}

/// The share of the waits, by the run's own sentence.
fn charged_by_place(problems: &str) -> f64 {
    let sentence = problems
        .lines()
        .find(|line| line.contains("too frequent to find"));
    let share = sentence.and_then(|line| line.split_once(" % of the "));
    share.map_or(0.0, |(share, _)| {
        share.parse::<f64>().expect("a number") / 100.0
    })
}

#[test]
fn a_flood_of_allocations_is_sampled_at_larger_distances_without_bias() {
    if !can_record() {
        return;
    }
    let program = Program::compile("flood");
    let (profile, _) = program.record(&["--alloc"]);
    let samples = samples_of(&profile);
    let line = program.line_of("the block");
    let [points, _] = points_at(&samples, line);
    let ((allocated, _), in_use) = at_line(&samples, line);
    assert_eq!(in_use, (0, 0));
    assert_estimated(&profile, "blocks", allocated, points, 60e9);
    let usual = 60e9 / 524_288.0;
    // The distance doubles after 256 samples that came too fast.
    let most = ALLOCATIONS_PER_SECOND * wall_seconds(&profile) + 20.0 * 256.0;
    assert!((points as f64) < most.min(usual / 4.0), "{points} points");
    let problems = problems_of(&profile);
    assert!(!problems.contains("lost"), "{problems}");
}

#[test]
fn system_calls_in_turns_whose_numbers_are_alike_keep_their_lines() {
    if !can_record() {
        return;
    }
    let program = Program::compile("alike_calls");
    let (profile, _) = program.record(&["--syscalls"]);
    let columns = [("syscalls", "count"), ("syscall_samples", "count")];
    let all = rows(&profile, &columns);
    for (name, marker) in [("write", "// write"), ("pread64", "// read")] {
        let line = program.line_of(marker);
        let of = |column| sum(&all, column, |row| row.syscall == name);
        let at_line = |column| {
            sum(&all, column, |row| {
                row.syscall == name && row.frames.iter().any(|frame| frame.1 == line)
            })
        };
        assert!((300_000..300_010).contains(&of(0)), "{name}: {}", of(0));
        // Of each, those that no stack stands for are at most a sixteenth of the others.
        let there = at_line(0);
        assert!(there >= 300_000 - there / 16 - 1, "{name}: {there}");
        assert!(at_line(1) > 20, "{name}: {} walks", at_line(1));
    }
    let problems = problems_of(&profile);
    assert!(!problems.contains("lost"), "{problems}");
}
