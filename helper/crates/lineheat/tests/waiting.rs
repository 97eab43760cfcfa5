//! Waiting time of small programs with a known answer, under real BPF.

use std::collections::BTreeSet;
use std::process::Output;

use crate::support::{Program, can_record, lineheat};
use profile::Profile;

/// One sample of the measure: time, number of waits, functions and lines from the leaf, reason, thread.
struct Wait {
    ns: u64,
    count: u64,
    frames: Vec<(String, u32)>,
    reason: String,
    tid: i64,
}

impl Wait {
    fn is_at(&self, function: &str, line: u32) -> bool {
        let mut frames = self.frames.iter();
        frames.any(|frame| (&*frame.0, frame.1) == (function, line))
    }
}

fn waits_of(profile: &Profile) -> Vec<Wait> {
    let [ns, count] = [("wait", "nanoseconds"), ("waits", "count")]
        .map(|(name, unit)| profile.find_sample_type(name, unit).expect(name));
    let mut waits = Vec::new();
    for sample in 0..profile.samples.len() {
        let stack = profile.samples.stack(sample).iter();
        let lines = stack.flat_map(|location| profile.locations.lines_of(*location));
        let name = |function: u32| profile.text(profile.functions[function as usize].name);
        let labels = profile.samples.labels_of(sample);
        let label = |key| labels.iter().find(|label| profile.text(label.key) == key);
        let Some(reason) = label("wait") else {
            assert_eq!(profile.value(sample, ns), 0, "every wait has a reason");
            continue;
        };
        waits.push(Wait {
            ns: profile.value(sample, ns),
            count: profile.value(sample, count),
            frames: lines
                .map(|line| (name(line.function).to_owned(), line.line))
                .collect(),
            reason: profile.text(reason.text).to_owned(),
            tid: label("tid").expect("a thread").number,
        });
    }
    waits
}

/// Time in ms and number of the waits for which this holds.
fn sum(waits: &[Wait], holds: impl Fn(&Wait) -> bool) -> (f64, u64) {
    let chosen = waits.iter().filter(|wait| holds(wait));
    chosen.fold((0.0, 0), |(ms, count), wait| {
        (ms + wait.ns as f64 / 1e6, count + wait.count)
    })
}

/// No thread waits for longer than the recording lasts.
fn check_bounds(profile: &Profile, waits: &[Wait]) {
    let wall_ns = profile.run.as_ref().expect("a run").wall_ns;
    let mut tids: Vec<i64> = waits.iter().map(|wait| wait.tid).collect();
    tids.sort_unstable();
    tids.dedup();
    for tid in tids {
        let (ms, _) = sum(waits, |wait| wait.tid == tid);
        assert!(ms <= wall_ns as f64 / 1e6, "{ms} ms of thread {tid}");
    }
}

/// What the program printed of its own times, in ms.
fn printed_ms(output: &Output) -> Vec<f64> {
    let printed = String::from_utf8_lossy(&output.stdout);
    let numbers = printed.split_whitespace();
    numbers
        .map(|ns| ns.parse::<f64>().expect("ns") / 1e6)
        .collect()
}

fn assert_near(what: &str, ms: f64, truth_ms: f64, tolerance: f64) {
    let off = (ms - truth_ms).abs() / truth_ms;
    assert!(off <= tolerance, "{what}: {ms} ms, in truth {truth_ms} ms");
}

#[test]
fn sleeps_are_told_from_waits_for_a_busy_cpu() {
    if !can_record() {
        return;
    }
    let program = Program::compile("sleeper");
    let (profile, _) = program.record(&[]);
    let waits = waits_of(&profile);
    check_bounds(&profile, &waits);
    let at_sleep = program.line_of("the sleep");
    let (slept_ms, sleeps) = sum(&waits, |w| w.reason == "sleep" && w.is_at("nap", at_sleep));
    // 200 sleeps of 3 ms, each with the timer's slack of 50 us.
    assert!((600.0..640.0).contains(&slept_ms), "{slept_ms} ms");
    assert_eq!(sleeps, 200);
    assert_eq!(
        sum(&waits, |w| w.reason == "sleep").1,
        200,
        "nobody else sleeps"
    );
    let burning = program.line_of("burning");
    let (queued_ms, _) = sum(&waits, |w| w.is_at("main", burning));
    let (others_ms, _) = sum(&waits, |w| {
        w.is_at("main", burning) && w.reason != "run queue"
    });
    assert!(queued_ms > 100.0, "four burn on fewer CPUs: {queued_ms} ms");
    assert_eq!(others_ms, 0.0, "who burns waits for nothing but a CPU");
}

#[test]
fn waits_at_one_place_have_each_their_own_kernel_stack() {
    if !can_record() {
        return;
    }
    let program = Program::compile("one_read");
    let (profile, _) = program.record(&[]);
    let waits = waits_of(&profile);
    let at_read = program.line_of("the read");
    let is_in = |wait: &Wait, part: &str| wait.frames.iter().any(|frame| frame.0.contains(part));
    for (reason, own, other) in [
        ("pipe", "pipe", "unix_stream"),
        ("network", "unix_stream", "pipe"),
    ] {
        let (_, count) = sum(&waits, |w| w.reason == reason && w.is_at("take", at_read));
        assert!(
            (140..=150).contains(&count),
            "{count} waits for the {reason}"
        );
        let (_, right) = sum(&waits, |w| {
            w.reason == reason && is_in(w, own) && !is_in(w, other)
        });
        assert_eq!(right, count, "waits for the {reason} with its functions");
    }
}

#[test]
fn waits_for_a_lock_are_on_its_line_and_add_up() {
    if !can_record() {
        return;
    }
    let program = Program::compile("convoy");
    let (profile, output) = program.record(&[]);
    let waits = waits_of(&profile);
    check_bounds(&profile, &waits);
    let [at_lock, at_sleep] = ["the lock", "the sleep"].map(|marker| program.line_of(marker));
    let (_, sleeps) = sum(&waits, |w| w.reason == "sleep" && w.is_at("hold", at_sleep));
    assert_eq!(sleeps, 800);
    let (lock_ms, locks) = sum(&waits, |w| w.is_at("member", at_lock) && w.reason == "lock");
    // On a busy machine, who has got the lock still waits for a CPU.
    let (at_lock_ms, _) = sum(&waits, |w| {
        w.is_at("member", at_lock) && w.reason != "run queue"
    });
    assert!(locks > 100, "{locks} waits for the lock");
    assert!(lock_ms > 0.9 * at_lock_ms, "{lock_ms} of {at_lock_ms} ms");
    let (members_ms, _) = sum(&waits, |w| w.frames.iter().any(|f| f.0 == "member"));
    assert_near("all members", members_ms, printed_ms(&output)[0], 0.05);
    let printed = String::from_utf8_lossy(&output.stdout);
    let blocked = printed.lines().nth(1).and_then(|line| line.parse().ok());
    let blocked: u64 = blocked.expect("a number of its own");
    let (_, seen) = sum(&waits, |w| w.reason != "run queue");
    let few = blocked / 100 + 10;
    assert!(seen.abs_diff(blocked) <= few, "{seen} of {blocked} waits");
}

#[test]
fn very_many_waits_have_their_exact_time_and_a_long_one_its_own_line() {
    if !can_record() {
        return;
    }
    let program = Program::compile("naps");
    let (profile, output) = program.record(&[]);
    let waits = waits_of(&profile);
    check_bounds(&profile, &waits);
    let of = |function: &str, marker: &str| {
        let line = program.line_of(marker);
        sum(&waits, |w| w.is_at(function, line))
    };
    let truth = printed_ms(&output);
    let (brief_ms, briefs) = of("brief", "the brief one");
    assert_near("brief waits", brief_ms, truth[0], 0.01);
    assert!(briefs > 59_000, "{briefs}: a few may be too short to sleep");
    let (long_ms, longs) = of("lengthy", "the long one");
    assert_near("the long wait", long_ms, truth[1], 0.01);
    assert!((1..10).contains(&longs), "{longs}");
    let (last_ms, lasts) = of("worker", "before the end");
    assert_near("last waits of threads", last_ms, truth[2], 0.01);
    assert!(lasts >= 100, "{lasts}");
    let problems = profile.run.as_ref().expect("a run").problems.join("\n");
    assert!(problems.contains("waits were too frequent"), "{problems}");
}

#[test]
fn a_long_wait_among_very_many_is_at_its_line_in_each_of_many_runs() {
    if !can_record() {
        return;
    }
    let program = Program::compile("naps");
    for run in 0..12 {
        let path = program.run_path();
        let output = lineheat(&["record", "--output"])
            .arg(&path)
            .arg("--")
            .arg(&program.path)
            .args(["8000", "200"])
            .output()
            .expect("lineheat runs");
        let profile = Profile::open(&path).expect("a run");
        let waits = waits_of(&profile);
        let of = |function: &str, marker: &str| {
            let line = program.line_of(marker);
            sum(&waits, |w| w.is_at(function, line))
        };
        let truth = printed_ms(&output);
        let (long_ms, longs) = of("lengthy", "the long one");
        assert_near(
            &format!("run {run}: the long wait"),
            long_ms,
            truth[1],
            0.01,
        );
        assert!((1..10).contains(&longs), "run {run}: {longs}");
        let (brief_ms, _) = of("brief", "the brief one");
        assert_near(&format!("run {run}: brief waits"), brief_ms, truth[0], 0.01);
        let problems = profile.run.as_ref().expect("a run").problems.join("\n");
        assert!(
            problems.contains("waits were too frequent"),
            "run {run}: {problems}"
        );
    }
}

#[test]
fn a_wait_that_outlasts_the_recording_ends_with_it() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = folder.path().join("run.pb.gz");
    let recorded = lineheat(&["record", "--duration", "1", "--output"])
        .arg(&run)
        .args(["--", "/bin/sleep", "20"])
        .output()
        .expect("lineheat runs");
    assert!(recorded.status.success(), "{recorded:?}");
    let profile = Profile::open(&run).expect("a run");
    let waits = waits_of(&profile);
    check_bounds(&profile, &waits);
    let (ms, count) = sum(&waits, |w| w.reason == "sleep");
    assert!((900.0..1200.0).contains(&ms), "{ms} ms");
    assert_eq!(count, 1);
}

#[test]
fn a_process_that_is_attached_to_says_how_many_of_its_threads_never_ran() {
    if !can_record() {
        return;
    }
    let program = Program::compile("parked");
    let mut running = std::process::Command::new(&program.path)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut ready = [0; 6];
    let output = running.stdout.as_mut().expect("piped");
    std::io::Read::read_exact(output, &mut ready).expect("it is ready");
    let run = program.run_path();
    let pid = running.id().to_string();
    let recorded = lineheat(&["record", "--duration", "1", "--pid", &pid])
        .arg("--output")
        .arg(&run)
        .output();
    running.kill().expect("it runs");
    running.wait().expect("it ends");
    let recorded = recorded.expect("lineheat runs");
    assert!(recorded.status.success(), "{recorded:?}");
    let profile = Profile::open(&run).expect("a run");
    let waits = waits_of(&profile);
    check_bounds(&profile, &waits);
    let naps = program.line_of("naps");
    let (nap_ms, count) = sum(&waits, |w| w.is_at("main", naps));
    assert!(nap_ms > 800.0 && count > 20, "{nap_ms} ms in {count} naps");
    let problems = profile.run.as_ref().expect("a run").problems.join("\n");
    assert!(problems.contains("3 threads did not run"), "{problems}");
}

#[test]
fn waiting_is_shown_by_line_as_text_and_as_json_and_never_as_cpu_time() {
    if !can_record() {
        return;
    }
    let program = Program::compile("convoy");
    program.record(&[]);
    let run = program.run_path();
    let shown = |args: &[&str]| {
        let output = lineheat(args).output().expect("lineheat runs");
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {complaints}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let run = run.to_str().expect("UTF-8");
    let measure = ["--measure", "wait"];
    let json = |more: &[&str]| -> serde_json::Value {
        let args = [&["report", run, "--json", "--schema", "2", "--lines"], more].concat();
        serde_json::from_str(&shown(&args)).expect("JSON")
    };
    let waiting = json(&measure);
    assert_eq!(waiting["measure"], "wait");
    let measures = waiting["measures"].as_array().expect("measures");
    let names: Vec<&str> = measures.iter().filter_map(|m| m["name"].as_str()).collect();
    assert_eq!(names, ["samples", "cpu", "wait", "waits"]);
    let total_of = |report: &serde_json::Value, name: &str| {
        let measures = report["measures"].as_array().expect("measures");
        let measure = measures.iter().find(|m| m["name"] == name);
        measure.and_then(|m| m["total"].as_u64()).expect("a total")
    };
    let cpu = json(&[]);
    assert_eq!(cpu["measure"], "cpu", "unless it is asked for");
    assert_eq!(total_of(&cpu, "wait"), total_of(&waiting, "wait"));
    let reasons = waiting["reasons"].as_array().expect("reasons");
    let sleep = reasons.iter().find(|r| r["reason"] == "sleep");
    assert_eq!(sleep.map(|r| &r["waits"]), Some(&800.into()));
    assert_eq!(cpu.get("reasons"), None);
    let line = program.line_of("the lock");
    let total_at = |report: &serde_json::Value| {
        let rows = report["lines"].as_array().expect("lines");
        let row = rows.iter().find(|row| row["line"] == line);
        row.and_then(|row| row["total"].as_u64()).unwrap_or(0)
    };
    assert!(total_at(&waiting) > 1_000_000_000, "{waiting:#}");
    assert!(total_at(&cpu) < 200_000_000, "{cpu:#}");

    let report = shown(&[&["report", run], &measure[..]].concat());
    let waits = report.lines().find(|l| l.starts_with("waits "));
    let reasons = waits.is_some_and(|l| l.contains(": lock ") && l.contains("sleep "));
    assert!(reasons && !report.contains("CPU time"), "{report}");
    let parts = ["0-0.4", "0.4-100"].map(|time| json(&[&measure[..], &["--time", time]].concat()));
    let [early, late] = parts
        .each_ref()
        .map(|part| part["total"].as_u64().expect("a total"));
    assert_eq!(early + late, total_of(&waiting, "wait"));
    // Four threads and the one that waits for them, nearly all the time.
    assert!((1_500_000_000..2_000_000_000).contains(&early), "{early}");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/programs/convoy.c");
    let source = std::fs::canonicalize(source).expect("the source");
    let source = source.to_str().expect("UTF-8");
    let listing = shown(&[&["annotate", run, source], &measure[..]].concat());
    let lock = listing.lines().find(|l| l.contains("/* the lock */"));
    assert!(lock.is_some_and(|l| l.contains('%')), "{listing}");
    let title = listing.lines().find(|l| l.contains("| source"));
    let title = title.expect("a title");
    assert!(!title.contains("waits"), "they are the figures: {title}");

    // Beside CPU time stands what threads waited for, also at lines that were never sampled.
    let listing = shown(&["annotate", run, source]);
    let lock = (listing.lines()).find(|l| l.contains("/* the lock */"));
    let lock = lock.expect("the line of the lock");
    let (figures, _) = lock.split_once('|').expect("a bar");
    assert!(figures.contains(" lock "), "{listing}");
    let bars: BTreeSet<_> = (listing.lines().filter(|l| !l.starts_with("# ")))
        .map(|line| line.find('|'))
        .collect();
    assert_eq!(bars.len(), 1, "columns: {listing}");
    let title = listing.lines().find(|l| l.contains("| source"));
    assert!(title.is_some_and(|l| l.contains("waits")), "{listing}");
    let annotated = lineheat(&["annotate", run, source, "--json"]).output();
    let annotated: serde_json::Value =
        serde_json::from_slice(&annotated.expect("lineheat runs").stdout).expect("JSON");
    let waits = annotated["waits"].as_array().expect("waits");
    let row = waits.iter().find(|row| row["line"] == line).expect("a row");
    let reasons = row["reasons"].as_array().expect("reasons");
    let parts = reasons.iter().map(|reason| &reason["total"]);
    let sum: u64 = parts.filter_map(serde_json::Value::as_u64).sum();
    assert_eq!(row["waitedNs"], sum, "{row}");
    let table: serde_json::Value = serde_json::from_str(&shown(&[
        "report", run, "--waits", "--json", "--schema", "2",
    ]))
    .expect("JSON");
    let rows = table["waits"].as_array().expect("rows");
    let same = (rows.iter()).find(|row| row["at"]["line"] == line && row["reason"] == "lock");
    let same = same.unwrap_or_else(|| panic!("{table:#}"));
    assert_eq!(reasons[0]["reason"], "lock", "{row}");
    assert_eq!(reasons[0]["total"], same["waitedNs"], "{row}");
}

#[test]
fn waits_are_recorded_unless_that_is_not_wanted_and_one_without_rights_says_that_there_are_none() {
    if !can_record() {
        return;
    }
    let program = Program::compile("convoy");
    let has_waits = |options: &[&str]| {
        let (profile, _) = program.record(options);
        let problems = profile.run.as_ref().expect("a run").problems.join("\n");
        let found = profile.find_sample_type("wait", "nanoseconds");
        let why = "how to record kernel time and waiting time";
        (found.is_some(), problems.contains(why))
    };
    assert_eq!(has_waits(&["--no-waiting"]), (false, false));
    assert_eq!(has_waits(&[]), (true, false));
    assert_eq!(has_waits(&["--unprivileged"]), (false, true));
}
