//! Comparisons of measures whose samples are worth different amounts, by how much executions differ.

use crate::support::{Chance, executions};
use analysis::{Comparison, Side, Verdict, compared_functions};
use profile::{Profile, ValueType};

/// Each sample is a wait, too, most of them brief and few very long.
fn with_waits(mut profile: Profile, chance: &mut Chance) -> Profile {
    for (name, unit) in [("waits", "count"), ("wait", "nanoseconds")] {
        let mut text = |text: &str| profile.strings.push(text).expect("room");
        let of = ValueType {
            kind: text(name),
            unit: text(unit),
        };
        profile.sample_types.push(of);
    }
    let values = std::mem::take(&mut profile.samples.values);
    for row in values.chunks_exact(2) {
        let wait = |chance: &mut Chance| match chance.below(50) {
            0 => 20_000_000 + chance.below(20_000_000),
            _ => 10_000 + chance.below(90_000),
        };
        let waited = (0..row[0]).map(|_| wait(chance)).sum();
        let values = [row[0], row[1], row[0], waited];
        profile.samples.values.extend_from_slice(&values);
    }
    profile
}

fn side(special: &str, chance: &mut Chance) -> Side {
    let others: String = (0..10)
        .map(|n| format!("main@m.c:1 f{n}@m.c:{} 400\n", n + 10))
        .collect();
    let plain = executions(&format!("{others}{special}"), 6, 0.03, chance);
    let waiting = plain.into_iter().map(|one| with_waits(one, chance));
    let side = Side::of(waiting.collect()).expect("alike");
    side.about("wait").expect("they have it")
}

#[test]
fn waiting_that_grew_is_more_than_noise_and_what_did_not_is_noise() {
    let mut chance = Chance(7);
    let base = side("main@m.c:1 hot@m.c:5 2000", &mut chance);
    let new = side("main@m.c:1 hot@m.c:5 6000", &mut chance);
    let comparison = Comparison::new(base, new, None).expect("the same values");
    let whole = comparison.whole();
    assert_eq!(whole.verdict, Verdict::Slower, "{}", whole.sentence);
    // 4,000 of 6,000 more.
    assert!(whole.low < 0.67 && 0.67 < whole.high, "{whole:?}");
    assert!(
        whole.sentence.starts_with("New has ")
            && (whole.sentence).contains(" % more waiting time per execution than base ("),
        "{}",
        whole.sentence
    );
    let rows = compared_functions(&comparison);
    let hot = rows.iter().find(|row| row.name == "hot").expect("a row");
    assert_eq!(comparison.verdict_word(hot.verdict), "more");
    let effect = hot.effects.self_;
    assert!(effect.low < 2.0 && 2.0 < effect.high, "{effect:?}");
    let others = rows.iter().filter(|row| row.name.starts_with('f'));
    for row in others {
        assert_eq!(row.effects.self_.verdict, Verdict::Noise, "{}", row.name);
    }
}

/// Of 200 comparisons at 5 %, more than 22 would be seen once in a thousand times.
#[test]
fn programs_that_wait_alike_are_called_different_no_more_often_than_said() {
    let mut chance = Chance(23);
    let mut whole = 0;
    let mut any_function = 0;
    for _ in 0..200 {
        let base = side("main@m.c:1 rare@m.c:5 8", &mut chance);
        let new = side("main@m.c:1 rare@m.c:5 8", &mut chance);
        let comparison = Comparison::new(base, new, None).expect("the same values");
        whole += u32::from(comparison.whole().verdict != Verdict::Noise);
        let rows = compared_functions(&comparison);
        let differs = |verdict: Verdict| verdict.has_direction();
        any_function += u32::from(rows.iter().any(|row| differs(row.effects.self_.verdict)));
    }
    assert!(whole <= 22, "{whole} of 200");
    assert!(any_function <= 22, "{any_function} of 200");
}
