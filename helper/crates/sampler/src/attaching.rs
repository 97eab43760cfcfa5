//! Who is sampled: processes and threads are checked and taken in before sampling begins.

use std::collections::BTreeSet;

use records::{SamplerStep, ThreadId};

use crate::access::{Process, open_process};
use crate::end::{End, failed};
use crate::session::Session;

impl Session {
    /// Threads and processes that have ended meanwhile are left out, and those that are sampled already.
    pub(crate) fn attach(&mut self, threads: &[ThreadId]) -> Result<(), End> {
        let Some(first) = threads.first() else {
            return Ok(());
        };
        self.attachment.choose_timers(&mut self.bpf, first.tid)?;
        if self.attachment.is_per_cpu() {
            return self.attach_processes(threads);
        }
        let mut checked = None;
        for &thread in threads {
            if self.follower.processes().is_sampled(thread) {
                continue;
            }
            if self.invoker == 0 {
                self.attach_thread(thread, || true)?;
                continue;
            }
            if checked.as_ref().is_none_or(|(pid, _)| *pid != thread.pid) {
                checked = Some((thread.pid, open_process(thread.pid, self.invoker)?));
            }
            let Some((_, Some(process))) = &checked else {
                continue; // it has ended
            };
            if let Some(before) = process.thread(thread.tid) {
                let now = || process.thread(thread.tid);
                self.attach_thread(thread, || {
                    now().as_ref() == Some(&before) && process.is_still_there()
                })?;
            }
        }
        self.identify_followed()
    }

    fn attach_thread(
        &mut self,
        thread: ThreadId,
        is_the_same: impl Fn() -> bool,
    ) -> Result<(), End> {
        // First: what the thread starts is followed from its first moment.
        if !self.follower.knows(thread.pid) {
            self.bpf.follow(thread.pid, None);
        }
        match self.attachment.attach(&mut self.bpf, thread.tid) {
            Ok(()) if is_the_same() => {
                self.follower.add_thread(thread);
                self.attach_events(thread.tid, is_the_same)?;
            }
            Ok(()) => self.attachment.discard_last(),
            Err(End::Failed(_, libc::ESRCH, _)) => {}
            Err(other) => return Err(other),
        }
        if !self.follower.knows(thread.pid) {
            self.bpf.unfollow(thread.pid);
        }
        Ok(())
    }

    /// The timers of the CPUs take the samples: it only has to be known whose. A process that ended while it was looked
    /// at may have left its number to another one, so that is asked last.
    fn attach_processes(&mut self, threads: &[ThreadId]) -> Result<(), End> {
        // SAFETY: getppid has no preconditions.
        let engine = unsafe { libc::getppid() } as u32;
        let pids: BTreeSet<u32> = threads.iter().map(|t| t.pid).collect();
        let mut held = Vec::<(u32, Option<u32>, Process)>::new();
        for pid in pids {
            if self.follower.knows(pid) {
                continue;
            }
            let Some(process) = open_process(pid, self.invoker)? else {
                continue;
            };
            let running = process.threads();
            let is_its_own = |t: &&ThreadId| t.pid == pid && running.contains(&t.tid);
            let Some(named) = threads.iter().find(is_its_own) else {
                continue;
            };
            let only_thread = (pid == engine).then_some(named.tid);
            self.bpf.follow(pid, only_thread);
            held.push((pid, only_thread, process));
        }
        self.identify_followed()?;
        for (pid, only_thread, process) in held {
            let running = process.threads();
            match only_thread {
                _ if !process.is_still_there() => self.bpf.unfollow(pid),
                Some(tid) => {
                    self.follower.add_thread(ThreadId { pid, tid });
                    self.attach_events(tid, || process.is_still_there())?;
                }
                None => {
                    self.follower.add_process(pid, running);
                    self.attach_events_of(&process)?;
                }
            }
        }
        Ok(())
    }

    /// Events for waits and page faults. Threads that begin meanwhile are seen by their creator's event, or in another round.
    fn attach_events_of(&mut self, process: &Process) -> Result<(), End> {
        const ROUNDS_MAX: usize = 8;
        let sees_any = self.attachment.sees_waits() || self.attachment.faults.are_seen();
        if !sees_any && !self.counters.is_wanted() {
            return Ok(());
        }
        let mut attached = BTreeSet::new();
        for _ in 0..ROUNDS_MAX {
            let mut new = process.threads();
            new.retain(|tid| attached.insert(*tid));
            if new.is_empty() {
                break;
            }
            for tid in new {
                let Some(before) = process.thread(tid) else {
                    continue; // it has ended
                };
                self.attach_events(tid, || {
                    process.thread(tid).as_ref() == Some(&before) && process.is_still_there()
                })?;
            }
        }
        Ok(())
    }

    fn attach_events(&mut self, tid: u32, is_the_same: impl Fn() -> bool) -> Result<(), End> {
        self.counters.attach(&mut self.bpf, tid, &is_the_same);
        match self.attachment.attach_waits(&mut self.bpf, tid) {
            Ok(()) if is_the_same() => {}
            Ok(()) => {
                self.attachment.discard_last_waits();
                return Ok(());
            }
            Err(End::Failed(_, libc::ESRCH, _)) => return Ok(()),
            Err(other) => return Err(other),
        }
        let faults = &mut self.attachment.faults;
        match faults.attach(&mut self.bpf, tid) {
            Ok(()) if is_the_same() => {}
            Ok(()) => faults.discard_last(),
            Err(End::Failed(_, libc::ESRCH, _)) => {}
            Err(other) => return Err(other),
        }
        Ok(())
    }

    fn identify_followed(&self) -> Result<(), End> {
        let identified = self.bpf.identify_followed();
        identified.map_err(|e| failed(SamplerStep::AttachBpf, &e))
    }
}
