#![no_main]

#[path = "../entries/kernel_records.rs"]
mod entry;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| entry::read(bytes));
