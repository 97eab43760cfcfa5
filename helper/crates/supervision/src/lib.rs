//! How long other processes are waited for, and how they are ended, with all that they have started ([`Job`]). Every wait on another process goes through a
//! [`Patience`], so that a process that is stopped, frozen or blocked never keeps the engine, and a user who asks twice
//! ([`Urgency`]) is never kept for long.

mod ending;
mod job;
mod output_within;
mod patience;
mod process_stat;
mod process_state;
mod urgency;

pub use ending::{Ending, end, end_children, end_sometime, wait_for};
pub use job::Job;
pub use output_within::{NoOutput, output_within};
pub use patience::{LOOK_EVERY, Patience, receive};
pub use process_stat::ProcessStat;
pub use process_state::{ProcessState, state_of};
pub use urgency::Urgency;
