//! Who ended waits: what the sampler says of it when a thread is woken, until it says which wait that ended.

use std::collections::{HashMap, VecDeque};

use profile::SeededHash;
use records::{SampleRecord, Woken, WokenBy};

use super::locator::Locator;
use super::wait_causes::Waker;

/// By the thread that was woken, and when. The end of a wait comes soon: the sampler keeps no more than two.
#[derive(Default)]
pub struct Wakers(HashMap<u32, VecDeque<(u64, Waker)>, SeededHash>);

const OF_THREAD_MAX: usize = 4;
/// Some 10 MB. Of more of them, all are forgotten.
const THREADS_MAX: usize = 32_768;

impl Wakers {
    /// `sample`: of kind `WakeUp`.
    pub fn note(&mut self, sample: SampleRecord, locator: &mut Locator) {
        let Some(by) = WokenBy::from_code(sample.worth.value as u8) else {
            return;
        };
        let (woken, time_ns) = (sample.worth.id, sample.time_ns);
        let (name, tid) = (sample.comm, sample.tid);
        let stack = match by {
            WokenBy::Thread => locator.locate(sample).0,
            _ => None,
        };
        if self.0.len() >= THREADS_MAX && !self.0.contains_key(&woken) {
            self.0.clear();
        }
        let of_thread = self.0.entry(woken).or_default();
        if of_thread.len() == OF_THREAD_MAX {
            of_thread.pop_front();
        }
        let waker = Waker {
            by,
            name,
            tid,
            stack,
        };
        of_thread.push_back((time_ns, waker));
    }

    /// Who ended a wait of thread `tid`. `name_of`: the name of a thread, if it is known.
    pub fn of(
        &self,
        tid: u32,
        woken: Woken,
        name_of: impl FnOnce(u32) -> Option<[u8; 16]>,
    ) -> Waker {
        let mut of_thread = self.0.get(&tid).into_iter().flatten();
        let noted = of_thread.find(|(time_ns, _)| *time_ns == woken.sample_ns);
        match noted.filter(|_| woken.sample_ns != 0) {
            Some((_, waker)) => *waker,
            None => Waker {
                by: woken.by,
                name: name_of(woken.tid).unwrap_or_default(),
                tid: woken.tid,
                stack: None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use records::{SampleKind, StackEnd, Worth};

    use super::*;
    use crate::address_spaces::AddressSpaces;
    use crate::modules::Modules;
    use crate::stacks::CountedStacks;

    fn note(wakers: &mut Wakers, stacks: &mut CountedStacks, time_ns: u64, by: WokenBy) {
        let sample = SampleRecord {
            time_ns,
            pid: 1,
            tid: 8,
            worth: Worth {
                kind: SampleKind::WakeUp,
                value: by as u64,
                id: 7,
                ..Worth::default()
            },
            end: StackEnd::Root,
            comm: [b'p'; 16],
            kernel: vec![],
            user: vec![1, 2],
        };
        let mut locator = Locator {
            repetition: 0,
            stacks,
            spaces: &AddressSpaces::default(),
            modules: &Modules::default(),
        };
        wakers.note(sample, &mut locator);
    }

    #[test]
    fn a_waker_is_found_by_who_was_woken_and_when() {
        let (mut wakers, mut stacks) = (Wakers::default(), CountedStacks::default());
        note(&mut wakers, &mut stacks, 100, WokenBy::Thread);
        note(&mut wakers, &mut stacks, 200, WokenBy::Timer);
        let of = |tid, sample_ns| {
            let by = WokenBy::Thread;
            let woken = Woken {
                by,
                tid: 8,
                sample_ns,
            };
            let waker = wakers.of(tid, woken, |_| Some([b'q'; 16]));
            (waker.by, waker.name[0], waker.stack)
        };
        assert_eq!(of(7, 100), (WokenBy::Thread, b'p', Some(0)));
        assert_eq!(of(7, 200), (WokenBy::Timer, b'p', None));
        let not_seen = (WokenBy::Thread, b'q', None);
        assert_eq!(of(7, 300), not_seen, "its sample was lost");
        assert_eq!(of(7, 0), not_seen, "none was sent");
        assert_eq!(of(9, 100), not_seen, "another thread");
    }
}
