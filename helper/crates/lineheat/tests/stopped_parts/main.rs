//! A part of a recording that is stopped, frozen or blocked, at its start, in its middle and at its end: the recording ends,
//! keeps what was recorded, names the part, and leaves nothing running. Who asks twice waits no longer than two seconds.
//!
//! Left out, since there is nothing to be held:
//! - the sampler on a full pipe: the engine reads what it says on a thread of its own, which never waits for long. One that
//!   does not read what it is told is in the table (`sampler`);
//! - the opener and the symbolizer on a full pipe: one answer fits, or is read on a thread of its own;
//! - the symbolizer at start and in the middle: there is none yet;
//! - git in the middle: what it has not said is waited for at the end only.

mod held_parts;
mod held_starts;
mod place;
#[path = "../support/mod.rs"]
mod support;
use support::{executables, sleeping_files};

mod command;
mod readers;
mod sampler;
