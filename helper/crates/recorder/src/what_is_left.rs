//! What a user is told who asks a second time to stop: what is there of the runs, of which not everything was saved.

use std::path::PathBuf;
use std::time::Duration;

/// After the second time. By then all that waits has given up, and what there is has been saved, if that can be done.
pub const ENDS_WITHIN: Duration = Duration::from_millis(1700);

/// What there is of these runs, for somebody who does not wait for more.
pub fn what_is_left(runs: &[PathBuf]) -> String {
    let mut text = "Stopped immediately, before everything was saved.".to_owned();
    let mut nothing = true;
    for run in runs {
        let shown = run.display();
        if profile::journal_path(run).exists() {
            nothing = false;
            text += &format!(
                " The recorded samples are in {shown}.journal. `lineheat report {shown}` opens them, without names."
            );
        } else if run.exists() {
            nothing = false;
            text += &format!(" {shown} is saved.");
        }
    }
    if nothing {
        text += " Nothing had been recorded.";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_named_and_where_there_is_nothing_that_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let runs = [folder.path().join("a.pb.gz"), folder.path().join("b.pb.gz")];
        let nothing = what_is_left(&runs);
        assert!(nothing.ends_with("Nothing had been recorded."), "{nothing}");
        std::fs::write(folder.path().join("a.pb.gz.journal"), "").unwrap();
        std::fs::write(&runs[1], "").unwrap();
        let left = what_is_left(&runs);
        let a = runs[0].display();
        assert!(
            left.contains(&format!("samples are in {a}.journal")),
            "{left}"
        );
        assert!(left.ends_with("b.pb.gz is saved."), "{left}");
    }
}
