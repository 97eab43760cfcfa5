//! The two sides of a comparison, in words.

/// What is compared, in words.
pub struct Sides {
    /// Of base and new.
    pub names: [String; 2],
    /// Empty: everything.
    pub selection: String,
}
