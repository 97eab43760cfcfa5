//! What a target says on the terminal that it was given.

use std::io::Read;
use std::sync::mpsc::SyncSender;

use super::Incoming;

/// Passes it on until the target has closed its side.
pub fn read_terminal(mut stream: impl Read, sender: &SyncSender<Incoming>) {
    let mut buffer = [0; 16 << 10];
    // EIO: the target has closed its side.
    while let Ok(n @ 1..) = stream.read(&mut buffer) {
        if sender.send(Incoming::Output(buffer[..n].to_vec())).is_err() {
            break;
        }
    }
}
