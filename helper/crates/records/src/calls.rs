//! Calls of chosen functions: where they are counted, and how many there were.

use crate::bytes::{Body, Fields};

/// Where calls of a function are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallPlace {
    /// Of the instruction, in the file.
    pub offset: u64,
    /// Number of the function, below [`crate::layout::CALLED_FUNCTIONS_MAX`].
    pub function: u32,
}

/// Calls of a function by a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallsOfThread {
    pub function: u32,
    pub pid: u32,
    pub tid: u32,
    pub calls: u64,
}

impl CallPlace {
    pub const BYTES: usize = 12;

    pub(crate) fn put(self, body: Body) -> Body {
        body.u64(self.offset).u32(self.function)
    }

    /// All that is left.
    pub(crate) fn parse_all(f: &mut Fields<'_>) -> Option<Vec<CallPlace>> {
        let mut places = Vec::new();
        while !f.0.is_empty() {
            places.push(CallPlace {
                offset: f.u64()?,
                function: f.u32()?,
            });
        }
        Some(places)
    }
}

impl CallsOfThread {
    pub const BYTES: usize = 20;

    pub(crate) fn put(self, body: Body) -> Body {
        let body = body.u32(self.function).u32(self.pid);
        body.u32(self.tid).u64(self.calls)
    }

    pub(crate) fn parse(f: &mut Fields<'_>) -> Option<CallsOfThread> {
        Some(CallsOfThread {
            function: f.u32()?,
            pid: f.u32()?,
            tid: f.u32()?,
            calls: f.u64()?,
        })
    }
}
