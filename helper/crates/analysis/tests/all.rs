//! Whole profiles through the crate as others use it.
//! One program: to link one for each file takes longer than to run it.

#[path = "../simulation/mod.rs"]
mod simulation;
mod support;

mod agrees_with_pprof;
mod compared_executions;
mod comparison;
mod earlier_runs;
mod exact_counts;
mod fuzzed;
mod heat;
mod hostile_files;
mod laws;
mod matching;
mod measure_laws;
mod memory_in_time;
mod moved_cost;
mod nested_totals;
mod parts;
mod selected_sides;
mod selection;
mod timeline;
mod waits_in_time;
mod weighted_executions;
