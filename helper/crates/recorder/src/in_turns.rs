//! Several commands recorded in turns, each into its own run.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use statistics::{SoFar, Until};

use super::turns::{Turn, Watch, turns};
use super::{Control, Event, RecordError, RecordOptions, Recorded, record_in};

/// Each holds a sampler, with the rows of its program.
pub const IN_TURNS_MAX: usize = 8;

const LOOK_EVERY: Duration = Duration::from_millis(20);
const CONTROLS_WAITING_MAX: usize = 64;

enum Heard {
    Turn(SoFar),
    Event(Event),
    Ended(Result<Recorded, RecordError>),
}

/// Records all of them, one run of each after the other. Whatever is asked by `control` is asked of all. When one cannot
/// begin, nothing is recorded of the others. Two that have the same `until` end when it is reached.
///
/// Gives the outcomes in the order of `options`; at most [`IN_TURNS_MAX`] of them.
pub fn record_in_turns(
    options: Vec<RecordOptions>,
    control: &Receiver<Control>,
    mut on_event: impl FnMut(usize, Event),
) -> Vec<Result<Recorded, RecordError>> {
    let (sender, heard) = channel();
    let mut controls: Vec<SyncSender<Control>> = Vec::new();
    let count = options.len();
    let watch = until(&options).map(|until| {
        let sender = sender.clone();
        Watch {
            until,
            tell: Box::new(move |so_far| drop(sender.send((0, Heard::Turn(so_far))))),
        }
    });
    let turns = turns(count, watch);
    let discard_all = turns.first().map(Turn::discards_all);
    for (number, (options, turn)) in options.into_iter().zip(turns).enumerate() {
        let (control, receiver) = sync_channel(CONTROLS_WAITING_MAX);
        controls.push(control);
        let sender = sender.clone();
        thread::spawn(move || {
            let tell = |event| drop(sender.send((number, Heard::Event(event))));
            let outcome = record_in(&options, Some(&turn), receiver, tell);
            turn.leave();
            let _ = sender.send((number, Heard::Ended(outcome)));
        });
    }
    drop(sender);
    let to_all = |control: &Control| {
        if let (Control::Discard, Some(discard_all)) = (control, &discard_all) {
            discard_all();
        }
        for recording in &controls {
            // One that has ended, or does not listen any more, needs nothing.
            let _ = recording.try_send(control.clone());
        }
    };
    let mut outcomes: Vec<Option<Result<Recorded, RecordError>>> = Vec::new();
    outcomes.resize_with(count, || None);
    let mut begun = 0;
    loop {
        match heard.recv_timeout(LOOK_EVERY) {
            Ok((number, Heard::Event(event))) => {
                begun += usize::from(matches!(event, Event::Started { .. }));
                on_event(number, event);
            }
            Ok((number, Heard::Turn(so_far))) => on_event(number, Event::Turn(so_far)),
            Ok((number, Heard::Ended(outcome))) => {
                if outcome.is_err() && begun < count {
                    to_all(&Control::Discard);
                }
                outcomes[number] = Some(outcome);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        while let Ok(control) = control.try_recv() {
            to_all(&control);
        }
    }
    let lost = || RecordError::internal("a recording ended without a result".to_owned());
    outcomes
        .into_iter()
        .map(|o| o.unwrap_or_else(|| Err(lost())))
        .collect()
}

fn until(options: &[RecordOptions]) -> Option<Until> {
    let [base, new] = options else {
        return None;
    };
    Some(Until {
        change: base.until.filter(|_| base.until == new.until)?,
        turns_max: base.chosen.repeat.min(new.chosen.repeat) as usize,
    })
}
