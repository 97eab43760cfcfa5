//! Bounds of what is read from a file, each checked before memory is taken for it.

/// An ordinary long run stays far below all of these; a hostile file meets one of them early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes after decompression, checked while inflating.
    pub inflated_bytes: usize,
    pub strings: usize,
    pub string_bytes: usize,
    /// Samples, locations and functions, each.
    pub records: usize,
    pub mappings: usize,
    /// Locations of one stack; a deeper one is cut at its root side, with a note.
    pub stack_depth: usize,
    /// Locations of all stacks together.
    pub frames: usize,
    pub lines_per_location: usize,
    /// Lines of all locations together.
    pub lines: usize,
    pub sample_types: usize,
    pub labels_per_sample: usize,
    pub labels: usize,
    pub comments: usize,
    /// Bytes of the private message, all its parts together.
    pub run_bytes: usize,
    /// Repeated entries of the private message, all kinds together, the timeline apart.
    pub run_entries: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            inflated_bytes: 256 << 20,
            strings: 2_000_000,
            string_bytes: 1 << 20,
            records: 2_000_000,
            mappings: 100_000,
            stack_depth: 2048,
            frames: 64_000_000,
            lines_per_location: 1024,
            lines: 8_000_000,
            sample_types: 64,
            labels_per_sample: 256,
            labels: 8_000_000,
            comments: 100_000,
            run_bytes: 96 << 20,
            run_entries: 200_000,
        }
    }
}
