//! Where the holder of a lock was seen while another thread waited for it. The kernel says which thread that is and, if it was off the
//! CPU, in which wait. Where a running thread is nobody can see, unless it is sampled or loses its CPU before the wait is over.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use profile::SeededHash;

/// What is remembered of the waits of all threads.
#[derive(Default)]
pub struct LastWaits {
    by_tid: HashMap<u32, OfThread, SeededHash>,
}

struct OfThread {
    thread: u32,
    /// When those whose stack was sent began, and their stacks.
    waits: VecDeque<(u64, Option<u32>)>,
}

const WAITS_MAX: usize = 16;
/// Some 10 MB. Of more of them, all are forgotten: the threads that live are soon seen again.
const THREADS_MAX: usize = 32_768;

impl LastWaits {
    pub fn note_thread(&mut self, tid: u32, thread: u32) {
        self.of(tid, thread);
    }

    pub fn note(&mut self, tid: u32, thread: u32, began_ns: u64, stack: Option<u32>) {
        let waits = &mut self.of(tid, thread).waits;
        if waits.len() == WAITS_MAX {
            waits.pop_front();
        }
        waits.push_back((began_ns, stack));
    }

    /// The number of a thread that has waited before.
    pub fn thread(&self, tid: u32) -> Option<u32> {
        self.by_tid.get(&tid).map(|of| of.thread)
    }

    /// The last wait of the thread: when it began, and its stack.
    pub fn last(&self, tid: u32) -> Option<(u64, u32)> {
        let (began_ns, stack) = self.by_tid.get(&tid)?.waits.back()?;
        Some((*began_ns, (*stack)?))
    }

    /// The stack of the wait that began then.
    pub fn at(&self, tid: u32, began_ns: u64) -> Option<u32> {
        let mut waits = self.by_tid.get(&tid)?.waits.iter().rev();
        waits.find(|wait| wait.0 == began_ns)?.1
    }

    /// The first wait of the thread that began in that time.
    pub fn first_in(&self, tid: u32, time: &Range<u64>) -> Option<(u64, u32)> {
        let waits = self.by_tid.get(&tid)?.waits.iter();
        let mut inside = waits.filter_map(|(began_ns, stack)| Some((*began_ns, (*stack)?)));
        inside.find(|wait| time.contains(&wait.0))
    }

    fn of(&mut self, tid: u32, thread: u32) -> &mut OfThread {
        if self.by_tid.len() >= THREADS_MAX && !self.by_tid.contains_key(&tid) {
            self.by_tid.clear();
        }
        let of = self.by_tid.entry(tid).or_insert_with(|| OfThread {
            thread,
            waits: VecDeque::new(),
        });
        of.thread = thread;
        of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_waits_of_a_thread_are_found_by_their_time() {
        let mut waits = LastWaits::default();
        for n in 0..20u64 {
            waits.note(7, 1, 100 * n, Some(n as u32));
        }
        waits.note(7, 1, 2000, None);
        assert_eq!((waits.thread(7), waits.thread(8)), (Some(1), None));
        assert_eq!(waits.at(7, 1900), Some(19));
        assert_eq!(waits.at(7, 100), None, "forgotten");
        assert_eq!(waits.at(7, 2000), None, "there was no room for its stack");
        assert_eq!(waits.first_in(7, &(1450..1700)), Some((1500, 15)));
        assert_eq!(waits.first_in(7, &(1901..9000)), None);
        assert_eq!(waits.last(7), None);
    }

    #[test]
    fn very_many_threads_take_no_more_memory() {
        let mut waits = LastWaits::default();
        for tid in 1..100_000 {
            waits.note_thread(tid, tid);
        }
        assert!(waits.by_tid.len() <= THREADS_MAX);
        assert_eq!(waits.thread(99_999), Some(99_999));
    }
}
