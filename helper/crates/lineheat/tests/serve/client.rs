//! A client as the editor is one: frames in, frames out, with a limit on every wait.
#![allow(dead_code)] // Each test program uses a part.

use std::io::Write;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::cpu_time::OwnTime;
use wire::{
    Failure, Hello, Message, PROTOCOL_VERSION, RecordingEnded, Reply, Request, encode_frame,
    read_frame, reply, request,
};

pub const PATIENCE: Duration = Duration::from_secs(120);

pub struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    replies: Receiver<Reply>,
    last_id: u32,
}

impl Engine {
    /// Started, nothing said yet.
    pub fn silent() -> Engine {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lineheat"));
        command.arg("serve");
        Engine::of(command)
    }

    /// A command that serves.
    pub fn of(mut command: Command) -> Engine {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("lineheat starts");
        let mut output = child.stdout.take().expect("it is a pipe");
        let (sender, replies) = channel();
        std::thread::spawn(move || {
            while let Ok(Some(bytes)) = read_frame(&mut output) {
                let reply = Reply::decode(&bytes[..]).expect("a reply");
                if sender.send(reply).is_err() {
                    break;
                }
            }
        });
        Engine {
            input: child.stdin.take(),
            child,
            replies,
            last_id: 0,
        }
    }

    /// Started and greeted.
    pub fn start() -> Engine {
        let mut engine = Engine::silent();
        match engine.ask(hello(PROTOCOL_VERSION)) {
            reply::Body::Welcome(_) => engine,
            other => panic!("not welcome: {other:?}"),
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        // A peer that has ended already is noticed by whoever waits for a reply.
        let _ = self.input.as_mut().expect("open").write_all(bytes);
    }

    pub fn send(&mut self, body: request::Body) -> u32 {
        self.last_id += 1;
        let request = Request {
            id: self.last_id,
            body: Some(body),
        };
        let frame = encode_frame(&request).expect("short enough");
        self.send_bytes(&frame);
        self.last_id
    }

    /// The next reply, whatever it answers; `None` at the end of the engine's output.
    pub fn next(&mut self) -> Option<Reply> {
        let reply = self.next_unseen()?;
        if reply.newest {
            self.see(reply.id);
        }
        Some(reply)
    }

    /// What the engine says unasked in reply to request `id` is seen.
    pub fn see(&mut self, id: u32) {
        self.send(request::Body::Seen(wire::Seen { id }));
    }

    /// The same as `next`; who calls it says `see`.
    pub fn next_unseen(&mut self) -> Option<Reply> {
        match self.replies.recv_timeout(PATIENCE) {
            Ok(reply) => Some(reply),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no reply within {PATIENCE:?}"),
        }
    }

    pub fn ask(&mut self, body: request::Body) -> reply::Body {
        let id = self.send(body);
        let reply = self.next().expect("a reply");
        assert_eq!((reply.id, reply.r#final), (id, true));
        reply.body.expect("a body")
    }

    /// The end of the recording that was asked for.
    pub fn recorded(&mut self) -> RecordingEnded {
        loop {
            match self.next().expect("a reply").body.expect("a body") {
                reply::Body::RecordingEnded(ended) => return ended,
                reply::Body::Failure(failure) => panic!("{failure:?}"),
                _ => {}
            }
        }
    }

    pub fn fails(&mut self, body: request::Body) -> Failure {
        match self.ask(body) {
            reply::Body::Failure(failure) => failure,
            other => panic!("it did not fail: {other:?}"),
        }
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    pub fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!("the engine did not end within {PATIENCE:?}");
    }

    /// How long it goes on without its input, less what it waited for a CPU.
    pub fn ended_by_its_input(&mut self) -> (Duration, ExitStatus) {
        let since = OwnTime::of(&[self.pid()]);
        self.close_input();
        loop {
            let after = since.elapsed();
            if let Some(status) = self.child.try_wait().expect("a child") {
                return (after, status);
            }
            assert!(after < PATIENCE, "the engine goes on");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    pub fn open_in(&mut self, path: &Path, folders: &[&Path]) -> wire::RunOpened {
        let request = wire::OpenRunRequest {
            run: wire::RunRef::file(text(path)),
            workspace_folders: folders.iter().map(|folder| text(folder)).collect(),
            ..wire::OpenRunRequest::default()
        };
        match self.ask(request::Body::OpenRun(request)) {
            reply::Body::RunOpened(opened) => opened,
            other => panic!("not opened: {other:?}"),
        }
    }

    pub fn open(&mut self, path: &Path) -> wire::RunOpened {
        self.open_in(path, &[])
    }

    pub fn view(&mut self, request: wire::ViewRequest) -> Vec<u8> {
        match self.ask(request::Body::View(request)) {
            reply::Body::View(view) => view.content,
            other => panic!("no view: {other:?}"),
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn hello(protocol: u32) -> request::Body {
    request::Body::Hello(Hello {
        protocol,
        client: "a test".to_owned(),
    })
}

pub fn text(path: &Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}
