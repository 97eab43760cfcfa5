//! What a profile says: heat of lines and files, function totals, call trees, comparison of two runs.
//!
//! Everything starts from [`Analyzed`], which resolves names, files and inlined calls of a profile once. All
//! functions are pure. Lines are 1-based; a *recorded* line is one of the text at recording.

mod alignment;
mod allocation_sites;
mod amounts;
mod analyzed;
mod both;
mod call_partners;
mod call_path;
mod called_functions;
mod callers;
mod chains;
mod chosen_part;
mod compared_files;
mod compared_lines;
mod compared_tables;
mod compared_tree;
mod comparing;
mod comparison;
mod counts;
mod earlier_runs;
mod effect;
mod evidence;
mod execution;
mod explanation;
mod file_heat;
mod file_sums;
mod flame_graph;
mod flame_tree;
mod frames;
mod function_filter;
mod function_table;
mod function_text;
mod hottest_stack;
mod id_table;
mod idle_threads;
mod inside;
mod interrupts;
mod learnt_noise;
mod learnt_rows;
mod line_detail;
mod line_measures;
mod line_pairs;
mod line_table;
mod lock_waits;
mod marked_pairs;
mod matching;
mod matching_files;
mod matching_names;
mod memory_columns;
mod memory_times;
mod merge;
mod moved_cost;
mod moves;
mod named_functions;
mod neighbours;
mod nested;
mod normalisation;
mod normalized_name;
mod numbered_names;
mod pair;
mod parts;
mod path_amounts;
mod path_parts;
mod renames;
mod rest_of_selection;
mod run_facts;
mod runtimes;
mod same_recording;
mod sample_selection;
mod sample_times;
mod selected_profile;
mod selected_samples;
mod selection;
mod side;
mod side_names;
mod source_places;
mod stack_trie;
mod system_calls;
mod tally;
mod tested_windows;
mod texts;
mod thread_table;
mod thread_times;
mod threads;
mod time_columns;
mod timeline;
mod track_order;
mod track_waits;
mod tracks;
mod transforms;
mod turns;
mod verdict_on_whole;
mod wait_places;
mod wait_reasons;
mod wait_times;
mod wall_time;
mod whole;
mod windows;

pub use alignment::{AlignedLine, Alignment};
pub use allocation_sites::{AllocationSite, MemoryKind, allocation_sites};
pub use amounts::{Amount, Amounts};
pub use analyzed::Analyzed;
pub use both::both;
pub use called_functions::{CalledRow, ThreadOfCalls, called_functions};
pub use callers::{Caller, callers, compared_callers};
pub use compared_files::{
    ComparedFile, FileDifference, FunctionDifference, LineDifference, compared_files,
    file_difference,
};
pub use compared_tables::{ComparedRow, ComparedTable, compared_functions, compared_lines};
pub use compared_tree::{compared_flame_graph, compared_flame_graph_without};
pub use comparison::Comparison;
pub use earlier_runs::EarlierRuns;
pub use effect::{Effect, Effects, FEW_SAMPLES, Verdict};
pub use execution::Execution;
pub use explanation::{ExplainedFunction, Explanation, TextLine, explanation};
pub use file_heat::{FileHeat, FunctionHeat, HotFile, LineHeat, alignment, file_heat, hot_files};
pub use flame_graph::{
    ComparedColumns, FlameGraph, FrameTable, TotalColumns, flame_graph, flame_graph_without,
};
pub use frames::{
    FileId, FrameKind, FunctionId, FunctionKind, FunctionOf, Measure, Place, PlaceId,
};
pub use function_filter::FunctionFilter;
pub use function_table::{FunctionRow, function_table};
pub use hottest_stack::{HottestStack, hottest_stack, longest_wait};
pub use learnt_noise::LearntNoise;
pub use line_detail::{InlineChain, LineDetail, Neighbour, PlaceOf, line_detail};
pub use line_measures::{LineMeasure, line_measures};
pub use line_table::{LineRow, line_table};
pub use lock_waits::{LockHolderOf, LockWaits, lock_waits};
pub use matching_names::{MatchingNames, NamedThing};
pub use memory_columns::MemoryColumns;
pub use merge::merge;
pub use name_patterns::Unknown;
pub use named_functions::NamedFunction;
pub use normalisation::Normalisation;
pub use normalized_name::normalized_name;
pub use run_facts::{SideFact, side_facts};
pub use runtimes::Runtime;
pub use same_recording::recording_identity;
pub use selection::{Selection, Transform};
pub use side::{Side, unknown_in_both};
pub use side_names::SideNames;
pub use system_calls::{HottestSite, SystemCallRow, system_call_measures, system_calls};
pub use thread_table::{ThreadRow, thread_table};
pub use threads::ThreadOf;
pub use timeline::{Shows, Timeline, TimelineOf, Track, timeline};
pub use track_waits::TrackWaits;
pub use wait_reasons::wait_reasons;
pub use wall_time::{
    Chosen, IdleThreads, LongestThread, Spent, WallTime, executions_wall, wall_time,
};
pub use whole::Whole;
