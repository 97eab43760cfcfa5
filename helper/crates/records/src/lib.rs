//! What the unprivileged engine and the privileged sampler say to each other, over a socket (to the sampler) and a pipe (to the engine).
//!
//! A message is a little-endian u32 length of what follows (at most [`MESSAGE_BYTES_MAX`]), a u32 kind and a body of
//! fixed-size little-endian fields. The engine sends no path and no text, but may send a file ([`ToSampler::Allocations`], [`ToSampler::AllocationPlaces`], [`ToSampler::Calls`]); the sampler sends text only as the kernel
//! gave it (thread names, paths of mapped files, kernel symbol names). Links nothing.

mod allocation_places;
pub mod bytes;
mod calls;
mod counters;
pub mod layout;
pub mod mapping;
mod sampler_error;
pub mod stack_records;
mod to_engine;
pub mod to_sampler;
mod wait;
mod worth;

pub use allocation_places::{
    ALLOCATION_PLACES_MAX, AllocationPlace, Operand, PlaceRole, REGISTER_WORDS, Source,
};
pub use bytes::{MessageError, MessageReader, write_message};
pub use calls::{CallPlace, CallPrice, CallTimes, CallsOfThread, PlaceKind};
pub use counters::{COUNTERS_MAX, CounterRequest, CounterTotal};
pub use layout::{Counter, PAGE_SHIFT, Rule, RuleKind, SampleKind, StackEnd};
pub use mapping::{FileId, Mapping};
pub use sampler_error::{SamplerError, SamplerStep};
pub use stack_records::{CopiedPiece, CopyRecord, RestRecord, SampleRecord};
pub use to_engine::FromSampler;
pub use to_sampler::{Segment, ThreadId, ToSampler, vaddr_of_offset};
pub use wait::{LockHolder, WaitCause, WaitEnd, Woken, WokenBy};
pub use worth::{Worth, period_ns};

/// Both binaries are built together; any other version is refused in the first message.
pub const PROTOCOL_VERSION: u32 = 14;

/// Upper bound of a message in either direction.
pub const MESSAGE_BYTES_MAX: usize = 128 * 1024;
