//! What whoever shows saved runs needs of them: names of functions as the user wants them, what has to be known before
//! their figures are trusted, and what the runs beside them tell of the noise.

mod earlier_runs;
mod function_names;
mod run_problems;

pub use earlier_runs::earlier_runs;
pub use function_names::rename_functions;
pub use run_problems::{NO_SAMPLES, few_samples, problems, problems_without_samples};
