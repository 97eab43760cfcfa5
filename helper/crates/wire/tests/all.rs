//! Messages as both languages have them, and damaged ones.
//! One program: to link one for each file takes longer than to run it.

mod examples;
mod fuzzed_wire_frames;
