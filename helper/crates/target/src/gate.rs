//! Launch behind a gate: the program is stopped after its exec and before its first instruction, so that everything is
//! ready when it runs. Then it is let go, untraced, with the caller's own rights (under sudo: those of sudo's caller).

use std::ffi::OsString;
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{fmt, io};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::copied_output::CopiedOutput;
use crate::terminal::{Terminal, TerminalSize};
use user_files::invoker;

#[derive(Clone)]
pub struct LaunchOptions {
    pub program: PathBuf,
    /// What the program is told that it was called as (argv[0]); None: `program`.
    pub called_as: Option<OsString>,
    pub args: Vec<OsString>,
    pub cwd: Option<PathBuf>,
    /// Added to the caller's own environment.
    pub env: Vec<(OsString, OsString)>,
    /// A terminal of its own; without one the target shares the caller's input and output.
    pub terminal: Option<TerminalSize>,
    /// Without a terminal of its own.
    pub output: Output,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// The program prints where we do.
    Shared,
    /// The caller reads what it prints, and has to pass it on.
    Copied,
}

#[derive(Debug)]
pub enum LaunchError {
    NotFound(PathBuf),
    NotExecutable(PathBuf),
    /// The kernel refuses the file's format.
    BadFormat(PathBuf),
    BadDirectory(PathBuf),
    Terminal(io::Error),
    /// It did not come to its first instruction in this time, and was ended or left behind: how it was.
    Late(PathBuf, Duration, String),
    /// Nobody wants it any more.
    Unwanted(PathBuf),
    Other(PathBuf, io::Error),
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(p) => write!(f, "{}: no such program", p.display()),
            Self::NotExecutable(p) => {
                write!(f, "{}: the file is not marked executable", p.display())
            }
            Self::BadFormat(p) => write!(
                f,
                "{}: neither a program for this machine nor a script that names its interpreter",
                p.display()
            ),
            Self::BadDirectory(p) => write!(f, "{}: no such working directory", p.display()),
            Self::Terminal(e) => write!(f, "cannot create a terminal for the program: {e}"),
            Self::Late(p, waited, why) => write!(
                f,
                "{}: did not start within {:.0} s: {why}",
                p.display(),
                waited.as_secs_f64()
            ),
            Self::Unwanted(p) => write!(f, "{}: was not started", p.display()),
            Self::Other(p, e) => write!(f, "{}: could not be started: {e}", p.display()),
        }
    }
}

impl std::error::Error for LaunchError {}

/// A program that waits before its first instruction. Dropping it ends the program.
///
/// Made and released on one thread: that is the tracer.
pub struct Stopped {
    launched: Option<Launched>,
}

pub struct Launched {
    child: Child,
    pub terminal: Option<Terminal>,
    /// Its outputs, when they are copied.
    pub copied: Vec<CopiedOutput>,
}

/// How the program ended, with its CPU time and that of the children it waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    pub code: i32,
    /// 0: it was not a signal.
    pub signal: i32,
    pub user_ns: u64,
    pub system_ns: u64,
}

/// Starts the program and stops it right after its exec.
///
/// # Errors
/// When the program cannot be run; nothing is left behind then.
pub fn launch_stopped(options: &LaunchOptions) -> Result<Stopped, LaunchError> {
    launch_stopped_after(options, Duration::ZERO, None)
}

/// The same, after the new process has used so much CPU time in all: a sampling clock that it inherited then ticks at
/// another place in the program. The process writes its number to `born`, if that is there, before it can be kept from
/// anything.
///
/// # Errors
/// As [`launch_stopped`].
pub fn launch_stopped_after(
    options: &LaunchOptions,
    cpu_time: Duration,
    born: Option<RawFd>,
) -> Result<Stopped, LaunchError> {
    if let Some(cwd) = options.cwd.as_deref().filter(|d| !d.is_dir()) {
        return Err(LaunchError::BadDirectory(cwd.to_owned()));
    }
    let mut command = Command::new(&options.program);
    command
        .args(&options.args)
        .envs(options.env.iter().cloned());
    if let Some(name) = &options.called_as {
        command.arg0(name);
    }
    if let Some(cwd) = &options.cwd {
        command.current_dir(cwd);
    }
    let terminal = options.terminal.map(Terminal::open).transpose();
    let terminal = match terminal.map_err(LaunchError::Terminal)? {
        None => None,
        Some((terminal, its_side)) => {
            let copy = || its_side.try_clone().map_err(LaunchError::Terminal);
            command
                .stdin(Stdio::from(copy()?))
                .stdout(copy()?)
                .stderr(copy()?);
            Some(terminal)
        }
    };
    let own_terminal = terminal.is_some();
    let mut copied = Vec::new();
    if options.output == Output::Copied && !own_terminal {
        let (outputs, [its_out, its_err]) = CopiedOutput::open().map_err(LaunchError::Terminal)?;
        command.stdout(its_out).stderr(its_err);
        copied = outputs;
    }
    let invoker = invoker();
    if let Some(user) = &invoker {
        command.envs(user.env.iter().cloned());
    }
    // SAFETY: between fork and exec only async-signal-safe calls are made, and no memory is allocated.
    unsafe {
        command.pre_exec(move || {
            if let Some(born) = born {
                let pid = libc::getpid();
                libc::write(born, (&raw const pid).cast(), size_of_val(&pid));
            }
            if own_terminal {
                check(libc::setsid())?;
                check(libc::ioctl(0, libc::TIOCSCTTY, 0))?;
            }
            if let Some(user) = &invoker {
                user.become_user()?;
            }
            while cpu_time_of(libc::CLOCK_PROCESS_CPUTIME_ID) < cpu_time {
                (0..500).for_each(|_| std::hint::spin_loop());
            }
            let none = std::ptr::null_mut::<libc::c_void>();
            check(libc::ptrace(libc::PTRACE_TRACEME, 0, none, none) as i32)
        });
    }
    let child = command
        .spawn()
        .map_err(|e| launch_error(&options.program, e))?;
    let stopped = Stopped {
        launched: Some(Launched {
            child,
            terminal,
            copied,
        }),
    };
    wait_for_exec_stop(stopped.pid())
        .map_err(|e| LaunchError::Other(options.program.clone(), e))?;
    Ok(stopped)
}

fn cpu_time_of(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: time is a valid place for the result. Async-signal-safe.
    unsafe { libc::clock_gettime(clock, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn launch_error(program: &Path, error: io::Error) -> LaunchError {
    let program = program.to_owned();
    match error.raw_os_error() {
        Some(libc::ENOENT) if program.exists() => LaunchError::BadFormat(program), // its interpreter is missing
        Some(libc::ENOENT | libc::ENOTDIR) => LaunchError::NotFound(program),
        Some(libc::EACCES) => LaunchError::NotExecutable(program),
        Some(libc::ENOEXEC) => LaunchError::BadFormat(program),
        _ => LaunchError::Other(program, error),
    }
}

fn wait_for_exec_stop(pid: u32) -> io::Result<()> {
    let pid = pid as i32;
    let waited = waitpid(Pid::from_raw(pid), WaitOptions::empty())?;
    if waited.is_some_and(|(_, status)| status.stopped()) {
        let none = std::ptr::null_mut::<libc::c_void>();
        let options = libc::PTRACE_O_EXITKILL as usize as *mut libc::c_void;
        // Were we to be killed now, the kernel would let the program go, and nobody would know of it.
        // SAFETY: the child is stopped and traced by this thread; the options are passed by value.
        return check(unsafe { libc::ptrace(libc::PTRACE_SETOPTIONS, pid, none, options) } as i32);
    }
    Err(io::Error::other("it exited before its first instruction"))
}

impl Stopped {
    pub fn pid(&self) -> u32 {
        self.launched.as_ref().expect("not released").child.id()
    }

    /// The CPU time of the process so far, none of it the program's own.
    pub fn cpu_time(&self) -> Duration {
        let mut clock = 0;
        // SAFETY: clock is a valid place for the result.
        let found = unsafe { libc::clock_getcpuclockid(self.pid() as i32, &mut clock) } == 0;
        if found {
            cpu_time_of(clock)
        } else {
            Duration::ZERO
        }
    }

    /// Writes 0 over a byte of the program, if it is 1. Gives what it was.
    ///
    /// # Errors
    /// As ptrace(2): no such memory.
    pub fn clear_byte(&self, address: u64) -> io::Result<u8> {
        let pid = self.pid() as i32;
        let (aligned, at) = (address & !7, (address & 7) as usize);
        let mut word = [0u8; 8];
        // The system call itself gives the word by an address, the C library's function as its result.
        // SAFETY: the child is stopped and traced by this thread; word is a valid place for what is read.
        check(unsafe {
            libc::syscall(
                libc::SYS_ptrace,
                libc::PTRACE_PEEKDATA,
                pid,
                aligned,
                &mut word,
            )
        } as i32)?;
        let was = word[at];
        if was == 1 {
            word[at] = 0;
            let new = u64::from_ne_bytes(word);
            // SAFETY: as above; the word is passed by value.
            check(unsafe {
                libc::syscall(libc::SYS_ptrace, libc::PTRACE_POKEDATA, pid, aligned, new)
            } as i32)?;
        }
        Ok(was)
    }

    /// Lets the program run, no longer traced.
    pub fn release(mut self) -> io::Result<Launched> {
        let none = std::ptr::null_mut::<libc::c_void>();
        // SAFETY: the child is stopped and traced by this thread.
        check(unsafe { libc::ptrace(libc::PTRACE_DETACH, self.pid() as i32, none, none) } as i32)?;
        Ok(self.launched.take().expect("not released"))
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        if let Some(launched) = &mut self.launched {
            let _ = launched.child.kill();
            let _ = launched.child.wait();
        }
    }
}

impl Launched {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Exit {
    /// Leaves out CPU time that was used before the program began.
    pub fn without(self, before: Duration) -> Exit {
        let before_ns = before.as_nanos() as u64;
        let user_part_ns = before_ns.min(self.user_ns);
        let system_part_ns = (before_ns - user_part_ns).min(self.system_ns);
        Exit {
            user_ns: self.user_ns - user_part_ns,
            system_ns: self.system_ns - system_part_ns,
            ..self
        }
    }
}

/// Waits for a child to end. Callable from any thread, once.
pub fn wait(pid: u32) -> io::Result<Exit> {
    let mut status = 0;
    // SAFETY: an all-zero rusage is a valid one; both places outlive the call.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: as above.
        match check(unsafe { libc::wait4(pid as i32, &mut status, 0, &mut usage) }) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            other => break other?,
        }
    }
    let signalled = libc::WIFSIGNALED(status);
    Ok(Exit {
        code: if signalled {
            0
        } else {
            libc::WEXITSTATUS(status)
        },
        signal: if signalled { libc::WTERMSIG(status) } else { 0 },
        user_ns: nanoseconds(usage.ru_utime),
        system_ns: nanoseconds(usage.ru_stime),
    })
}

/// Kills a child that was not waited for yet, so the pid is still its own. One that has just ended needs no signal.
pub fn kill(pid: u32) {
    if let Some(pid) = Pid::from_raw(pid as i32) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

fn nanoseconds(t: libc::timeval) -> u64 {
    t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1000
}

fn check(result: i32) -> io::Result<()> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(program: &str, args: &[&str]) -> LaunchOptions {
        LaunchOptions {
            program: program.into(),
            called_as: None,
            args: args.iter().map(Into::into).collect(),
            cwd: None,
            env: vec![],
            terminal: None,
            output: Output::Shared,
        }
    }

    #[test]
    fn a_program_waits_until_it_is_released_and_its_exit_code_is_told() {
        let stopped = launch_stopped(&options("/bin/sh", &["-c", "exit 7"])).unwrap();
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", stopped.pid())).unwrap();
        assert!(maps.contains("/sh") || maps.contains("dash"), "{maps}");
        let launched = stopped.release().unwrap();
        assert_eq!(wait(launched.pid()).unwrap().code, 7);
    }

    #[test]
    fn a_program_is_told_the_name_it_is_called_as() {
        let options = LaunchOptions {
            called_as: Some("/some/where/tool".into()),
            ..options(
                "/bin/sh",
                &[
                    "-c",
                    "test \"$(tr '\\0' '\\n' </proc/$$/cmdline | head -n 1)\" = /some/where/tool",
                ],
            )
        };
        let launched = launch_stopped(&options).unwrap().release().unwrap();
        assert_eq!(wait(launched.pid()).unwrap().code, 0);
    }

    #[test]
    fn a_signal_is_told_apart_from_an_exit_code() {
        let stopped = launch_stopped(&options("/bin/sh", &["-c", "kill -SEGV $$"])).unwrap();
        let launched = stopped.release().unwrap();
        assert_eq!(wait(launched.pid()).unwrap().signal, libc::SIGSEGV);
    }

    #[test]
    fn a_program_that_is_not_there_or_not_a_program_is_named() {
        let missing = launch_stopped(&options("./no-such-program", &[]))
            .err()
            .unwrap();
        assert!(matches!(missing, LaunchError::NotFound(_)), "{missing}");
        let text = launch_stopped(&options("/etc/passwd", &[])).err().unwrap();
        assert_eq!(
            text.to_string(),
            "/etc/passwd: the file is not marked executable"
        );
    }

    #[test]
    fn a_stopped_program_that_is_given_up_is_ended() {
        let stopped = launch_stopped(&options("/bin/sleep", &["100"])).unwrap();
        let pid = stopped.pid();
        drop(stopped);
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
    }
}
