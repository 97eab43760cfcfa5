//! The program to be profiled: launched behind a gate or found running, and what `/proc` says of it.
//! Reads no ELF file and knows nothing of samples.

mod copied_output;
mod gate;
mod launcher;
mod maps;
mod needed;
mod owner;
mod process;
mod process_list;
mod process_memory;
mod terminal;

pub use copied_output::CopiedOutput;
pub use gate::{Exit, LaunchError, LaunchOptions, Launched, Output, Stopped, launch_stopped, wait};
pub use launcher::{Launcher, Waiting};
pub use maps::{
    MapsEntry, executable_mappings, map_whole_stack, other_reading, own_mapping_at, parse_maps,
};
pub use needed::needed_libraries;
pub use owner::{own_uid, process_name, user_name, why_not_allowed};
pub use process::{ProcessError, threads_of};
pub use process_list::{processes_named, tree_of};
pub use process_memory::ProcessMemory;
pub use terminal::{Terminal, TerminalSize};
pub use user_files::{Invoker, invoker};
