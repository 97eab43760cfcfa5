//! The sampler as a child process: found, started, spoken to.

use std::io::{self, BufReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use records::{FromSampler, MessageReader};
use supervision::{Ending, Patience, ProcessState, Urgency, end, state_of, wait_for};

use super::ways::Way;
use super::{Incoming, RecordError, fd_passing};

pub struct SamplerProcess {
    /// None: it has ended, or was left behind.
    child: Option<Child>,
    pid: u32,
    /// It is not listened to any more.
    is_muted: Arc<AtomicBool>,
    /// Written by a thread of its own: were we to wait until the sampler reads while it waits until we do, neither would
    /// ever go on.
    input: Option<Sender<Outgoing>>,
    unsent: Vec<u8>,
    complaints: Arc<Complaints>,
}

/// What is written to the sampler at once.
struct Outgoing {
    bytes: Vec<u8>,
    /// Goes with the first byte.
    file: Option<OwnedFd>,
}

/// Messages in one batch.
const BATCH_MAX: usize = 1024;
const COMPLAINT_BYTES_MAX: u64 = 64 << 10;
/// After the last words of the sampler.
const COMPLAINTS_WITHIN: Duration = Duration::from_secs(1);
/// After its last words, or the end of its input.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

impl SamplerProcess {
    /// Starts the sampler; what it says arrives at `incoming`, its end as [`Incoming::SamplerGone`].
    pub fn start(way: &Way, incoming: SyncSender<Incoming>) -> Result<SamplerProcess, RecordError> {
        let path = &way.program;
        let not_started = |e: io::Error| {
            RecordError::internal(format!("{}: could not be started: {e}", path.display()))
        };
        // A socket, by which files can be sent.
        let (socket, its_input) = UnixStream::pair().map_err(not_started)?;
        let mut child = Command::new(path)
            .args(&way.args)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(its_input)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl+C in the terminal is for the command and us: the sampler has samples to deliver.
            .process_group(0)
            .spawn()
            .map_err(not_started)?;
        let stdout = child.stdout.take().expect("piped");
        let mut stderr = child
            .stderr
            .take()
            .expect("piped")
            .take(COMPLAINT_BYTES_MAX);
        let complaints = Arc::new(Complaints::default());
        let heard = Arc::clone(&complaints);
        thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.read_to_end(&mut text);
            heard.put(String::from_utf8_lossy(&text).into_owned());
        });
        let is_muted = Arc::new(AtomicBool::new(false));
        let muted = Arc::clone(&is_muted);
        thread::spawn(move || read_messages(stdout, &incoming, &muted));
        let (input, to_write) = channel();
        thread::spawn(move || write_messages(socket, &to_write));
        Ok(SamplerProcess {
            pid: child.id(),
            child: Some(child),
            is_muted,
            input: Some(input),
            unsent: Vec::new(),
            complaints,
        })
    }

    /// Messages leave with [`SamplerProcess::send`].
    pub fn unsent(&mut self) -> &mut Vec<u8> {
        &mut self.unsent
    }

    /// Never waits. A sampler that is gone is noticed by its [`Incoming::SamplerGone`].
    pub fn send(&mut self) {
        if let Some(input) = self.input.as_ref().filter(|_| !self.unsent.is_empty()) {
            let bytes = std::mem::take(&mut self.unsent);
            let _ = input.send(Outgoing { bytes, file: None });
        }
    }

    /// Sends what is unsent, then these bytes and a file with them.
    pub fn send_file(&mut self, bytes: Vec<u8>, file: OwnedFd) {
        self.send();
        if let Some(input) = &self.input {
            let file = Some(file);
            let _ = input.send(Outgoing { bytes, file });
        }
    }

    /// What libbpf printed. A sampler that has said its last word ends at once; of one that does not, nothing is known.
    pub fn complaints(&self) -> String {
        self.complaints.wait(COMPLAINTS_WITHIN)
    }
}

/// What a sampler printed, once it has ended.
#[derive(Default)]
struct Complaints {
    text: Mutex<Option<String>>,
    is_there: Condvar,
}

impl Complaints {
    fn put(&self, text: String) {
        *self.text.lock().expect("no panic while held") = Some(text);
        self.is_there.notify_all();
    }

    fn wait(&self, limit: Duration) -> String {
        let text = self.text.lock().expect("no panic while held");
        let waited = (self.is_there)
            .wait_timeout_while(text, limit, |text| text.is_none())
            .expect("no panic while held");
        waited.0.clone().unwrap_or_default()
    }
}

impl SamplerProcess {
    pub fn pid(&self) -> u32 {
        self.pid
    }

    pub fn state(&self) -> ProcessState {
        state_of(self.pid)
    }

    /// End of input ends the sampler: it may have more rights than we. One that does not end, for it is stopped or frozen,
    /// is killed where we may do that. Otherwise it is left behind, and ends when it is continued: it finds nobody who
    /// listens. Gives why, as the end of a sentence.
    pub fn end(&mut self, limit: Duration, urgency: &Urgency) -> Option<String> {
        drop(self.input.take());
        self.is_muted.store(true, Ordering::Relaxed);
        let mut child = self.child.take()?;
        let limit = match self.state().is_held() {
            true => Duration::ZERO,
            false => limit,
        };
        if wait_for(&mut child, &mut Patience::new(limit, urgency)).is_some() {
            return None;
        }
        match end(child) {
            Ending::Ended(_) => None,
            Ending::LeftBehind(why) => Some(why),
        }
    }
}

impl Drop for SamplerProcess {
    fn drop(&mut self) {
        self.end(ENDS_WITHIN, &Urgency::default());
    }
}

fn write_messages(mut socket: UnixStream, to_write: &Receiver<Outgoing>) {
    while let Ok(Outgoing { bytes, file }) = to_write.recv() {
        let written = match file {
            Some(file) => fd_passing::send(socket.as_fd(), &bytes, Some(file.as_fd())),
            None => socket.write_all(&bytes),
        };
        if written.is_err() {
            break;
        }
    }
}

/// Passes messages on in batches, as they arrive together: a wake-up for each sample would cost more than the sample.
fn read_messages(stream: impl Read, incoming: &SyncSender<Incoming>, is_muted: &AtomicBool) {
    let mut reader = MessageReader::new(BufReader::with_capacity(256 << 10, stream));
    let mut batch = Vec::new();
    let end = loop {
        match reader.next_message() {
            Ok(None) => break None,
            Err(e) => break Some(e.to_string()),
            Ok(Some((kind, body))) => match FromSampler::parse(kind, body) {
                Err(e) => break Some(e.to_string()),
                Ok(message) => batch.push(message),
            },
        }
        if is_muted.load(Ordering::Relaxed) {
            break None;
        }
        let more_is_here = !reader.stream().buffer().is_empty();
        if (!more_is_here || batch.len() >= BATCH_MAX)
            && incoming
                .send(Incoming::Sampler(std::mem::take(&mut batch)))
                .is_err()
        {
            return;
        }
    };
    if !is_muted.load(Ordering::Relaxed) {
        let _ = incoming.send(Incoming::Sampler(batch));
    }
    let _ = incoming.send(Incoming::SamplerGone(end));
}
