//! The last resort after a second Ctrl+C: a recording that has not ended soon, whatever keeps it, ends with this process.

use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::record_progress::say;
use crate::terminal_text::visible;

/// After the second time. By then all that waits has given up, and what there is has been saved, if that can be done.
pub const ENDS_WITHIN: Duration = Duration::from_millis(1700);
/// A terminal that nobody reads must not keep us either.
const TOLD_WITHIN: Duration = Duration::from_millis(100);
const NOT_SAVED: i32 = 3;

/// Ends this process, and all that it has started, unless it ends by itself in time.
pub fn end_soon(runs: Vec<PathBuf>) {
    thread::spawn(move || {
        thread::sleep(ENDS_WITHIN);
        supervision::end_children();
        let text = format!("\nlineheat: {}\n", visible(&what_is_left(&runs)));
        let (told, is_told) = channel();
        thread::spawn(move || {
            say(&text);
            told.send(())
        });
        let _ = is_told.recv_timeout(TOLD_WITHIN);
        // SAFETY: ends the process. Nothing that is done at a usual end is waited for: it may be what keeps us.
        unsafe { libc::_exit(NOT_SAVED) };
    });
}

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
