//! A recording of a program in a folder of its own, and what became of it.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use profile::Profile;

use crate::held_parts::{Holder, How, lives, marked};
use crate::support::{can_record, lineheat};

/// The promise, and a second for a machine that does other things, too.
pub const AT_ONCE: Duration = Duration::from_secs(3);
/// All deadlines of one recording together.
pub const AT_LAST: Duration = Duration::from_secs(60);

/// Works for a fifth of the time, for so many tenths of a second; loads a library after the fourth; prints if it is to.
const PROGRAM: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static volatile long sum;
int main(int count, char **arguments) {
    long tenths = atol(arguments[1]);
    static char line[4096];
    memset(line, 'x', sizeof line);
    for (long i = 0; i < 10 * tenths; i++) {
        clock_t until = clock() + CLOCKS_PER_SEC / 500;
        while (clock() < until) for (int k = 0; k < 1000; k++) sum += k;
        usleep(8000);
        if (count > 2 && !strcmp(arguments[2], "print")) fwrite(line, 1, sizeof line, stdout);
        if (i == 40 && count > 2) {
            void *library = dlopen(arguments[2], RTLD_NOW);
            long (*work)(long) = library ? (long (*)(long))dlsym(library, "work") : 0;
            for (int k = 0; work && k < 20; k++) sum += work(3000000);
        }
    }
    return 0;
}
"#;
const LIBRARY: &str = "long work(long n) { volatile long sum = 0; for (long i = 0; i < n; i++) sum += i; return sum; }";

/// A folder with a program, a library and what is recorded of them.
pub struct Place {
    pub folder: tempfile::TempDir,
    pub mark: String,
}

impl Place {
    pub fn new() -> Place {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let place = Place {
            folder: tempfile::tempdir().expect("a temporary folder"),
            mark: format!("LINEHEAT_HELD={}-{number}", std::process::id()),
        };
        for (name, source, flags) in [
            ("program", PROGRAM, &["-ldl"][..]),
            ("libwork.so", LIBRARY, &["-shared", "-fPIC"]),
        ] {
            fs::write(place.path(&format!("{name}.c")), source).expect("written");
            let mut gcc = Command::new("gcc");
            gcc.args(["-O2", "-g", "-o"]).arg(place.path(name));
            gcc.arg(place.path(&format!("{name}.c"))).args(flags);
            assert!(gcc.status().expect("gcc is installed").success());
        }
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn run(&self) -> PathBuf {
        self.path("run.pb.gz")
    }

    pub fn record(&self, program: &[&str]) -> Recorder {
        self.record_by(lineheat(&[]), &[], program)
    }

    /// Nothing is known of any module: what is kept from earlier would need no reader.
    pub fn record_by(&self, mut engine: Command, flags: &[&str], program: &[&str]) -> Recorder {
        engine
            .arg("record")
            .args(flags)
            .arg("--output")
            .arg(self.run());
        engine.arg("--").arg(self.path("program")).args(program);
        self.start(&mut engine)
    }

    pub fn start(&self, engine: &mut Command) -> Recorder {
        self.start_printing(engine, Stdio::null())
    }

    /// What the command prints goes there.
    pub fn start_printing(&self, engine: &mut Command, stdout: Stdio) -> Recorder {
        let told = File::create(self.path("told")).expect("created");
        self.start_with(engine, stdout, Stdio::from(told))
    }

    /// What the engine says goes there.
    pub fn start_telling(&self, engine: &mut Command, stderr: Stdio) -> Recorder {
        self.start_with(engine, Stdio::null(), stderr)
    }

    fn start_with(&self, engine: &mut Command, stdout: Stdio, stderr: Stdio) -> Recorder {
        let (name, value) = self.mark.split_once('=').expect("one variable");
        let engine = (engine.env(name, value))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr)
            .spawn()
            .expect("lineheat runs");
        Recorder {
            engine,
            told: self.path("told"),
        }
    }

    /// The run, from a journal if need be.
    pub fn profile(&self) -> Profile {
        Profile::open(&self.run()).unwrap_or_else(|e| panic!("{e}\n{}", self.told()))
    }

    pub fn told(&self) -> String {
        fs::read_to_string(self.path("told")).unwrap_or_default()
    }

    pub fn assert_kept(&self, samples_min: u64, sentences: &[&str]) {
        let profile = self.profile();
        let info = profile.run.as_ref().expect("our own run");
        assert!(info.samples_kept >= samples_min, "{}", self.told());
        let problems = info.problems.join("\n");
        for sentence in sentences {
            assert!(
                problems.contains(sentence),
                "no {sentence:?} in\n{problems}"
            );
        }
    }

    pub fn assert_told(&self, sentence: &str) {
        let told = self.told();
        assert!(told.contains(sentence), "no {sentence:?} in\n{told}");
    }

    pub fn has_name(&self, name: &str) -> bool {
        let profile = self.profile();
        let mut functions = profile.functions.iter();
        functions.any(|f| profile.text(f.name) == name)
    }

    /// What ends with its parent needs a moment for it.
    pub fn assert_nothing_runs(&self, held: &[u32]) {
        let deadline = Instant::now() + Duration::from_secs(5);
        loop {
            let left = marked(&self.mark);
            let held: Vec<&u32> = held.iter().filter(|pid| lives(**pid)).collect();
            if left.is_empty() && held.is_empty() {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "{left:?} {held:?}\n{}",
                self.told()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

pub struct Recorder {
    pub engine: Child,
    told: PathBuf,
}

impl Recorder {
    pub fn pid(&self) -> u32 {
        self.engine.id()
    }

    pub fn interrupt(&self) {
        self.signal(libc::SIGINT);
    }

    pub fn signal(&self, signal: i32) {
        // SAFETY: kill has no memory preconditions; the engine was not waited for.
        unsafe { libc::kill(self.pid() as i32, signal) };
    }

    pub fn ends_within(&mut self, limit: Duration) -> i32 {
        let started = Instant::now();
        loop {
            if let Some(status) = self.engine.try_wait().expect("ours") {
                return status.code().unwrap_or(-1);
            }
            let told = || fs::read_to_string(&self.told).unwrap_or_default();
            assert!(
                started.elapsed() < limit,
                "it goes on after {limit:?}\n{}",
                told()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// A second Ctrl+C, some time after the first.
    pub fn ends_at_once(&mut self) {
        self.interrupt();
        std::thread::sleep(Duration::from_millis(200));
        self.interrupt();
        self.ends_within(AT_ONCE);
    }

    pub fn is_recording(&self) {
        let journal = self.told.with_file_name("run.pb.gz.journal");
        let started = Instant::now();
        while !journal.exists() {
            assert!(started.elapsed() < Duration::from_secs(30), "no journal");
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(300));
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let _ = self.engine.kill();
        let _ = self.engine.wait();
    }
}

pub const BOTH: [How; 2] = [How::Stopped, How::Frozen];

pub fn why(how: How) -> &'static str {
    match how {
        How::Stopped => "it was stopped by a signal",
        How::Frozen => "its control group was frozen",
    }
}

/// Each on a thread of its own: most of the time they wait.
pub fn at_the_same_time(cases: Vec<Box<dyn FnOnce() + Send>>) {
    let running: Vec<_> = cases.into_iter().map(std::thread::spawn).collect();
    let panicked = running.into_iter().filter_map(|case| case.join().err());
    assert_eq!(panicked.count(), 0, "see above");
}

pub fn for_both(case: fn(How, Holder)) {
    if !can_record() {
        return;
    }
    let cases = BOTH.into_iter().filter_map(|how| {
        let holder = Holder::of(how)?;
        Some(Box::new(move || case(how, holder)) as Box<dyn FnOnce() + Send>)
    });
    at_the_same_time(cases.collect());
}
