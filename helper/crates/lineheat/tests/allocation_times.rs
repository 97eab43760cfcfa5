//! What a program has allocated between two moments and had not freed by then, of a program whose phases are known, under real BPF.

use crate::support::{Program, can_record, lineheat};
use profile::Profile;
use serde_json::Value;

fn recorded(program: &Program) {
    let output = lineheat(&["record", "--alloc", "--output"])
        .arg(program.run_path())
        .arg("--")
        .arg(&program.path)
        .env("LINEHEAT_ALLOC_INTERVAL", "1")
        .output()
        .expect("lineheat runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("exited with 0"), "{said}");
}

/// In the middle of the longest time without an allocation.
fn between_phases_ns(program: &Program) -> u64 {
    let profile = Profile::open(&program.run_path()).expect("a run");
    assert_eq!(profile.problems, Vec::<String>::new());
    let run = profile.run.as_ref().expect("a run");
    let times = run.memory_times.as_ref().expect("times of allocations");
    let at: Vec<u64> = times.iter().map(|time| time.allocated_ns).collect();
    let gap = (at.windows(2).max_by_key(|pair| pair[1] - pair[0])).expect("two allocations");
    assert!(gap[1] - gap[0] >= 400_000_000, "{gap:?}");
    gap[0].midpoint(gap[1])
}

fn report(program: &Program, args: &[&str]) -> Result<String, String> {
    let output = lineheat(&["report"])
        .arg(program.run_path())
        .args(args)
        .output()
        .expect("lineheat runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    match output.status.success() {
        true => Ok(text(output.stdout)),
        false => Err(text(output.stderr)),
    }
}

/// Allocated, in use and temporary: bytes and objects of the line with this marker; `None`: it has no row.
fn row(program: &Program, time: &str, marker: &str) -> Option<[[u64; 2]; 3]> {
    let args = ["--alloc", "--json", "--schema", "2", "--time", time];
    let json = report(program, &args).expect("a report");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let line = program.line_of(marker);
    let rows = json["allocations"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["line"] == line)?;
    let number = |of: &Value| of.as_u64().expect("a count");
    Some(["allocated", "inUse", "temporary"].map(|kind| {
        let of = &row[kind];
        [number(&of["bytes"]), number(&of["objects"])]
    }))
}

#[test]
fn each_part_of_the_time_has_what_was_allocated_in_it_and_not_freed_by_its_end() {
    if !can_record() {
        return;
    }
    let program = Program::compile("growth");
    recorded(&program);
    let mark = format!("{}ms", between_phases_ns(&program) / 1_000_000);
    let (first, second) = (format!("0-{mark}"), format!("{mark}-3600s"));
    let of = |time: &str, marker| row(&program, time, marker);
    let none = [0, 0];
    let kept = [100_000, 100];
    assert_eq!(
        of(&first, "/* kept since the first"),
        Some([kept, kept, none])
    );
    assert_eq!(of(&second, "/* kept since the first"), None);
    let passing = [100_000, 50];
    let marker = "/* freed in the second";
    // The last of them is freed before the thread allocates again.
    let last = [2000, 1];
    assert_eq!(of(&first, marker), Some([passing, passing, last]));
    assert_eq!(of(&second, marker), None);
    let whole = of("0-3600s", marker).expect("a row");
    assert_eq!(whole[..2], [passing, none]);
    let kept = [15_000, 30];
    let marker = "/* kept since the second";
    assert_eq!(of(&first, marker), None);
    assert_eq!(of(&second, marker), Some([kept, kept, none]));
    let brief = [2100, 7];
    assert_eq!(of(&second, "/* brief"), Some([brief, none, brief]));

    let shown = report(&program, &["--alloc", "--time", &first]).expect("a report");
    assert!(
        shown.contains("of it in use when the selected time ends 195 KiB"),
        "{shown}"
    );
    assert!(!shown.contains("peak"), "{shown}");
    let refused = report(&program, &["--measure", "peak_space", "--time", &first]);
    assert!(refused.expect_err("refused").contains("has one peak"));
    let lines = ["--lines", "--measure", "inuse_space", "--time", &second];
    let shown = report(&program, &lines).expect("a report");
    assert!(shown.contains("growth.c"), "{shown}");
}
