//! Looks at followed processes, while many events of theirs are applied.

use std::collections::HashMap;

use crate::followed::Standing;

/// Who can be asked about processes.
pub trait Watch {
    /// None: no process of this number is followed.
    fn look_at(&mut self, pid: u32) -> Option<Standing>;
    fn unfollow(&mut self, pid: u32);
}

/// What was found of processes, asked once each for many events: all of them happened before.
pub struct Looks<'a, W: Watch> {
    watch: &'a mut W,
    seen: HashMap<u32, Option<Standing>>,
}

impl<'a, W: Watch> Looks<'a, W> {
    pub fn new(watch: &'a mut W) -> Looks<'a, W> {
        let seen = HashMap::new();
        Looks { watch, seen }
    }

    pub fn at(&mut self, pid: u32) -> Option<Standing> {
        let watch = &mut *self.watch;
        *self.seen.entry(pid).or_insert_with(|| watch.look_at(pid))
    }

    /// Asks once more.
    pub fn again(&mut self, pid: u32) -> Option<Standing> {
        let hidden_ns = self.seen.remove(&pid).flatten().map_or(0, |s| s.hidden_ns);
        let mut standing = self.watch.look_at(pid);
        if let Some(standing) = &mut standing {
            standing.hidden_ns = standing.hidden_ns.max(hidden_ns);
        }
        self.seen.insert(pid, standing);
        standing
    }

    pub fn unfollow(&mut self, pid: u32) {
        self.watch.unfollow(pid);
        self.seen.remove(&pid);
    }
}
