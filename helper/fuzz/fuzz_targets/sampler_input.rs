#![no_main]

#[path = "../entries/sampler_input.rs"]
mod entry;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| entry::read(bytes));
