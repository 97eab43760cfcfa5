//! Modules are read in a process of its own, so that one that makes a parser loop, overflow its stack or take all memory
//! costs its own names only: the process ends, the module is named, and the others are asked again.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use supervision::{Ending, LOOK_EVERY, Patience, Urgency, end, end_sometime, state_of};

use crate::ModuleSymbols;
use crate::confined::confine;
use crate::module::{Content, ModuleFile};
use crate::nesting;
use crate::options::Options;
use crate::worker_messages::{
    Said, Task, TaskContent, TaskModule, decode_symbols, read_message, write_message,
};

/// A module and what is asked of it.
pub struct AskedModule {
    pub module: ModuleFile,
    /// ELF virtual addresses, in any order.
    pub vaddrs: Vec<u64>,
}

/// What the process may take.
pub struct Isolation {
    /// Starts it: a program that calls [`crate::serve_as_worker`].
    pub command: Command,
    /// Memory of its own; files that are mapped to be read do not count.
    pub memory_bytes: u64,
    /// How much longer than [`Options::time_limit`] a module may take before the process is ended.
    pub grace: Duration,
    /// When it is urgent, modules that are not read in a moment stay without names.
    pub urgency: Urgency,
}

impl Isolation {
    pub fn by(command: Command) -> Isolation {
        Isolation {
            command,
            memory_bytes: 4 << 30,
            grace: Duration::from_secs(5),
            urgency: Urgency::default(),
        }
    }
}

/// A process that is stopped or frozen for so long is replaced: that is no module's fault.
const HELD_MAX: Duration = Duration::from_secs(5);
/// A process that ends before it has begun anything cannot be blamed on a module.
const STARTS_MAX: usize = 3;

/// As [`crate::symbolize_module_with`] for all of `asked`, in their order, in a process of its own.
/// [`Options::progress`] counts on, and `while_waiting` is called now and then.
pub fn symbolize_isolated(
    asked: &[AskedModule],
    options: &Options,
    isolation: &mut Isolation,
    mut while_waiting: impl FnMut(),
) -> Vec<ModuleSymbols> {
    let mut work = Work::of(asked);
    let mut at_once = options.threads.max(1);
    let mut failed_starts = 0;
    // For all of them together: it runs out when it is urgent.
    let mut hurry = Patience::new(Duration::MAX, &isolation.urgency);
    while !work.open.is_empty() {
        if hurry.runs_out() {
            work.give_up("the recording was stopped immediately, before it was read");
            break;
        }
        let ended = match Round::start(&work, options, isolation, at_once) {
            Ok(mut round) => {
                let ended = round.run(
                    &mut work,
                    options,
                    isolation,
                    &mut hurry,
                    &mut while_waiting,
                );
                if hurry.runs_out() {
                    continue;
                }
                ended.or_else(|| Some(round.ended()).filter(|_| !work.open.is_empty()))
            }
            Err(error) => Some(Ended {
                why: format!("cannot start a process to read it ({error})"),
                in_work: Vec::new(),
                is_their_fault: false,
            }),
        };
        let Some(ended) = ended else { continue };
        match ended.in_work.as_slice() {
            [] => {
                failed_starts += 1;
                if failed_starts == STARTS_MAX {
                    work.give_up(&ended.why);
                }
            }
            // Who of several it was is found out by asking them one by one.
            [_, _, ..] if !ended.is_their_fault && at_once > 1 => at_once = 1,
            blamed => blamed
                .iter()
                .for_each(|index| work.blame(*index, &ended.why)),
        }
    }
    work.answers()
}

/// Modules by their place in `asked`.
struct Work<'a> {
    asked: &'a [AskedModule],
    /// Not answered yet, with the addresses in ascending order.
    open: BTreeMap<u32, Vec<u64>>,
    done: BTreeMap<u32, ModuleSymbols>,
}

impl<'a> Work<'a> {
    fn of(asked: &'a [AskedModule]) -> Work<'a> {
        let sorted = |module: &AskedModule| {
            let mut vaddrs = module.vaddrs.clone();
            vaddrs.sort_unstable();
            vaddrs.dedup();
            vaddrs
        };
        Work {
            asked,
            open: (0..).zip(asked.iter().map(sorted)).collect(),
            done: BTreeMap::new(),
        }
    }

    /// Keeps an answer; false when it is none.
    fn take(&mut self, index: u32, bytes: &[u8]) -> bool {
        let Some(vaddrs) = self.open.get(&index) else {
            return false;
        };
        let Some(sorted) = decode_symbols(bytes, vaddrs) else {
            return false;
        };
        let symbols = in_order_asked(sorted, vaddrs, &self.asked[index as usize].vaddrs);
        self.open.remove(&index);
        self.done.insert(index, symbols);
        true
    }

    fn blame(&mut self, index: u32, why: &str) {
        let Some(asked) = self.asked.get(index as usize) else {
            return;
        };
        let path = asked.module.path().display();
        let count = asked.vaddrs.len();
        self.open.remove(&index);
        let unnamed = ModuleSymbols {
            chains: vec![Vec::new(); count],
            builds: vec![None; count],
            folded: vec![Vec::new(); count],
            problem: Some(format!(
                "{path}: symbols unreadable: {why}. Its names are unknown."
            )),
            ..ModuleSymbols::default()
        };
        self.done.insert(index, unnamed);
    }

    fn give_up(&mut self, why: &str) {
        let open: Vec<u32> = self.open.keys().copied().collect();
        open.into_iter().for_each(|index| self.blame(index, why));
    }

    fn answers(self) -> Vec<ModuleSymbols> {
        self.done.into_values().collect()
    }
}

fn in_order_asked(mut symbols: ModuleSymbols, sorted: &[u64], asked: &[u64]) -> ModuleSymbols {
    if sorted == asked {
        return symbols;
    }
    let place = |vaddr: &u64| sorted.partition_point(|known| known < vaddr);
    let places: Vec<usize> = asked.iter().map(place).collect();
    symbols.chains = places
        .iter()
        .map(|at| symbols.chains[*at].clone())
        .collect();
    symbols.builds = places
        .iter()
        .map(|at| symbols.builds[*at].clone())
        .collect();
    symbols.folded = places
        .iter()
        .map(|at| symbols.folded[*at].clone())
        .collect();
    symbols
}

/// One process, until it has answered all or has died.
struct Round {
    /// None: it is over.
    child: Option<Child>,
    pid: u32,
    heard: Receiver<io::Result<Said>>,
    /// For each module that was begun and is not answered.
    begun: BTreeMap<u32, Patience>,
    progress_before: usize,
}

struct Ended {
    why: String,
    in_work: Vec<u32>,
    /// All of `in_work` are to blame, not only one of them.
    is_their_fault: bool,
}

impl Round {
    fn start(
        work: &Work,
        options: &Options,
        isolation: &mut Isolation,
        at_once: usize,
    ) -> io::Result<Round> {
        let mut inherited: Vec<RawFd> = Vec::new();
        let modules = (work.open.iter())
            .map(|(index, vaddrs)| {
                let module = &work.asked[*index as usize].module;
                TaskModule {
                    index: *index,
                    path: module.path().into(),
                    content: match &module.content {
                        Content::AtPath => TaskContent::AtPath,
                        Content::Opened(file) => {
                            inherited.push(file.as_raw_fd());
                            TaskContent::Inherited(file.as_raw_fd())
                        }
                        Content::Bytes(bytes) => TaskContent::Bytes(bytes.clone()),
                    },
                    expected_build_id: module.expected_build_id.clone(),
                    vaddrs: vaddrs.clone(),
                }
            })
            .collect();
        let task = Task {
            mode: options.demangle,
            debug_directories: options
                .debug_directories
                .iter()
                .map(OsString::from)
                .collect(),
            time_limit: options.time_limit,
            threads: options.threads,
            at_once,
            debuginfod: options.debuginfod,
            lists_functions: options.lists_functions,
            cache: options.cache.clone().map(OsString::from),
            modules,
        };
        let mut command = Command::new(isolation.command.get_program());
        command.args(isolation.command.get_args());
        (command.stdin(Stdio::piped()))
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        // Stacks are address space that is hardly ever used, but counts: this limit is the second one, for what grows
        // faster than we look.
        let threads = at_once * (1 + options.threads.max(1));
        let stacks = (threads * nesting::STACK_BYTES) as u64;
        let patience = options.time_limit + isolation.grace;
        confine(
            &mut command,
            inherited,
            isolation.memory_bytes.saturating_add(stacks),
            patience * (2 + work.open.len() as u32) * options.threads.max(1) as u32,
        );
        let mut child = command.spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take();
        let task = task.encode();
        // On a thread of its own: a process that stops before it has read all must not stop us. One that died while
        // it was told shows in how it ended.
        std::thread::spawn(move || input.map(|mut input| write_message(&mut input, &task)));
        Ok(Round {
            pid: child.id(),
            child: Some(child),
            heard: listen(output),
            begun: BTreeMap::new(),
            progress_before: options.progress.load(Ordering::Relaxed),
        })
    }

    /// Takes answers until none is missing; otherwise how it came to an end, if that is known already.
    fn run(
        &mut self,
        work: &mut Work,
        options: &Options,
        isolation: &Isolation,
        hurry: &mut Patience,
        while_waiting: &mut impl FnMut(),
    ) -> Option<Ended> {
        let limit = options.time_limit + isolation.grace + options.debuginfod.unwrap_or_default();
        let mut silence = Patience::new(limit, &isolation.urgency);
        let mut held = Patience::new(HELD_MAX, &isolation.urgency);
        let mut looked = Instant::now();
        while !work.open.is_empty() {
            let said = self.heard.recv_timeout(LOOK_EVERY);
            if said.is_ok() {
                silence.renew();
            }
            match said {
                Ok(Ok(Said::Began(index))) => {
                    if work.open.contains_key(&index) {
                        let patience = Patience::new(limit, &isolation.urgency);
                        self.begun.insert(index, patience);
                    }
                }
                Ok(Ok(Said::Progress(done))) => {
                    let done = self.progress_before.saturating_add(done as usize);
                    options.progress.store(done, Ordering::Relaxed);
                }
                Ok(Ok(Said::Answer(index, bytes))) => {
                    self.begun.remove(&index);
                    if !work.take(index, &bytes) {
                        work.blame(index, "its content is invalid");
                    }
                }
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if hurry.runs_out() {
                return None;
            }
            if looked.elapsed() >= LOOK_EVERY {
                while_waiting();
                looked = Instant::now();
                if let Some(ended) = self.is_late(&mut silence, &mut held) {
                    return Some(ended);
                }
                if own_memory_bytes(self.pid) > isolation.memory_bytes {
                    let most = isolation.memory_bytes >> 20;
                    return Some(Ended {
                        why: format!("reading it took more than {most} MiB of memory"),
                        in_work: self.begun.keys().copied().collect(),
                        is_their_fault: false,
                    });
                }
            }
        }
        None
    }

    /// Whether the process, or what it reads, has taken too long.
    fn is_late(&mut self, silence: &mut Patience, held: &mut Patience) -> Option<Ended> {
        let state = state_of(self.pid);
        if !state.is_held() {
            held.renew();
        } else if held.runs_out() {
            return Some(Ended {
                why: format!(
                    "the process that reads symbols did not respond for {:.0} s: {}",
                    held.waited().as_secs_f64(),
                    state.in_words()
                ),
                in_work: Vec::new(),
                is_their_fault: false,
            });
        }
        let is_mute = silence.runs_out() && self.begun.is_empty();
        // All of them are looked at: their time counts from look to look.
        let mut late = Vec::new();
        for (index, patience) in &mut self.begun {
            if patience.runs_out() {
                late.push(*index);
            }
        }
        (is_mute || !late.is_empty()).then(|| Ended {
            why: format!(
                "reading it took longer than {:.0} s",
                silence.limit().as_secs_f64()
            ),
            in_work: late,
            is_their_fault: true,
        })
    }

    /// Of a process that is gone, or will be.
    fn ended(&mut self) -> Ended {
        let why = match self.child.take().map(end) {
            Some(Ending::Ended(status)) => end_of(status),
            Some(Ending::LeftBehind(why)) => format!("the process that read it was lost: {why}"),
            None => "the process that read it was lost".to_owned(),
        };
        Ended {
            why,
            in_work: self.begun.keys().copied().collect(),
            is_their_fault: false,
        }
    }
}

impl Drop for Round {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            end_sometime(child);
        }
    }
}

/// What a process has in memory besides files; 0 when the kernel does not tell.
fn own_memory_bytes(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("RssAnon:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.map_or(0, |kib| kib * 1024)
}

fn listen(output: Option<ChildStdout>) -> Receiver<io::Result<Said>> {
    let (sender, heard) = channel();
    std::thread::spawn(move || {
        let Some(mut output) = output else { return };
        loop {
            let said = read_message(&mut output).and_then(|bytes| {
                Said::decode(&bytes).ok_or_else(|| io::ErrorKind::InvalidData.into())
            });
            let is_last = said.is_err();
            if sender.send(said).is_err() || is_last {
                break;
            }
        }
    });
    heard
}

fn end_of(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    let what = match (status.signal(), status.code()) {
        (Some(libc::SIGABRT), _) => "by SIGABRT: out of memory, or a bug in the reader".to_owned(),
        (Some(libc::SIGSEGV), _) => {
            "by SIGSEGV: a stack overflow, or a bug in the reader".to_owned()
        }
        (Some(libc::SIGKILL), _) => "killed, probably because memory ran out".to_owned(),
        (Some(libc::SIGXCPU), _) => "out of CPU time".to_owned(),
        (Some(signal), _) => format!("by signal {signal}"),
        (_, code) => format!("with exit status {}", code.unwrap_or_default()),
    };
    format!("the process that read it ended ({what})")
}
