//! What others have to know of the preloaded library (`allocations.c`), which is a file beside the binaries.

/// Its name.
pub const FILE: &str = "liblineheat_alloc.so";

/// Its functions that do nothing, where the probes are: of a sampled allocation, and of the free of one.
pub const ALLOCATED: &str = "lineheat_allocated";
pub const FREED: &str = "lineheat_freed";

/// Bytes that a sample stands for on average, unless the target's environment says otherwise.
pub const INTERVAL: u64 = 512 << 10;
/// That variable, for tests.
pub const INTERVAL_VARIABLE: &str = "LINEHEAT_ALLOC_INTERVAL";
