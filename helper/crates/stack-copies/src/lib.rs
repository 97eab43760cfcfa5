//! Samples taken without privilege: the registers of a thread and a copy of its stack, by `perf_event_open(2)` on
//! processes of one's own, in user space only. Collected from the rings of all CPUs in the order of time, together
//! with what happened to the address spaces meanwhile, so that whoever unwinds a stack knows what was mapped then.
//! Unwinds nothing itself.

mod collector;
mod sample;
mod thread_names;

pub use collector::{Collector, OpenError, OpenStep, Options, Taken};
pub use sample::{STACK_BYTES, StackCopy, UserRegisters, parse_sample, parse_sample_with_chain};
pub use thread_names::{NameEvent, parse_name_event};
