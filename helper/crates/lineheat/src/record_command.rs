//! `lineheat record`: the command line around [`crate::record`].

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::IntoRawFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use records::layout::{USER_FRAMES_DEFAULT, USER_FRAMES_MAX};

use crate::demangling::DemangleChoice;
use crate::record::{
    AttachTo, Control, DEBUGINFOD_PATIENCE, EndReason, Event, Privilege, REPEAT_MAX, RecordOptions,
    Recorded, SAMPLE_HZ_DEFAULT, SAMPLE_HZ_MAX, Stage, Target, new_run_path, record,
};
use crate::terminal_text::visible;

/// Run a command (or attach to a process) and record where it spends its CPU time.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  lineheat record -- ./build/orders 200000       run a program and record it
  lineheat record --freq 4999 -- make -j2        five times finer; children are recorded too
  lineheat record --repeat 100 -- ./build/parse  a short program, a hundred times into one run
  lineheat record --pid 4242 --duration 10       ten seconds of a running process
  lineheat record --process postgres             all processes of a name, until Ctrl+C

The command's own output passes through untouched. Ctrl+C ends the recording and keeps it.
Build with optimisation and line tables (gcc, clang: -O2 -g; Cargo: debug = 1).")]
pub struct Args {
    /// Samples a second on each busy thread
    #[arg(long, value_name = "HZ", default_value_t = SAMPLE_HZ_DEFAULT, value_parser = clap::value_parser!(u32).range(1..=i64::from(SAMPLE_HZ_MAX)))]
    freq: u32,
    /// Frames kept of a user stack; of a deeper one, those nearest the leaf
    #[arg(long, value_name = "N", default_value_t = USER_FRAMES_DEFAULT, value_parser = clap::value_parser!(u32).range(1..=USER_FRAMES_MAX as i64))]
    max_frames: u32,
    /// Run file to write [default: .lineheat/runs/ID.pb.gz]
    #[arg(long, short, value_name = "RUN")]
    output: Option<PathBuf>,
    /// End after this many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    duration: Option<Duration>,
    /// Run the command so often, into one run: for commands too short for one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(REPEAT_MAX)), conflicts_with = "attach")]
    repeat: u32,
    /// Attach to a running process instead of running a command; may be given several times
    #[arg(long, value_name = "PID", group = "attach", conflicts_with = "command")]
    pid: Vec<u32>,
    /// Attach to all processes of this name
    #[arg(long, value_name = "NAME", group = "attach", conflicts_with_all = ["command", "pid"])]
    process: Option<String>,
    /// Attach to a running process and all that it has started
    #[arg(long, value_name = "PID", group = "attach", conflicts_with_all = ["command", "pid", "process"])]
    tree: Option<u32>,
    /// Fail rather than record without privilege (user space only)
    #[arg(long)]
    privileged: bool,
    /// Record without privilege, in user space only, even where more is allowed
    #[arg(long, conflicts_with = "privileged")]
    unprivileged: bool,
    /// Name shown for the run
    #[arg(long, value_name = "TEXT", default_value = "")]
    name: String,
    /// How names of functions are saved; reports can show them otherwise [default: templates]
    #[arg(long, value_name = "MODE", value_enum)]
    demangle: Option<DemangleChoice>,
    /// Ask the servers of DEBUGINFOD_URLS for debug information that is not on this machine
    #[arg(long)]
    debuginfod: bool,
    /// Exit with the command's own exit status
    #[arg(long)]
    exit_status: bool,
    /// The command and its arguments
    #[arg(
        last = true,
        value_name = "COMMAND",
        required_unless_present = "attach"
    )]
    command: Vec<OsString>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let wanted = "wanted a number of seconds above 0, such as 10 or 2.5";
    let value: f64 = text.parse().map_err(|_| wanted.to_owned())?;
    if !(value > 0.0 && value < 1e7) {
        return Err(wanted.to_owned());
    }
    Ok(Duration::from_secs_f64(value))
}

pub fn run(args: Args) -> ExitCode {
    let attach_to = match (args.process, args.tree) {
        (Some(name), _) => Some(AttachTo::Named(name)),
        (_, Some(root)) => Some(AttachTo::Tree(root)),
        _ if !args.pid.is_empty() => Some(AttachTo::Pids(args.pid)),
        _ => None,
    };
    let target = match attach_to {
        Some(to) => Target::Attach(to),
        None => {
            let mut command = args.command.into_iter();
            Target::Launch {
                program: command.next().expect("clap requires it").into(),
                args: command.collect(),
                cwd: None,
                env: vec![],
                terminal: None,
            }
        }
    };
    let output = args
        .output
        .unwrap_or_else(|| new_run_path(Path::new(".lineheat/runs")));
    let options = RecordOptions {
        target,
        privilege: match (args.privileged, args.unprivileged) {
            (true, _) => Privilege::Required,
            (_, true) => Privilege::None,
            _ => Privilege::BestAvailable,
        },
        sample_hz: args.freq,
        max_frames: args.max_frames,
        repeat: args.repeat,
        duration: args.duration,
        output: Some(output),
        name: args.name,
        demangle: (args.demangle).map_or_else(Default::default, DemangleChoice::mode),
        debuginfod: args.debuginfod.then_some(DEBUGINFOD_PATIENCE),
    };
    if args.debuginfod && std::env::var_os("DEBUGINFOD_URLS").is_none_or(|urls| urls.is_empty()) {
        eprintln!(
            "lineheat: --debuginfod asks the servers that DEBUGINFOD_URLS names, but it names none. Set it to a URL of your distribution's debuginfod, or leave --debuginfod out."
        );
        return ExitCode::from(2);
    }
    let (control, receiver) = channel();
    if let Err(e) = watch_interrupts(control) {
        eprintln!("lineheat: Ctrl+C cannot be watched for: {e}");
        return ExitCode::from(3);
    }
    let mut line_open = false;
    match record(&options, receiver, |event| tell(event, &mut line_open)) {
        Ok(recorded) => {
            say(&format!("{}\n", summary(&recorded, args.freq)));
            let own = if args.exit_status {
                own_status(&recorded)
            } else {
                0
            };
            ExitCode::from(own)
        }
        Err(e) => {
            say(&format!("lineheat: {}\n", visible(&e.message)));
            for line in e.advice.lines() {
                say(&format!("{}\n", visible(line)));
            }
            ExitCode::from(3)
        }
    }
}

/// Says at the beginning, when something can still be done, that less is recorded than was wanted; later, on a terminal,
/// how far a long search for names is.
fn tell(event: Event, line_open: &mut bool) {
    match event {
        Event::Started {
            refused: Some(refused),
            ..
        } => {
            say(&format!(
                "lineheat: recording without privilege, in user space only: time in the kernel will be missing, because {}\n",
                visible(&refused.message)
            ));
            for line in refused.advice.lines() {
                say(&format!("lineheat: {}\n", visible(line)));
            }
        }
        Event::Progress {
            stage: Stage::Symbolizing { done, total },
            ..
        } if total > 0 && io::stderr().is_terminal() => {
            *line_open = true;
            say(&format!(
                "\rlineheat: finding names and lines, {} %",
                100 * done / total
            ));
        }
        Event::Progress {
            stage: Stage::Saving,
            ..
        } if *line_open => say("\n"),
        Event::Trouble(sentence) => say(&format!("lineheat: {sentence}\n")),
        _ => {}
    }
}

/// A reader that has gone, or a closed terminal, is no reason to lose a run.
fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// As a shell reports it: 128 + signal.
fn own_status(recorded: &Recorded) -> u8 {
    recorded.exit.map_or(0, |e| {
        if e.signal == 0 {
            e.code as u8
        } else {
            128u8.saturating_add(e.signal as u8)
        }
    })
}

fn summary(r: &Recorded, hz: u32) -> String {
    let lost = match r.lost {
        0 => "none lost".to_owned(),
        n => format!(
            "{n} lost ({:.1} %)",
            100.0 * n as f64 / (n + r.samples) as f64
        ),
    };
    let ended = match (r.end_reason, r.exit) {
        (EndReason::Stopped, _) => "stopped".to_owned(),
        (EndReason::Duration, _) => "the time was over".to_owned(),
        (_, Some(e)) if e.signal != 0 => format!("the command was ended by signal {}", e.signal),
        (_, Some(e)) => format!("the command exited with {}", e.code),
        (_, None) => "the process ended".to_owned(),
    };
    let place = if r.user_space_only {
        " of user space"
    } else {
        ""
    };
    let runs = match r.repetitions {
        0 | 1 => String::new(),
        n => format!(" of {n} repetitions"),
    };
    let mut text = format!(
        "lineheat: {} samples{place}{runs} in {:.2} s at {hz} Hz, {lost}; {ended}",
        r.samples,
        r.wall.as_secs_f64()
    );
    if r.samples == 0 {
        text += "\nlineheat: no sample was taken: the command used less CPU time than the time between two samples. Give it more work, or a higher --freq.";
    }
    for problem in &r.problems {
        text += &format!("\nlineheat: {}", visible(problem));
    }
    if let Some(run) = &r.run {
        let run = run.to_string_lossy();
        let run = visible(&run);
        text += &format!("\nlineheat: saved {run}\nlineheat: next: lineheat report {run}");
    }
    text
}

/// Where the signal handler writes; -1 until there is a reader.
static INTERRUPTED: AtomicI32 = AtomicI32::new(-1);

extern "C" fn on_interrupt(_signal: libc::c_int) {
    // SAFETY: write(2) may be called in a signal handler; one byte from a live buffer.
    unsafe {
        libc::write(
            INTERRUPTED.load(Ordering::Relaxed),
            [0u8].as_ptr().cast(),
            1,
        )
    };
}

/// Ctrl+C ends the recording, as the terminal's end does. The terminal has sent it to the command, too, which gets time
/// to end by itself.
fn watch_interrupts(control: Sender<Control>) -> io::Result<()> {
    let (mut reader, writer) = io::pipe()?;
    INTERRUPTED.store(writer.into_raw_fd(), Ordering::Relaxed);
    let handler = on_interrupt as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // SAFETY: the handler only writes to a pipe that stays open. Handlers do not survive exec, so the command is not
    // affected.
    unsafe {
        libc::signal(libc::SIGINT, handler);
        libc::signal(libc::SIGTERM, handler);
        // Under nohup it is ignored, and stays so.
        if libc::signal(libc::SIGHUP, handler) == libc::SIG_IGN {
            libc::signal(libc::SIGHUP, libc::SIG_IGN);
        }
    }
    thread::spawn(move || {
        if reader.read_exact(&mut [0]).is_ok() {
            let _ = control.send(Control::Interrupt);
        }
    });
    Ok(())
}
