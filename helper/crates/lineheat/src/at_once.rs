//! The last resort after a second Ctrl+C: a recording that has not ended soon, whatever keeps it, ends with this process.

use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use recorder::{ENDS_WITHIN, what_is_left};

use crate::record_progress::say;
use crate::terminal_text::visible;

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
