//! What is the same on both sides of a comparison.

/// One thing of the base, of the new run or of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pair<T> {
    pub base: Option<T>,
    pub new: Option<T>,
}
