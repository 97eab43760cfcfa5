//! Page faults of a program that knows how many it has, under real BPF.

use std::collections::BTreeMap;
use std::process::Command;

use crate::support::{Program, can_record, lineheat};
use profile::Profile;

/// Value of the measure, label `key`, and the lines from the leaf, of each sample.
fn values(profile: &Profile, measure: &str, key: &str) -> Vec<(u64, String, Vec<u32>)> {
    let at = profile.find_sample_type(measure, "count").expect(measure);
    let each = |sample: usize| {
        let labels = profile.samples.labels_of(sample).iter();
        let mut named = labels.filter(|of| profile.text(of.key) == key);
        let label = named.next().map_or("", |of| profile.text(of.text));
        let stack = profile.samples.stack(sample).iter();
        let lines = stack.flat_map(|at| profile.locations.lines_of(*at));
        let lines = lines.map(|of| of.line).collect();
        (profile.value(sample, at), label.to_owned(), lines)
    };
    (0..profile.samples.len()).map(each).collect()
}

fn sum<'a>(of: impl Iterator<Item = &'a (u64, String, Vec<u32>)>) -> u64 {
    of.map(|(value, ..)| value).sum()
}

fn faults_by_thread(profile: &Profile) -> Vec<u64> {
    let mut by_thread = BTreeMap::<i64, u64>::new();
    let at = profile.find_sample_type("faults", "count").expect("faults");
    for sample in 0..profile.samples.len() {
        let mut labels = profile.samples.labels_of(sample).iter();
        let tid = labels
            .find(|of| profile.text(of.key) == "tid")
            .expect("a thread");
        *by_thread.entry(tid.number).or_default() += profile.value(sample, at);
    }
    by_thread.into_values().collect()
}

fn problems_of(profile: &Profile) -> String {
    profile.run.as_ref().expect("a run").problems.join("\n")
}

/// Records it with these arguments. The run, and the two numbers that the program prints.
fn record(program: &Program, arguments: &[&str]) -> (Profile, [u64; 2]) {
    let run = program.run_path();
    let mut command = lineheat(&["record", "--faults", "--output"]);
    command.arg(&run).arg("--").arg(&program.path);
    let output = command.args(arguments).output().expect("it runs");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let numbers: Vec<u64> = (printed.split_whitespace())
        .map(|word| word.parse().expect("a number"))
        .collect();
    let profile = Profile::open(&run).expect("a run");
    (profile, numbers.try_into().expect("two numbers"))
}

#[test]
fn each_page_that_is_touched_is_a_fault_at_its_line() {
    if !can_record() {
        return;
    }
    let program = Program::compile("faults");
    let file = program.directory.path().join("file");
    let (profile, [minor, major]) = record(&program, &[file.to_str().expect("text")]);
    let faults = values(&profile, "faults", "fault");
    let at = |marker: &str| {
        let line = program.line_of(marker);
        sum(faults.iter().filter(|(_, _, lines)| lines.contains(&line)))
    };
    assert_eq!(minor, 200_000, "small pages");
    let touched = at("// touch");
    // The last ones go to what is walked next, as the first ones come from what was walked before: at most two distances each, and a
    // distance may be four times as long as those before it.
    let walked = values(&profile, "fault_samples", "fault");
    let line = program.line_of("// touch");
    let walked = sum(walked.iter().filter(|(_, _, lines)| lines.contains(&line)));
    let within = 8 * touched / walked;
    assert!(walked > 50, "{walked} walks");
    assert!(
        touched.abs_diff(200_000) <= within,
        "{touched}, {walked} walks"
    );
    let all = sum(faults.iter());
    // The rest is what any program needs to begin.
    assert!((205_000..206_500).contains(&all), "{all}");
    let of_kind = |name: &str| sum(faults.iter().filter(|(_, kind, _)| kind == name));
    assert_eq!(of_kind("minor") + of_kind("major"), all);
    let mut by_thread = faults_by_thread(&profile);
    by_thread.sort_unstable();
    let few = &by_thread[..5];
    // Each needs a stack and the like besides.
    assert!(few.iter().all(|n| (1_000..1_200).contains(n)), "{few:?}");
    let line = program.line_of("// read");
    let read = faults
        .iter()
        .filter(|(_, kind, lines)| kind == "major" && lines.contains(&line));
    assert_eq!(sum(read), major, "each of them is at its line");
    let problems = problems_of(&profile);
    assert!(!problems.contains("lost"), "{problems}");
}

#[test]
fn a_huge_page_is_one_fault() {
    if !can_record() {
        return;
    }
    let program = Program::compile("faults");
    let (profile, [minor, _]) = record(&program, &["", "huge"]);
    let faults = values(&profile, "faults", "fault");
    let line = program.line_of("// touch");
    let touched = sum(faults.iter().filter(|(_, _, lines)| lines.contains(&line)));
    // A stack also stands for the faults of its thread since the one before, at most a sixteenth.
    let of_main = faults_by_thread(&profile).into_iter().max().unwrap_or(0);
    let others = of_main.saturating_sub(minor) / 16 + 1;
    assert!(touched <= minor + others, "{touched} of {minor}, {of_main}");
    assert!(
        touched + of_main / 16 + 1 >= minor,
        "{touched} of {minor}, {of_main}"
    );
    let all = sum(faults.iter());
    assert!(
        (minor + 5_000..minor + 6_500).contains(&all),
        "{all} of {minor}"
    );
}

#[test]
fn a_program_of_others_has_its_faults_on_its_threads() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run.pb.gz");
    let mut command = lineheat(&["record", "--faults", "--output"]);
    let script = "bytearray(300_000_000); import resource as r; print(sum(r.getrusage(who).ru_minflt for who in (r.RUSAGE_SELF, r.RUSAGE_CHILDREN)))";
    command.arg(&run).args(["--", "python3", "-c", script]);
    let output = command.output().expect("it runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    let by_kernel: u64 = printed.trim().parse().expect("a number");
    let profile = Profile::open(&run).expect("a run");
    let all = sum(values(&profile, "faults", "fault").iter());
    // The kernel's number includes what the process had before its program.
    let difference = all.abs_diff(by_kernel);
    assert!(difference < 1_000, "{all} of {by_kernel}");
}

#[test]
fn without_privileges_it_is_said_that_there_are_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run.pb.gz");
    let mut command: Command = lineheat(&["record", "--unprivileged", "--faults", "--syscalls"]);
    command.arg("--output").arg(&run).args(["--", "true"]);
    let output = command.output().expect("it runs");
    if !output.status.success() {
        return; // this machine lets nobody without rights record
    }
    let problems = problems_of(&Profile::open(&run).expect("a run"));
    for missing in ["Page faults were not", "System calls were not"] {
        assert!(problems.contains(missing), "{problems}");
    }
}
