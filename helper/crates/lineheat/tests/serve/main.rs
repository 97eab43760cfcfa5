//! Talks to the real `lineheat serve` over its pipes.

mod client;
#[path = "../support/cpu_time.rs"]
mod cpu_time;
#[path = "../support/executables.rs"]
mod executables;
mod fixture;
#[path = "../stopped_parts/held_parts.rs"]
mod held_parts;
mod project;

mod allocations_view;
mod blame;
mod builds;
mod compared_parts;
mod comparisons;
mod counted_calls;
mod foreign_measures;
mod handshake;
mod hostile_frames;
mod kept_builds;
mod locks;
mod machine;
mod measures;
mod own_code;
mod recordings;
mod runs;
mod selections;
mod so_far;
mod views;
mod waiting;
