//! The sentences that a run has for its problems, with what can be done about each.

use profile::OTHER_STACKS;
use records::layout::{COPY_BYTES_MAX, FOLLOWED_MAX, USER_FRAMES_MAX};
use records::{SamplerError, SamplerStep};
use symbolize::{DemangleMode, Language, Text, demangle};

use super::problem::{Problem, Processes, RunTime, StacksEnd, TimersUsed, WhyUnknown};
use crate::modules::MadeBy;

const FOLDED_SHOWN_MAX: usize = 3;

const DROPPED: &str = "the machine was so busy that the kernel dropped records of loaded libraries, and the processes exited or started another program before Lineheat could look them up";

impl Problem {
    /// As the user reads it.
    pub fn sentence(&self) -> String {
        match self {
            Problem::UserSpaceOnly { user_ns, system_ns } => user_space_only(*user_ns, *system_ns),
            Problem::SamplesNotAllowed { samples, taken } => format!(
                "{samples} of {taken} samples ({:.1} %) belong to programs that you may not inspect (different rights, or protected memory). They were not recorded.",
                100.0 * *samples as f64 / (*taken).max(1) as f64
            ),
            Problem::ProgramsNotAllowed { programs } => {
                let which = match programs {
                    1 => "One program".to_owned(),
                    n => format!("{n} programs"),
                };
                format!(
                    "{which} of the target ran with different rights than yours (setuid, like sudo and ping) and could not be recorded from then on."
                )
            }
            Problem::NotFollowed { processes } => format!(
                "{processes} processes that the target started were not sampled: the sampler can follow at most {FOLLOWED_MAX} at a time."
            ),
            Problem::Lost { samples, taken } => format!(
                "{samples} of {taken} samples were lost ({:.1} %). Choose a lower sampling rate.",
                100.0 * *samples as f64 / *taken as f64
            ),
            Problem::WithoutStack {
                samples,
                kept,
                stacks,
            } => format!(
                "{samples} of {kept} samples are counted by thread, as {OTHER_STACKS}: a run can hold {stacks} different stacks, and there were more."
            ),
            Problem::NoWaits(refusal) => no_waits(*refusal),
            Problem::WaitsLost { waits, ns } => format!(
                "{waits} waits were lost, at least {:.1} ms of waiting time: there were too many at a time, or more threads than can be followed.",
                *ns as f64 / 1e6
            ),
            Problem::WaitsByPlace { waits, all } => format!(
                "{:.1} % of the {all} waits were too frequent to find the stack of each: they are charged to the last stack that was found at the same place. The total is exact.",
                100.0 * *waits as f64 / (*all).max(1) as f64
            ),
            Problem::WaitsWithoutStack { waits, ns, all_ns } => format!(
                "{waits} waits ({:.1} % of the waiting time) are counted by thread, as {OTHER_STACKS}: there were too many to find the stack of each. The total is exact.",
                100.0 * *ns as f64 / (*all_ns).max(1) as f64
            ),
            Problem::WaitsWithoutEnd { waits } => format!(
                "{waits} waits have no known length and are not in the waiting time: their program started another one, or could no longer be inspected."
            ),
            Problem::CausesBeyond { waits } => format!(
                "{waits} waits do not show who held the lock or ended them: there were too many different causes for one run. Record for a shorter time."
            ),
            Problem::WaitsBeyond { waits, ns } => format!(
                "{waits} waits ({:.1} h) are not in the waiting time: a run can hold 52 days of it, summed over all threads. Record for a shorter time.",
                *ns as f64 / 3.6e12
            ),
            Problem::ThreadsNotRun { threads } => {
                let which = match threads {
                    1 => "One thread".to_owned(),
                    n => format!("{n} threads"),
                };
                format!(
                    "{which} did not run during the recording. Where they waited is unknown, and they are not in the waiting time."
                )
            }
            Problem::Wakeups(problem) => problem.sentence(),
            Problem::SampledEvents(problem) => problem.sentence(),
            Problem::Allocations(problem) => problem.sentence(),
            Problem::Counters(sentences) => sentences.join(" "),
            Problem::Calls(problem) => problem.sentence(),
            Problem::MappingRecordsLost { records } => format!(
                "{records} records of loaded libraries were lost; code in those libraries is shown as [unknown]."
            ),
            Problem::UnreadProcesses { samples, of } => {
                let samples = match samples {
                    1 => "1 sample".to_owned(),
                    more => format!("{more} samples"),
                };
                let of = names_of(of);
                format!("Frames of {samples} of {of} are shown as [unknown]: {DROPPED}.")
            }
            Problem::UnknownFrames { share, why } => format!(
                "{:.0} % of the user-space frames belong to no known file and are shown as [unknown]: {}.",
                100.0 * share,
                why_unknown(why)
            ),
            Problem::DeepStacks { share } => {
                let advice =
                    format!(" Record with a higher --max-frames (at most {USER_FRAMES_MAX}).");
                cut_stacks(*share, "deeper than the kept frames", &advice)
            }
            Problem::LongCopies {
                share,
                is_privileged: true,
            } => cut_stacks(
                *share,
                &format!(
                    "longer than the {} KiB that are copied while the unwind tables of a file are being prepared",
                    COPY_BYTES_MAX >> 10
                ),
                " Record again: the tables are kept.",
            ),
            Problem::LongCopies {
                share,
                is_privileged: false,
            } => {
                let than = "deeper than the 32 KiB of stack that are copied without privileges";
                cut_stacks(*share, than, "")
            }
            Problem::BrokenStacks { share, mostly } => format!(
                "{:.1} % of the stacks do not reach the thread's start, so the totals of outer callers are too low.{}",
                100.0 * share,
                mostly.as_ref().map_or(String::new(), StacksEnd::sentence)
            ),
            Problem::MadeCode { by, share, why } => format!(
                "{} generated code at run time ({:.0} % of the samples): {why}.",
                maker(by),
                100.0 * share
            ),
            Problem::MoreMadeCode { processes } => {
                format!("The same applies to {processes} more processes.")
            }
            Problem::NoLines {
                module,
                share,
                why,
                is_unread,
                own,
            } => {
                let what = match why {
                    Some(why) => module_problem(module, *share, why),
                    None => format!(
                        "{module} ({:.0} % of the samples) has no line tables: build it with -g, or install its debug symbols.",
                        100.0 * share
                    ),
                };
                match is_unread {
                    true => format!("{what}."),
                    false => format!("{what}{}", own.map_or("", lines_advice)),
                }
            }
            Problem::NamesMissing { module, share, why } => module_problem(module, *share, why),
            Problem::Unoptimized {
                module,
                share,
                language,
            } => format!(
                "{module} was built without optimization ({:.0} % of the samples are in such code): a release build will have different figures.{}",
                100.0 * share,
                optimisation_advice(*language)
            ),
            Problem::Folded {
                module,
                share,
                functions,
            } => format!(
                "{module}: the linker merged functions with identical code (identical-code folding), and {:.0} % of the samples are in such code. Any of these may have run: {}.",
                100.0 * share,
                folded_names(functions)
            ),
            Problem::SourceChanged {
                path,
                differs: true,
            } => format!(
                "{path} differs from the text that the program was built from (the checksum in the line table differs). Build again, or lines may not match."
            ),
            Problem::SourceChanged {
                path,
                differs: false,
            } => format!(
                "{path} was changed after the program was built. Build again, or lines may not match."
            ),
            Problem::ShortLives {
                missing,
                expected,
                running_ns,
                samples,
                asked_hz,
                timers,
            } => {
                let advice = match timers {
                    TimersUsed::PerCpu => "",
                    TimersUsed::PerThread => "Record with --timers cpu.",
                    TimersUsed::Unprivileged => "Record with a higher --freq.",
                };
                format!(
                    "{:.0} % of the CPU time was not sampled: the kernel counted {:.2} s, but the samples cover {:.2} s. Per-thread timers miss threads and processes that run for less than {:.1} ms, the sampling period. {advice}",
                    100.0 * missing / expected,
                    *running_ns as f64 / 1e9,
                    *samples as f64 / f64::from(*asked_hz),
                    1e3 / f64::from(*asked_hz)
                )
            }
            Problem::Throttled {
                achieved_hz,
                asked_hz,
            } => format!(
                "The kernel took {achieved_hz:.0} samples per second of CPU time instead of {asked_hz}: it was throttled, or the machine gave the time to others. Shares are correct, times are too low. Use a lower --freq."
            ),
            Problem::WorkUnknown {
                unknown,
                executions,
                expression,
                found,
            } => {
                let which = match (unknown, executions) {
                    (_, 1) => "The work of the execution is unknown".to_owned(),
                    (n, all) => format!("The work of {n} of {all} executions is unknown"),
                };
                match found {
                    Some(text) => format!(
                        "{which}: '{expression}' matched '{text}', which is not a number above 0."
                    ),
                    None => {
                        format!("{which}: no line of the command's output matches '{expression}'.")
                    }
                }
            }
        }
    }
}

impl StacksEnd {
    /// Behind the share of stacks.
    pub fn sentence(&self) -> String {
        let advice = match self.run_time {
            Some(RunTime::Ghc) => {
                " Code compiled by GHC keeps its stack elsewhere: self times are correct, callers are unknown."
            }
            Some(RunTime::Java) => " Java: start it with -XX:+PreserveFramePointer.",
            Some(RunTime::LuaJit) => {
                " LuaJIT: its compiled code has no frames to follow. luajit -joff interprets the code instead."
            }
            None => "",
        };
        let place = (self.file.as_deref()).unwrap_or("code generated at run time");
        format!(
            " {:.0} % of them end in {place}.{advice}",
            100.0 * self.share
        )
    }
}

/// What a recording without privilege lacks, with the kernel's share where it is known.
fn user_space_only(user_ns: u64, system_ns: u64) -> String {
    let total_ns = user_ns + system_ns;
    let percent = 100.0 * system_ns as f64 / total_ns.max(1) as f64;
    let missing = match total_ns {
        0 => "kernel time is missing".to_owned(),
        _ if percent < 1.0 => "kernel time, less than 1 % of the total here, is missing".to_owned(),
        _ => format!(
            "{:.2} s of kernel CPU time ({percent:.0} % of the total) are missing",
            system_ns as f64 / 1e9
        ),
    };
    format!(
        "Recorded without privileges, in user space only: {missing}. `lineheat doctor` shows how to record kernel time and waiting time."
    )
}

fn no_waits(refusal: SamplerError) -> String {
    let why = match (refusal.step, refusal.errno) {
        (SamplerStep::OpenSwitchEvent, libc::EPERM | libc::EACCES) => {
            "lets only administrators open events of context switches".to_owned()
        }
        (_, errno) => format!(
            "does not offer what it requires ({})",
            std::io::Error::from_raw_os_error(errno)
        ),
    };
    format!("Waiting time was not recorded: this kernel {why}.")
}

fn cut_stacks(share: f64, than: &str, advice: &str) -> String {
    format!(
        "{:.1} % of the stacks are {than}, so the totals of their outer callers are too low.{advice}",
        100.0 * share
    )
}

fn why_unknown(why: &WhyUnknown) -> String {
    match why {
        WhyUnknown::Dropped(of) => format!("of {}, {DROPPED}", names_of(of)),
        WhyUnknown::RecordsLost(records) => format!("{records} records of mapped files were lost"),
        WhyUnknown::NeverMapped(of) => {
            format!("the kernel reported no mapped files of {}", names_of(of))
        }
        WhyUnknown::NoFile => "their addresses are in no mapped file: code generated at run time, or stacks that could not be unwound".to_owned(),
    }
}

fn names_of(processes: &Processes) -> String {
    let names = processes.first.iter();
    let names: Vec<_> = names.map(|(name, pid)| format!("{name} ({pid})")).collect();
    let more = if processes.are_all { "" } else { " and others" };
    format!("{}{more}", names.join(", "))
}

fn maker(by: &MadeBy) -> String {
    match by {
        MadeBy::Process { pid, name } if name.is_empty() => format!("process {pid}"),
        MadeBy::Process { pid, name } => format!("{name} (process {pid})"),
        MadeBy::Others => "other processes".to_owned(),
    }
}

fn module_problem(module: &str, share: f64, why: &str) -> String {
    format!("{module} ({:.0} % of the samples): {why}", 100.0 * share)
}

fn folded_names(groups: &[Vec<Text>]) -> String {
    let group = |names: &Vec<Text>| {
        let mut names: Vec<String> = (names.iter())
            .map(|name| demangle(name, DemangleMode::Full))
            .collect();
        let more = names.len().saturating_sub(FOLDED_SHOWN_MAX);
        names.truncate(FOLDED_SHOWN_MAX);
        match more {
            0 => names.join(" = "),
            more => format!("{} = {more} more", names.join(" = ")),
        }
    };
    let mut shown: Vec<String> = groups.iter().take(FOLDED_SHOWN_MAX).map(group).collect();
    if groups.len() > FOLDED_SHOWN_MAX {
        shown.push(format!("{} more", groups.len() - FOLDED_SHOWN_MAX));
    }
    shown.join("; ")
}

/// The line to add for line tables.
fn lines_advice(language: Language) -> &'static str {
    match language {
        Language::C | Language::Unknown => {
            " CMake: -DCMAKE_BUILD_TYPE=RelWithDebInfo. make: CFLAGS=\"-O2 -g\" CXXFLAGS=\"-O2 -g\"."
        }
        Language::Rust => " Cargo.toml: [profile.release] debug = 1 and strip = \"none\".",
        Language::Go => " Go: build it without -ldflags=-s or -w.",
        Language::OCaml => " dune: (ocamlopt_flags (:standard -g)) and (link_flags (-g)).",
    }
}

fn optimisation_advice(language: Language) -> &'static str {
    match language {
        Language::C | Language::Unknown => {
            " CMake: -DCMAKE_BUILD_TYPE=RelWithDebInfo. make: CFLAGS=\"-O2 -g\" CXXFLAGS=\"-O2 -g\"."
        }
        Language::Rust => " cargo build --release, with [profile.release] debug = 1 in Cargo.toml.",
        Language::Go => " Go: build it without -gcflags=-N.",
        Language::OCaml => " dune: dune build --profile release.",
    }
}
