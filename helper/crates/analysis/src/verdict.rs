//! What may be said of a difference, until repeated runs allow a real test.

use crate::tally::{Amount, Amounts};

/// A difference that rests on fewer samples says nothing.
pub const FEW_SAMPLES: u64 = 10;

/// Two-sided 95 % of a normal distribution.
const Z_95: f64 = 1.96;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Within what counting samples alone would show. More than this may still be noise between runs.
    Noise,
    Slower,
    Faster,
    New,
    Gone,
    Moved,
    TooFew,
}

impl Verdict {
    /// As in `--json`.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Noise => "noise",
            Verdict::Slower => "slower",
            Verdict::Faster => "faster",
            Verdict::New => "new",
            Verdict::Gone => "gone",
            Verdict::Moved => "moved",
            Verdict::TooFew => "too-few",
        }
    }
}

/// Amounts of one side: values per run, samples of all its runs together.
pub fn verdict(base: Amount, new: Amount) -> Verdict {
    if base.samples.saturating_add(new.samples) < FEW_SAMPLES {
        return Verdict::TooFew;
    }
    match (base.samples, new.samples) {
        (0, _) => return Verdict::New,
        (_, 0) => return Verdict::Gone,
        _ => {}
    }
    let change = new.value as f64 - base.value as f64;
    if change.abs() <= Z_95 * (variance(base) + variance(new)).sqrt() {
        Verdict::Noise
    } else if change > 0.0 {
        Verdict::Slower
    } else {
        Verdict::Faster
    }
}

/// Of a value counted by `samples` events that are taken for independent. Samples of one run are not quite, so the
/// true one is larger: this is a floor.
fn variance(amount: Amount) -> f64 {
    let value = amount.value as f64;
    value * value / amount.samples as f64
}

/// The amounts that a row's verdict is about: self, or total where self rests on too few samples.
pub(crate) fn verdict_of_row(base: Amounts, new: Amounts) -> (Verdict, bool) {
    match verdict(base.self_, new.self_) {
        Verdict::TooFew => (verdict(base.total, new.total), false),
        // A function that is still called is not gone, though nothing of its own is left.
        Verdict::New if base.total.samples > 0 => (Verdict::Slower, true),
        Verdict::Gone if new.total.samples > 0 => (Verdict::Faster, true),
        verdict => (verdict, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(samples: u64) -> Amount {
        Amount {
            samples,
            value: samples * 1_000_000,
        }
    }

    #[test]
    fn a_verdict_needs_ten_samples_and_more_than_counting_error() {
        let cases = [
            (0, 0, Verdict::TooFew),
            (4, 5, Verdict::TooFew),
            (0, 9, Verdict::TooFew),
            (0, 10, Verdict::New),
            (10, 0, Verdict::Gone),
            (100, 100, Verdict::Noise),
            (100, 120, Verdict::Noise),
            (100, 130, Verdict::Slower),
            (130, 100, Verdict::Faster),
        ];
        for (base, new, wanted) in cases {
            assert_eq!(
                verdict(amount(base), amount(new)),
                wanted,
                "{base} against {new}"
            );
        }
    }

    #[test]
    fn a_function_that_only_calls_is_judged_by_its_total() {
        let row = |self_, total| Amounts {
            self_: amount(self_),
            total: amount(total),
        };
        assert_eq!(
            verdict_of_row(row(2, 100), row(1, 200)),
            (Verdict::Slower, false)
        );
        assert_eq!(
            verdict_of_row(row(50, 100), row(0, 50)),
            (Verdict::Faster, true)
        );
    }
}
