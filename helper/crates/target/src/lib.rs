//! The program to be profiled: launched behind a gate or found running, and what `/proc` says of it.
//! Reads no ELF file and knows nothing of samples.

mod gate;
mod invoker;
mod maps;
mod needed;
mod process;
mod terminal;

pub use gate::{Exit, LaunchError, LaunchOptions, Launched, Stopped, launch_stopped, signal, wait};
pub use invoker::{Invoker, invoker};
pub use maps::{MapsEntry, executable_mappings, parse_maps};
pub use needed::needed_libraries;
pub use process::{ProcessError, process_name, threads_of};
pub use terminal::{Terminal, TerminalSize};
