//! Where the wall time of a run went, in words.

use analysis::{
    Amount, Analyzed, Chosen, IdleThreads, LongestThread, Spent, WallTime, executions_wall,
};

use crate::amount_text::{count, time};

/// The first is all that a single line has room for. Parts of a line are separated by " · ".
pub fn wall_time_lines(analyzed: &Analyzed, of: &WallTime) -> Vec<String> {
    let mut lines = match &of.longest {
        Some(longest) => vec![
            line(Some(wall(of)), &longest.spent, longest.not_accounted_ns),
            which(analyzed, longest, of),
        ],
        None => vec![
            line(Some(wall(of)), &of.together, 0),
            format!("of {} together", threads(of)),
        ],
    };
    if of.longest.is_some() && of.threads > 1 {
        let together = line(None, &of.together, 0);
        lines.push(format!("{} together: {together}", threads(of)));
    }
    lines.extend(idle(analyzed, &of.idle));
    lines
}

/// What is missing to know it, in a run without waits. `None`: it has them, it ran most of the time, or nobody here could have
/// recorded them.
pub fn wall_time_hint(analyzed: &Analyzed) -> Option<String> {
    let profile = analyzed.profile();
    let run = profile.run.as_ref()?;
    let has_waits = profile.find_sample_type("wait", "nanoseconds").is_some();
    // Only the kernel's own part of the event says so.
    let is_unprivileged = run.event.ends_with(":u");
    if has_waits || run.partial || is_unprivileged {
        return None;
    }
    let (wall_ns, _) = executions_wall(run);
    let sampled = || analyzed.total(analyzed.default_measure()).value;
    let cpu_ns = [run.kernel_counted_ns, run.user_ns + run.system_ns]
        .into_iter()
        .find(|&ns| ns > 0)
        .unwrap_or_else(sampled);
    let idle_ns = wall_ns.saturating_sub(cpu_ns);
    let is_much = idle_ns >= HINT_FROM_NS && idle_ns as f64 > HINT_FROM_SHARE * wall_ns as f64;
    is_much.then(|| {
        format!(
            "{} wall · {} CPU. To see what it waited for, record without --no-waiting.",
            time(wall_ns),
            time(cpu_ns)
        )
    })
}

/// So much waiting is worth a phrase.
const HINT_FROM_NS: u64 = 100_000_000;
const HINT_FROM_SHARE: f64 = 0.1;
/// More reasons and places are only counted, as are reasons of a smaller share.
const LISTED_MAX: usize = 4;
const LISTED_SHARE: f64 = 0.01;

fn wall(of: &WallTime) -> String {
    let wall = time(of.wall_ns);
    match of.executions {
        1 => format!("{wall} wall"),
        several => format!("{wall} wall in {} executions", count(several as u64)),
    }
}

fn line(wall: Option<String>, spent: &Spent, not_accounted_ns: u64) -> String {
    let cpu_from = if spent.is_counted { "" } else { " (sampled)" };
    let mut parts: Vec<String> = wall.into_iter().collect();
    parts.push(format!("{} CPU{cpu_from}", time(spent.cpu_ns)));
    parts.push(match spent.waiting.value {
        0 => "no waiting".to_owned(),
        ns => format!("{} waiting ({})", time(ns), reasons(spent)),
    });
    if spent.run_queue_ns > 0 {
        parts.push(format!("{} run queue", time(spent.run_queue_ns)));
    }
    if not_accounted_ns > 0 {
        parts.push(format!("{} not accounted for", time(not_accounted_ns)));
    }
    parts.join(" · ")
}

fn reasons(spent: &Spent) -> String {
    let is_listed =
        |amount: &Amount| amount.value as f64 >= LISTED_SHARE * spent.waiting.value as f64;
    let listed = (spent.reasons.iter()).take_while(|(_, amount)| is_listed(amount));
    let (first, others) = spent.reasons.split_at(listed.take(LISTED_MAX).count());
    let mut listed: Vec<String> = (first.iter())
        .map(|(reason, amount)| format!("{} {}", reason.name(), time(amount.value)))
        .collect();
    let rest_ns: u64 = others.iter().map(|(_, amount)| amount.value).sum();
    match others {
        [] => {}
        [(reason, _)] => listed.push(format!("{} {}", reason.name(), time(rest_ns))),
        _ => listed.push(format!("{} other reasons {}", others.len(), time(rest_ns))),
    }
    listed.join(", ")
}

fn which(analyzed: &Analyzed, longest: &LongestThread, of: &WallTime) -> String {
    let thread = longest.thread;
    let name = match analyzed.text(thread.thread) {
        "" => format!("{}", thread.tid),
        name => format!("{name} ({})", thread.tid),
    };
    let why = match longest.chosen {
        Chosen::Only if of.idle.is_empty() => "the only one",
        Chosen::Only => "the only one that was not idle",
        Chosen::Longest => "the longest-lived",
        Chosen::BusiestOfLongest => "the busiest of the longest-lived",
    };
    format!("of thread {name}, {why}")
}

fn threads(of: &WallTime) -> String {
    match of.threads {
        1 => "1 thread".to_owned(),
        n => format!("{} threads", count(n as u64)),
    }
}

/// "3 idle threads not counted: parked in worker_loop (condition)".
fn idle(analyzed: &Analyzed, idle: &[IdleThreads]) -> Option<String> {
    let all: usize = idle.iter().map(|of| of.threads).sum();
    let threads = |n: usize| match n {
        1 => "1 idle thread".to_owned(),
        n => format!("{} idle threads", count(n as u64)),
    };
    let place = |of: &IdleThreads| {
        let (function, reason) = (analyzed.text(of.function), of.reason.name());
        let number = match idle.len() {
            1 => String::new(),
            _ => format!("{} ", count(of.threads as u64)),
        };
        format!("{number}parked in {function} ({reason})")
    };
    let mut places: Vec<String> = idle.iter().take(LISTED_MAX).map(place).collect();
    let further: usize = idle.iter().skip(LISTED_MAX).map(|of| of.threads).sum();
    if further > 0 {
        places.push(format!("{} elsewhere", count(further as u64)));
    }
    (all > 0).then(|| format!("{} not counted: {}", threads(all), places.join(", ")))
}
