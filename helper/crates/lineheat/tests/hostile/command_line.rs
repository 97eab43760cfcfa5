//! One file through every command that reads profiles.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::measured::{CPU_TIME_MAX, MEMORY_BYTES_MAX, Measured, PATIENCE, measured};
use crate::names::first_unsafe;

#[derive(Default)]
pub struct Worst {
    pub cpu_time: Duration,
    pub peak_bytes: u64,
}

impl Worst {
    pub fn add(&mut self, cpu_time: Duration, peak_bytes: u64) {
        self.cpu_time = self.cpu_time.max(cpu_time);
        self.peak_bytes = self.peak_bytes.max(peak_bytes);
    }
}

pub fn lineheat(arguments: &[&str]) -> Measured {
    measured(
        Command::new(env!("CARGO_BIN_EXE_lineheat")).args(arguments),
        PATIENCE,
    )
}

/// The refusal of `file`; `None`: it is shown, by all commands.
pub fn refusal(file: &Path, what: &str, worst: &mut Worst) -> Option<String> {
    let path = file.to_str().expect("UTF-8");
    let mut commands = vec![vec!["report", path]];
    let shown = check(&commands[0], what, worst);
    let Ok(source) = shown else {
        return shown.err();
    };
    let source = source.unwrap_or_else(|| "0.c".to_owned());
    commands = vec![
        vec!["report", path, "--lines", "--color", "never"],
        vec!["report", path, "--tree"],
        vec![
            "report",
            path,
            "--demangle",
            "full",
            "--json",
            "--limit",
            "100",
        ],
        vec!["diff", path, "--against", path],
        vec!["diff", path, "--against", path, "--lines"],
    ];
    for command in &commands {
        if let Err(why) = check(command, what, worst) {
            panic!("{what}: report shows it, {command:?} does not: {why}");
        }
    }
    // The source may not have been saved: that is a sentence, too.
    let _ = check(&["annotate", path, &source], what, worst);
    None
}

/// A path that the output names, or the sentence of a refusal.
fn check(command: &[&str], what: &str, worst: &mut Worst) -> Result<Option<String>, String> {
    let ran = lineheat(command);
    worst.add(ran.cpu_time, ran.peak_bytes);
    let stdout = String::from_utf8_lossy(&ran.stdout);
    let context = || format!("{what}, {command:?}: {}", ran.stderr);
    assert!(ran.status.is_some(), "{} hung or was killed", context());
    assert!(
        ran.cpu_time < CPU_TIME_MAX,
        "{} {:?}",
        context(),
        ran.cpu_time
    );
    assert!(
        ran.peak_bytes < MEMORY_BYTES_MAX,
        "{} {} bytes",
        context(),
        ran.peak_bytes
    );
    let json = command.contains(&"--json");
    for text in [&*stdout, &*ran.stderr] {
        let bad = first_unsafe(text).filter(|c| !json || *c < '\u{7f}');
        assert_eq!(bad, None, "{}", context());
    }
    match ran.status {
        Some(0) => {
            assert_eq!(ran.stderr, "", "{}", context());
            Ok(stdout
                .split_whitespace()
                .find(|word| word.contains(".c"))
                .map(str::to_owned))
        }
        Some(3) => {
            let sentence = ran.stderr.strip_prefix("lineheat: ").unwrap_or_default();
            let is_sentence = sentence.len() > 25 && sentence.ends_with(".\n");
            assert!(
                is_sentence && sentence.lines().count() == 1,
                "{}",
                context()
            );
            assert!(stdout.is_empty(), "{}", context());
            Err(sentence.trim_end().to_owned())
        }
        _ => panic!("{}: exit status {:?}", context(), ran.status),
    }
}
