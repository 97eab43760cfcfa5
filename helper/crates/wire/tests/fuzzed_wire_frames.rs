//! Frames with mutated bytes: messages or an error.

#[path = "../../../fuzz/entries/wire_frames.rs"]
mod entry;
#[path = "../../../fuzz/entries/short_run.rs"]
mod short_run;

#[test]
fn any_stream_is_read_or_refused() {
    short_run::short_run(&entry::seeds(), 100_000, entry::read);
}
