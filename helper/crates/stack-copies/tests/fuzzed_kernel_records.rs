//! Rings of the kernel with mutated bytes.

#[path = "../../../fuzz/entries/kernel_records.rs"]
mod entry;
#[path = "../../../fuzz/entries/short_run.rs"]
mod short_run;

#[test]
fn any_ring_is_emptied() {
    short_run::short_run(&entry::seeds(), 20_000, entry::read);
}
