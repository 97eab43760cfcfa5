//! Unwind information with mutated bytes.

#[test]
fn any_unwind_information_gives_rows_in_order() {
    crate::short_run::short_run(&crate::entry::seeds(), 50_000, crate::entry::read);
}
