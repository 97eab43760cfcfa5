//! Work of both sides at once.

/// The same work for base and new, side by side.
pub fn both<T: Send>(base: impl FnOnce() -> T + Send, new: impl FnOnce() -> T + Send) -> [T; 2] {
    std::thread::scope(|scope| {
        let base = scope.spawn(base);
        let new = new();
        match base.join() {
            Ok(base) => [base, new],
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
