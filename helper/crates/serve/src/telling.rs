//! What a recording tells the editor, from a thread of its own: an editor that is stopped, or held by a debugger, must not
//! keep the recording.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use wire::TargetOutput;
use wire::reply::Body;

use super::replies::Replies;

/// Of the target's output, for an editor that does not read; the rest is left out, and that is said.
const OUTPUT_BYTES_MAX: usize = 16 << 20;

/// For the replies to one request.
pub struct Telling {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Body>,
    output_bytes: usize,
    left_out_bytes: usize,
    is_over: bool,
}

impl Telling {
    pub fn start(replies: &Replies, id: u32) -> Telling {
        let shared = Arc::<Shared>::default();
        let (telling, replies) = (Arc::clone(&shared), replies.clone());
        replies.pushes.open(id);
        let thread = thread::spawn(move || {
            while let Some(body) = telling.next() {
                match body {
                    Body::RecordingProgress(_) => {
                        replies.push(id, body, |_, newest| newest);
                    }
                    body => replies.tell(id, body),
                }
            }
            replies.pushes.close(id);
        });
        Telling {
            shared,
            thread: Some(thread),
        }
    }

    /// Never waits.
    pub fn tell(&self, body: Body) {
        self.shared.locked().add(body);
        self.shared.changed.notify_one();
    }
}

impl Drop for Telling {
    /// Waits until all is told: what follows is the last reply.
    fn drop(&mut self) {
        self.shared.locked().is_over = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn locked(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// None: it is over.
    fn next(&self) -> Option<Body> {
        let mut queue = self.locked();
        loop {
            if let Some(body) = queue.take() {
                return Some(body);
            }
            if queue.is_over {
                return None;
            }
            let woken = self.changed.wait(queue);
            queue = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Queue {
    fn add(&mut self, body: Body) {
        match &body {
            Body::TargetOutput(output) => {
                if self.output_bytes + output.bytes.len() > OUTPUT_BYTES_MAX {
                    self.left_out_bytes += output.bytes.len();
                    return;
                }
                self.output_bytes += output.bytes.len();
            }
            // Only the newest says how it is.
            Body::RecordingProgress(_) => {
                let last = self.waiting.back();
                if matches!(last, Some(Body::RecordingProgress(_))) {
                    self.waiting.pop_back();
                }
            }
            _ => {}
        }
        self.waiting.push_back(body);
    }

    fn take(&mut self) -> Option<Body> {
        let Some(body) = self.waiting.pop_front() else {
            let left_out = std::mem::take(&mut self.left_out_bytes);
            let said = format!(
                "\r\nlineheat: {left_out} bytes of output are not shown, because the editor did not read them.\r\n"
            );
            return (left_out > 0).then(|| {
                Body::TargetOutput(TargetOutput {
                    bytes: said.into_bytes(),
                })
            });
        };
        if let Body::TargetOutput(output) = &body {
            self.output_bytes -= output.bytes.len();
        }
        Some(body)
    }
}

#[cfg(test)]
mod tests {
    use wire::RecordingProgress;

    use super::*;

    fn output(bytes: usize) -> Body {
        Body::TargetOutput(TargetOutput {
            bytes: vec![b'x'; bytes],
        })
    }

    #[test]
    fn what_an_editor_does_not_read_is_kept_up_to_a_bound_and_counted_beyond() {
        let mut queue = Queue::default();
        for samples in 0..1000 {
            let progress = RecordingProgress {
                samples,
                ..RecordingProgress::default()
            };
            queue.add(Body::RecordingProgress(progress));
        }
        for _ in 0..17 {
            queue.add(output(1 << 20));
        }
        let newest = queue.take();
        assert!(matches!(newest, Some(Body::RecordingProgress(p)) if p.samples == 999));
        let kept = std::iter::from_fn(|| Some(queue.take()?).filter(|b| *b == output(1 << 20)));
        assert_eq!(kept.count(), 16);
        assert!(queue.take().is_none(), "said once");
    }

    #[test]
    fn bytes_that_are_left_out_are_told() {
        let mut queue = Queue::default();
        queue.add(output(OUTPUT_BYTES_MAX));
        queue.add(output(7));
        assert!(queue.take().is_some());
        let Some(Body::TargetOutput(said)) = queue.take() else {
            panic!("it is said");
        };
        let said = String::from_utf8(said.bytes).unwrap();
        assert!(said.contains("7 bytes of output are not shown"), "{said}");
    }
}
