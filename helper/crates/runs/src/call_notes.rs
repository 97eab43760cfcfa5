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
    if !counted.own_not_counted.is_empty() {
        notes.push(format!(
            "Calls of its own code are not counted, so no time per call is given: {}",
            counted.own_not_counted
        ));
    }
    notes.extend(inlined(counted));
    if !counted.not_timed.is_empty() {
        notes.push(counted.not_timed.clone());
    }
    notes.extend(
        counted
            .times
            .as_ref()
            .and_then(|times| untimed(counted, times)),
    );
    (!notes.is_empty()).then(|| notes.join(" "))
}

/// What is known of calls that were inlined.
fn inlined(counted: &CalledFunction) -> Option<String> {
    if counted.inlined == 0 {
        return None;
    }
    let places = |many: usize| match many {
        1 => "1 place".to_owned(),
        many => format!("{} places", count(many as u64)),
    };
    let mut notes = Vec::new();
    if !counted.inlined_calls.is_empty() {
        let calls = counted.inlined_calls.iter().map(|of| of.calls).sum();
        notes.push(format!(
            "{} of the calls were counted at {} where it was inlined, each where its code begins. If the compiler has merged or removed other calls, or runs the code of one before its condition, this leaves no trace.",
            count(calls),
            places(counted.inlined_calls.len())
        ));
    }
    let left_out = (counted.inlined as usize).saturating_sub(counted.inlined_calls.len());
    if left_out > 0 {
        let why: Vec<String> = (counted.uncounted_places.iter())
            .map(|of| format!("{}: {}", places(of.places as usize), of.why))
            .collect();
        let why = match why.is_empty() {
            true => ".".to_owned(),
            false => format!(" ({}).", why.join("; ")),
        };
        let no_time = match counted.not_counted.is_empty() {
            true => ", so no time per call is given",
            false => "",
        };
        notes.push(format!(
            "Calls at {} where it was inlined are not counted{no_time}{why}",
            places(left_out)
        ));
    }
    Some(notes.join(" "))
}

/// Which of the calls were not timed.
fn untimed(counted: &CalledFunction, times: &CallTimes) -> Option<String> {
    let inlined: u64 = counted.inlined_calls.iter().map(|of| of.calls).sum();
    let all_missing = counted.calls.saturating_sub(times.measured());
    if all_missing == 0 {
        return None;
    }
    let mut why = Vec::new();
    if inlined > 0 {
        why.push(format!("{} that were inlined", count(inlined)));
    }
    let missing = all_missing.saturating_sub(inlined);
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
    let missing = count(all_missing);
    Some(format!("Not timed: {missing} calls: {}.", why.join("; ")))
}
