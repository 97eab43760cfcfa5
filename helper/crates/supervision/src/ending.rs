//! Processes that we have started are ended, and waited for no longer than it makes sense.

use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::job::send;
use crate::{Patience, ProcessStat, Urgency, state_of};

/// What came of ending a process.
#[derive(Debug)]
pub enum Ending {
    Ended(ExitStatus),
    /// It goes on without us. Why, as the end of a sentence on it.
    LeftBehind(String),
}

/// How often to look for the end of a process that is about to end.
const LOOK_SOON: Duration = Duration::from_millis(2);
const LOOK_LATER: Duration = Duration::from_millis(10);
/// A killed process has ended by then, if it can.
const END_WITHIN: Duration = Duration::from_secs(1);

/// Waits for a process to end by itself. None: the patience has run out.
pub fn wait_for(child: &mut Child, patience: &mut Patience) -> Option<ExitStatus> {
    let mut look = LOOK_SOON;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if patience.runs_out() {
            return None;
        }
        std::thread::sleep(look);
        look = (2 * look).min(LOOK_LATER);
    }
}

/// Kills the process, which also ends one that is stopped or frozen, and waits a moment. One of another user's rights,
/// or one that waits for a file system, is left behind.
pub fn end(mut child: Child) -> Ending {
    let killed = child.kill();
    let mut patience = Patience::new(END_WITHIN, &Urgency::default());
    if killed.is_ok()
        && let Some(status) = wait_for(&mut child, &mut patience)
    {
        return Ending::Ended(status);
    }
    let why = match killed {
        Err(e) => format!("it could not be ended: {e}"),
        Ok(()) => format!("it could not be ended: {}", state_of(child.id()).in_words()),
    };
    end_sometime(child);
    Ending::LeftBehind(why)
}

/// Kills the process without waiting: one that reads a file of a file system which does not answer (FUSE) cannot even be
/// killed before it is answered.
pub fn end_sometime(mut child: Child) {
    let _ = child.kill();
    if matches!(child.try_wait(), Ok(None)) {
        // If no thread can be had, it is left to whoever adopts it.
        let _ = std::thread::Builder::new().spawn(move || child.wait());
    }
}

/// Kills every process that this one has started and that still lives, with what those have started in our session or in
/// theirs, and with the group of those that lead one. For a process that is about to end.
pub fn end_children() {
    let own = std::process::id();
    let own_session = ProcessStat::own_session();
    let all = ProcessStat::all();
    let mut found: Vec<&ProcessStat> = all.iter().filter(|p| p.parent == own).collect();
    let children = found.clone();
    let leads = |session: u32| children.iter().any(|child| child.pid == session);
    let mut looked_at = 0;
    while let Some(parent) = found.get(looked_at).map(|parent| parent.pid) {
        looked_at += 1;
        let stays = |p: &ProcessStat| p.session == own_session || leads(p.session);
        found.extend(all.iter().filter(|p| p.parent == parent && stays(p)));
    }
    for process in found.iter().filter(|process| !process.has_ended()) {
        let _ = send(process, Signal::KILL);
        // A child that was not waited for keeps its number.
        if process.parent == own
            && process.group == process.pid
            && let Some(child) = Pid::from_raw(process.pid as i32)
        {
            let _ = kill_process_group(child, Signal::KILL);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_that_ends_is_waited_for_and_a_stopped_one_is_ended() {
        let none = Urgency::default();
        let mut quick = Command::new("true").spawn().unwrap();
        let mut patience = Patience::new(Duration::from_secs(30), &none);
        assert!(wait_for(&mut quick, &mut patience).unwrap().success());

        let mut stopped = Command::new("sh")
            .args(["-c", "kill -STOP $$"])
            .spawn()
            .unwrap();
        let mut patience = Patience::new(Duration::from_millis(100), &none);
        assert!(wait_for(&mut stopped, &mut patience).is_none());
        assert!(matches!(end(stopped), Ending::Ended(_)));
    }
}
