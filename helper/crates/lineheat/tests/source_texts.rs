//! Source texts of short runs: shared by the runs of a workspace, carried as far as there is room, never shown wrongly.
//! Under real recordings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{can_record, lineheat};
use profile::Profile;

/// A project whose hot line stands in a source file of some 300 kB that does not pack well.
struct Project {
    folder: tempfile::TempDir,
}

const HOT: &str = "for (volatile long i = 0; i < 60000000; i++) {}";

impl Project {
    fn new() -> Project {
        let project = Project {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::write(project.path("large.c"), project.text("first")).unwrap();
        project.build();
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, word: &str) -> String {
        let mut state = 1u64;
        let mut filling = String::new();
        for _ in 0..5000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            filling += &format!("/* {:016x}{state:016x} */\n", state.rotate_left(17));
        }
        format!("/* {word} */\n{filling}int main(void) {{\n  {HOT}\n}}\n")
    }

    fn build(&self) {
        let built = Command::new("gcc")
            .args(["-O1", "-g", "-o"])
            .args([self.path("large"), self.path("large.c")])
            .status();
        assert!(built.unwrap().success());
    }

    fn record(&self, run: &str, options: &[&str]) -> PathBuf {
        let run = self.path(run);
        let output = lineheat(&["record", "--freq", "999", "--output"])
            .arg(&run)
            .args(options)
            .arg("--")
            .arg(self.path("large"))
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", told(&output));
        run
    }

    fn names(&self, folder: &str, ending: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).into_iter().flatten();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(ending)).collect();
        names.sort();
        names
    }

    fn texts(&self) -> Vec<String> {
        self.names(".lineheat/sources", ".text.gz")
    }
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

fn annotated(run: &Path) -> String {
    told(
        &lineheat(&["annotate"])
            .arg(run)
            .arg("large.c")
            .output()
            .unwrap(),
    )
}

/// The text that the run shows for the hot file; None: it has none.
fn text_in(run: &Path) -> Option<String> {
    let profile = Profile::open(run).unwrap();
    let sources = profile.run.unwrap().sources;
    (sources.into_iter()).find_map(|source| source.path.ends_with("large.c").then_some(source.text))
}

#[test]
fn runs_of_a_workspace_share_a_text_until_the_last_of_them_is_gone() {
    if !can_record() {
        return;
    }
    let project = Project::new();
    let first = project.text("first");
    let (a, b) = (".lineheat/runs/a.pb.gz", ".lineheat/runs/b.pb.gz");
    let (a, b) = (project.record(a, &[]), project.record(b, &[]));
    assert_eq!(project.texts().len(), 1, "one content, one file");
    for run in [&a, &b] {
        assert!(
            fs::metadata(run).unwrap().len() < 40_000,
            "the text is not in the run"
        );
        // The source has gone since: the text of the recording is shown.
        assert_eq!(text_in(run).as_deref(), Some(&*first));
    }
    fs::write(project.path("large.c"), project.text("second")).unwrap();
    assert_eq!(
        text_in(&a).as_deref(),
        Some(&*first),
        "not what the file holds now"
    );
    assert!(annotated(&a).contains(HOT));
    project.build();
    let c = project.record(".lineheat/runs/c.pb.gz", &[]);
    assert_eq!(text_in(&c), Some(project.text("second")));
    assert_eq!(project.texts().len(), 2);

    // One goes, then the other under a new name: its text stays, until it goes, too.
    fs::remove_file(&a).unwrap();
    let renamed = project.path(".lineheat/runs/renamed.pb.gz");
    fs::rename(&b, &renamed).unwrap();
    project.record(".lineheat/runs/d.pb.gz", &[]);
    assert_eq!(project.texts().len(), 2);
    assert_eq!(text_in(&renamed), Some(first));
    fs::remove_file(&renamed).unwrap();
    project.record(".lineheat/runs/e.pb.gz", &[]);
    assert_eq!(project.texts().len(), 1);
    assert_eq!(text_in(&c), Some(project.text("second")));
    let lists = project.names(".lineheat/sources", ".list");
    assert_eq!(lists, ["c.pb.gz.list", "d.pb.gz.list", "e.pb.gz.list"]);
    assert!(project.names(".lineheat/sources", ".new").is_empty());
}

#[test]
fn a_run_that_was_taken_elsewhere_says_which_text_is_missing_unless_it_has_all() {
    if !can_record() {
        return;
    }
    let project = Project::new();
    let run = project.record(".lineheat/runs/a.pb.gz", &[]);
    let whole = project.record(".lineheat/runs/whole.pb.gz", &["--self-contained"]);
    let elsewhere = tempfile::tempdir().unwrap();
    let [moved, moved_whole] = ["a.pb.gz", "whole.pb.gz"].map(|name| elsewhere.path().join(name));
    fs::copy(&run, &moved).unwrap();
    fs::copy(&whole, &moved_whole).unwrap();

    // As long as the source is what it was, it is the text.
    assert_eq!(text_in(&moved), Some(project.text("first")));
    fs::write(project.path("large.c"), project.text("other")).unwrap();
    assert_eq!(text_in(&moved), None);
    let report = told(&lineheat(&["report"]).arg(&moved).output().unwrap());
    assert!(
        report.contains("The recorded text of 1 source file is not on this machine (large.c)"),
        "{report}"
    );
    assert!(report.contains("--self-contained"), "{report}");
    let heat = told(
        &lineheat(&["annotate", "--json"])
            .arg(&moved)
            .arg("large.c")
            .output()
            .unwrap(),
    );
    assert!(
        heat.contains("5003"),
        "heat on the recorded line all the same: {heat}"
    );

    assert_eq!(text_in(&moved_whole), Some(project.text("first")));
    let report = told(&lineheat(&["report"]).arg(&moved_whole).output().unwrap());
    assert!(!report.contains("recorded text"), "{report}");
}

#[test]
fn a_damaged_or_planted_text_is_not_shown_and_is_written_again() {
    if !can_record() {
        return;
    }
    let project = Project::new();
    let run = project.record(".lineheat/runs/a.pb.gz", &[]);
    let stored = project.path(".lineheat/sources").join(&project.texts()[0]);
    let good = fs::read(&stored).unwrap();
    fs::write(project.path("large.c"), project.text("other")).unwrap();
    let cut = good[..good.len() / 2].to_vec();
    let mut changed = good.clone();
    changed[5000] ^= 0x41;
    for bytes in [cut, changed, Vec::new(), b"no gzip".to_vec()] {
        fs::write(&stored, bytes).unwrap();
        assert_eq!(text_in(&run), None);
    }
    fs::remove_file(&stored).unwrap();
    fs::write(project.path("planted"), &good).unwrap();
    std::os::unix::fs::symlink(project.path("planted"), &stored).unwrap();
    assert_eq!(text_in(&run), None, "no link is followed");
    let made = Command::new("mkfifo").arg(project.path("fifo")).status();
    assert!(made.unwrap().success());
    fs::rename(project.path("fifo"), &stored).unwrap();
    assert_eq!(text_in(&run), None, "nobody waits for a FIFO");

    fs::write(project.path("large.c"), project.text("first")).unwrap();
    project.record(".lineheat/runs/b.pb.gz", &[]);
    assert_eq!(fs::read(&stored).unwrap(), good);
}

#[test]
fn a_store_that_cannot_be_had_leaves_the_texts_in_the_run() {
    if !can_record() {
        return;
    }
    let project = Project::new();
    fs::create_dir_all(project.path(".lineheat/runs")).unwrap();
    fs::create_dir(project.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", project.path(".lineheat/sources")).unwrap();
    let run = project.record(".lineheat/runs/a.pb.gz", &[]);
    fs::write(project.path("large.c"), "").unwrap();
    assert_eq!(text_in(&run), Some(project.text("first")));
    assert!(
        project.names("elsewhere", "").is_empty(),
        "nothing is written through a link"
    );
}
