//! What a reader has to know of the calls that were counted of a function.

use profile::run::CalledFunction;

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
    (!notes.is_empty()).then(|| notes.join(" "))
}
