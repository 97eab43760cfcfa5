//! Changes and their intervals as text.

use analysis::{ComparedRow, Comparison, Effect, Verdict};

/// "+4.1 %"; "" when it cannot be said.
pub fn percent(change: f64) -> String {
    if !change.is_finite() {
        return String::new();
    }
    let percent = 100.0 * change;
    // No "-0.0".
    let percent = if percent.abs() < 0.05 { 0.0 } else { percent };
    match percent.abs() {
        large if large >= 999.5 => format!("{percent:+.0} %"),
        _ => format!("{percent:+.1} %"),
    }
}

/// "+3.5 to +4.7"; "" when it cannot be said.
pub fn interval(effect: &Effect) -> String {
    bounds(effect.low, effect.high)
}

pub fn bounds(low: f64, high: f64) -> String {
    if !low.is_finite() || !high.is_finite() {
        return String::new();
    }
    let [low, high] = [low, high].map(|bound| percent(bound).trim_end_matches(" %").to_owned());
    format!("{low} to {high}")
}

/// "≥ 0.001" needs no more digits: "q 0.012", "q < 0.001"; "" when there is none.
pub fn q_value(q: f64) -> String {
    match q {
        q if q.is_nan() => String::new(),
        q if q < 0.001 => "< 0.001".to_owned(),
        q => format!("{q:.3}"),
    }
}

/// Samples on a side from which a row without a test lacks runs, or samples that are independent, rather than samples.
const MANY_SAMPLES: u64 = 100;

/// What [`MISSING`] explains.
fn missing(executions: u64) -> String {
    format!("about {executions} more")
}

pub const MISSING: &str =
    "about N more: a test of this row needs about N more executions of each side.";

/// "slower", "slower (total)", "more", "too few samples", "untested" …
pub fn verdict(comparison: &Comparison, row: &ComparedRow) -> String {
    let samples = [row.base.total, row.new.total].map(|total| comparison.known_samples(total));
    let are_many = samples
        .iter()
        .any(|samples| samples.is_none_or(|samples| samples >= MANY_SAMPLES));
    match row.verdict {
        Verdict::TooFew if row.effect().missing_executions > 0 => {
            format!("too few ({})", missing(row.effect().missing_executions))
        }
        Verdict::TooFew if are_many => "untested".to_owned(),
        Verdict::TooFew => "too few samples".to_owned(),
        // It is about the total anyhow.
        Verdict::MovedWithin => "moved within".to_owned(),
        verdict if row.about_self => comparison.verdict_word(verdict).to_owned(),
        verdict => format!("{} (total)", comparison.verdict_word(verdict)),
    }
}
