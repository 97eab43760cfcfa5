//! What a reader has to know of the calls that were counted of a function.

use profile::run::{CallTimes, CalledFunction};

use crate::count;

/// Sentences, with names as the run has them: why there is no count, or what it includes and leaves out.
pub fn call_note(counted: &CalledFunction) -> Option<String> {
    let mut notes = Vec::new();
    if !counted.not_counted.is_empty() {
        notes.push(counted.not_counted.clone());
    }
    if !counted.same_code.is_empty() {
        let names = counted.same_code.join(", ");
        notes.push(format!(
            "Its code is also that of {names}: calls of these are included."
        ));
    }
    match counted.inlined {
        _ if !counted.not_counted.is_empty() => {}
        0 => {}
        1 => notes.push("It was also inlined at one place. Calls there are not counted, so no time per call is given.".to_owned()),
        places => notes.push(format!("It was also inlined at {} places. Calls there are not counted, so no time per call is given.", count(places.into()))),
    }
    if !counted.not_timed.is_empty() {
        notes.push(counted.not_timed.clone());
    }
    notes.extend(
        counted
            .times
            .as_ref()
            .and_then(|times| untimed(counted.calls, times)),
    );
    (!notes.is_empty()).then(|| notes.join(" "))
}

/// Which of the calls were not timed.
fn untimed(calls: u64, times: &CallTimes) -> Option<String> {
    let missing = calls.saturating_sub(times.measured());
    if missing == 0 {
        return None;
    }
    let mut why = Vec::new();
    if times.ended_ns > 0 {
        let from = times.ended_ns as f64 / 1e9;
        why.push(format!(
            "those after {from:.1} s, since timing so many takes much of the program's time"
        ));
    }
    if times.unfinished > 0 {
        let many = count(times.unfinished);
        why.push(format!(
            "{many} that an exception, longjmp or the end of their thread cut off"
        ));
    }
    if times.no_room > 0 {
        let many = count(times.no_room);
        why.push(format!(
            "{many} inside more than 128 others that had not returned"
        ));
    }
    let known = times.unfinished.saturating_add(times.no_room);
    if times.ended_ns == 0 && missing > known {
        let many = count(missing - known);
        why.push(format!(
            "{many} that had not returned when the recording, their process or their thread ended"
        ));
    }
    let missing = count(missing);
    Some(format!("Not timed: {missing} calls: {}.", why.join("; ")))
}
