#![no_main]

#[path = "../entries/unwind_rows.rs"]
mod entry;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| entry::read(bytes));
