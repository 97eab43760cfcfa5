//! Unwind information with mutated bytes.

#[path = "../../../fuzz/entries/unwind_rows.rs"]
mod entry;
#[path = "../../../fuzz/entries/short_run.rs"]
mod short_run;

#[test]
fn any_unwind_information_gives_rows_in_order() {
    short_run::short_run(&entry::seeds(), 50_000, entry::read);
}
