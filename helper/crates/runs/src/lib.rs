//! What whoever shows saved runs needs of them: names of functions as the user wants them, what has to be known before
//! their figures are trusted, where their wall time went, who ended their waits, and what the runs beside them say of the noise.

mod amount_text;
mod call_notes;
mod earlier_runs;
mod function_names;
mod lock_note;
mod memory_error;
mod run_problems;
mod waker_text;
mod wall_time_text;

pub use amount_text::{count, scaled, time};
pub use call_notes::call_note;
pub use earlier_runs::earlier_runs;
pub use function_names::rename_functions;
pub use lock_note::lock_note;
pub use memory_error::relative_memory_error;
pub use run_problems::{
    NO_SAMPLES, few_samples, problems, problems_of_others, problems_without_samples,
    sample_problems,
};
pub use waker_text::waker_text;
pub use wall_time_text::{wall_time_hint, wall_time_lines};
