//! Which counters of events this machine has.

use std::io;

use perf_events::counter_event::{CounterEvent, try_counter};
use recorder::{KnownCounter, known_counters};

use super::check::{Check, State, check};

/// Each is tried, in this process: a list of the kernel would have those of a CPU whose virtual machine hides them.
pub fn counters() -> Check {
    let known = known_counters();
    let (software, hardware): (Vec<_>, Vec<_>) = known.iter().partition(|of| of.is_software);
    let detail = format!(
        "{}; {}",
        offered(&hardware, true),
        offered(&software, false)
    );
    check("counters", "Counters for --counters", State::Ok, detail)
}

fn offered(counters: &[&KnownCounter], of_hardware: bool) -> String {
    let kind = match of_hardware {
        true => "of hardware",
        false => "of the kernel",
    };
    let tried = counters.iter().map(|of| {
        let event = CounterEvent {
            kind: of.request.kind,
            config: of.request.config,
        };
        (of.name.as_str(), try_counter(event))
    });
    let tried: Vec<(&str, io::Result<()>)> = tried.collect();
    let is_refused = |e: &io::Error| e.kind() == io::ErrorKind::PermissionDenied;
    if tried
        .iter()
        .any(|(_, of)| of.as_ref().is_err_and(is_refused))
    {
        return format!(
            "{kind}: unknown, since kernel.perf_event_paranoid does not let this process try"
        );
    }
    let there = tried.iter().filter(|(_, of)| of.is_ok());
    let names: Vec<&str> = there.map(|(name, _)| *name).collect();
    match names.is_empty() {
        true if of_hardware => format!("{kind}: none, as is usual in virtual machines"),
        true => format!("{kind}: none"),
        false => format!("{kind}: {}", names.join(", ")),
    }
}
