//! Which kinds of costs can be recorded here, seen from real recordings.

use recorder::{Choices, Privilege};

use crate::check::{Check, State, check};
use crate::real_recording::record_nothing;

const ALLOCATIONS: &str = "allocations";

type Choose = fn(&mut Choices);

/// What each check asks a recording for.
const KINDS: &[(&str, &str, Choose)] = &[
    ("waiting", "Waiting time", |chosen| chosen.waiting = true),
    ("wake-ups", "Wake-ups", |chosen| {
        chosen.waiting = true;
        chosen.wakeups = true;
    }),
    (ALLOCATIONS, "Allocations", |chosen| {
        chosen.allocations = true;
    }),
    ("page-faults", "Page faults", |chosen| chosen.faults = true),
    ("system-calls", "System calls", |chosen| {
        chosen.syscalls = true;
    }),
];

/// A check of each kind beside CPU time. To be asked where recording with privilege works.
pub fn kinds() -> Vec<Check> {
    // One recording mostly answers for all; each is asked for alone where something is missing.
    let together = |chosen: &mut Choices| {
        let asked = KINDS.iter().filter(|kind| kind.0 != ALLOCATIONS);
        asked.for_each(|(_, _, choose)| choose(chosen));
    };
    let all_work = why_not(&together).is_none();
    let mut found: Vec<Check> = (KINDS.iter())
        .map(|(id, title, choose)| match all_work && *id != ALLOCATIONS {
            true => kind(id, title, None),
            false => kind(id, title, why_not(choose)),
        })
        .collect();
    found.push(kind("calls", "Calls of functions", why_no_calls(&found)));
    found
}

fn kind(id: &'static str, title: &'static str, why_not: Option<String>) -> Check {
    match why_not {
        None => check(id, title, State::Ok, "can be recorded".to_owned()),
        Some(why) => check(id, title, State::Warning, why),
    }
}

fn why_not(choose: &dyn Fn(&mut Choices)) -> Option<String> {
    let mut chosen = Choices {
        waiting: false,
        ..Choices::default()
    };
    choose(&mut chosen);
    let allocations = chosen.allocations;
    match record_nothing(Privilege::Required, chosen) {
        // This program loads no library, and so allocates nothing that is seen.
        Ok(_) if allocations => None,
        Ok(recorded) => recorded.problems.into_iter().next(),
        Err(e) => Some(e.message),
    }
}

/// They have the same probes as allocations.
fn why_no_calls(found: &[Check]) -> Option<String> {
    if !cfg!(target_arch = "x86_64") {
        return Some("cannot be counted: this requires x86-64".to_owned());
    }
    let allocations = found.iter().find(|check| check.id == ALLOCATIONS)?;
    let (_, why) = allocations.detail.split_once(": ")?;
    // Not what is wrong with the library.
    let is_of_kernel = why.contains("Linux") || why.contains("the kernel");
    is_of_kernel.then(|| format!("cannot be counted: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn calls_lack_what_allocations_lack() {
        let of = |why: Option<&str>| kind(ALLOCATIONS, "Allocations", why.map(str::to_owned));
        assert_eq!(why_no_calls(&[of(None)]), None);
        let old = of(Some(
            "cannot record allocations: it requires Linux 6.6 or newer",
        ));
        assert_eq!(
            why_no_calls(&[old]).as_deref(),
            Some("cannot be counted: it requires Linux 6.6 or newer")
        );
        let other = of(Some(
            "cannot record allocations: the library that samples them belongs to another user",
        ));
        assert_eq!(why_no_calls(&[other]), None);
    }
}
