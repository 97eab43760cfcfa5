//! Where the locks that threads waited for were held, in one sentence.

use std::collections::BTreeMap;

use analysis::{Analyzed, LockHolderOf, LockWaits};

use crate::amount_text::time;

/// So much waiting for locks is worth a sentence, if it is also such a share of all waiting time.
const NOTABLE_NS: u64 = 100_000_000;
const NOTABLE_PERCENT: u64 = 10;
/// What one line has to hold to be where "the" lock was held.
const NEARLY_ALL_PERCENT: u64 = 95;

/// "3.90 s waiting for a lock held at work (turns.c:7)". `None`: it is no notable part of the waiting time.
pub fn lock_note(analyzed: &Analyzed, locks: &[LockWaits]) -> Option<String> {
    let wait = (analyzed.profile()).find_sample_type("wait", "nanoseconds")?;
    let all_ns: u64 = locks.iter().map(|row| row.amount.value).sum();
    let waited_ns = analyzed.total(wait).value;
    if all_ns < NOTABLE_NS || percent_of(all_ns, waited_ns) < NOTABLE_PERCENT {
        return None;
    }
    let mut by_place: BTreeMap<(&str, &str, u32), u64> = BTreeMap::new();
    for row in locks {
        if let LockHolderOf::Known(of) = row.holder
            && !of.function.is_empty()
        {
            *by_place.entry((of.function, of.file, of.line)).or_default() += row.amount.value;
        }
    }
    let all = time(all_ns);
    let most = by_place.into_iter().max_by_key(|&(_, ns)| ns);
    Some(match most {
        None => format!("{all} waiting for locks, and it is not known where they were held"),
        Some((place, ns)) if percent_of(ns, all_ns) >= NEARLY_ALL_PERCENT => {
            format!("{all} waiting for a lock held at {}", named(place))
        }
        Some((place, ns)) => format!(
            "{all} waiting for locks, {} of it for one held at {}",
            time(ns),
            named(place)
        ),
    })
}

fn percent_of(part: u64, whole: u64) -> u64 {
    part.saturating_mul(100) / whole.max(1)
}

fn named((function, file, line): (&str, &str, u32)) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    match (name, line) {
        ("", _) => function.to_owned(),
        (name, 0) => format!("{function} ({name})"),
        (name, line) => format!("{function} ({name}:{line})"),
    }
}

#[cfg(test)]
mod tests {
    use analysis::lock_waits;
    use profile::{LabelValue, LockHolder, ProfileBuilder, WAIT};

    use super::*;

    /// Waits: the reason, the line where the lock was held (0: not seen) and how many milliseconds.
    fn note(waits: &[(&str, u32, u64)]) -> Option<String> {
        let types = [("wait", "nanoseconds"), ("waits", "count")];
        let mut builder = ProfileBuilder::new(&types);
        for &(reason, line, ms) in waits {
            let holder = (line > 0).then_some(LockHolder {
                thread: "a",
                function: "work",
                file: "/src/turns.c",
                line,
            });
            let mut labels = vec![(WAIT, LabelValue::Text(reason))];
            labels.extend(holder.into_iter().flat_map(LockHolder::labels));
            builder.push_sample(&[], &[ms * 1_000_000, 1], &labels);
        }
        let analyzed = Analyzed::new(builder.finish());
        lock_note(&analyzed, &lock_waits(&analyzed))
    }

    #[test]
    fn the_line_that_holds_a_lock_for_long_is_named() {
        let is = |waits: &[_], expected: &str| assert_eq!(note(waits).as_deref(), Some(expected));
        is(
            &[("lock", 7, 3900)],
            "3.90 s waiting for a lock held at work (turns.c:7)",
        );
        is(
            &[("lock", 7, 3000), ("lock", 9, 1000), ("sleep", 0, 900)],
            "4.00 s waiting for locks, 3.00 s of it for one held at work (turns.c:7)",
        );
        is(
            &[("lock", 0, 3000)],
            "3.00 s waiting for locks, and it is not known where they were held",
        );
    }

    #[test]
    fn little_waiting_for_locks_is_no_sentence() {
        assert_eq!(note(&[("lock", 7, 90)]), None);
        assert_eq!(note(&[("lock", 7, 900), ("sleep", 0, 9000)]), None);
        assert_eq!(note(&[("sleep", 0, 9000)]), None);
    }
}
