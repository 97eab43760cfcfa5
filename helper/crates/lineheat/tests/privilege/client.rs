//! Speaks to the installed sampler itself, as an engine would, or as one should not.

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use records::layout::Timers;
use records::{FromSampler, MessageReader, PROTOCOL_VERSION, ThreadId, ToSampler};

use crate::cpu_time::OwnTime;
use crate::installed::as_user;

pub struct Sampler {
    pub child: Child,
    input: Option<ChildStdin>,
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Sampler {
    pub fn start(user: &str, sampler: &Path) -> Sampler {
        Sampler::spawn(&mut as_user(user, sampler))
    }

    pub fn spawn(command: &mut Command) -> Sampler {
        Sampler::with_input(command.stdin(Stdio::piped()))
    }

    fn with_input(command: &mut Command) -> Sampler {
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&bytes);
        let reader = std::thread::spawn(move || {
            let mut part = vec![0; 64 << 10];
            while let Ok(n @ 1..) = output.read(&mut part) {
                heard.lock().unwrap().extend_from_slice(&part[..n]);
            }
        });
        Sampler {
            input: child.stdin.take(),
            child,
            bytes,
            reader: Some(reader),
        }
    }

    pub fn hello() -> ToSampler {
        Sampler::hello_with(false, Timers::Best)
    }

    pub fn hello_with(stack_copies: bool, timers: Timers) -> ToSampler {
        ToSampler::Hello {
            version: PROTOCOL_VERSION,
            sample_hz: 999,
            kernel_stacks: true,
            user_frames: 64,
            row_capacity: 16,
            page_capacity: 16,
            stack_copies,
            timers,
            waits: false,
            allocations: false,
            calls: false,
            latency: false,
            faults: false,
            syscalls: false,
            counters: 0,
            allocation_places: false,
            wakeups: false,
        }
    }

    /// By a socket, as the engine does, which can send a file.
    pub fn start_by_socket(user: &str, sampler: &Path) -> (Sampler, UnixStream) {
        let (socket, its_input) = UnixStream::pair().unwrap();
        let mut command = as_user(user, sampler);
        command.stdin(Stdio::from(OwnedFd::from(its_input)));
        (Sampler::with_input(&mut command), socket)
    }

    pub fn say(&mut self, message: &ToSampler) {
        let mut bytes = Vec::new();
        message.write(&mut bytes).unwrap();
        self.say_bytes(&bytes);
    }

    /// A sampler that has ended does not hear it.
    pub fn say_bytes(&mut self, bytes: &[u8]) {
        let _ = self.input.as_mut().unwrap().write_all(bytes);
    }

    pub fn attach(&mut self, pid: u32) {
        self.attach_after(&Sampler::hello(), pid);
    }

    pub fn attach_after(&mut self, hello: &ToSampler, pid: u32) {
        self.say(hello);
        let threads = vec![ThreadId { pid, tid: pid }];
        self.say(&ToSampler::Attach { threads });
        self.say(&ToSampler::Start);
    }

    /// Whether it says something for which this holds, soon.
    pub fn says(&mut self, holds: impl Fn(&FromSampler) -> bool) -> bool {
        let deadline = Instant::now() + Duration::from_secs(60);
        while Instant::now() < deadline {
            if self.heard().iter().any(&holds) {
                return true;
            }
            if self.child.try_wait().unwrap().is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(50));
        self.heard().iter().any(&holds)
    }

    pub fn is_ready(&mut self) -> bool {
        self.says(|m| matches!(m, FromSampler::Ready { .. }))
    }

    /// All whole messages so far.
    pub fn heard(&self) -> Vec<FromSampler> {
        let bytes = self.bytes.lock().unwrap().clone();
        let mut reader = MessageReader::new(&bytes[..]);
        let mut messages = Vec::new();
        while let Ok(Some((kind, body))) = reader.next_message() {
            messages.push(FromSampler::parse(kind, body).unwrap());
        }
        messages
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// How long it goes on, without what it waited for a CPU, and its exit code; None: ended by a signal.
    pub fn end(&mut self) -> (Duration, Option<i32>) {
        let since = OwnTime::of(&[self.child.id()]);
        loop {
            let after = since.elapsed();
            if let Some(status) = self.child.try_wait().unwrap() {
                return (after, status.code());
            }
            assert!(after < Duration::from_secs(20), "it goes on");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Every byte that it has said; it is to end by itself.
    pub fn all_bytes(&mut self) -> Vec<u8> {
        self.close_input();
        self.end();
        self.reader.take().unwrap().join().unwrap();
        self.bytes.lock().unwrap().clone()
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
