#![no_main]

#[path = "../entries/wire_frames.rs"]
mod entry;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| entry::read(bytes));
