//! Rows of real, damaged and invented files.
//! One program: to link one for each file takes longer than to run it.

#[path = "../../../fuzz/entries/unwind_rows.rs"]
mod entry;
#[path = "../../../fuzz/entries/short_run.rs"]
mod short_run;

mod fuzzed_unwind_rows;
mod hostile_files;
