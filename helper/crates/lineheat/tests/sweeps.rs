//! A command for every combination of parameters, and two commands in turns. Under real BPF.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::support::{Program, can_record, lineheat};
use profile::Profile;

fn runs_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut runs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    runs.retain(|path| path.to_string_lossy().ends_with(".pb.gz"));
    runs.sort();
    runs
}

/// `script` with the program as `$0` and a folder of its own as `$1`; what follows are its arguments.
fn sweep(program: &Program, options: &[&str], script: &str, arguments: &[&str]) -> Output {
    let mut command = lineheat(&["sweep", "--output-folder"]);
    command
        .arg(program.directory.path().join("runs"))
        .args(options);
    command.args(["--", "sh", "-c", script]).arg(&program.path);
    command.arg(program.directory.path()).args(arguments);
    command.output().unwrap()
}

#[test]
fn two_by_two_cells_run_in_turns_and_the_table_says_what_grows() {
    if !can_record() {
        return;
    }
    let program = Program::compile("short");
    let script = r#"echo "$2 $MODE" >> "$1/order"; for i in $(seq "$2"); do "$0"; done"#;
    let options = [
        "--set",
        "n=2,16",
        "--set",
        "mode=a,b",
        "--env",
        "MODE={mode}",
        "--repeat",
        "2",
        "--json",
    ];
    let output = sweep(&program, &options, script, &["{n}"]);
    let told = String::from_utf8_lossy(&output.stderr);
    let table: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}\n{told}"));
    let cells = table["cells"].as_array().unwrap();
    let values: Vec<&serde_json::Value> = cells.iter().map(|cell| &cell["values"]).collect();
    let pairs = [("2", "a"), ("2", "b"), ("16", "a"), ("16", "b")];
    assert_eq!(
        values,
        pairs
            .map(|(n, mode)| serde_json::json!({ "n": n, "mode": mode }))
            .iter()
            .collect::<Vec<_>>()
    );
    assert!(
        cells
            .iter()
            .all(|cell| cell["runs"] == 2 && cell["meanCpuNs"].as_f64() > Some(0.0))
    );
    let mean = |at: usize| cells[at]["meanCpuNs"].as_f64().unwrap();
    assert!(mean(2) > 4.0 * mean(0), "{table:#}");
    assert_eq!(cells.iter().filter(|cell| cell["best"] == true).count(), 1);
    let order = std::fs::read_to_string(program.directory.path().join("order")).unwrap();
    let order: Vec<&str> = order.lines().collect();
    let (first, second) = order.split_at(4);
    let sorted: BTreeSet<&str> = first.iter().copied().collect();
    assert_eq!(sorted, BTreeSet::from(["2 a", "2 b", "16 a", "16 b"]));
    assert!(first.iter().eq(second.iter().rev()), "{order:?}");

    let runs = runs_in(&program.directory.path().join("runs"));
    assert_eq!(runs.len(), 4);
    for (run, (n, mode)) in runs.iter().zip(pairs) {
        let profile = Profile::open(run).unwrap();
        let info = profile.run.as_ref().unwrap();
        assert_eq!(info.name, format!("n={n} mode={mode}"));
        assert_eq!(info.command.last().unwrap(), n);
        assert_eq!(info.repetitions.iter().filter(|r| !r.cut).count(), 2);
        let taken = info.samples_kept + info.losses.iter().map(|l| l.count).sum::<u64>();
        assert_eq!(info.samples_taken, taken);
    }
    let csv = program.directory.path().join("table.csv");
    let mut again = lineheat(&["sweep", "--csv"]);
    // In any order.
    let shown = again
        .arg(&csv)
        .arg("--show")
        .args(runs.iter().rev())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&shown.stdout);
    assert!(
        text.lines()
            .nth(1)
            .unwrap()
            .trim_start()
            .starts_with("2     a           2"),
        "{text}"
    );
    let csv = std::fs::read_to_string(csv).unwrap();
    assert_eq!(csv.lines().count(), 5);
    assert!(csv.starts_with("n,mode,runs,mean_wall_ns,"), "{csv}");
    let diff = lineheat(&["diff"])
        .arg(&runs[0])
        .arg("--against")
        .arg(&runs[1])
        .output()
        .unwrap();
    assert!(diff.status.success());
}

#[test]
fn functions_that_grow_with_a_parameter_are_told_with_their_exponent() {
    if !can_record() {
        return;
    }
    let program = Program::compile("growing");
    let mut command = lineheat(&[
        "sweep",
        "--set",
        "n=10,14,20,28,40,56",
        // Other work of the machine can double the time of one execution.
        "--repeat",
        "6",
        "--freq",
        "4999",
        "--json",
        "--output-folder",
    ]);
    command
        .arg(program.directory.path())
        .arg("--")
        .arg(&program.path)
        .arg("{n}");
    let output = command.output().unwrap();
    let table: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let growing = table["growing"].as_array().unwrap();
    let exponent = |name: &str| {
        let found = growing.iter().find(|g| g["name"] == name);
        found.map(|g| (g["low"].as_f64().unwrap(), g["high"].as_f64().unwrap()))
    };
    let (low, high) = exponent("square").expect("found");
    assert!(low < 2.1 && high > 1.9 && low > 1.5, "{table:#}");
    let (low, high) = exponent("linear").expect("found");
    assert!(low < 1.1 && high > 0.9 && high < 1.6, "{table:#}");
    assert_eq!(growing[0]["name"], "square");
}

#[test]
fn mistakes_in_a_sweep_are_named_before_anything_runs() {
    let refused = |arguments: &[&str]| {
        let output = lineheat(&["sweep"]).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let unused = refused(&["--set", "n=1,2", "--", "true"]);
    assert!(unused.contains("nor --env contain {n}"), "{unused}");
    let no_values = refused(&["--set", "n", "--", "true", "{n}"]);
    assert!(no_values.contains("expected NAME=VALUE"), "{no_values}");
    let twice = refused(&["--set", "n=1", "--set", "n=2", "--", "true", "{n}"]);
    assert!(twice.contains("set twice"), "{twice}");
}

fn compare(program: &Program, options: &[&str], new: &[&str]) -> Output {
    let folder = program.directory.path();
    let mut command = lineheat(&["compare-commands", "--output-base"]);
    command
        .arg(folder.join("base.pb.gz"))
        .arg("--output-new")
        .arg(folder.join("new.pb.gz"));
    command
        .args(options)
        .arg("--")
        .arg(&program.path)
        .arg("100")
        .arg(":::")
        .args(new);
    command.output().unwrap()
}

#[test]
fn two_commands_run_in_turns_and_the_slower_function_is_found() {
    if !can_record() {
        return;
    }
    let program = Program::compile("three_parts");
    let path = program.path.to_str().unwrap();
    let options = [
        "--repeat",
        "12",
        "--warm-up",
        "1",
        "--freq",
        "4999",
        "--json",
    ];
    let output = compare(&program, &options, &[path, "200"]);
    let told = String::from_utf8_lossy(&output.stderr);
    let json: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}\n{told}"));
    let functions = json["functions"].as_array().unwrap();
    let second = functions
        .iter()
        .find(|f| f["name"] == "second_part")
        .expect("found");
    assert_eq!(second["verdict"], "slower", "{second:#}");
    let [low, change, high] = ["low", "change", "high"].map(|key| second[key].as_f64().unwrap());
    assert!(0.0 < low && low < change && change < high, "{second:#}");
    assert!((0.7..1.4).contains(&change), "{second:#}");
    for other in ["first_part", "third_part"] {
        let other = functions.iter().find(|f| f["name"] == other);
        let other = other.expect("found");
        // On a machine with other work the estimate of an unchanged function scatters; then its interval says so.
        let change = other["change"].as_f64().unwrap();
        assert!(
            change.abs() < 0.1 || other["verdict"] == "noise",
            "{other:#?}"
        );
    }
    let started = ["base", "new"].map(|side| {
        let run = Profile::open(&program.directory.path().join(format!("{side}.pb.gz"))).unwrap();
        let info = run.run.as_ref().unwrap();
        let counted = info.repetitions.iter().filter(|r| !r.warm_up);
        let times: Vec<i64> = counted
            .map(|r| info.started_unix_ns + r.start_ns as i64)
            .collect();
        assert_eq!(info.repetitions.len(), 13);
        times
    });
    // Each pair is over before the next begins, whichever of the two comes first.
    let pairs: Vec<[i64; 2]> = (started[0].iter().zip(&started[1]))
        .map(|(a, b)| [*a.min(b), *a.max(b)])
        .collect();
    assert!(
        pairs.as_flattened().is_sorted(),
        "they took turns: {started:?}"
    );
    let base_first = |at: usize| started[0][at] < started[1][at];
    assert!(
        (0..pairs.len() - 1).any(|at| base_first(at) != base_first(at + 1)),
        "the order of a turn is not always the same: {started:?}"
    );
    assert!(
        json["method"]
            .as_str()
            .is_some_and(|method| method.contains("compared pair by pair")),
        "{json:#}"
    );
}

#[test]
fn turns_end_when_the_difference_is_known_or_at_their_limit() {
    if !can_record() {
        return;
    }
    let program = Program::compile("three_parts");
    let path = program.path.to_str().unwrap();
    let until = |options: &[&str], new: &str| -> (serde_json::Value, String) {
        let output = compare(&program, &[options, &["--json"]].concat(), &[path, new]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let json = serde_json::from_slice(&output.stdout);
        (json.unwrap_or_else(|e| panic!("{e}\n{told}")), told)
    };
    let executions = || {
        ["base", "new"].map(|side| {
            let run = Profile::open(&program.directory.path().join(format!("{side}.pb.gz")));
            let info = run.unwrap().run.unwrap();
            assert_eq!(info.repeat as usize, info.repetitions.len());
            info.repetitions.len()
        })
    };
    let (larger, told) = until(&["--until", "5%", "--freq", "2000"], "300");
    assert_eq!(larger["verdict"], "slower", "{larger:#}\n{told}");
    assert!(told.contains("The difference is known."), "{told}");
    let [base, new] = executions();
    assert!(base == new && (5..50).contains(&new), "{base} {new}");
    let method = larger["method"].as_str().unwrap();
    assert!(
        method.contains("until a change of 5 % would show"),
        "{method}"
    );

    let (_, told) = until(&["--until", "0.1", "--repeat", "6"], "100");
    assert!(told.contains("of 6 executions done"), "{told}");
    assert_eq!(executions(), [6, 6], "{told}");
}

#[test]
fn when_one_command_fails_the_other_is_not_run_on() {
    if !can_record() {
        return;
    }
    let program = Program::compile("three_parts");
    let output = compare(&program, &["--repeat", "5"], &["sh", "-c", "exit 3"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(
        told.contains("new: Execution 1 of 5 exited with 3"),
        "{told}"
    );
    let base = Profile::open(&program.directory.path().join("base.pb.gz")).unwrap();
    // None where chance let the new command begin.
    assert!(base.run.unwrap().repetitions.len() <= 1);
    let output = compare(&program, &["--repeat", "5"], &["./no-such-program"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        told.contains("no such program") && output.status.code() == Some(3),
        "{told}"
    );
    let output = compare(&program, &[], &[]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        told.contains("the new command is empty") && output.status.code() == Some(2),
        "{told}"
    );
}
