//! Totals of callers of nearly everything: they are the whole once more, and must not contradict it by chance.
//!
//! Where such a total is told from noise and the whole is not, or is told in the other direction, one of these holds:
//! - The rest of the program changed the other way, by its own test at 5 %: the verdict stays, and a note says so.
//! - The function itself is among those inside it that make up most of the change: the verdict stays, its self says why.
//! - Functions inside it changed in this direction, and the total without them is not told from noise at 5 %: *moved
//!   within*, and a note names them.
//! - Else nothing but the level of the tests is different: *noise*, as the whole.

use crate::amounts::Amount;
use crate::comparison::{ComparedLines, Comparison};
use crate::counts::{Counted, Counts};
use crate::effect::{Effect, FEW_SAMPLES, Verdict};
use crate::evidence::{Test, fits};
use crate::inside::{Inside, count_inside};
use crate::moved_cost::{add_note, names};

const ALPHA: f64 = 0.05;
/// Of both totals, from which on a row is nearly everything.
pub(crate) const NEARLY_ALL: f64 = 0.8;
/// Of the change inside; a note names no more functions than that takes.
const MOST: f64 = 0.8;
/// Functions that are looked for inside, those with the largest change of self first.
const INSIDE_MAX: usize = 60;

/// Judges the totals of such functions again. The whole and moved cost are known. `counts`: of
/// base and new.
pub(crate) fn judge_nested_totals(comparison: &mut Comparison, counts: [&Counted; 2]) {
    let against: Vec<u32> = (0..comparison.function_effects.len() as u32)
        .filter(|&pair| {
            let total = comparison.function_amounts[pair as usize].map(|amounts| amounts.total);
            let effect = &comparison.function_effects[pair as usize].total;
            is_against_whole(comparison, total, effect.verdict)
        })
        .collect();
    if comparison.evidence.test == Test::None {
        return;
    }
    let judged = judged(comparison, counts, &against);
    for (&pair, (verdict, note)) in against.iter().zip(judged) {
        comparison.function_effects[pair as usize].total.verdict = verdict;
        if !note.is_empty() {
            add_note(comparison, pair, &note);
        }
    }
}

/// Of a row with these totals.
pub(crate) fn is_against_whole(
    comparison: &Comparison,
    [base, new]: [Amount; 2],
    verdict: Verdict,
) -> bool {
    let whole = comparison.whole().verdict;
    let nearly_all = |part: Amount, all: Amount| part.value as f64 >= NEARLY_ALL * all.value as f64;
    verdict.has_direction()
        && matches!(whole, Verdict::Noise | Verdict::Slower | Verdict::Faster)
        && whole != verdict
        && nearly_all(base, comparison.base_total())
        && nearly_all(new, comparison.new_total())
}

/// The verdict of a line, or of a node of the tree, that is nearly everything: that of its function, unless that stays.
pub(crate) fn verdict_beside_function(
    comparison: &Comparison,
    total: [Amount; 2],
    verdict: Verdict,
    pair: u32,
) -> Verdict {
    let of_function = comparison.function_effects[pair as usize].total.verdict;
    match is_against_whole(comparison, total, verdict) && !of_function.has_direction() {
        true => of_function,
        false => verdict,
    }
}

/// The totals of lines, when those of the functions have been judged again.
pub(crate) fn judge_lines(comparison: &Comparison, lines: &mut ComparedLines) {
    let pairs = lines.matched.pairs.iter().zip(&lines.amounts);
    for (effects, (pair, amounts)) in lines.effects.iter_mut().zip(pairs) {
        let verdict = effects.total.verdict;
        if verdict.has_direction()
            && let Some(function) = comparison.pair_of_line(pair)
        {
            let total = amounts.map(|amounts| amounts.total);
            effects.total.verdict = verdict_beside_function(comparison, total, verdict, function);
        }
    }
}

/// By function of `against`, its verdict and a note.
fn judged(
    comparison: &Comparison,
    counts: [&Counted; 2],
    against: &[u32],
) -> Vec<(Verdict, String)> {
    let told = told(comparison);
    let columns = &comparison.evidence.columns;
    let longest = columns[0].count.max(columns[1].count);
    let insides: Vec<Inside> = (against.iter())
        .flat_map(|&outer| told.iter().map(move |&inner| Inside { outer, inner }))
        .collect();
    if against.is_empty() || !fits(insides.len() + 2 * against.len(), longest) {
        let kept = |&pair: &u32| comparison.function_effects[pair as usize].total.verdict;
        return against
            .iter()
            .map(|pair| (kept(pair), String::new()))
            .collect();
    }
    let [base, new] = count_inside(comparison, columns, &insides);
    let amounts = |row: usize| [base.1[row], new.1[row]];
    let all = [&columns[0], &columns[1]].map(crate::counts::Columns::sums);
    let mut remainders = Differences::new(against.len(), comparison);
    let mut rests = Differences::new(against.len(), comparison);
    let mut explaining: Vec<Vec<u32>> = Vec::new();
    for (row, &pair) in against.iter().enumerate() {
        let total = |counted: &Counted| counted.total.row(pair as usize).to_vec();
        let totals = counts.map(total);
        let of_pair = comparison.function_amounts[pair as usize].map(|amounts| amounts.total);
        let along = |change: f64| change * change_of(of_pair) > 0.0;
        // Along the change of the total: what went the other way does not explain it.
        let inside: Vec<usize> = (0..told.len())
            .map(|one| row * told.len() + one)
            .filter(|&one| along(change_of(amounts(one))))
            .collect();
        let parts = |counts: &Counts| inside.iter().map(|&one| counts.row(one).to_vec()).collect();
        let of_parts = inside.iter().map(|&one| amounts(one)).collect::<Vec<_>>();
        remainders.set(
            row,
            [&totals[0], &totals[1]],
            of_pair,
            [parts(&base.0), parts(&new.0)],
            &of_parts,
        );
        let wholes = [comparison.base_total(), comparison.new_total()];
        let only = totals.clone().map(|total| vec![total]);
        rests.set(row, [&all[0], &all[1]], wholes, only, &[of_pair]);
        let parts: Vec<(u32, f64)> = (inside.iter())
            .map(|&one| (told[one - row * told.len()], change_of(amounts(one)).abs()))
            .collect();
        explaining.push(most(parts));
    }
    let (remainders, rests) = (remainders.tested(comparison), rests.tested(comparison));
    (against.iter().enumerate())
        .map(|(row, &pair)| {
            let verdict = comparison.function_effects[pair as usize].total.verdict;
            let inside = &explaining[row];
            let (rest, rest_change) = &rests[row];
            let of_pair = comparison.function_amounts[pair as usize].map(|amounts| amounts.total);
            if is_told(rest) && rest_change * change_of(of_pair) < 0.0 {
                (
                    verdict,
                    "the rest of the program changed the other way".to_owned(),
                )
            } else if inside.contains(&pair) {
                (verdict, String::new())
            } else if !inside.is_empty() && !is_told(&remainders[row].0) {
                let note = format!("total changed by {}", names(comparison, inside));
                (Verdict::MovedWithin, note)
            } else {
                (Verdict::Noise, String::new())
            }
        })
        .collect()
}

/// The fewest functions that make up most of the sum, the largest first.
fn most(mut parts: Vec<(u32, f64)>) -> Vec<u32> {
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let all: f64 = parts.iter().map(|part| part.1).sum();
    let mut sum = 0.0;
    let needed = parts.iter().take_while(|part| {
        let before = sum;
        sum += part.1;
        before < MOST * all
    });
    needed.map(|part| part.0).collect()
}

/// By its own test; what has too few samples is not.
fn is_told(effect: &Effect) -> bool {
    effect.p < ALPHA
}

/// Functions whose self is told from noise and did not move, the largest change first.
fn told(comparison: &Comparison) -> Vec<u32> {
    let change = |pair: u32| {
        let [base, new] = comparison.function_amounts[pair as usize];
        new.self_.value.abs_diff(base.self_.value)
    };
    let mut told: Vec<u32> = (0..comparison.function_effects.len() as u32)
        .filter(|&pair| (comparison.function_effects[pair as usize].self_.verdict).has_direction())
        .collect();
    told.sort_by_key(|&pair| std::cmp::Reverse(change(pair)));
    told.truncate(INSIDE_MAX);
    told
}

fn change_of([base, new]: [Amount; 2]) -> f64 {
    new.value as f64 - base.value as f64
}

/// Rows that are what is left of others.
struct Differences {
    base: Counts,
    new: Counts,
    amounts: Vec<[Amount; 2]>,
}

impl Differences {
    fn new(rows: usize, comparison: &Comparison) -> Differences {
        let columns = &comparison.evidence.columns;
        Differences {
            base: Counts::new(rows, columns[0].count),
            new: Counts::new(rows, columns[1].count),
            amounts: vec![[Amount::default(); 2]; rows],
        }
    }

    /// `row`: `all` without `parts`.
    fn set(
        &mut self,
        row: usize,
        all: [&[u32]; 2],
        of_all: [Amount; 2],
        parts: [Vec<Vec<u32>>; 2],
        of_parts: &[[Amount; 2]],
    ) {
        let left = |all: &[u32], parts: &[Vec<u32>]| -> Vec<u32> {
            (all.iter().enumerate())
                .map(|(column, &count)| {
                    let taken = parts.iter().map(|part| part[column]);
                    taken.fold(count, u32::saturating_sub)
                })
                .collect()
        };
        self.base.add(row, 0, &left(all[0], &parts[0]));
        self.new.add(row, 0, &left(all[1], &parts[1]));
        self.amounts[row] = [0, 1].map(|side| {
            (of_parts.iter()).fold(of_all[side], |left, part| Amount {
                samples: left.samples.saturating_sub(part[side].samples),
                value: left.value.saturating_sub(part[side].value),
            })
        });
    }

    /// Each with its change.
    fn tested(&self, comparison: &Comparison) -> Vec<(Effect, f64)> {
        let least = FEW_SAMPLES / 2;
        let effects = (comparison.evidence).tested(least, &self.base, &self.new, &self.amounts);
        let changes = self.amounts.iter().map(|&amounts| change_of(amounts));
        effects.into_iter().zip(changes).collect()
    }
}
