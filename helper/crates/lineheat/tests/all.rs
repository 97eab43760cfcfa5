//! `lineheat` as its user runs it: recordings of real programs, and what it shows of them.
//! One program: to link one for each file takes longer than to run it.

#[path = "stopped_parts/held_parts.rs"]
mod held_parts;
mod support;
use support::executables;

mod allocation_operators;
mod allocation_peaks;
mod allocation_times;
mod allocations;
mod call_times;
mod calls;
mod counters;
mod debuginfod;
mod dropped_records;
mod earlier_runs;
mod foreign_files;
mod go_allocations;
mod help_examples;
mod hostile_modules;
mod inlined_calls;
mod jit;
mod kept_rows;
mod layouts;
mod leaks;
mod libraries;
mod lock_holders;
mod names_and_builds;
mod namespaces;
mod notes_of_measures;
mod odd_paths;
mod old_runs;
mod page_faults;
mod probed_code;
mod rates;
mod recording;
mod repetitions;
mod reported_allocations;
mod short_lives;
mod sleeping_files;
mod source_texts;
mod started_go;
mod static_programs;
mod sweeps;
mod system_calls;
mod targets;
mod terminal_output;
mod waiting;
mod waits_of_disks_and_cpus;
mod wakeups;
mod wall_time;
mod whole_jobs;
mod without_privilege;
