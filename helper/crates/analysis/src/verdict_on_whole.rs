//! The verdict on the whole, first of all and in one sentence.

use statistics::{
    Decision, SoFar, TURNS_FOR_PAIRS, Until, compare_runs, compare_single_runs, turn_costs, until,
};

use crate::comparison::{ComparedSide, Comparison};
use crate::effect::Verdict;
use crate::evidence::{Evidence, Test};
use crate::normalisation::Normalisation;
use crate::whole::Whole;

/// So many functions are still an explanation.
const EXPLAINING_MAX: usize = 5;

pub(crate) fn whole(comparison: &Comparison) -> Whole {
    let [base, new] = [comparison.base_total(), comparison.new_total()];
    let mut whole = Whole {
        change: new.value as f64 / base.value as f64 - 1.0,
        method: method(comparison),
        ..Whole::UNKNOWN
    };
    if base.samples == 0 || new.samples == 0 || !whole.change.is_finite() {
        whole.change = f64::NAN;
        whole.sentence = no_samples(comparison, base.samples == 0);
        return whole;
    }
    if comparison.normalisation() == Normalisation::Share {
        whole.change = f64::NAN;
        let of_parts = (comparison.names().are_parts())
            .then(|| change_of_parts(comparison))
            .flatten();
        whole.sentence = match (of_parts, comparison.evidence.test) {
            (Some(change), Test::Windows) => format!(
                "{change}; whether that is more than noise is unknown, because other load on the machine changes it, too. {}",
                changed_shares(comparison)
            ),
            // The method says why.
            (Some(change), Test::None) => {
                format!("{change}; whether that is more than noise is unknown.")
            }
            _ => "Shares give no overall verdict.".to_owned(),
        };
        return whole;
    }
    let costs = comparison.executions().map(|side| -> Vec<f64> {
        (side.into_iter())
            .filter(|(execution, _)| !execution.warm_up)
            .map(|(_, value)| value)
            .collect()
    });
    let tested = match comparison.evidence.test {
        Test::Executions => match recorded_until(comparison) {
            Some(end) => Some(end.effect),
            None => {
                let evidence = &comparison.evidence;
                let found = compare_runs(&costs[0], &costs[1], &evidence.turns).ok();
                let found = match evidence.value_of_count {
                    None => found,
                    Some(_) => found.map(|found| {
                        evidence.at_least_of_events(found, costs.each_ref().map(Vec::len))
                    }),
                };
                let runs = Evidence::runs_of_noise([costs[0].len(), costs[1].len()]);
                match comparison.evidence.least_noise {
                    Some(noise) => found.map(|found| found.with_at_least(noise, runs)),
                    None => found,
                }
            }
        },
        Test::Batches => match (&costs[0][..], &costs[1][..]) {
            (&[base], &[new]) => {
                compare_single_runs(base, new, comparison.evidence.noise.noise).ok()
            }
            _ => None,
        },
        Test::Windows | Test::None => None,
    };
    let Some(tested) = tested else {
        whole.sentence = untested(comparison, whole.change);
        return whole;
    };
    whole.change = tested.change.value;
    (whole.low, whole.high) = (tested.change.low, tested.change.high);
    whole.smallest_detectable = tested.smallest_detectable;
    whole.verdict = match (tested.p < tested.level, whole.change > 0.0) {
        (false, _) => Verdict::Noise,
        (true, true) => Verdict::Slower,
        (true, false) => Verdict::Faster,
    };
    whole.sentence = match whole.verdict {
        Verdict::Noise => noise(comparison, &whole),
        _ => changed(comparison, &whole),
    };
    whole
}

/// How the series ended, if both sides were recorded in turns until something was known. What was said then is said again here, from
/// the same figures: the kernel's count of CPU time, from which samples differ a little.
fn recorded_until(comparison: &Comparison) -> Option<SoFar> {
    if comparison.value_name() != "cpu" {
        return None;
    }
    let [base, new] = [&comparison.base, &comparison.new];
    let is_per_work = match comparison.normalisation() {
        Normalisation::Work => true,
        Normalisation::Run => false,
        Normalisation::Wall | Normalisation::Share => return None,
    };
    let rule = |side: &ComparedSide| side.analyzed.profile().run.as_ref()?.until;
    let wanted = rule(base).filter(|wanted| rule(new) == Some(*wanted))?;
    let turns = &comparison.evidence.turns;
    let used = |side: &ComparedSide, number: usize| {
        let one = side.side.executions()[number];
        (
            one.user_ns + one.system_ns,
            if is_per_work { one.work } else { 0.0 },
        )
    };
    let (of_base, of_new): (Vec<_>, Vec<_>) = (turns.iter())
        .map(|&(of_base, of_new)| (used(base, of_base), used(new, of_new)))
        .unzip();
    let rule = Until {
        change: wanted.change,
        turns_max: wanted.turns_max as usize,
    };
    // Executions that were left out, or added from other files, make it another series, and so does the end by an interrupt.
    let executions = [base, new].map(|side| side.side.executions().len());
    until(&turn_costs(&of_base, &of_new), rule)
        .ok()?
        .filter(|end| end.decision != Decision::GoOn && executions == [end.turns; 2])
}

/// The beginning of a sentence on two parts of a run. `None`: it is not known how long they took.
fn change_of_parts(comparison: &Comparison) -> Option<String> {
    let per_second = [&comparison.base, &comparison.new].map(|side| {
        let executions = side.side.executions().iter();
        let (value, wall_ns) = executions.fold((0.0, 0.0), |(value, wall_ns), one| {
            (value + one.value as f64, wall_ns + one.wall_ns as f64)
        });
        value / wall_ns
    });
    let change = per_second[1] / per_second[0] - 1.0;
    if !change.is_finite() {
        return None;
    }
    let more = if change < 0.0 { "less" } else { "more" };
    let verb = if comparison.is_of_speed() {
        "uses"
    } else {
        "has"
    };
    Some(format!(
        "{} {verb} {} % {more} {} per wall second than {}",
        comparison.names().subject(),
        digits(change.abs()),
        measure(comparison),
        comparison.names().object(),
    ))
}

fn changed_shares(comparison: &Comparison) -> String {
    let different = (comparison.function_effects.iter())
        .filter(|effects| effects.self_.verdict.has_direction())
        .count();
    match different {
        0 => "No function's share of it differs by more than noise.".to_owned(),
        1 => "The share of 1 function differs by more than noise.".to_owned(),
        many => format!("The shares of {many} functions differ by more than noise."),
    }
}

fn no_samples(comparison: &Comparison, is_base: bool) -> String {
    let names = comparison.names();
    match names.are_parts() {
        true => format!(
            "The {} has no samples, so there is nothing to compare.",
            names.words()[usize::from(!is_base)]
        ),
        false => "One side has no samples, so there is nothing to compare.".to_owned(),
    }
}

fn noise(comparison: &Comparison, whole: &Whole) -> String {
    let (change, shown_by) = match comparison.names().are_parts() {
        true => (
            format!(
                "the difference of {} from {}",
                comparison.names().subject().replacen("The", "the", 1),
                comparison.names().object()
            ),
            "parts",
        ),
        false => ("the change".to_owned(), "runs"),
    };
    let showed = if whole.smallest_detectable.is_finite() {
        format!(
            "; these {shown_by} would have shown {} % or more",
            digits(whole.smallest_detectable)
        )
    } else {
        String::new()
    };
    format!(
        "Not distinguishable from noise: {change} is {} % ({} to {}){showed}.",
        signed(whole.change),
        signed(whole.low),
        digits(whole.high).replace('-', "−"),
    )
}

fn changed(comparison: &Comparison, whole: &Whole) -> String {
    let (word, low, high) = match whole.verdict {
        Verdict::Slower => ("slower", whole.low, whole.high),
        _ => ("faster", -whole.high, -whole.low),
    };
    let what = match comparison.normalisation() {
        Normalisation::Wall => match word {
            "slower" => "busier",
            _ => "less busy",
        },
        _ => word,
    };
    let [subject, object] = [comparison.names().subject(), comparison.names().object()];
    if !comparison.is_of_speed() {
        let more = match whole.verdict {
            Verdict::Slower => "more",
            _ => "less",
        };
        return format!(
            "{subject} has {} % {more} {} per {} than {object} ({} to {}){}.",
            digits(whole.change.abs()),
            measure(comparison),
            comparison.per(),
            digits(low),
            digits(high),
            explained(comparison),
        );
    }
    format!(
        "{subject} is {} % {what} than {object} ({} to {}) in {} per {}{}.",
        digits(whole.change.abs()),
        digits(low),
        digits(high),
        measure(comparison),
        comparison.per(),
        explained(comparison),
    )
}

impl Comparison {
    /// The verdict in a word for people: slower and faster where that is what it means. Of time, a share can also grow because
    /// another one falls.
    pub fn verdict_word(&self, verdict: Verdict) -> &'static str {
        let is_slowness = self.is_of_speed() && self.normalisation() != Normalisation::Share;
        match verdict {
            Verdict::Slower if !is_slowness => "more",
            Verdict::Faster if !is_slowness => "less",
            verdict => verdict.word(),
        }
    }
}

impl Comparison {
    /// A program that waits less is not faster for that: others may hold it up less.
    fn is_of_speed(&self) -> bool {
        is_time(self.unit()) && self.value_name() != "wait"
    }
}

fn is_time(unit: &str) -> bool {
    unit.ends_with("seconds")
}

fn untested(comparison: &Comparison, change: f64) -> String {
    let (more, amount) = match change < 0.0 {
        true => ("less", -change),
        false => ("more", change),
    };
    let cost = format!(
        "{} used {} % {more} {} per {} than {}",
        comparison.names().subject(),
        digits(amount),
        measure(comparison),
        comparison.per(),
        comparison.names().object()
    );
    format!("{cost}; it is unknown whether this is more than noise.")
}

/// "; 3 functions explain 92 % of it", or nothing when a few do not, or others take much of it back.
fn explained(comparison: &Comparison) -> String {
    let net = comparison.new_total().value as f64 - comparison.base_total().value as f64;
    let mut parts: Vec<f64> = (comparison.function_amounts.iter())
        .zip(&comparison.function_effects)
        .filter(|(_, effects)| effects.self_.verdict.has_direction())
        .map(|([base, new], _)| (new.self_.value as f64 - base.self_.value as f64) / net)
        .filter(|part| *part > 0.0)
        .collect();
    parts.sort_by(|a, b| b.total_cmp(a));
    let all: f64 = parts.iter().take(EXPLAINING_MAX).sum();
    if !(0.3..=1.2).contains(&all) {
        return String::new();
    }
    let mut sum = 0.0;
    let mut count = 0;
    for part in parts.iter().take(EXPLAINING_MAX) {
        if sum >= 0.9 * all {
            break;
        }
        sum += part;
        count += 1;
    }
    let verb = if count == 1 {
        "function explains"
    } else {
        "functions explain"
    };
    format!("; {count} {verb} {:.0} % of it", (100.0 * sum).min(100.0))
}

fn method(comparison: &Comparison) -> String {
    let [base, new] = comparison
        .executions()
        .map(|side| side.iter().filter(|(one, _)| !one.warm_up).count());
    match comparison.evidence.test {
        Test::None => comparison.evidence.problem.clone(),
        Test::Windows => method_of_windows(comparison),
        Test::Batches => {
            format!(
                "Functions and lines: Welch's t over 16 or 8 time windows of one execution each, false discovery rate 5 %. {}",
                comparison.evidence.noise.sentence(comparison.earlier.len())
            )
        }
        Test::Executions => {
            let runs_of_base = base;
            let alone = match (base, new) {
                (1, _) if !comparison.names().are_parts() => {
                    " The base has only one execution and is assumed to vary as much as the new side."
                        .to_owned()
                }
                (_, 1) if !comparison.names().are_parts() => {
                    " The new side has only one execution and is assumed to vary as much as the base."
                        .to_owned()
                }
                (1, _) | (_, 1) => {
                    let [base, new] = comparison.names().words();
                    let (one, other) = if runs_of_base == 1 { (base, new) } else { (new, base) };
                    format!(" The {one} has only one execution and is assumed to vary as much as the {other}.")
                }
                _ => String::new(),
            };
            let turns = comparison.evidence.turns.len();
            let design = match (turns, recorded_until(comparison)) {
                (_, Some(end)) => format!(
                    " Recorded alternately until a change of {} % would show, and compared pair by pair. The overall interval is of the CPU time that the kernel counted, and allows for the repeated looks.",
                    percent(end.until.change)
                ),
                (0, _) if comparison.names().are_parts() => String::new(),
                (0, _) => {
                    " Recorded one after the other, so drift of the machine looks like a change."
                        .to_owned()
                }
                (few, _) if few < TURNS_FOR_PAIRS => " Recorded alternately.".to_owned(),
                _ => " Recorded alternately, and compared pair by pair.".to_owned(),
            };
            let whole = match comparison.normalisation() {
                Normalisation::Share => {
                    "Sizes by iterated median of ratios, so unchanged functions stay unchanged; functions and lines"
                        .to_owned()
                }
                _ => "Overall, functions and lines".to_owned(),
            };
            let learnt = match comparison.evidence.least_noise {
                Some(_) => comparison.evidence.noise.sentence_of_least(base.max(new)),
                None => String::new(),
            };
            format!(
                "{whole}: Student's t on log {} over {base} and {new} executions, false discovery rate 5 %.{design}{alone}{learnt}",
                measure(comparison)
            )
        }
    }
}

fn method_of_windows(comparison: &Comparison) -> String {
    let Some(cut) = &comparison.evidence.cut else {
        return String::new();
    };
    let [base, new] = comparison.names().words();
    let windows = match cut.are_shared() {
        true => format!(
            "differences within {} windows of time that both sides share",
            cut.counts[0]
        ),
        false => format!(
            "{} windows of time of the {base} and {} of the {new}",
            cut.counts[0], cut.counts[1]
        ),
    };
    format!(
        "Functions and lines: shares of {windows}, allowing for neighbouring windows that are alike, false discovery rate 5 %. This is about these parts of one execution; another execution may differ."
    )
}

/// "CPU time", or the name of another value.
fn measure(comparison: &Comparison) -> String {
    match comparison.new.analyzed.value_name(comparison.new.measure) {
        "cpu" => "CPU time".to_owned(),
        "wait" => "waiting time".to_owned(),
        name => name.to_owned(),
    }
}

/// 0.02 as "2", 0.005 as "0.5".
fn percent(ratio: f64) -> f64 {
    (1e4 * ratio).round() / 100.0
}

/// 0.079 as "7.9"; from 100 % on without decimals.
fn digits(ratio: f64) -> String {
    // No "-0.0".
    let percent = if ratio.abs() < 0.0005 {
        0.0
    } else {
        100.0 * ratio
    };
    match percent.abs() {
        large if large >= 99.95 => format!("{percent:.0}"),
        _ => format!("{percent:.1}"),
    }
}

fn signed(ratio: f64) -> String {
    let text = digits(ratio).replace('-', "−");
    if ratio > 0.0 {
        format!("+{text}")
    } else {
        text
    }
}
