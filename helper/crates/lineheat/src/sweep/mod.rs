//! A command run for every combination of some parameters: which is quickest, and what grows with them.

mod cells;
mod figures;
mod growth;
mod json;
mod recording;
mod table;
mod text;

pub use cells::{Cell, Parameter, cells, check_use, parse_parameter, replaced};
pub use json::json;
pub use recording::{Asked, record_sweep};
pub use table::sweep_table;
pub use text::{csv, text};
