//! Effects on the wire: a number a row, of 32 bits; NaN where it cannot be said.

use analysis::Effect;

use super::amounts::count;

#[derive(Default)]
pub struct EffectColumns(wire::Effects);

impl EffectColumns {
    pub fn push(&mut self, effect: &Effect) {
        let columns = &mut self.0;
        columns.change.push(effect.change as f32);
        columns.low.push(effect.low as f32);
        columns.high.push(effect.high as f32);
        columns.q.push(effect.q as f32);
        columns.verdict.push(verdict(effect.verdict).into());
        columns.difference_low.push(effect.difference_low as f32);
        columns.difference_high.push(effect.difference_high as f32);
        columns
            .missing_executions
            .push(count(effect.missing_executions));
    }

    pub fn finish(self) -> wire::Effects {
        self.0
    }
}

pub fn columns<'a>(effects: impl IntoIterator<Item = &'a Effect>) -> wire::Effects {
    let mut columns = EffectColumns::default();
    effects.into_iter().for_each(|effect| columns.push(effect));
    columns.finish()
}

pub fn single(effect: &Effect) -> wire::Effect {
    wire::Effect {
        change: effect.change,
        low: effect.low,
        high: effect.high,
        q: effect.q,
        verdict: verdict(effect.verdict).into(),
        missing_executions: count(effect.missing_executions),
    }
}

pub fn verdict(verdict: analysis::Verdict) -> wire::Verdict {
    match verdict {
        analysis::Verdict::Noise => wire::Verdict::Noise,
        analysis::Verdict::Slower => wire::Verdict::Slower,
        analysis::Verdict::Faster => wire::Verdict::Faster,
        analysis::Verdict::New => wire::Verdict::New,
        analysis::Verdict::Gone => wire::Verdict::Gone,
        analysis::Verdict::Moved => wire::Verdict::Moved,
        analysis::Verdict::TooFew => wire::Verdict::TooFew,
        analysis::Verdict::MovedWithin => wire::Verdict::MovedWithin,
    }
}
