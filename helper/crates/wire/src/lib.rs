//! What the editor and the engine say to each other: the messages of `protocol/wire.proto` and their frames.

mod frame;

pub use frame::{FRAME_BYTES_MAX, FrameError, encode_frame, read_frame};
pub use messages::*;
pub use prost::Message;

/// Both sides must name the same version in `Hello` and `Welcome`.
pub const PROTOCOL_VERSION: u32 = 1;

impl RunRef {
    /// The run in this file.
    pub fn file(path: impl Into<String>) -> Option<RunRef> {
        let run = Some(run_ref::Run::File(path.into()));
        Some(RunRef { run })
    }
}

#[allow(clippy::all, clippy::undocumented_unsafe_blocks)]
mod messages {
    include!(concat!(env!("OUT_DIR"), "/lineheat.wire.rs"));
}
