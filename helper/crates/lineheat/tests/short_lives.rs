//! Processes and threads that end within a sampling period are sampled in proportion, and CPU time that was not sampled is
//! told. Under real BPF.

use crate::support::{Program, can_record, lineheat, share};
use profile::Profile;

/// Records lives of so many us of CPU time.
fn record(program: &Program, timers: &[&str], lives: [&str; 3]) -> Profile {
    let run = program.run_path();
    let output = lineheat(&["record", "--privileged", "--output"])
        .arg(&run)
        .args(timers)
        .arg("--")
        .arg(&program.path)
        .args(lives)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    Profile::open(&run).unwrap_or_else(|e| panic!("{e}\n{told}"))
}

/// Seconds of CPU time: sampled, as the recording's own count has it, and of the process and its children that it waited for.
fn cpu_times(profile: &Profile) -> [f64; 3] {
    let run = profile.run.as_ref().unwrap();
    let sampled = run.samples_taken as f64 / run.asked_hz;
    let seconds = |ns: u64| ns as f64 / 1e9;
    [
        sampled,
        seconds(run.kernel_counted_ns),
        seconds(run.user_ns + run.system_ns),
    ]
}

fn tells_of_short_lives(profile: &Profile) -> bool {
    let problems = &profile.run.as_ref().unwrap().problems;
    problems
        .iter()
        .any(|p| p.contains("% of the CPU time was not sampled") && p.contains("--timers cpu"))
}

#[test]
fn children_and_threads_within_a_period_are_sampled_in_proportion() {
    if !can_record() {
        return;
    }
    let program = Program::compile("short_lives");
    for lives in [["children", "1500", "600"], ["threads", "1000", "1700"]] {
        let profile = record(&program, &["--timers", "cpu"], lives);
        let [sampled, counted, used] = cpu_times(&profile);
        let told = format!("{lives:?}: sampled {sampled}, counted {counted}, used {used}");
        assert!((0.95..1.05).contains(&(counted / used)), "{told}");
        assert!((0.93..1.07).contains(&(sampled / counted)), "{told}");
        let working = share(&profile, |frames| {
            frames.iter().any(|f| f.0 == "short_work")
        });
        assert!(working > 0.4, "{told}, working {working}");
        assert!(!tells_of_short_lives(&profile));
    }
}

#[test]
fn what_the_threads_own_timers_miss_is_told_with_what_helps() {
    if !can_record() {
        return;
    }
    let program = Program::compile("short_lives");
    let profile = record(
        &program,
        &["--timers", "thread"],
        ["children", "1500", "600"],
    );
    let [sampled, counted, used] = cpu_times(&profile);
    let told = format!("sampled {sampled}, counted {counted}, used {used}");
    assert!((0.95..1.05).contains(&(counted / used)), "{told}");
    assert!(sampled < 0.6 * counted, "{told}");
    let problems = &profile.run.as_ref().unwrap().problems;
    assert!(tells_of_short_lives(&profile), "{told} {problems:?}");
}
