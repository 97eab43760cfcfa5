//! The two sides of a comparison, in words.

/// What is compared, in words.
pub struct Sides {
    /// Of base and new.
    pub names: [String; 2],
    /// Of the new side, if both are parts of one run. Empty: everything.
    pub selection: String,
    /// The names tell the selections.
    pub is_of_parts: bool,
}
