//! Comparisons without address-space randomization say so, and `--layouts` moves the stack even then.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::support::can_record;

/// Appends its number and where its stack is to a file, and works for some samples.
const SOURCE: &str = r#"#include <stdio.h>
int main(int argc, char **argv) {
  volatile unsigned long sum = 0;
  for (unsigned long at = 0; at < 20000000; at++) sum += at;
  FILE *places = fopen(argv[1], "a");
  fprintf(places, "%s %p\n", argv[2], (void *)&sum);
  return 0;
}
"#;

struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new() -> Project {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("place.c"), SOURCE).unwrap();
        let mut gcc = Command::new("gcc");
        gcc.args(["-O1", "-g", "place.c", "-o", "place"]);
        assert!(gcc.current_dir(&folder).status().unwrap().success());
        Project { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `run`: how the engine is started. Gives what it printed.
    fn compare(&self, run: &[&str], options: &[&str]) -> Output {
        let _ = std::fs::remove_file(self.path("places"));
        let engine = [run, &[env!("CARGO_BIN_EXE_lineheat")]].concat();
        let output = Command::new(engine[0])
            .args(&engine[1..])
            .args(["compare-commands", "--repeat", "6", "--json"])
            .args(["--output-base", "base.pb.gz", "--output-new", "new.pb.gz"])
            .args(options)
            .args(["--", "./place", "places", "1"])
            .args([":::", "./place", "places", "2"])
            .current_dir(&self.folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        output
    }

    /// Of both commands, by execution.
    fn places(&self) -> [Vec<String>; 2] {
        let text = std::fs::read_to_string(self.path("places")).unwrap();
        ["1 ", "2 "].map(|side| {
            let of_side = text.lines().filter_map(|line| line.strip_prefix(side));
            of_side.map(str::to_owned).collect()
        })
    }
}

fn warnings(json: &[u8]) -> String {
    let json: serde_json::Value = serde_json::from_slice(json).unwrap();
    json["warnings"].to_string()
}

fn distinct(places: &[String]) -> usize {
    places.iter().collect::<BTreeSet<_>>().len()
}

const OFF: &str = "Address-space randomization was off for both sides";

#[test]
fn without_randomization_all_executions_have_one_layout_and_the_comparison_says_so() {
    if !can_record() {
        return;
    }
    let project = Project::new();
    let output = project.compare(&["setarch", "-R"], &[]);
    let [base, new] = project.places();
    assert_eq!((base.len(), new.len()), (6, 6));
    assert_eq!((distinct(&base), distinct(&new)), (1, 1));
    let said = warnings(&output.stdout);
    assert!(said.contains(OFF), "{said}");
    assert!(said.contains("compare-commands --layouts"), "{said}");
    // It is in the runs: a comparison at another time, with randomization, says it too.
    let mut diff = Command::new(env!("CARGO_BIN_EXE_lineheat"));
    diff.args(["diff", "base.pb.gz", "--against", "new.pb.gz", "--json"]);
    let output = diff.current_dir(&project.folder).output().unwrap();
    assert_eq!(warnings(&output.stdout), said);
}

#[test]
fn drawn_environments_move_the_stack_of_both_commands_alike() {
    if !can_record() {
        return;
    }
    let project = Project::new();
    let output = project.compare(&["setarch", "-R"], &["--layouts"]);
    let [base, new] = project.places();
    assert!(distinct(&base) >= 4, "{base:?}");
    assert_eq!(base, new);
    let said = warnings(&output.stdout);
    assert!(
        said.contains("varied the place of the stack only"),
        "{said}"
    );
}

#[test]
fn with_randomization_nothing_is_said() {
    let setting = std::fs::read_to_string("/proc/sys/kernel/randomize_va_space");
    if !can_record() {
        return;
    }
    if setting.is_ok_and(|setting| setting.trim() == "0") {
        println!("SKIPPED: address-space randomization is off on this machine");
        return;
    }
    let project = Project::new();
    let output = project.compare(&["env"], &[]);
    let [base, _] = project.places();
    assert!(distinct(&base) >= 5, "{base:?}");
    let said = warnings(&output.stdout);
    assert!(!said.contains("randomization"), "{said}");
}
