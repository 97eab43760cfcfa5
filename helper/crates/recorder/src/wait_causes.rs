//! Whom a thread has waited for: who held the lock, and who ended the wait.

use records::WokenBy;

/// As far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cause {
    pub holder: Option<Holder>,
    pub waker: Option<Waker>,
}

/// Who held a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Holder {
    /// Of the thread.
    pub name: [u8; 16],
    /// Where it was seen. None: nowhere, while it held the lock.
    pub stack: Option<u32>,
}

/// Who ended a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Waker {
    pub by: WokenBy,
    /// Of the thread; empty: not known, or there is none.
    pub name: [u8; 16],
    /// 0: not known, or there is none.
    pub tid: u32,
    /// Where it was. None: not known, or of no use.
    pub stack: Option<u32>,
}

impl Cause {
    /// None: nothing is known of it.
    pub fn of(holder: Option<Holder>, waker: Option<Waker>) -> Option<Cause> {
        let is_known = holder.is_some() || waker.is_some();
        is_known.then_some(Cause { holder, waker })
    }
}
