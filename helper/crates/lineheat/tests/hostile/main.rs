//! Hostile pprof files through the real `lineheat`, on the command line and as the editor asks it: no hang, no panic,
//! bounded memory, every refusal with its cause, nothing that steers a terminal.
//!
//! A part of the files runs here; `npm run bench -- hostile` runs all of them (`LINEHEAT_HOSTILE_FILES=1000`) and asks
//! `go tool pprof` for each (`LINEHEAT_HOSTILE_PPROF=each`); here it is asked for those that were accepted.

#[path = "../serve/client.rs"]
mod client;
#[path = "../support/cpu_time.rs"]
mod cpu_time;
#[path = "../support/memory_group.rs"]
mod memory_group;
#[path = "../../../profile/tests/support/mod.rs"]
mod pprof_fields;
#[path = "../../../analysis/tests/support/mod.rs"]
mod text_profiles;

mod command_line;
mod contradictions;
mod files;
mod little_memory;
mod measured;
mod mutated_files;
mod names;
mod pprof;
mod served;
mod terminal_names;
