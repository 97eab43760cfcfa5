//! Who ended a wait where no line of the program did, in words.

use profile::Waker;

pub fn waker_text(waker: Waker) -> String {
    let kind = match waker.kind {
        "thread" => "a thread that was not seen",
        "exit" => "the end of a thread",
        "process" if waker.thread.is_empty() => "another process",
        "process" => return format!("another process, {}", waker.thread),
        "kernel" => "a thread of the kernel",
        "timer" => "a timer",
        "disk" => "a disk",
        "network" => "the network",
        _ => "an interrupt",
    };
    kind.to_owned()
}
