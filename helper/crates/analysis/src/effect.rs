//! What may be said of one difference: how large it is, with which certainty, and in a word.

use crate::amounts::Amount;

/// A difference that rests on fewer samples says nothing.
pub const FEW_SAMPLES: u64 = 10;

/// False discovery rate at which a difference is told from noise.
pub(crate) const FALSE_DISCOVERIES: f64 = 0.05;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Not distinguishable from noise.
    Noise,
    Slower,
    Faster,
    New,
    Gone,
    /// Its cost is where it was under another name, or went into or came out of another function.
    Moved,
    /// Too few samples, or nothing to test them by.
    TooFew,
    /// Of a total: it changed by what changed inside it, and neither the function itself nor the whole did.
    MovedWithin,
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
            Verdict::MovedWithin => "moved-within",
        }
    }

    /// Something was found.
    pub fn is_significant(self) -> bool {
        !matches!(self, Verdict::Noise | Verdict::TooFew)
    }

    /// It is called a cost that grew or fell, here and not elsewhere.
    pub fn has_direction(self) -> bool {
        self.is_significant() && !matches!(self, Verdict::Moved | Verdict::MovedWithin)
    }
}

/// NaN where it cannot be said. Intervals cover the truth in 95 of 100 cases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// Relative: 0.25 is 25 % more.
    pub change: f64,
    pub low: f64,
    pub high: f64,
    pub p: f64,
    /// Benjamini and Hochberg, over all rows of its kind.
    pub q: f64,
    /// Of new − base, in the unit of the values.
    pub difference_low: f64,
    pub difference_high: f64,
    pub verdict: Verdict,
    /// Of each side, roughly: without them there are too few samples for a test. 0: it is not for want of these.
    pub missing_executions: u64,
}

impl Effect {
    /// Untested: the bare change.
    pub fn bare([base, new]: [Amount; 2]) -> Effect {
        Effect {
            change: if base.value == 0 {
                f64::NAN
            } else {
                new.value as f64 / base.value as f64 - 1.0
            },
            ..Effect::NONE
        }
    }

    pub const NONE: Effect = Effect {
        change: f64::NAN,
        low: f64::NAN,
        high: f64::NAN,
        p: f64::NAN,
        q: f64::NAN,
        difference_low: f64::NAN,
        difference_high: f64::NAN,
        verdict: Verdict::TooFew,
        missing_executions: 0,
    };

    /// From `q`, the sign of the difference, and the samples of both sides.
    pub(crate) fn judge(&mut self, base: Amount, new: Amount) {
        self.verdict = if self.q.is_nan() {
            Verdict::TooFew
        } else if self.q >= FALSE_DISCOVERIES {
            Verdict::Noise
        } else if base.samples == 0 {
            Verdict::New
        } else if new.samples == 0 {
            Verdict::Gone
        } else if new.value > base.value {
            Verdict::Slower
        } else {
            Verdict::Faster
        };
    }
}

/// Of self and total of one row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effects {
    pub self_: Effect,
    pub total: Effect,
}

impl Effects {
    pub const NONE: Effects = Effects {
        self_: Effect::NONE,
        total: Effect::NONE,
    };

    /// What a row is called, and whether that is about its self: about its total where self rests on too few samples.
    pub fn verdict(&self) -> (Verdict, bool) {
        match self.self_.verdict {
            Verdict::TooFew => (self.total.verdict, false),
            verdict => (verdict, true),
        }
    }

    /// A function that is still called is not gone, though nothing of its own is left; nor new.
    pub(crate) fn reconcile(&mut self, base_total: Amount, new_total: Amount) {
        match self.self_.verdict {
            Verdict::New if base_total.samples > 0 => self.self_.verdict = Verdict::Slower,
            Verdict::Gone if new_total.samples > 0 => self.self_.verdict = Verdict::Faster,
            _ => {}
        }
    }
}
