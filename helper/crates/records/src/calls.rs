//! Calls of chosen functions: where they are counted and timed, how many there were, and how long they took.

use crate::bytes::{Body, Fields};
use crate::layout::LATENCY_BUCKETS;

/// Where calls of a function are counted, or end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallPlace {
    /// Of the instruction, in the file.
    pub offset: u64,
    /// Number of the function, or of a place where one was inlined: below [`crate::layout::CALLED_FUNCTIONS_MAX`].
    pub function: u32,
    pub kind: PlaceKind,
}

/// What a probe there is for (`enum place_kind` of bpf/records.h).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceKind {
    Counted,
    /// Counted, and the time is taken. The stack pointer is so much lower there than at the start of the call.
    Timed {
        depth: u32,
    },
    Left,
    /// If the jump there is taken. Its condition, as its opcode has it.
    LeftIf {
        condition: u8,
    },
    /// Counted if the jump there is taken, or is not: a condition as above.
    CountedIf {
        condition: u8,
    },
}

impl PlaceKind {
    pub fn is_end(self) -> bool {
        matches!(self, PlaceKind::Left | PlaceKind::LeftIf { .. })
    }

    fn code(self) -> (u32, u32) {
        match self {
            PlaceKind::Counted => (0, 0),
            PlaceKind::Timed { depth } => (1, depth),
            PlaceKind::Left => (2, 0),
            PlaceKind::LeftIf { condition } => (3, condition.into()),
            PlaceKind::CountedIf { condition } => (4, condition.into()),
        }
    }

    fn of_code(kind: u32, detail: u32) -> Option<PlaceKind> {
        Some(match kind {
            0 => PlaceKind::Counted,
            1 => PlaceKind::Timed { depth: detail },
            2 => PlaceKind::Left,
            3 => PlaceKind::LeftIf {
                condition: detail.try_into().ok()?,
            },
            4 => PlaceKind::CountedIf {
                condition: detail.try_into().ok()?,
            },
            _ => return None,
        })
    }
}

/// Calls of a function by a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallsOfThread {
    pub function: u32,
    pub pid: u32,
    pub tid: u32,
    pub calls: u64,
}

/// What probes cost a program on this machine, by a function that does nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallPrice {
    /// Of a call that is counted.
    pub counted_ns: u32,
    /// So much more of a call that is timed, too; 0: calls are not timed.
    pub timed_ns: u32,
}

/// How long the calls of a function took, since the start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallTimes {
    pub function: u32,
    pub sum_ns: u64,
    pub shortest_ns: u64,
    pub longest_ns: u64,
    /// Calls that did not return: an exception, longjmp or the end of their thread has cut them off.
    pub unfinished: u64,
    /// Calls for which there was no room among those that had begun.
    pub no_room: u64,
    /// When no more calls were timed, since they were too many (CLOCK_MONOTONIC); 0: to the end.
    pub ended_ns: u64,
    /// Number of a bucket, below [`LATENCY_BUCKETS`], and calls in it; ascending, without empty ones.
    pub buckets: Vec<(u32, u64)>,
}

impl CallPlace {
    pub const BYTES: usize = 20;
    /// So many fit into one message.
    pub const PER_MESSAGE: usize = (crate::MESSAGE_BYTES_MAX - 64) / Self::BYTES;

    /// As the BPF program has it of its probe.
    pub fn cookie(self) -> u64 {
        let (kind, detail) = self.kind.code();
        u64::from(self.function) | u64::from(kind) << 16 | u64::from(detail) << 32
    }

    pub(crate) fn put(self, body: Body) -> Body {
        let (kind, detail) = self.kind.code();
        (body.u64(self.offset).u32(self.function))
            .u32(kind)
            .u32(detail)
    }

    /// All that is left.
    pub(crate) fn parse_all(f: &mut Fields<'_>) -> Option<Vec<CallPlace>> {
        let mut places = Vec::new();
        while !f.0.is_empty() {
            places.push(CallPlace {
                offset: f.u64()?,
                function: f.u32()?,
                kind: PlaceKind::of_code(f.u32()?, f.u32()?)?,
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

impl CallPrice {
    pub(crate) fn put(self, body: Body) -> Body {
        body.u32(self.counted_ns).u32(self.timed_ns)
    }

    pub(crate) fn parse(f: &mut Fields<'_>) -> Option<CallPrice> {
        Some(CallPrice {
            counted_ns: f.u32()?,
            timed_ns: f.u32()?,
        })
    }
}

impl CallTimes {
    pub fn measured(&self) -> u64 {
        self.buckets.iter().map(|(_, calls)| calls).sum()
    }

    pub(crate) fn put(&self, body: Body) -> Body {
        let body = (body.u32(self.function).u64(self.sum_ns))
            .u64(self.shortest_ns)
            .u64(self.longest_ns)
            .u64(self.unfinished)
            .u64(self.no_room)
            .u64(self.ended_ns);
        let buckets = self.buckets.iter().take(LATENCY_BUCKETS);
        buckets.fold(body, |body, (bucket, calls)| body.u32(*bucket).u64(*calls))
    }

    pub(crate) fn parse(f: &mut Fields<'_>) -> Option<CallTimes> {
        let mut times = CallTimes {
            function: f.u32()?,
            sum_ns: f.u64()?,
            shortest_ns: f.u64()?,
            longest_ns: f.u64()?,
            unfinished: f.u64()?,
            no_room: f.u64()?,
            ended_ns: f.u64()?,
            buckets: Vec::new(),
        };
        while !f.0.is_empty() {
            times.buckets.push((f.u32()?, f.u64()?));
        }
        let are_numbered =
            (times.buckets.iter()).all(|(bucket, _)| (*bucket as usize) < LATENCY_BUCKETS);
        let ascend = times.buckets.is_sorted_by(|a, b| a.0 < b.0);
        (are_numbered && ascend).then_some(times)
    }
}
