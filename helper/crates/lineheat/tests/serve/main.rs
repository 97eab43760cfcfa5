//! Talks to the real `lineheat serve` over its pipes.

mod client;
#[path = "../support/cpu_time.rs"]
mod cpu_time;
mod fixture;

mod comparisons;
mod handshake;
mod hostile_frames;
mod machine;
mod recordings;
mod runs;
