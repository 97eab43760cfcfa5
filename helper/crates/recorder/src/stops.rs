//! What the user asks for while something is recorded, heard at once, whatever the recording waits for just then.

use std::sync::mpsc::{Receiver, TrySendError, sync_channel};
use std::thread;

use supervision::Urgency;

use super::Control;

/// Keys typed for a target that nobody passes on; the rest is lost, as in a terminal whose buffer is full.
const WAITING_MAX: usize = 256;

/// Passes on what comes; how often "stop" was among it is known to all who wait.
pub fn listen(control: Receiver<Control>, urgency: Urgency) -> Receiver<Control> {
    let (sender, receiver) = sync_channel(WAITING_MAX);
    thread::spawn(move || {
        while let Ok(control) = control.recv() {
            let is_input = matches!(control, Control::Input(_) | Control::Resize(_));
            if !is_input {
                urgency.ask();
            }
            match sender.try_send(control) {
                Ok(()) => {}
                Err(TrySendError::Full(control)) if !is_input => {
                    let sender = sender.clone();
                    thread::spawn(move || sender.send(control));
                }
                Err(TrySendError::Full(_)) => {}
                Err(TrySendError::Disconnected(_)) => break,
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_stop_behind_more_input_than_anybody_reads_is_heard_twice() {
        let (sender, control) = channel();
        let urgency = Urgency::default();
        let passed_on = listen(control, urgency.clone());
        for _ in 0..10 * WAITING_MAX {
            sender.send(Control::Input(vec![b'x'])).unwrap();
        }
        sender.send(Control::Stop).unwrap();
        sender.send(Control::Stop).unwrap();
        while !urgency.is_urgent() {
            thread::sleep(Duration::from_millis(1));
        }
        let next = || passed_on.recv_timeout(Duration::from_secs(10)).unwrap();
        let stops = std::iter::repeat_with(next).filter(|c| matches!(c, Control::Stop));
        assert_eq!(stops.take(2).count(), 2);
    }
}
