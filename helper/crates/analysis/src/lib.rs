//! What a profile says: heat of lines and files, function totals, call trees, comparison of two runs.
//!
//! Everything starts from [`Analyzed`], which resolves names, files and inlined calls of a profile once. All
//! functions are pure. Lines are 1-based; `recorded` lines are those of the text at recording.

mod alignment;
mod analyzed;
mod file_heat;
mod flame_graph;
mod flame_tree;
mod function_table;
mod line_detail;
mod line_table;
mod seeded_hash;
mod tally;

pub use alignment::{AlignedLine, Alignment};
pub use analyzed::{
    Analyzed, FileId, FrameKind, FunctionId, FunctionKind, FunctionOf, Measure, Place, PlaceId,
};
pub use file_heat::{FileHeat, FunctionHeat, HotFile, LineHeat, file_heat, hot_files};
pub use flame_graph::{ComparedColumns, FlameGraph, FrameTable, flame_graph};
pub use function_table::{FunctionRow, function_table};
pub use line_detail::{InlineChain, LineDetail, Neighbour, PlaceOf, line_detail};
pub use line_table::{LineRow, line_table};
pub use tally::{Amount, Amounts};
