//! A command run for every combination of some parameters: which is quickest, and what grows with them.

mod cells;
mod figures;
mod growth;
mod recording;
mod table;

pub use cells::{Cell, Parameter, cells, check_use, parse_parameter, replaced};
pub use growth::Growing;
pub use recording::{Asked, Event, record_sweep};
pub use table::{Spread, SweepRow, SweepTable, sweep_table};
