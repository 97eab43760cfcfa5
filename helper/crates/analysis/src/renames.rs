//! Functions that are gone on one side and new on the other, and look like the same under another name or in another
//! file: by who calls them, whom they call, how much they cost, their source text and their name.

use std::collections::HashMap;

use crate::amounts::Amounts;
use crate::analyzed::Analyzed;
use crate::both::both;
use crate::frames::{FunctionId, FunctionKind, Measure};
use crate::function_text::{function_text, text_likeness};
use crate::matching::FunctionMatch;
use crate::neighbours::{Neighbours, likeness, neighbours};

/// Only the most expensive are looked at: each with each.
const CANDIDATES_MAX: usize = 60;
/// Fewer samples are no evidence of anything.
const LEAST_SAMPLES: u64 = 10;
/// Of 0 to 1, from all evidence together.
const LEAST_SCORE: f64 = 0.6;
/// By which the best must be better than any other.
const LEAST_LEAD: f64 = 0.08;

/// Joins what was renamed or moved into one pair. Returns a note by pair, empty for all others.
pub(crate) fn pair_renamed(
    runs: [&Analyzed; 2],
    measures: [Measure; 2],
    functions: &mut FunctionMatch,
) -> Vec<String> {
    let [base, new] = both(
        || candidates(runs[0], measures[0], functions, true),
        || candidates(runs[1], measures[1], functions, false),
    );
    let mut joined: Vec<(u32, u32, String)> = Vec::new();
    if !base.is_empty() && !new.is_empty() {
        let [base, new] = both(
            || described(runs[0], measures[0], &functions.base_pair, &base),
            || described(runs[1], measures[1], &functions.new_pair, &new),
        );
        for (from, to) in mutual_best(&base, &new) {
            let pairs = [
                functions.base_pair[base[from].function as usize],
                functions.new_pair[new[to].function as usize],
            ];
            let (old, now) = (&base[from], &new[to]);
            let note = if old.name != now.name {
                format!("renamed from {}", old.name)
            } else {
                format!("moved from {}", old.place)
            };
            joined.push((pairs[0], pairs[1], note));
        }
    }
    join(functions, joined)
}

/// Functions of one side that the other has none of, most expensive first.
fn candidates(
    run: &Analyzed,
    measure: Measure,
    functions: &FunctionMatch,
    is_base: bool,
) -> Vec<(FunctionId, Amounts)> {
    let Some(tally) = run.tally(measure) else {
        return Vec::new();
    };
    let pair_of = if is_base {
        &functions.base_pair
    } else {
        &functions.new_pair
    };
    let mut found: Vec<(FunctionId, Amounts)> = (tally.functions.iter().enumerate())
        .map(|(function, &amounts)| (function as FunctionId, amounts))
        .filter(|&(function, amounts)| {
            let pair = functions.pairs[pair_of[function as usize] as usize];
            let alone = if is_base {
                pair.new.is_none()
            } else {
                pair.base.is_none()
            };
            alone
                && pair.base.or(pair.new) == Some(function)
                && amounts.total.samples >= LEAST_SAMPLES
                && run.function(function).kind == FunctionKind::Native
        })
        .collect();
    found.sort_by_key(|(_, amounts)| std::cmp::Reverse(amounts.total.value));
    found.truncate(CANDIDATES_MAX);
    found
}

struct Described<'a> {
    function: FunctionId,
    name: &'a str,
    module: &'a str,
    /// "file:line".
    place: String,
    text: Option<Vec<&'a str>>,
    self_: f64,
    total: f64,
    neighbours: Neighbours,
}

impl Described<'_> {
    /// Most of its cost is in what it calls, so that its callees tell what it does.
    fn is_made_of_calls(&self) -> bool {
        self.self_ <= 0.5 * self.total
    }
}

/// Amounts are shares of the side's total: how long the runs took is of no account.
fn described<'a>(
    run: &'a Analyzed,
    measure: Measure,
    pair_of: &[u32],
    candidates: &[(FunctionId, Amounts)],
) -> Vec<Described<'a>> {
    let wanted: Vec<FunctionId> = candidates.iter().map(|(function, _)| *function).collect();
    let mut around = neighbours(run, measure, pair_of, &wanted);
    let all = run.total(measure).value.max(1) as f64;
    (candidates.iter())
        .map(|&(function, amounts)| {
            let known = run.function(function);
            Described {
                function,
                name: run.text(known.name),
                module: run.text(known.module),
                place: match (run.text(known.file), known.line) {
                    ("", _) => run.text(known.module).to_owned(),
                    (file, 0) => file.to_owned(),
                    (file, line) => format!("{file}:{line}"),
                },
                text: function_text(run, function),
                self_: amounts.self_.value as f64 / all,
                total: amounts.total.value as f64 / all,
                neighbours: around.remove(&function).unwrap_or_default(),
            }
        })
        .collect()
}

fn mutual_best(base: &[Described], new: &[Described]) -> Vec<(usize, usize)> {
    let scores: Vec<Vec<f64>> = (base.iter())
        .map(|old| new.iter().map(|now| score(old, now)).collect())
        .collect();
    let mut found = Vec::new();
    for (from, row) in scores.iter().enumerate() {
        let Some((to, best)) = (row.iter().copied().enumerate()).max_by(|a, b| a.1.total_cmp(&b.1))
        else {
            continue;
        };
        let rivals = (row.iter().enumerate())
            .filter(|(other, _)| *other != to)
            .chain(
                (scores.iter().enumerate())
                    .filter(|(other, _)| *other != from)
                    .map(|(other, row)| (other, &row[to])),
            )
            .map(|(_, score)| *score)
            .fold(0.0, f64::max);
        if best >= LEAST_SCORE && best - rivals >= LEAST_LEAD {
            found.push((from, to));
        }
    }
    found
}

/// Mean of what is known, by how much each tells. A body that is another one is no rename, whatever else fits.
fn score(old: &Described, now: &Described) -> f64 {
    let size = alike(old.self_ + old.total, now.self_ + now.total);
    let name = name_likeness(old.name, now.name);
    let mut evidence = vec![(size, 1.0), (name, 2.0)];
    if old.module != now.module {
        evidence.push((0.0, 1.0));
    }
    if let (Some(a), Some(b)) = (&old.text, &now.text) {
        // The head of a renamed function differs by its name.
        let text = text_likeness(a, b);
        if text < 0.5 {
            return 0.0;
        }
        evidence.push((text, 4.0));
    }
    if let Some(callers) = likeness(&old.neighbours.callers, &now.neighbours.callers) {
        evidence.push((callers, 3.0));
    }
    let callees = likeness(&old.neighbours.callees, &now.neighbours.callees);
    let is_text_known = old.text.is_some() && now.text.is_some();
    let calls_alike = callees.is_some_and(|callees| callees >= 0.7)
        && old.is_made_of_calls()
        && now.is_made_of_calls();
    let names = common_words(old.name, now.name);
    let is_evident = match names {
        CommonWords::AllOfOne => name >= 0.4 || calls_alike,
        CommonWords::None => calls_alike,
        CommonWords::Some => false,
    };
    if !is_text_known && !is_evident {
        // Callers and cost are no evidence by themselves: an alternative to a function has both.
        return 0.0;
    }
    if let Some(callees) = callees {
        evidence.push((callees, 2.0));
    }
    let weights: f64 = evidence.iter().map(|(_, weight)| weight).sum();
    evidence
        .iter()
        .map(|(value, weight)| value * weight)
        .sum::<f64>()
        / weights
}

/// What two names share.
enum CommonWords {
    /// All words of one of them: `weigh`, `weigh_items`.
    AllOfOne,
    /// Each has a word in place of one of the other's, as alternatives have: `sum_by_row`, `sum_by_column`.
    Some,
    None,
}

fn common_words(old: &str, now: &str) -> CommonWords {
    let [old, now] = [old, now].map(|name| words(&last_part(name)));
    let has_all = |of: &[String], all: &[String]| of.iter().all(|word| all.contains(word));
    if has_all(&old, &now) || has_all(&now, &old) {
        CommonWords::AllOfOne
    } else if old.iter().any(|word| now.contains(word)) {
        CommonWords::Some
    } else {
        CommonWords::None
    }
}

/// In lower case: of `sum_by_row` or `sumByRow` three.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut last = ' ';
    for c in name.chars() {
        let begins =
            c.is_uppercase() && !last.is_uppercase() || c.is_numeric() != last.is_numeric();
        if !c.is_alphanumeric() || begins {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words
                .last_mut()
                .expect("one at least")
                .extend(c.to_lowercase());
        }
        last = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Without what it is in, and without its parameters.
fn last_part(name: &str) -> String {
    // This is a scope, though it looks like parameters.
    let scoped = name.replace("(anonymous namespace)::", "");
    let head = scoped.split('(').next().unwrap_or(&scoped);
    head.rsplit("::").next().unwrap_or(head).to_owned()
}

fn alike(a: f64, b: f64) -> f64 {
    if a.max(b) == 0.0 {
        1.0
    } else {
        a.min(b) / a.max(b)
    }
}

/// By pairs of neighbouring letters (Dice), of the name without what it is in.
fn name_likeness(old: &str, now: &str) -> f64 {
    let pairs = |name: &str| -> HashMap<(char, char), usize> {
        let last = last_part(name);
        let mut pairs = HashMap::new();
        for pair in last.chars().zip(last.chars().skip(1)) {
            *pairs.entry(pair).or_default() += 1;
        }
        pairs
    };
    let (a, b) = (pairs(old), pairs(now));
    let all = a.values().sum::<usize>() + b.values().sum::<usize>();
    if all == 0 {
        return f64::from(u8::from(old == now));
    }
    let common: usize = (a.iter())
        .map(|(pair, count)| (*count).min(b.get(pair).copied().unwrap_or(0)))
        .sum();
    2.0 * common as f64 / all as f64
}

/// The pair of the new run goes into that of the base; the others keep their order.
fn join(functions: &mut FunctionMatch, joined: Vec<(u32, u32, String)>) -> Vec<String> {
    let mut notes = vec![String::new(); functions.pairs.len()];
    let mut into: Vec<u32> = (0..functions.pairs.len() as u32).collect();
    for (base, new, note) in joined {
        functions.pairs[base as usize].new = functions.pairs[new as usize].new;
        into[new as usize] = base;
        notes[base as usize] = note;
    }
    let mut kept = vec![0u32; into.len()];
    let mut pairs = Vec::with_capacity(into.len());
    let mut kept_notes = Vec::with_capacity(into.len());
    for pair in 0..into.len() {
        if into[pair] == pair as u32 {
            kept[pair] = pairs.len() as u32;
            pairs.push(functions.pairs[pair]);
            kept_notes.push(std::mem::take(&mut notes[pair]));
        }
    }
    for pair in functions
        .base_pair
        .iter_mut()
        .chain(&mut functions.new_pair)
    {
        *pair = kept[into[*pair as usize] as usize];
    }
    functions.pairs = pairs;
    kept_notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_share_all_words_of_one_or_some_or_none() {
        let shared = |old, now| match common_words(old, now) {
            CommonWords::AllOfOne => "all of one",
            CommonWords::Some => "some",
            CommonWords::None => "none",
        };
        for (old, now, wanted) in [
            ("weigh", "weigh_items", "all of one"),
            ("A::compress(int)", "B::compress(long)", "all of one"),
            (
                "(anonymous namespace)::by_byte(int)",
                "(anonymous namespace)::by_word(int)",
                "some",
            ),
            ("sumByRow", "sumByColumn", "some"),
            ("fft_radix2", "fft_radix4", "some"),
            ("read_all", "load((anonymous namespace)::read)", "none"),
        ] {
            assert_eq!(shared(old, now), wanted, "{old} {now}");
        }
    }
}
