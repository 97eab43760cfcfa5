//! Where the wall time of a run went, in the JSON of form 2.

use analysis::{Amount, Analyzed, Chosen, IdleThreads, LongestThread, Spent, WallTime};
use profile::WaitReason;
use serde::Serialize;

use crate::json_totals::Reason;

/// Of the whole run, whatever is selected.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonWallTime<'a> {
    /// Of all executions.
    wall_ns: u64,
    executions: usize,
    /// Null: there are several executions, and each has threads of its own.
    longest_thread: Option<Longest<'a>>,
    /// All threads that are not idle.
    together: Together<'a>,
    idle_threads: Vec<Idle<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Longest<'a> {
    pid: u32,
    tid: u32,
    process: &'a str,
    thread: &'a str,
    /// Why this one.
    chosen: &'static str,
    #[serde(flatten)]
    spent: JsonSpent<'a>,
    /// 0 also where it is less than 1 % of the wall time, or than the error of sampled CPU time.
    not_accounted_ns: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Together<'a> {
    threads: usize,
    #[serde(flatten)]
    spent: JsonSpent<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonSpent<'a> {
    cpu_ns: u64,
    /// "kernel" or "samples".
    cpu_from: &'static str,
    /// Without the run queue.
    waiting_ns: u64,
    waits: u64,
    reasons: Vec<Reason<'a>>,
    run_queue_ns: u64,
}

/// Threads that were parked in this function.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Idle<'a> {
    threads: usize,
    function: &'a str,
    reason: &'a str,
    waiting_ns: u64,
}

impl<'a> JsonWallTime<'a> {
    pub fn new(analyzed: &'a Analyzed, of: &WallTime) -> JsonWallTime<'a> {
        JsonWallTime {
            wall_ns: of.wall_ns,
            executions: of.executions,
            longest_thread: of.longest.as_ref().map(|of| longest(analyzed, of)),
            together: Together {
                threads: of.threads,
                spent: spent(&of.together),
            },
            idle_threads: of.idle.iter().map(|of| idle(analyzed, of)).collect(),
        }
    }
}

fn longest<'a>(analyzed: &'a Analyzed, of: &LongestThread) -> Longest<'a> {
    let thread = of.thread;
    Longest {
        pid: thread.pid,
        tid: thread.tid,
        process: analyzed.text(thread.process),
        thread: analyzed.text(thread.thread),
        chosen: match of.chosen {
            Chosen::Only => "only",
            Chosen::Longest => "longest",
            Chosen::BusiestOfLongest => "busiest-of-longest",
        },
        spent: spent(&of.spent),
        not_accounted_ns: of.not_accounted_ns,
    }
}

fn spent<'a>(of: &Spent) -> JsonSpent<'a> {
    JsonSpent {
        cpu_ns: of.cpu_ns,
        cpu_from: match of.is_counted {
            true => "kernel",
            false => "samples",
        },
        waiting_ns: of.waiting.value,
        waits: of.waiting.samples,
        reasons: of.reasons.iter().map(reason).collect(),
        run_queue_ns: of.run_queue_ns,
    }
}

fn reason<'a>((reason, amount): &(WaitReason, Amount)) -> Reason<'a> {
    Reason::new(reason.name(), *amount)
}

fn idle<'a>(analyzed: &'a Analyzed, of: &IdleThreads) -> Idle<'a> {
    Idle {
        threads: of.threads,
        function: analyzed.text(of.function),
        reason: of.reason.name(),
        waiting_ns: of.waited_ns,
    }
}
