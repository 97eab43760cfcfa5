//! `lineheat record`: the command line around [`crate::record`].

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use crate::record::{
    Control, EndReason, RecordOptions, Recorded, SAMPLE_HZ_DEFAULT, SAMPLE_HZ_MAX, Target,
    new_run_path, record,
};

/// Run a command (or attach to a process) and record where it spends its CPU time.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  lineheat record -- ./build/orders 200000       run a program and record it
  lineheat record --freq 4999 -- make -j2        five times finer; children are recorded too
  lineheat record --pid 4242 --duration 10       ten seconds of a running process

The command's own output passes through untouched. Ctrl+C ends the recording and keeps it.
Build with optimisation and line tables (gcc, clang: -O2 -g; Cargo: debug = 1).")]
pub struct Args {
    /// Samples a second on each busy thread
    #[arg(long, value_name = "HZ", default_value_t = SAMPLE_HZ_DEFAULT, value_parser = clap::value_parser!(u32).range(1..=i64::from(SAMPLE_HZ_MAX)))]
    freq: u32,
    /// Run file to write [default: .lineheat/runs/ID.pb.gz]
    #[arg(long, short, value_name = "RUN")]
    output: Option<PathBuf>,
    /// End after this many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    duration: Option<Duration>,
    /// Attach to a running process instead of running a command
    #[arg(long, value_name = "PID", conflicts_with = "command")]
    pid: Option<u32>,
    /// Name shown for the run
    #[arg(long, value_name = "TEXT", default_value = "")]
    name: String,
    /// Exit with the command's own exit status
    #[arg(long)]
    exit_status: bool,
    /// The command and its arguments
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "pid")]
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
    let target = match args.pid {
        Some(pid) => Target::Attach { pid },
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
        sample_hz: args.freq,
        duration: args.duration,
        output: Some(output),
        name: args.name,
    };
    let (control, receiver) = channel();
    watch_interrupts(control);
    match record(&options, receiver, |_| {}) {
        Ok(recorded) => {
            eprintln!("{}", summary(&recorded, args.freq));
            let own = if args.exit_status {
                own_status(&recorded)
            } else {
                0
            };
            ExitCode::from(own)
        }
        Err(e) => {
            eprintln!("lineheat: {e}");
            ExitCode::from(3)
        }
    }
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
    let mut text = format!(
        "lineheat: {} samples in {:.2} s at {hz} Hz, {lost}; {ended}",
        r.samples,
        r.wall.as_secs_f64()
    );
    if r.samples == 0 {
        text += "\nlineheat: no sample was taken: the command used less CPU time than the time between two samples. Give it more work, or a higher --freq.";
    }
    for problem in &r.problems {
        text += &format!("\nlineheat: {problem}");
    }
    if let Some(run) = &r.run {
        let run = run.display();
        text += &format!("\nlineheat: saved {run}\nlineheat: next: lineheat report {run}");
    }
    text
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn on_interrupt(_signal: libc::c_int) {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Ctrl+C ends the recording. The terminal has sent it to the command, too, which gets time to end by itself.
fn watch_interrupts(control: Sender<Control>) {
    let handler = on_interrupt as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // SAFETY: the handler only stores an atomic. Handlers do not survive exec, so the command is not affected.
    unsafe {
        libc::signal(libc::SIGINT, handler);
        libc::signal(libc::SIGTERM, handler);
    }
    thread::spawn(move || {
        while !INTERRUPTED.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(20));
        }
        let _ = control.send(Control::Interrupt);
    });
}
