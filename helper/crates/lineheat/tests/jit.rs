//! Code that a program makes while it runs, named by the map that it writes: with a real node, under real BPF.

use std::process::Command;

use crate::support::{can_record, lineheat, samples};
use profile::Profile;

/// Burns CPU time in `hotLoop`; before that it does what is asked with the path of its map.
const PROGRAM: &str = r#"
const fs = require("node:fs");
const map = `/tmp/perf-${process.pid}.map`;
const before = {
  none() {},
  link() { fs.writeFileSync(map + ".elsewhere", "1000 7fffffffffff planted\n"); fs.symlinkSync(map + ".elsewhere", map); },
  foreign() { fs.writeFileSync(map, "1000 7fffffffffff planted\n"); fs.chownSync(map, 12345, 12345); },
  old() { fs.writeFileSync(map, "1000 7fffffffffff planted\n"); fs.utimesSync(map, 1, 1); },
  garbage() { fs.appendFileSync(map, "\0\x1b[31m\n0 0 x\n1000 7fffffffffff " + "y".repeat(5000) + "\n"); },
};
before[process.argv[2]]();
function hotLoop(n) { let x = 0; for (let i = 0; i < n; i++) x = (x * 31 + i) | 0; return x; }
let sum = 0;
while (process.cpuUsage().user < 800000) sum ^= hotLoop(300000);
"#;

struct Recorded {
    profile: Profile,
    _folder: tempfile::TempDir,
}

/// Records `COMMAND… program.js WHAT`.
fn record(command: &[&str], what: &str) -> Recorded {
    let folder = tempfile::tempdir().unwrap();
    let (run, program) = (
        folder.path().join("run.pb.gz"),
        folder.path().join("program.js"),
    );
    std::fs::write(&program, PROGRAM).unwrap();
    let output = lineheat(&["record", "--output"])
        .arg(&run)
        .arg("--")
        .args(command)
        .args([program.to_str().unwrap(), what])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let profile = Profile::open(&run).unwrap_or_else(|e| panic!("{e}\n{told}"));
    remove_maps(&profile);
    Recorded {
        profile,
        _folder: folder,
    }
}

/// Those that the recorded processes have left.
fn remove_maps(profile: &Profile) {
    for (_, _, labels) in samples(profile) {
        for (_, pid) in labels.iter().filter(|(key, _)| *key == "pid") {
            for end in ["", ".elsewhere"] {
                let _ = std::fs::remove_file(format!("/tmp/perf-{pid}.map{end}"));
            }
        }
    }
}

impl Recorded {
    /// Samples with such a function innermost.
    fn innermost(&self, holds: impl Fn(&str) -> bool) -> u64 {
        let all = samples(&self.profile).into_iter();
        let matching =
            all.filter(|(_, frames, _)| frames.first().is_some_and(|(name, _)| holds(name)));
        matching.map(|(n, ..)| n).sum()
    }

    fn module_problem(&self) -> String {
        let run = self.profile.run.as_ref().unwrap();
        let jit = run.modules.iter().find(|m| m.path == "[JIT]");
        jit.expect("its code was seen").problem.clone()
    }

    /// Samples in code without names, whose reason stands in the run.
    fn assert_nameless(&self, reason: &str) {
        let jit = self
            .profile
            .mappings
            .iter()
            .position(|m| self.profile.text(m.filename) == "[JIT]");
        let jit = jit.expect("its code was seen") as u32;
        let leaf_in_jit = |sample: usize| {
            let leaf = self.profile.samples.stack(sample).first();
            leaf.is_some_and(|l| self.profile.locations.mapping[*l as usize] == jit)
        };
        let all = (0..self.profile.samples.len()).filter(|sample| leaf_in_jit(*sample));
        let count: u64 = all.map(|sample| self.profile.value(sample, 0)).sum();
        assert!(count > 100, "{count}");
        assert_eq!(
            self.innermost(|name| name.contains("planted") || name.contains("hotLoop")),
            0
        );
        let run = self.profile.run.as_ref().unwrap();
        let told = run
            .problems
            .iter()
            .find(|p| p.contains("generated code at run time"));
        let told = told.unwrap_or_else(|| panic!("{:?}", run.problems));
        assert!(told.contains(reason), "{told}");
        assert!(self.module_problem().contains(reason));
    }
}

fn can_run_node() -> bool {
    let there = Command::new("node").arg("--version").output().is_ok();
    assert!(there || std::env::var_os("CI").is_none(), "CI has node");
    if !there {
        eprintln!("SKIPPED: there is no node, so nothing was tested.");
    }
    there && can_record()
}

#[test]
fn a_hot_function_of_node_has_the_name_that_its_map_says() {
    if !can_run_node() {
        return;
    }
    let recorded = record(&["node", "--perf-basic-prof"], "none");
    let hot = recorded.innermost(|name| name.starts_with("JS:*hotLoop "));
    assert!(hot > 100, "{hot}");
    assert_eq!(recorded.module_problem(), "");
}

#[test]
fn a_child_in_its_own_pid_namespace_is_named_by_the_map_of_the_number_that_it_knows() {
    if !can_run_node() {
        return;
    }
    let separate = ["unshare", "--pid", "--fork"];
    let allowed = Command::new(separate[0])
        .args(&separate[1..])
        .arg("true")
        .status();
    if !allowed.is_ok_and(|s| s.success()) {
        eprintln!("SKIPPED: this machine lets nobody make a PID namespace.");
        return;
    }
    let _ = std::fs::remove_file("/tmp/perf-1.map");
    let recorded = record(
        &[&separate[..], &["node", "--perf-basic-prof"]].concat(),
        "none",
    );
    let _ = std::fs::remove_file("/tmp/perf-1.map");
    let hot = recorded.innermost(|name| name.starts_with("JS:*hotLoop "));
    assert!(hot > 100, "{hot}: {:?}", recorded.module_problem());
}

#[test]
fn without_a_map_it_is_said_and_how_to_get_one() {
    if !can_run_node() {
        return;
    }
    let recorded = record(&["node"], "none");
    recorded.assert_nameless("JIT, no map: there is no /tmp/perf-");
    recorded.assert_nameless("node --perf-basic-prof");
}

#[test]
fn a_map_that_somebody_else_could_have_put_there_is_not_used() {
    if !can_run_node() {
        return;
    }
    record(&["node"], "link").assert_nameless("is a symbolic link, so it was not used");
    record(&["node"], "old").assert_nameless("was written before the process started");
    if target::own_uid() == 0 {
        record(&["node"], "foreign")
            .assert_nameless("belongs to user 12345, but the process belongs to root");
    }
}

#[test]
fn lines_of_a_map_that_are_no_entries_are_left_out_and_counted() {
    if !can_run_node() {
        return;
    }
    let recorded = record(&["node", "--perf-basic-prof"], "garbage");
    let hot = recorded.innermost(|name| name.starts_with("JS:*hotLoop "));
    assert!(hot > 100, "{hot}");
    assert_eq!(recorded.innermost(|name| name.starts_with("yyy")), 0);
    let problem = recorded.module_problem();
    assert!(
        problem.contains("/tmp/perf-") && problem.contains("lines are not valid entries"),
        "{problem}"
    );
}
