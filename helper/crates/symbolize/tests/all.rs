//! Names and lines of real programs, beside what other tools say of them.
//! One program: to link one for each file takes longer than to run it.

mod support;

mod agreement;
mod cpp_names;
mod debug_files;
mod forms;
mod frames;
mod fuzzed_module;
mod go;
mod hostile_symbols;
