//! The sampler as a child process: found, started, spoken to.

use std::io::{BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use records::{FromSampler, MessageReader};

use super::ways::Way;
use super::{Incoming, RecordError};

pub struct SamplerProcess {
    child: Child,
    /// Written by a thread of its own: were we to wait until the sampler reads while it waits until we do, neither would
    /// ever go on.
    input: Option<Sender<Vec<u8>>>,
    unsent: Vec<u8>,
    complaints: Arc<Mutex<String>>,
}

/// Messages in one batch.
const BATCH_MAX: usize = 1024;
const COMPLAINT_BYTES_MAX: u64 = 64 << 10;

/// The sampler that belongs to this engine lies beside it.
pub fn sampler_path() -> Result<PathBuf, RecordError> {
    let own = std::env::current_exe()
        .map_err(|e| RecordError::internal(format!("our own program file cannot be found: {e}")))?;
    let path = own.with_file_name("lineheat-sampler");
    if path.is_file() {
        return Ok(path);
    }
    Err(RecordError {
        kind: "not-found",
        message: format!("the sampler is missing: {} does not exist", path.display()),
        advice: "Install Lineheat again, or build it: npm run build".to_owned(),
    })
}

impl SamplerProcess {
    /// Starts the sampler; what it says arrives at `incoming`, its end as [`Incoming::SamplerGone`].
    pub fn start(way: &Way, incoming: SyncSender<Incoming>) -> Result<SamplerProcess, RecordError> {
        let path = &way.program;
        let mut child = Command::new(path)
            .args(&way.args)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl+C in the terminal is for the command and us: the sampler has samples to deliver.
            .process_group(0)
            .spawn()
            .map_err(|e| {
                RecordError::internal(format!("{}: could not be started: {e}", path.display()))
            })?;
        let stdout = child.stdout.take().expect("piped");
        let mut stderr = child
            .stderr
            .take()
            .expect("piped")
            .take(COMPLAINT_BYTES_MAX);
        let complaints = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&complaints);
        thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.read_to_end(&mut text);
            *heard.lock().expect("no panic while held") =
                String::from_utf8_lossy(&text).into_owned();
        });
        thread::spawn(move || read_messages(stdout, &incoming));
        let stdin = child.stdin.take().expect("piped");
        let (input, to_write) = channel();
        thread::spawn(move || write_messages(stdin, &to_write));
        Ok(SamplerProcess {
            child,
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
            let _ = input.send(std::mem::take(&mut self.unsent));
        }
    }

    /// What libbpf printed; complete once the sampler has ended.
    pub fn complaints(&self) -> String {
        self.complaints.lock().expect("no panic while held").clone()
    }
}

impl Drop for SamplerProcess {
    /// End of input ends the sampler. It may have more rights than we, so no signal is counted on.
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

fn write_messages(mut stdin: ChildStdin, to_write: &Receiver<Vec<u8>>) {
    while let Ok(bytes) = to_write.recv() {
        if stdin.write_all(&bytes).is_err() {
            break;
        }
    }
}

/// Passes messages on in batches, as they arrive together: a wake-up for each sample would cost more than the sample.
fn read_messages(stream: impl Read, incoming: &SyncSender<Incoming>) {
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
        let more_is_here = !reader.stream().buffer().is_empty();
        if (!more_is_here || batch.len() >= BATCH_MAX)
            && incoming
                .send(Incoming::Sampler(std::mem::take(&mut batch)))
                .is_err()
        {
            return;
        }
    };
    let _ = incoming.send(Incoming::Sampler(batch));
    let _ = incoming.send(Incoming::SamplerGone(end));
}
