//! What goes wrong during a recording, as facts, and as the user reads it. What the figures lack is a problem instead.

use std::time::Duration;

use target::Exit;

use super::repetitions::how_failed;

#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    /// The command did not end although it was killed.
    CommandLeft {
        waited: Duration,
        state: &'static str,
    },
    /// What it has started did not end although it was killed.
    ProcessesLeft {
        waited: Duration,
        state: &'static str,
        processes: Vec<String>,
    },
    /// It, or what it has started, was to end, and may not be signalled.
    NotPermitted { processes: Vec<String> },
    /// An execution of several failed.
    ExecutionFailed {
        number: usize,
        wanted: u32,
        exit: Exit,
    },
    /// The next execution could not be started.
    NotLaunched { why: String },
    /// The command waited to be run, and could not be.
    NotReleased { why: String },
    /// The sampler gave up, for this reason.
    SamplerFailed { why: String },
    /// It said nothing for so long that it was ended, if that was allowed.
    SamplerSilent {
        waited: Duration,
        state: &'static str,
        left_because: Option<String>,
    },
    /// It ended before the target did.
    SamplerExited {
        after: Duration,
        why: Option<String>,
    },
    /// It did all it had to, and is still there.
    SamplerLeft { why: String },
    /// The copy of an earlier build does not know of this run.
    BuildWithoutRun { why: String },
}

impl Trouble {
    /// None without processes.
    pub fn processes_left(pids: &[u32], waited: Duration) -> Option<Trouble> {
        let first = pids.first()?;
        Some(Trouble::ProcessesLeft {
            waited,
            state: supervision::state_of(*first).in_words(),
            processes: named(pids),
        })
    }

    /// None without processes.
    pub fn not_permitted(pids: &[u32]) -> Option<Trouble> {
        let processes = named(pids);
        (!pids.is_empty()).then_some(Trouble::NotPermitted { processes })
    }

    pub fn sentence(&self) -> String {
        match self {
            Trouble::CommandLeft { waited, state } => format!(
                "The command did not exit for {:.1} s after it was terminated and then killed ({state}): it was left behind.",
                waited.as_secs_f64()
            ),
            Trouble::ProcessesLeft {
                waited,
                state,
                processes,
            } => format!(
                "Left behind: {}, which the command had started, not exited {:.1} s after it was terminated and then killed ({state}).",
                listed(processes),
                waited.as_secs_f64()
            ),
            Trouble::NotPermitted { processes } => format!(
                "Left running: {}, which you are not permitted to end.",
                listed(processes)
            ),
            Trouble::ExecutionFailed {
                number,
                wanted,
                exit,
            } => format!(
                "Execution {number} of {wanted} {}. The recording stopped there; everything recorded until then is kept.",
                how_failed(*exit)
            ),
            Trouble::NotLaunched { why } | Trouble::SamplerFailed { why } => why.clone(),
            Trouble::NotReleased { why } => format!("The program could not be released: {why}."),
            Trouble::SamplerSilent {
                waited,
                state,
                left_because,
            } => {
                let and = match left_because {
                    None => "It was killed".to_owned(),
                    Some(why) => {
                        format!("It was left behind ({why}) and exits when it continues")
                    }
                };
                format!(
                    "The sampler did not respond for {:.0} s ({state}). {and}. The run contains the samples it had delivered; later samples are not counted.",
                    waited.as_secs_f64()
                )
            }
            Trouble::SamplerExited { after, why } => format!(
                "The sampler exited before the target, after {:.1} s{}. The run contains the samples taken until then, except for the last moment (about 50 ms), which is not counted.",
                after.as_secs_f64(),
                why.as_ref()
                    .map_or(String::new(), |why| format!(" ({why})"))
            ),
            Trouble::SamplerLeft { why } => {
                format!("The sampler finished but does not exit ({why}): it was left behind.")
            }
            Trouble::BuildWithoutRun { why } => {
                format!("The earlier build does not list this run: {why}.")
            }
        }
    }
}

fn named(pids: &[u32]) -> Vec<String> {
    let name = |pid: &u32| format!("{pid} ({})", target::process_name(*pid));
    pids.iter().map(name).collect()
}

/// At most some of them, with the number of all.
fn listed(processes: &[String]) -> String {
    const NAMED_MAX: usize = 5;
    let named: Vec<&str> = (processes.iter().take(NAMED_MAX))
        .map(String::as_str)
        .collect();
    let named = named.join(", ");
    match processes.len() {
        1 => format!("process {named}"),
        count @ ..=NAMED_MAX => format!("{count} processes ({named})"),
        count => format!("{count} processes ({named}, …)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_that_go_on_are_named_and_many_are_counted() {
        let own = std::process::id();
        let name = target::process_name(own);
        let told = |pids: &[u32]| Trouble::not_permitted(pids).map(|t| t.sentence());
        assert_eq!(told(&[]), None);
        assert_eq!(
            told(&[own]).unwrap(),
            format!("Left running: process {own} ({name}), which you are not permitted to end.")
        );
        let many = told(&[own; 7]).unwrap();
        assert!(
            many.contains("7 processes") && many.contains(", …)"),
            "{many}"
        );
    }
}
