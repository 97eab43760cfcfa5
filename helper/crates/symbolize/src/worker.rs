//! The process in which modules are read: it may die of one without harm to the engine that asked (`isolated`).

use std::fs::File;
use std::io::{self, Stdout, Write};
use std::os::fd::{BorrowedFd, FromRawFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{
    DumpableBehavior, Signal, set_dumpable_behavior, set_parent_process_death_signal,
};

use crate::module::ModuleFile;
use crate::nesting;
use crate::options::Options;
use crate::quiet_panics;
use crate::symbolize::symbolize_here;
use crate::worker_messages::{
    Said, Task, TaskContent, TaskModule, encode_symbols, read_message, write_message,
};

const PROGRESS_EVERY: Duration = Duration::from_millis(200);

/// Reads a task from stdin and writes the answers to stdout, those of small modules first or last as they come. Under sudo
/// with the rights of the user who called it, as neither a hostile module nor debuginfod's client needs root's.
///
/// # Errors
/// When either stream breaks, the task is none of this version, or the rights of that user cannot be taken.
pub fn serve_as_worker() -> io::Result<()> {
    // First: later only root may.
    make_expendable();
    if let Some(user) = user_files::invoker() {
        user.become_user()?;
        // Becoming another user has undone this (PR_SET_PDEATHSIG(2const)). Were the engine gone by now, stdin would end.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        for (name, value) in &user.env {
            // SAFETY: no other thread runs yet, and nothing holds a reference into the environment.
            unsafe { std::env::set_var(name, value) };
        }
    }
    let task = Task::decode(&read_message(&mut io::stdin().lock())?)
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
    let progress = Arc::new(AtomicUsize::new(0));
    let options = Options {
        demangle: task.mode,
        debug_directories: task
            .debug_directories
            .into_iter()
            .map(PathBuf::from)
            .collect(),
        time_limit: task.time_limit,
        threads: task.threads,
        debuginfod: task.debuginfod,
        lists_functions: task.lists_functions,
        progress: Arc::clone(&progress),
        cache: task.cache.map(PathBuf::from),
    };
    // Large ones first, so that none of them is alone at the end.
    let mut modules = task.modules;
    modules.sort_by_key(|module| std::cmp::Reverse(module.vaddrs.len()));
    let modules: Vec<Mutex<Option<TaskModule>>> = modules
        .into_iter()
        .map(|module| Mutex::new(Some(module)))
        .collect();
    let next = AtomicUsize::new(0);
    let output = Mutex::new(io::stdout());
    let (at_work, ended) = channel::<()>();
    quiet_panics::install();
    std::thread::scope(|scope| {
        let mut readers = 0;
        for _ in 0..task.at_once.clamp(1, modules.len().max(1)) {
            let at_work = at_work.clone();
            let (modules, next, output, options) = (&modules, &next, &output, &options);
            let reader = std::thread::Builder::new()
                .name(quiet_panics::THREAD_NAME.to_owned())
                .stack_size(nesting::STACK_BYTES);
            let started = reader.spawn_scoped(scope, move || {
                let _at_work = at_work;
                while let Some(module) = modules.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let module = module.lock().unwrap_or_else(PoisonError::into_inner).take();
                    if let Some(module) = module {
                        answer(module, options, output);
                    }
                }
            });
            match started {
                Ok(_) => readers += 1,
                // Those that run do its work.
                Err(_) if readers > 0 => break,
                Err(error) => return Err(error),
            }
        }
        drop(at_work);
        let mut told = 0;
        while ended.recv_timeout(PROGRESS_EVERY) == Err(RecvTimeoutError::Timeout) {
            let done = progress.load(Ordering::Relaxed) as u64;
            if done > told {
                say(&output, &Said::Progress(done));
                told = done;
            }
        }
        Ok(())
    })
}

fn answer(module: TaskModule, options: &Options, output: &Mutex<Stdout>) {
    say(output, &Said::Began(module.index));
    let mut file = match module.content {
        TaskContent::AtPath => ModuleFile::at_path(&module.path),
        TaskContent::Bytes(bytes) => ModuleFile::from_bytes(module.path, bytes),
        TaskContent::Inherited(fd) => {
            // SAFETY: the engine left this file open for us alone; nothing else here uses or closes its number. The
            // first call below fails if it is not open.
            let inherited = unsafe { BorrowedFd::borrow_raw(fd) }
                .try_clone_to_owned()
                .is_ok();
            match inherited {
                // SAFETY: as above; the number is open, and owned from here on.
                true => ModuleFile::opened(&module.path, unsafe { File::from_raw_fd(fd) }),
                false => ModuleFile::at_path(&module.path),
            }
        }
    };
    if let Some(build_id) = module.expected_build_id {
        file = file.expecting_build_id(build_id);
    }
    let symbols = symbolize_here(&file, &module.vaddrs, options);
    let bytes = encode_symbols(symbols, &module.vaddrs);
    say(output, &Said::Answer(module.index, bytes));
}

/// Without anybody who listens there is nothing left to do.
fn say(output: &Mutex<Stdout>, said: &Said) {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    if write_message(&mut *output, &said.encode()).is_err() {
        std::process::exit(3);
    }
}

/// When memory runs out this process goes first; when it dies, its memory, which is the module's, is not kept.
fn make_expendable() {
    let _ = File::options()
        .write(true)
        .open("/proc/self/oom_score_adj")
        .and_then(|mut file| file.write_all(b"800"));
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}
