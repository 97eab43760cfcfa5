//! A few threads that answer requests in the order they came.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

type Work = Box<dyn FnOnce() + Send>;

pub struct WorkerPool {
    work: SyncSender<Work>,
}

impl WorkerPool {
    /// At most `waiting` pieces of work wait for one of `workers` threads, which end with the pool.
    pub fn new(workers: usize, waiting: usize) -> WorkerPool {
        let (work, queue) = sync_channel::<Work>(waiting);
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..workers {
            let queue: Arc<Mutex<Receiver<Work>>> = Arc::clone(&queue);
            std::thread::spawn(move || {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    match next {
                        Ok(work) => work(),
                        Err(_) => break,
                    }
                }
            });
        }
        WorkerPool { work }
    }

    /// False when too much is waiting already; then `work` is not done.
    pub fn give(&self, work: Work) -> bool {
        self.work.try_send(work).is_ok()
    }
}
