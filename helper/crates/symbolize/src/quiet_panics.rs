//! Keeps the words of caught panics off the user's terminal.
//!
//! Parsers of others may panic on hostile files. That is caught and told as the module's problem; the message that
//! Rust prints besides would only alarm. Panics on threads with other names are printed as ever.

use std::panic;
use std::sync::Once;

/// The name of the threads whose panics are caught.
pub(crate) const THREAD_NAME: &str = "symbolize";

pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let printing = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if std::thread::current().name() != Some(THREAD_NAME) {
                printing(info);
            }
        }));
    });
}
