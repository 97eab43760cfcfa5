//! Several recordings whose commands run in turns, A B C, C B A, B A C …: what drifts (heat, other load) then hits all alike.
//! Nothing else happens while one of them runs: all are prepared before the first run, and end after the last.
//!
//! Each command runs once in a turn. The order within a turn is random, and that of the next turn is its reverse: a steady
//! drift cancels over both, and what comes with a fixed period meets none of the commands more often.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use supervision::{LOOK_EVERY, Urgency};

use statistics::{Decision, SoFar, Until};

use super::Incoming;
use super::repetitions::Repetition;

#[derive(Default)]
struct Turns {
    state: Mutex<State>,
    changed: Condvar,
    /// Held by the one that prepares.
    preparing: Mutex<()>,
    /// No run is to be kept. The first that is told ends the turns of all, so another may end before it is told itself.
    discarded: AtomicBool,
}

#[derive(Default)]
struct State {
    places: Vec<Place>,
    /// In which places run in this turn, by number.
    order: Vec<usize>,
    /// Whose turn it is: index into `order`.
    next: usize,
    /// Turns before this one.
    turns: usize,
    /// Makes the order of the next turn; `None` leaves it.
    reorder: Option<fn(turns: usize, order: &mut [usize])>,
    /// One of them failed, or was stopped, or all is told: nobody runs any more.
    is_over: bool,
    /// What each has run, by number.
    done: Vec<Vec<Repetition>>,
    watch: Option<Watch>,
}

/// Of two commands: says after each turn how they compare, and ends the turns when that is known.
pub struct Watch {
    pub until: Until,
    pub tell: Box<dyn Fn(SoFar) + Send>,
}

enum Place {
    Preparing,
    Waiting(SyncSender<Incoming>),
    Running,
    /// Has run, and will again.
    Between,
    /// Will not run any more, and wants to hear when the others do not either.
    Done(SyncSender<Incoming>),
    Left,
}

impl Place {
    fn is_out(&self) -> bool {
        matches!(self, Place::Done(_) | Place::Left)
    }
}

/// The place of one recording.
pub struct Turn {
    turns: Arc<Turns>,
    number: usize,
}

/// One place for each of `count` recordings; two of them may be watched.
pub fn turns(count: usize, watch: Option<Watch>) -> Vec<Turn> {
    turns_ordered_by(count, Some(random_then_reversed), watch)
}

fn random_then_reversed(turns: usize, order: &mut [usize]) {
    if turns % 2 == 1 {
        order.reverse();
        return;
    }
    // Fisher and Yates.
    let random = RandomState::new();
    for last in (1..order.len()).rev() {
        let other = random.hash_one(last) % (last as u64 + 1);
        order.swap(last, other as usize);
    }
}

fn turns_ordered_by(
    count: usize,
    reorder: Option<fn(usize, &mut [usize])>,
    watch: Option<Watch>,
) -> Vec<Turn> {
    let places = (0..count).map(|_| Place::Preparing).collect();
    let mut order: Vec<usize> = (0..count).collect();
    if let Some(reorder) = reorder {
        reorder(0, &mut order);
    }
    let state = Mutex::new(State {
        places,
        order,
        reorder,
        done: vec![Vec::new(); count],
        watch,
        ..State::default()
    });
    let turns = Arc::new(Turns {
        state,
        ..Turns::default()
    });
    (0..count)
        .map(|number| Turn {
            turns: Arc::clone(&turns),
            number,
        })
        .collect()
}

impl Turn {
    /// Nobody else prepares as long as the guard lives.
    pub fn prepare(&self) -> MutexGuard<'_, ()> {
        let preparing = self.turns.preparing.lock();
        preparing.unwrap_or_else(PoisonError::into_inner)
    }

    /// Wants to run; [`Incoming::YourTurn`] says when.
    pub fn ask(&self, sender: SyncSender<Incoming>) {
        self.change(|state, number| state.places[number] = Place::Waiting(sender));
    }

    /// Has run, and will ask again or be done. `ran`: `None` when it is not known how.
    pub fn pass(&self, ran: Option<Repetition>) {
        self.change(|state, number| {
            state.places[number] = Place::Between;
            state.done[number].extend(ran);
            state.next += 1;
        });
    }

    /// Will not run any more; [`Incoming::AllHaveRun`] says when nobody will.
    pub fn be_done(&self, sender: SyncSender<Incoming>) {
        self.change(|state, number| state.places[number] = Place::Done(sender));
    }

    /// What says that none of them is to be kept, before they are told to end. It does not keep the turns: their watch would never be
    /// over.
    pub fn discards_all(&self) -> impl Fn() + use<> {
        let turns = Arc::downgrade(&self.turns);
        move || {
            if let Some(turns) = turns.upgrade() {
                turns.discarded.store(true, Ordering::Release);
            }
        }
    }

    pub fn is_discarded(&self) -> bool {
        self.turns.discarded.load(Ordering::Acquire)
    }

    /// Nobody is to begin another run.
    pub fn end_all(&self) {
        self.change(|state, _| state.is_over = true);
    }

    /// Will not run any more; waits until nobody will, or it is urgent. Each of the others waits for nothing without a
    /// deadline.
    pub fn end_runs(&self, urgency: &Urgency) {
        self.leave();
        let mut state = self.turns.locked();
        while !state.has_ended() && !urgency.is_urgent() {
            let woken = self.turns.changed.wait_timeout(state, LOOK_EVERY);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub fn leave(&self) {
        self.change(|state, number| state.places[number] = Place::Left);
    }

    fn change(&self, change: impl FnOnce(&mut State, usize)) {
        let mut state = self.turns.locked();
        change(&mut state, self.number);
        let told = state.advance();
        drop(state);
        self.turns.changed.notify_all();
        for (sender, incoming) in told {
            // The one whose channel is full may be the one that we run on.
            if let Err(TrySendError::Full(incoming)) = sender.try_send(incoming) {
                thread::spawn(move || sender.send(incoming));
            }
        }
    }
}

impl Drop for Turn {
    /// Whoever has failed or is saved needs no turn.
    fn drop(&mut self) {
        self.leave();
    }
}

impl Turns {
    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn has_ended(&self) -> bool {
        self.places.iter().all(Place::is_out)
    }

    fn begin_turn(&mut self) {
        self.watch_turn();
        self.next = 0;
        self.turns += 1;
        if let Some(reorder) = self.reorder {
            reorder(self.turns, &mut self.order);
        }
    }

    fn watch_turn(&mut self) {
        let (Some(watch), [base, new]) = (&self.watch, &self.done[..]) else {
            return;
        };
        let used = |side: &[Repetition]| -> Vec<(u64, f64)> {
            side.iter().map(|one| (one.cpu_ns(), one.work)).collect()
        };
        let costs = statistics::turn_costs(&used(base), &used(new));
        // Without CPU time there is nothing to tell yet.
        if let Ok(Some(so_far)) = statistics::until(&costs, watch.until) {
            (watch.tell)(so_far);
            self.is_over |= so_far.decision != Decision::GoOn;
        }
    }

    /// What is to be told to whom now.
    fn advance(&mut self) -> Vec<(SyncSender<Incoming>, Incoming)> {
        if self.is_over {
            for place in &mut self.places {
                if let Place::Waiting(sender) = place {
                    *place = Place::Done(sender.clone());
                }
            }
        }
        if self.has_ended() {
            let done = self.places.iter_mut().filter_map(|place| match place {
                Place::Done(sender) => {
                    let told = (sender.clone(), Incoming::AllHaveRun);
                    *place = Place::Left;
                    Some(told)
                }
                _ => None,
            });
            return done.collect();
        }
        let is_busy = |place: &Place| matches!(place, Place::Preparing | Place::Running);
        if self.places.iter().any(is_busy) {
            return Vec::new();
        }
        // Those that are out are passed over; one that has run and has not asked again yet is waited for.
        let number = loop {
            match self.order.get(self.next) {
                None => {
                    let was_over = self.is_over;
                    self.begin_turn();
                    if self.is_over && !was_over {
                        return self.advance();
                    }
                }
                Some(&number) if self.places[number].is_out() => self.next += 1,
                Some(&number) => break number,
            }
        };
        match std::mem::replace(&mut self.places[number], Place::Running) {
            Place::Waiting(sender) => vec![(sender, Incoming::YourTurn)],
            other => {
                self.places[number] = other;
                Vec::new()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, sync_channel};

    use super::*;

    fn heard(receiver: &Receiver<Incoming>) -> &'static str {
        match receiver.try_recv() {
            Ok(Incoming::YourTurn) => "turn",
            Ok(Incoming::AllHaveRun) => "all",
            Ok(_) => "other",
            Err(_) => "nothing",
        }
    }

    #[test]
    fn one_that_is_ended_by_another_knows_that_all_are_discarded() {
        let turns = turns_ordered_by(2, None, None);
        assert!(!turns[1].is_discarded());
        turns[0].discards_all()();
        turns[0].end_all();
        assert!(turns.iter().all(Turn::is_discarded));
        let discard_all = turns[0].discards_all();
        let kept = Arc::downgrade(&turns[0].turns);
        drop(turns);
        assert!(
            kept.upgrade().is_none(),
            "whoever may discard keeps nothing"
        );
        discard_all();
    }

    #[test]
    fn they_run_one_after_the_other_once_all_are_prepared_and_end_together() {
        let turns = turns_ordered_by(2, None, None);
        let channels = [sync_channel(9), sync_channel(9)];
        let ask = |n: usize| turns[n].ask(channels[n].0.clone());
        let heard = |n: usize| heard(&channels[n].1);
        ask(0);
        assert_eq!(heard(0), "nothing", "the other is not prepared");
        ask(1);
        assert_eq!((heard(0), heard(1)), ("turn", "nothing"));
        turns[0].pass(None);
        assert_eq!((heard(0), heard(1)), ("nothing", "turn"));
        ask(0);
        assert_eq!(heard(0), "nothing");
        turns[1].pass(None);
        assert_eq!(heard(0), "turn", "the second has not asked again yet");
        turns[0].pass(None);
        turns[0].be_done(channels[0].0.clone());
        assert_eq!((heard(0), heard(1)), ("nothing", "nothing"));
        ask(1);
        assert_eq!(heard(1), "turn");
        turns[1].pass(None);
        turns[1].be_done(channels[1].0.clone());
        assert_eq!((heard(0), heard(1)), ("all", "all"));
        turns[0].end_runs(&Urgency::default());
    }

    #[test]
    fn one_that_leaves_holds_nobody_up_and_one_that_ends_all_is_heard() {
        let turns = turns_ordered_by(3, None, None);
        let channels = [sync_channel(9), sync_channel(9), sync_channel(9)];
        for n in 0..2 {
            turns[n].ask(channels[n].0.clone());
        }
        turns[2].leave();
        assert_eq!(heard(&channels[0].1), "turn");
        turns[0].end_all();
        turns[0].pass(None);
        assert_eq!(
            heard(&channels[1].1),
            "nothing",
            "the first has yet to be done"
        );
        turns[0].be_done(channels[0].0.clone());
        assert_eq!(
            (heard(&channels[0].1), heard(&channels[1].1)),
            ("all", "all")
        );
    }

    #[test]
    fn each_runs_once_in_a_turn_and_the_next_turn_is_the_reverse() {
        let mut firsts = [0; 3];
        for _ in 0..60 {
            let mut order = vec![0, 1, 2];
            random_then_reversed(0, &mut order);
            let former = order.clone();
            random_then_reversed(1, &mut order);
            assert!(former.iter().eq(order.iter().rev()));
            order.sort_unstable();
            assert_eq!(order, [0, 1, 2]);
            firsts[former[0]] += 1;
        }
        assert!(firsts.iter().all(|&times| times > 0), "{firsts:?}");
    }

    #[test]
    fn all_run_equally_often_whatever_the_order() {
        let turns = turns(3, None);
        let channels = [sync_channel(9), sync_channel(9), sync_channel(9)];
        for (turn, channel) in turns.iter().zip(&channels) {
            turn.ask(channel.0.clone());
        }
        let mut runs = [0; 3];
        for run in 1..=12 {
            let next = (0..3).find(|&n| heard(&channels[n].1) == "turn").unwrap();
            runs[next] += 1;
            turns[next].pass(None);
            turns[next].ask(channels[next].0.clone());
            if run % 3 == 0 {
                assert_eq!(runs, [run / 3; 3]);
            }
        }
    }

    #[test]
    fn two_that_are_watched_end_when_they_are_told_apart() {
        let (tell, told) = std::sync::mpsc::channel();
        let watch = Watch {
            until: Until {
                change: 0.02,
                turns_max: 100,
            },
            tell: Box::new(move |so_far| tell.send(so_far).unwrap()),
        };
        let turns = turns(2, Some(watch));
        let channels = [sync_channel(9), sync_channel(9)];
        for (turn, channel) in turns.iter().zip(&channels) {
            turn.ask(channel.0.clone());
        }
        let mut runs = [0; 2];
        for run in 0..100 {
            let Some(next) = (0..2).find(|&n| heard(&channels[n].1) == "turn") else {
                break;
            };
            runs[next] += 1;
            let cpu_ns = 1_000_000 + 200_000 * next as u64 + 1000 * (run % 3);
            turns[next].pass(Some(Repetition::that_used(cpu_ns)));
            turns[next].ask(channels[next].0.clone());
        }
        assert_eq!(runs, [5, 5]);
        let said: Vec<SoFar> = told.try_iter().collect();
        assert_eq!(said.last().unwrap().decision, Decision::Told);
        assert!(turns[0].turns.locked().has_ended());
    }
}
