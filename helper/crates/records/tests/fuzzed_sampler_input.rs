//! Messages with mutated bytes: understood or refused.

#[path = "../../../fuzz/entries/sampler_input.rs"]
mod entry;
#[path = "../../../fuzz/entries/short_run.rs"]
mod short_run;

#[test]
fn any_stream_is_read_or_refused() {
    short_run::short_run(&entry::seeds(), 200_000, entry::read);
}
