//! Which processes are sampled, by the number of their threads: the kernel tells of the end of threads only.

use std::collections::HashMap;

use perf_events::map_event::{MapEvent, MapEventKind};
use records::FromSampler;

#[derive(Debug, Default)]
pub struct LiveThreads {
    /// Threads by process.
    counts: HashMap<u32, u32>,
}

impl LiveThreads {
    /// One more thread of the process is sampled.
    pub fn add(&mut self, pid: u32) {
        *self.counts.entry(pid).or_insert(0) += 1;
    }

    /// The message that the privileged sampler would send for this record, if any. Call in the order of time.
    pub fn message_of(&mut self, event: MapEvent) -> Option<FromSampler> {
        let (time_ns, pid) = (event.time_ns, event.pid);
        match event.kind {
            MapEventKind::Mapped { mapping, path } => Some(FromSampler::Mapped {
                time_ns,
                pid,
                mapping,
                path,
            }),
            MapEventKind::Forked { parent_pid, .. } => {
                self.add(pid);
                (pid != parent_pid).then_some(FromSampler::Forked {
                    time_ns,
                    pid,
                    parent_pid,
                })
            }
            MapEventKind::Executed => {
                self.counts.insert(pid, 1); // other threads do not survive it
                Some(FromSampler::Executed { time_ns, pid })
            }
            MapEventKind::ThreadExited => {
                let left = self.counts.get_mut(&pid)?;
                *left = left.saturating_sub(1);
                if *left > 0 {
                    return None;
                }
                self.counts.remove(&pid);
                Some(FromSampler::Exited { time_ns, pid })
            }
            MapEventKind::Lost { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(pid: u32, tid: u32, kind: MapEventKind) -> MapEvent {
        MapEvent {
            time_ns: 5,
            pid,
            tid,
            kind,
        }
    }

    fn forked(parent_pid: u32) -> MapEventKind {
        MapEventKind::Forked {
            parent_pid,
            parent_tid: parent_pid,
        }
    }

    #[test]
    fn a_process_has_ended_with_its_last_thread() {
        let mut live = LiveThreads::default();
        live.add(1);
        assert_eq!(live.message_of(event(1, 2, forked(1))), None);
        let child = FromSampler::Forked {
            time_ns: 5,
            pid: 3,
            parent_pid: 1,
        };
        assert_eq!(live.message_of(event(3, 3, forked(1))), Some(child));
        let exit = || MapEventKind::ThreadExited;
        let ended = |pid| Some(FromSampler::Exited { time_ns: 5, pid });
        assert_eq!(live.message_of(event(1, 1, exit())), None);
        assert_eq!(live.message_of(event(3, 3, exit())), ended(3));
        assert_eq!(live.message_of(event(1, 2, exit())), ended(1));
        assert_eq!(live.message_of(event(1, 1, exit())), None);
    }

    #[test]
    fn an_exec_leaves_one_thread() {
        let mut live = LiveThreads::default();
        (0..3).for_each(|_| live.add(1));
        let executed = live.message_of(event(1, 1, MapEventKind::Executed));
        assert_eq!(executed, Some(FromSampler::Executed { time_ns: 5, pid: 1 }));
        let exit = live.message_of(event(1, 1, MapEventKind::ThreadExited));
        assert_eq!(exit, Some(FromSampler::Exited { time_ns: 5, pid: 1 }));
    }
}
