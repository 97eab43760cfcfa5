//! What a symbol may cost.

/// How deep types, names and expressions may nest. Real symbols stay below 60.
pub const DEPTH_MAX: usize = 256;
/// Steps of reading or writing one symbol: some milliseconds. Long real symbols need some ten thousand.
pub const STEPS_MAX: usize = 1 << 18;
