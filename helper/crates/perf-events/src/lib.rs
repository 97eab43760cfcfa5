//! Events of the kernel's perf subsystem: opened, and their rings read. Linked by the privileged sampler and by the
//! engine, which records with it where there is no privilege. Parses what the kernel wrote and nothing else; opens no
//! file.

pub mod event;
pub mod map_event;
pub mod ring;
pub mod stack_copy_event;
