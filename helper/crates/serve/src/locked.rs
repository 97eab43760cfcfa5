//! The tables that several requests share.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A request that panicked leaves the tables whole: they are only added to and removed from.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
