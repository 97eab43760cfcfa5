//! The sampler as ordinary users have it: installed for real, with file capabilities, and taken away afterwards. Needs
//! root, which makes the users.

mod client;
#[path = "../support/cpu_time.rs"]
mod cpu_time;
#[path = "../support/executables.rs"]
mod executables;
#[path = "../stopped_parts/held_parts.rs"]
mod held_parts;
mod installed;
#[path = "../../examples/loaded_programs.rs"]
mod loaded_programs;

mod advice;
mod allocations;
mod attaching;
mod calls;
mod containers;
mod doctor;
mod events;
mod go_allocations;
mod hardening;
mod installing;
mod protocol;
mod races;
mod samples;
mod stack_copies;
mod stopped;
mod waits;
mod wakeups;
mod writing;
