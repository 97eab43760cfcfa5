//! What a small program prints, asked for without being kept by it.

use std::fmt;
use std::io::{self, Read};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::{Patience, ProcessState, end, receive, state_of, wait_for};

/// Of what it prints; the rest is not read.
const OUTPUT_BYTES_MAX: u64 = 64 << 20;

/// Why there is no output.
#[derive(Debug)]
pub enum NoOutput {
    NotStarted(io::Error),
    /// It was ended for having taken so long, and was in this state.
    Late(Duration, ProcessState),
}

impl fmt::Display for NoOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoOutput::NotStarted(e) => write!(f, "could not be started: {e}"),
            NoOutput::Late(waited, state) => write!(
                f,
                "did not respond within {:.0} s ({})",
                waited.as_secs_f64(),
                state.in_words()
            ),
        }
    }
}

/// Runs the program and gives what it prints on its standard output. One that takes longer is ended.
///
/// # Errors
/// When it cannot be started, or the patience runs out.
pub fn output_within(command: &mut Command, patience: &mut Patience) -> Result<Output, NoOutput> {
    command.stdout(Stdio::piped());
    let mut child = command.spawn().map_err(NoOutput::NotStarted)?;
    let (sender, read) = channel();
    let stdout = child.stdout.take();
    // On a thread of its own, which ends with the program.
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let limited = stdout.map(|stdout| stdout.take(OUTPUT_BYTES_MAX));
        let _ = limited.map(|mut stdout| stdout.read_to_end(&mut bytes));
        sender.send(bytes)
    });
    let printed = receive(&read, patience).ok();
    let ended = printed.and_then(|stdout| Some((stdout, wait_for(&mut child, patience)?)));
    let Some((stdout, status)) = ended else {
        let state = state_of(child.id());
        end(child);
        return Err(NoOutput::Late(patience.waited(), state));
    };
    Ok(Output {
        status,
        stdout,
        stderr: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Urgency;

    fn sh(script: &str, limit: Duration) -> Result<Output, NoOutput> {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null());
        output_within(&mut command, &mut Patience::new(limit, &Urgency::default()))
    }

    #[test]
    fn what_is_printed_is_read_whole_and_the_status_told() {
        let script = "head -c 300000 /dev/zero; exit 3";
        let output = sh(script, Duration::from_secs(60)).unwrap();
        assert_eq!(
            (output.stdout.len(), output.status.code()),
            (300_000, Some(3))
        );
    }

    #[test]
    fn a_program_that_is_stopped_is_ended_and_its_state_told() {
        let limit = Duration::from_millis(300);
        for script in ["kill -STOP $$", "exec >&-; kill -STOP $$"] {
            let late = sh(script, limit).unwrap_err();
            assert!(
                matches!(late, NoOutput::Late(_, ProcessState::Stopped)),
                "{late:?}"
            );
        }
    }

    #[test]
    fn a_missing_program_is_told() {
        let mut command = Command::new("/nonexistent");
        let mut patience = Patience::new(Duration::from_secs(1), &Urgency::default());
        let missing = output_within(&mut command, &mut patience).unwrap_err();
        assert!(matches!(missing, NoOutput::NotStarted(_)));
    }
}
