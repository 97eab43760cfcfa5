//! Flags of the commands that record: `RecordFlags` of each, and those that only one has.
//!
//! Made from protocol/record-options.json by `npm run generate`; do not edit it.

use std::time::Duration;

use recorder::{Choices, work_expression};
use regex::bytes::Regex;

use crate::record_flag_values::{TimersOf, seconds, units};

#[derive(clap::Args, Clone)]
pub struct RecordFlags {
    /// Samples per second per busy thread
    #[arg(long, value_name = "HZ", default_value_t = 999, value_parser = clap::value_parser!(u32).range(1..=9999))]
    pub freq: u32,
    /// Number of user-space frames to keep per stack. If a stack is deeper, the frames nearest the leaf are kept
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=2048))]
    pub max_frames: u32,
    /// Do not copy stack memory. Programs that the target starts may then lack callers at first
    #[arg(long)]
    pub no_stack_copies: bool,
    /// Do not record waiting time: how long each thread was off the CPU, at which line and why
    #[arg(long)]
    pub no_waiting: bool,
    /// Timers that take the samples: one per CPU, which also samples threads and processes that live shorter than one
    /// sampling period, or one per thread, which does not interrupt other programs [default: cpu, unless the machine
    /// counts CPU cycles]
    #[arg(long, value_name = "WHOSE")]
    pub timers: Option<TimersOf>,
    /// Run N warm-up executions without recording them
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub warm_up: u32,
    /// Units of work per execution. Reports then show time per unit
    #[arg(long, value_name = "N", value_parser = units)]
    pub work: Option<f64>,
    /// Read the units of work from the command's output: the first group of the expression, in the last matching line. The
    /// output still goes where it normally would: through a second terminal if it is one, through a pipe if it is a file
    #[arg(long, value_name = "REGEX", value_parser = work_expression, conflicts_with = "work")]
    pub work_from: Option<Regex>,
    /// Fail instead of recording without privileges (user space only)
    #[arg(long)]
    pub privileged: bool,
    /// Record without privileges, in user space only, even if more is allowed
    #[arg(long, conflicts_with = "privileged")]
    pub unprivileged: bool,
    /// Store the text of every hot source file in the run, to take it to another machine. By default, a short run contains
    /// the texts of the hottest files and shares the others with the runs in the same folder
    #[arg(long)]
    pub self_contained: bool,
    /// Download missing debug information from the servers in DEBUGINFOD_URLS
    #[arg(long)]
    pub debuginfod: bool,
}

impl RecordFlags {
    pub fn choices(&self) -> Choices {
        Choices {
            sample_hz: self.freq,
            max_frames: self.max_frames,
            stack_copies: !self.no_stack_copies,
            waiting: !self.no_waiting,
            warm_up: self.warm_up,
            self_contained: self.self_contained,
            debuginfod: self.debuginfod,
            ..Choices::default()
        }
    }
}

// Of `lineheat record` only.
#[derive(clap::Args, Clone)]
pub struct OfRecord {
    /// Also record who ended each wait: which thread, at which line, or an interrupt (timer, disk, network). At most 5,000
    /// stacks per second per CPU are taken. Every wake-up of every process on this machine takes about 0.1 us longer during
    /// the recording. Requires root or the installed sampler. Show it with `report --blame`
    #[arg(long, conflicts_with = "no_waiting")]
    pub wakeups: bool,
    /// Also record allocated memory: how much each line allocates, what of it is never freed, and what was in use at the
    /// peak. A library is loaded into the command for it (LD_PRELOAD). Requires root or the installed sampler, and Linux 6.6
    /// or newer. Show it with `report --alloc`
    #[arg(long)]
    pub alloc: bool,
    /// Also record page faults, minor and major: the lines that touch memory for the first time, or read it from a disk.
    /// Totals are exact; above 300 faults per second per CPU, the split between lines is sampled. Requires root or the
    /// installed sampler. Show them with `report --measure faults`
    #[arg(long)]
    pub faults: bool,
    /// Also record system calls: how many each line makes, how long they take, and how many fail. Totals are exact; the
    /// split between lines is sampled. Every system call of every process on this machine takes about 0.2 us longer during
    /// the recording, those of the command 0.4 us. Requires root or the installed sampler. Show them with `report --syscalls`
    #[arg(long)]
    pub syscalls: bool,
    /// Also count events that perf knows, and at which lines they happen: 'page-faults,context-switches', or on a machine with
    /// hardware counters 'cycles,instructions,cache-misses'. Each is a measure of the run. At most 8. Requires root or the
    /// installed sampler
    #[arg(long, value_name = "EVENTS")]
    pub counters: Vec<String>,
    /// Also count each call of these functions, exactly: a name or a pattern ('Ledger::*'). May be given several times. Each
    /// call takes about 1 us more. Inlined calls are counted where that is certain. Requires root or the installed sampler, and
    /// Linux 6.6 or newer. Show the counts with `report --calls`
    #[arg(long, value_name = "FUNCTION")]
    pub calls: Vec<String>,
    /// Also time the calls of --calls, each from its start to its return: median, percentiles and maximum. In a virtual
    /// machine, each timed call takes about 25 us more. Functions that are called too often for that are only counted from
    /// then on. Not for Go. Show the times with `report --calls`
    #[arg(long)]
    pub latency: bool,
    /// Stop after this many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub duration: Option<Duration>,
    /// Execute the command N times and store every execution in one run. Ctrl+C keeps the completed executions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000), conflicts_with = "attach")]
    pub repeat: u32,
    /// Attach to a running process instead of running a command. May be given several times
    #[arg(long, value_name = "PID", group = "attach", conflicts_with = "command")]
    pub pid: Vec<u32>,
    /// Attach to all processes with this name
    #[arg(long, value_name = "NAME", group = "attach", conflicts_with_all = ["command", "pid"])]
    pub process: Option<String>,
    /// Attach to a running process and all its descendants
    #[arg(long, value_name = "PID", group = "attach", conflicts_with_all = ["command", "pid", "process"])]
    pub tree: Option<u32>,
}

impl OfRecord {
    /// Those of all commands with these.
    pub fn choices(&self, all: &RecordFlags) -> Choices {
        Choices {
            wakeups: self.wakeups,
            allocations: self.alloc,
            faults: self.faults,
            syscalls: self.syscalls,
            latency: self.latency,
            duration: self.duration,
            repeat: self.repeat,
            ..all.choices()
        }
    }
}

// Of `lineheat sweep` only.
#[derive(clap::Args, Clone)]
pub struct OfSweep {
    /// Execute each combination N times
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repeat: u32,
}

impl OfSweep {
    /// Those of all commands with these.
    pub fn choices(&self, all: &RecordFlags) -> Choices {
        Choices {
            repeat: self.repeat,
            ..all.choices()
        }
    }
}

// Of `lineheat compare-commands` only.
#[derive(clap::Args, Clone)]
pub struct OfCompareCommands {
    /// Also record allocated memory: how much each line allocates, what of it is never freed, and what was in use at the
    /// peak. A library is loaded into the command for it (LD_PRELOAD). Requires root or the installed sampler, and Linux 6.6
    /// or newer. Show it with `report --alloc`
    #[arg(long)]
    pub alloc: bool,
    /// Also record page faults, minor and major: the lines that touch memory for the first time, or read it from a disk.
    /// Totals are exact; above 300 faults per second per CPU, the split between lines is sampled. Requires root or the
    /// installed sampler. Show them with `report --measure faults`
    #[arg(long)]
    pub faults: bool,
    /// Also record system calls: how many each line makes, how long they take, and how many fail. Totals are exact; the
    /// split between lines is sampled. Every system call of every process on this machine takes about 0.2 us longer during
    /// the recording, those of the command 0.4 us. Requires root or the installed sampler. Show them with `report --syscalls`
    #[arg(long)]
    pub syscalls: bool,
    /// Also count each call of these functions, exactly: a name or a pattern ('Ledger::*'). May be given several times. Each
    /// call takes about 1 us more. Inlined calls are counted where that is certain. Requires root or the installed sampler, and
    /// Linux 6.6 or newer. Show the counts with `report --calls`
    #[arg(long, value_name = "FUNCTION")]
    pub calls: Vec<String>,
    /// Execute each command N times; with --until, at most [default: 10; with --until 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repeat: Option<u32>,
}

impl OfCompareCommands {
    /// Those of all commands with these.
    pub fn choices(&self, all: &RecordFlags) -> Choices {
        Choices {
            allocations: self.alloc,
            faults: self.faults,
            syscalls: self.syscalls,
            ..all.choices()
        }
    }
}
