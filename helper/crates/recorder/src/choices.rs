//! What is chosen of a recording by a plain value.
//!
//! Made from protocol/record-options.json by `npm run generate`; do not edit it.

use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choices {
    /// Samples per second per busy thread.
    pub sample_hz: u32,
    /// Of the user stack; a deeper one keeps its leaf side. The most is `records::layout::USER_FRAMES_MAX`.
    pub max_frames: u32,
    /// Whether pieces of stacks may be unwound here, in memory, while the rows of a file are being made.
    pub stack_copies: bool,
    /// Whether waiting time is recorded, too, where that is possible: how long each thread was off the CPU, and where.
    pub waiting: bool,
    /// Whether who ended each wait is recorded, too: which thread, at which line, or which kind of interrupt.
    pub wakeups: bool,
    /// Whether allocated memory is recorded, too: how much each line allocates, and how much of it is never freed.
    pub allocations: bool,
    /// Whether page faults are recorded, too.
    pub faults: bool,
    /// Whether system calls are recorded, too: how many, how long, and how many failed.
    pub syscalls: bool,
    /// Whether the calls that are counted are timed, too: how long each takes.
    pub latency: bool,
    /// How often a command is run before, without samples.
    pub warm_up: u32,
    /// Keep the text of each hot source file in the run itself.
    pub self_contained: bool,
    /// Whether servers are asked for debug information that is not here.
    pub debuginfod: bool,
    /// How long to record; nothing or 0: until the program ends or someone stops it.
    pub duration: Option<Duration>,
    /// How often a program is run, into one run; a run that fails is the last. A process is attached to once.
    pub repeat: u32,
}

impl Choices {
    pub const SAMPLE_HZ_MAX: u32 = 9999;
    pub const MAX_FRAMES_MAX: u32 = 2048;
    pub const WARM_UP_MAX: u32 = 10_000;
    pub const REPEAT_MAX: u32 = 10_000;
}

impl Default for Choices {
    fn default() -> Choices {
        Choices {
            sample_hz: 999,
            max_frames: 512,
            stack_copies: true,
            waiting: true,
            wakeups: false,
            allocations: false,
            faults: false,
            syscalls: false,
            latency: false,
            warm_up: 0,
            self_contained: false,
            debuginfod: false,
            duration: None,
            repeat: 1,
        }
    }
}
