//! Where the wall time of a run went, in its head and as JSON.

use crate::support::{Program, can_record, lineheat};

/// Thread with most of a life, all that were not idle, and those that were.
#[test]
fn wall_time_is_said_of_one_thread_and_of_all_that_were_not_idle() {
    if !can_record() {
        return;
    }
    let program = Program::compile("pool");
    let run = program.run_path();
    let run = run.to_str().expect("UTF-8");
    program.record(&[]);
    let report = |more: &[&str]| {
        let output = lineheat(&[&["report", run], more].concat()).output();
        String::from_utf8(output.expect("lineheat runs").stdout).expect("UTF-8")
    };
    let json: serde_json::Value =
        serde_json::from_str(&report(&["--json", "--schema", "2"])).expect("JSON");
    let wall = &json["wallTime"];
    let ms = |of: &serde_json::Value, name: &str| of[name].as_u64().expect(name) / 1_000_000;
    let main = &wall["longestThread"];
    assert_eq!(main["pid"], main["tid"], "{main:#}");
    assert!((540..700).contains(&ms(main, "cpuNs")), "{main:#}");
    assert_eq!(main["reasons"][0]["reason"], "sleep");
    assert!((200..230).contains(&ms(&main["reasons"][0], "total")));
    let parts = ["cpuNs", "waitingNs", "runQueueNs", "notAccountedNs"];
    let sum: u64 = parts.iter().map(|part| ms(main, part)).sum();
    let wall_ms = ms(wall, "wallNs");
    assert!(
        sum.abs_diff(wall_ms) < wall_ms / 20,
        "{sum} of {wall_ms} ms"
    );
    let [idle] = &wall["idleThreads"].as_array().expect("a list")[..] else {
        panic!("{wall:#}")
    };
    let place = (&idle["threads"], &idle["function"], &idle["reason"]);
    assert_eq!(place, (&7.into(), &"next".into(), &"condition".into()));
    let together = &wall["together"];
    assert_eq!(
        (&together["threads"], &together["cpuFrom"]),
        (&2.into(), &"kernel".into())
    );
    assert!((880..1000).contains(&ms(together, "cpuNs")), "{together:#}");
    let (all, parked) = (ms(together, "waitingNs"), ms(idle, "waitingNs"));
    assert!(all < 2 * wall_ms && parked > 4 * wall_ms, "{wall:#}");
    let text = report(&[]);
    let head: Vec<&str> = text.lines().filter(|l| l.starts_with("time ")).collect();
    let is_whole = |l: &&str| l.contains(" wall, ") && l.contains("CPU (sampled), ");
    assert!(matches!(&head[..], [line] if is_whole(line)), "{text}");
    let idle = "7 idle threads not counted: parked in next (condition)\n";
    assert!(text.contains(idle), "{text}");
    let of_part = report(&["--focus", "worker_loop"]);
    assert!(
        of_part.contains(head[0]),
        "it is of the whole run: {of_part}"
    );
}

#[test]
fn a_run_that_mostly_waited_says_once_how_to_record_that() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = folder.path().join("run.pb.gz");
    let record = |options: &[&str]| {
        let recorded = lineheat(&["record", "--output"])
            .arg(&run)
            .args(options)
            .args(["--", "/bin/sleep", "0.4"])
            .output()
            .expect("lineheat runs");
        assert!(recorded.status.success(), "{recorded:?}");
    };
    let hints = |options: &[&str]| {
        let shown = lineheat(&["report"]).arg(&run).args(options).output();
        let text = String::from_utf8(shown.expect("lineheat runs").stdout).expect("UTF-8");
        assert!(text.contains("target "), "{text}");
        text.matches("To see what it waited for, record without --no-waiting.")
            .count()
    };
    record(&["--no-waiting"]);
    assert_eq!(hints(&[]), 1);
    let refused = lineheat(&["report", "--measure", "wait"])
        .arg(&run)
        .output();
    let why = String::from_utf8(refused.expect("lineheat runs").stderr).expect("UTF-8");
    let advice = "To have wait, use `lineheat record` without --no-waiting.";
    assert!(why.contains(advice), "{why}");
    assert_eq!(hints(&["--hide-kernel"]), 0, "a selection");
    record(&[]);
    assert_eq!(hints(&[]), 0, "it has them");
    let shown = lineheat(&["report", "--tree", "--measure", "wait"])
        .arg(&run)
        .output();
    let text = String::from_utf8(shown.expect("lineheat runs").stdout).expect("UTF-8");
    let is_few = text.contains("%?") || text.contains("Only ");
    assert!(
        text.contains("100.0 %") && !is_few,
        "one wait is not few: {text}"
    );
    record(&["--unprivileged"]);
    assert_eq!(hints(&[]), 0, "nobody without rights could");
}
