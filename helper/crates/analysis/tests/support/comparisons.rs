//! Comparisons of profiles that are written as text, and their rows in words.

use analysis::{Comparison, FlameGraph, Side, compared_functions};
use profile::Profile;

use super::{Chance, PERIOD_NS, profile_of, recorded_run, with_timeline};

pub fn run_of(text: &str, source: &str) -> Profile {
    let mut profile = profile_of(text);
    profile.run = Some(recorded_run(source));
    profile
}

pub fn sides(base: Profile, new: Profile) -> Comparison {
    let side = |profile| Side::of(vec![profile]).expect("one kind of values");
    Comparison::new(side(base), side(new), None).expect("the same values")
}

/// One execution each, with a timeline.
pub fn compare(base: &str, new: &str) -> Comparison {
    timed(profile_of(base), profile_of(new))
}

pub fn timed(base: Profile, new: Profile) -> Comparison {
    let mut chance = Chance(5);
    let base = with_timeline(base, &mut chance);
    sides(base, with_timeline(new, &mut chance))
}

/// "name base>new verdict" of self, or of total where the verdict is about that.
pub fn functions(comparison: &Comparison) -> Vec<String> {
    (compared_functions(comparison).iter())
        .map(|row| {
            let part = |amounts: analysis::Amounts| match row.about_self {
                true => amounts.self_.value / PERIOD_NS,
                false => amounts.total.value / PERIOD_NS,
            };
            let about = if row.about_self { "" } else { " total" };
            format!(
                "{} {}>{} {}{about}",
                row.name,
                part(row.base),
                part(row.new),
                row.verdict.word()
            )
        })
        .collect()
}

/// "name:line base>new" of each box, the root first.
pub fn boxes(graph: &FlameGraph) -> Vec<String> {
    let new = graph.compared.as_ref().expect("both columns");
    (0..graph.frame.len())
        .map(|node| {
            let frame = graph.frame[node] as usize;
            let name = &graph.frames.strings[graph.frames.name[frame] as usize];
            let [base, now] = [graph.self_samples[node], new.self_samples[node]];
            format!("{name}:{} {base}>{now}", graph.line[node])
        })
        .collect()
}
