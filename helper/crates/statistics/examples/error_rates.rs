//! How often the tests of this crate err, over simulated runs of known truth: prints a JSON object a line, of `what`, `share`,
//! the bounds `least` and `most` (null: none), and what stands `beside` it, in words. For `npm run bench -- error-rates`; the
//! tests have the short forms.

#[path = "../simulation/mod.rs"]
mod simulation;

use simulation::Rate;
use simulation::found_changes::found_changes;
use simulation::one_run::{OneRunRates, Pair, one_run_rates};
use simulation::several_runs::{Program, Scale, discoveries, false_positives, power};
use simulation::whole_runs::{drifting_rates, until_rates, whole_rates};
use statistics::{Plan, RunNoise, Until, minimum_detectable};

const SAMPLES: usize = 20_000;

/// What a share should be.
#[derive(Clone, Copy)]
enum Goal {
    /// Of a test at 5 %.
    FalsePositives,
    Coverage,
    Power,
    AtMost(f64),
    AtLeast(f64),
}

fn main() {
    one_run_false_positives();
    one_run_short();
    one_run_changes();
    noise_between_runs();
    several_runs_false_positives();
    shared_noise();
    false_discoveries();
    one_function_grows();
    planned_power();
    power_beside_others();
    wholes();
    drift();
    until_told();
}

fn one_run_false_positives() {
    for (correlation, dependence) in [(0.0, 1), (0.5, 3), (0.9, 19), (0.97, 66)] {
        let mut sum = OneRunRates::default();
        let mut shares = Vec::new();
        for (seed, share) in [0.01, 0.05, 0.3].into_iter().enumerate() {
            let pair = Pair::equal(share, correlation, SAMPLES);
            let rates = one_run_rates(&pair, 4000, seed as u64);
            shares.push(percent(rates.rejected.share()));
            sum += rates;
        }
        row(
            &format!(
                "one execution each, D = {dependence}, functions of 1, 5 and 30 % of 20 000 samples: rejected"
            ),
            sum.rejected,
            // The floor of the variance makes the test careful where samples are independent.
            if correlation == 0.0 {
                Goal::AtMost(0.06)
            } else {
                Goal::FalsePositives
            },
            &format!(
                "each {}; z test {}",
                shares.join(", "),
                percent(sum.naive_rejected.share())
            ),
        );
    }
}

fn one_run_short() {
    for (correlation, dependence) in [(0.9, 19), (0.97, 66), (0.99, 199)] {
        let rates = one_run_rates(&Pair::equal(0.3, correlation, 2000), 4000, 1);
        let rejected = Rate {
            of: rates.tested.of,
            ..rates.rejected
        };
        row(
            &format!(
                "one execution each, D = {dependence}, function of 30 % of 2000 samples: rejected, of all pairs"
            ),
            rejected,
            Goal::AtMost(0.06),
            &format!("enough samples in {}", percent(rates.tested.share())),
        );
    }
    let rates = one_run_rates(&Pair::equal(0.0005, 0.5, SAMPLES), 10_000, 5);
    row(
        "one execution each, D = 3, function of 10 samples, fewer on one side: called new or gone",
        rates.rare_rejected,
        Goal::AtMost(0.06),
        "",
    );
}

fn one_run_changes() {
    for share in [0.01, 0.05, 0.3] {
        let pair = Pair {
            change: 0.2,
            ..Pair::equal(share, 0.9, SAMPLES)
        };
        let rates = one_run_rates(&pair, 4000, 3);
        row(
            &format!(
                "one execution each, D = 19, +20 % of a function of {:.0} % of 20 000 samples: interval covers the change",
                100.0 * share
            ),
            rates.change_covered,
            Goal::Coverage,
            &format!(
                "the difference {}; found {}",
                percent(rates.difference_covered.share()),
                percent(rates.rejected.share())
            ),
        );
    }
}

fn noise_between_runs() {
    for run_noise in [0.01, 0.03, 0.1] {
        let unknown = Pair {
            run_noise,
            ..Pair::equal(0.3, 0.5, SAMPLES)
        };
        let known = Pair {
            known: RunNoise {
                cv: run_noise,
                df: f64::INFINITY,
            },
            ..unknown
        };
        let rejected = |pair| one_run_rates(pair, 4000, 4).rejected;
        row(
            &format!(
                "one execution each, {:.0} % of noise between runs, known to the test: rejected",
                100.0 * run_noise
            ),
            rejected(&known),
            Goal::AtMost(0.06),
            &format!("unknown to it {}", percent(rejected(&unknown).share())),
        );
    }
}

fn several_runs_false_positives() {
    for runs in [3, 5, 10] {
        for (unevenness, kind) in [(0.0, "with equal noise"), (0.8, "with unequal noise")] {
            let program = Program {
                unevenness,
                ..Program::zipf(900, 200_000.0, runs)
            };
            let rates = false_positives(&program, 40, 6);
            let of = format!("{runs} executions each, 900 functions {kind}");
            let by_count = rates.by_count.map(|rate| percent(rate.share())).join(", ");
            let others = [rates.bootstrap, rates.rank_test].map(|rate| percent(rate.share()));
            row(
                &format!("{of}: rejected"),
                rates.rejected,
                Goal::FalsePositives,
                &format!(
                    "below 100, 1000 and above {by_count}; percentile bootstrap {}; rank test {}",
                    others[0], others[1]
                ),
            );
            row(
                &format!("{of}: interval covers"),
                rates.interval_covers,
                Goal::Coverage,
                "",
            );
        }
    }
}

fn shared_noise() {
    for runs in [3, 5, 10] {
        let program = Program {
            means: vec![100_000.0; 40],
            run_noise: 0.005,
            shared_noise: 0.03,
            unevenness: 0.5,
            ..Program::zipf(0, 0.0, runs)
        };
        let rates = false_positives(&program, 4000, 13);
        row(
            &format!(
                "{runs} executions each, 40 functions that vary by 3 % together and 0.5 % alone: rejected"
            ),
            rates.rejected,
            Goal::FalsePositives,
            &format!(
                "comparisons with any q < 0.05 {}",
                percent(rates.alarms.share())
            ),
        );
    }
}

fn false_discoveries() {
    for (manieth, changed) in [(50, 2), (10, 10)] {
        for runs in [5, 10] {
            let program = Program {
                means: (0..300).map(|at| 200.0 + 6.0 * f64::from(at)).collect(),
                ..Program::zipf(0, 0.0, runs)
            };
            let changes: Vec<f64> = (0..300)
                .map(|at| if at % manieth == 0 { 0.5 } else { 0.0 })
                .collect();
            let of = format!("{runs} executions each, {changed} % of 300 functions +50 %");
            let by = |scale| discoveries(&program, &changes, scale, 600, 8);
            let total = by(Scale::Total);
            for (scale, name) in [
                (Scale::Work, "per work"),
                (Scale::Iterated, "iterated median of ratios"),
            ] {
                let found = by(scale);
                share_row(
                    &format!("{of}, {name}: false, of those found"),
                    found.false_share,
                    Goal::AtMost(0.06),
                    &format!(
                        "by share of the total {}; found, of those changed {}",
                        percent(total.false_share),
                        percent(found.power.share())
                    ),
                );
                row(
                    &format!("{of}, {name}: interval covers the change"),
                    found.covered,
                    Goal::Coverage,
                    "",
                );
            }
        }
    }
}

fn one_function_grows() {
    for runs in [5, 10] {
        let (program, changes) = Program::of_which_one_grows(runs);
        let rejected = |scale| discoveries(&program, &changes, scale, 300, 9).rejected;
        row(
            &format!("{runs} executions each, a function of 18 % grows by 40 %: others rejected"),
            rejected(Scale::Iterated),
            Goal::FalsePositives,
            &format!(
                "by share of the total {}",
                percent(rejected(Scale::Total).share())
            ),
        );
    }
}

fn planned_power() {
    for samples in [100.0, 1000.0, 10_000.0] {
        for runs in [3, 5, 10] {
            let program = Program {
                means: vec![samples; 100],
                ..Program::zipf(0, 0.0, runs)
            };
            let change = minimum_detectable(&Plan {
                base_runs: runs,
                new_runs: runs,
                run_cv: program.run_noise,
                design_effect: program.design_effect,
                samples,
            });
            row(
                &format!(
                    "{runs} executions each, {samples} samples, the planned +{:.0} %: found",
                    100.0 * change
                ),
                power(&program, change, 60, 10),
                Goal::Power,
                "planned 80 %",
            );
        }
    }
}

/// Of the tests that keep to their level here: the percentile bootstrap does not.
fn power_beside_others() {
    const SHARES: [f64; 4] = [0.01, 0.05, 0.15, 0.4];
    for runs in [3, 5, 10] {
        let program = Program {
            means: SHARES.map(|share| share * SAMPLES as f64).to_vec(),
            ..Program::zipf(0, 0.0, runs)
        };
        for change in [0.02, 0.05, 0.1, 0.25] {
            let found = found_changes(&program, change, 2000, 16);
            let [pairs, welch, rank_test, bootstrap] =
                [found.pairs, found.welch, found.rank_test, found.bootstrap]
                    .map(|rate| rate.share());
            row(
                &format!(
                    "{runs} executions each, +{:.0} % of functions of 1, 5, 15 and 40 % of 20 000 samples: found",
                    100.0 * change
                ),
                found.ours,
                Goal::AtLeast(welch.max(rank_test) - 0.01),
                &format!(
                    "pair by pair {}; Welch {}; rank test {}; percentile bootstrap, which errs more, {}",
                    percent(pairs),
                    percent(welch),
                    percent(rank_test),
                    percent(bootstrap)
                ),
            );
        }
    }
}

fn wholes() {
    for sides in [(1, 1), (1, 3), (3, 3), (5, 5), (10, 10)] {
        let covered = whole_rates(sides, 0.03, 0.1, 40_000, 12).covered;
        row(
            &format!(
                "overall, {} and {} executions that vary by 3 %: rejected",
                sides.0, sides.1
            ),
            whole_rates(sides, 0.03, 0.0, 40_000, 11).rejected,
            Goal::FalsePositives,
            &format!("+10 % covered by the interval {}", percent(covered.share())),
        );
    }
}

fn drift() {
    for runs in [5, 10] {
        let [blocks, turns] = drifting_rates(runs, 40_000, 15);
        row(
            &format!(
                "overall, {runs} and {runs} executions recorded alternately on a machine that drifts: rejected"
            ),
            turns,
            Goal::AtMost(0.06),
            &format!("one side after the other {}", percent(blocks.share())),
        );
    }
}

fn until_told() {
    let two_percent = Until {
        change: 0.02,
        turns_max: 100,
    };
    let series = |noise, change, seed| until_rates(noise, change, two_percent, 2000, seed);
    for noise in [0.01, 0.03, 0.1] {
        let of = format!("executions vary by {:.0} %", 100.0 * noise);
        let same = series(noise, 0.0, 16);
        let turns = same.median_turns();
        row(
            &format!("--until 2%, {of}, no change: verdict slower or faster"),
            same.told,
            Goal::AtMost(0.06),
            &format!(
                "median {turns} turns; interval covers {}",
                percent(same.covered.share())
            ),
        );
        row(
            &format!("--until 2%, {of}, no change: function rejected at 5 %"),
            same.functions,
            Goal::AtMost(0.06),
            "a third of its variance is the overall one",
        );
        for change in [0.02, 0.05, 0.2] {
            let changed = series(noise, change, 17);
            let turns = changed.median_turns();
            let beside = format!(
                "median {turns} turns; interval covers {}",
                percent(changed.covered.share())
            );
            row(
                &format!("--until 2%, {of}, +{:.0} %: detected", 100.0 * change),
                changed.told,
                // A loud program reaches the limit of 100 turns first.
                Goal::AtLeast(if noise > 0.05 && change < 0.04 {
                    0.2
                } else {
                    0.78
                }),
                &beside,
            );
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn row(what: &str, rate: Rate, goal: Goal, beside: &str) {
    let cases = format!("{} cases", rate.of);
    let beside = if beside.is_empty() {
        cases
    } else {
        format!("{cases}; {beside}")
    };
    share_row(what, rate.share(), goal, &beside);
}

fn share_row(what: &str, share: f64, goal: Goal, beside: &str) {
    let (least, most) = match goal {
        Goal::FalsePositives => (Some(0.03), Some(0.06)),
        Goal::Coverage => (Some(0.93), None),
        Goal::Power => (Some(0.75), None),
        Goal::AtMost(most) => (None, Some(most)),
        Goal::AtLeast(least) => (Some(least), None),
    };
    let bound = |value: Option<f64>| value.map_or("null".to_owned(), |value| value.to_string());
    println!(
        r#"{{"what":"{what}","share":{share:.4},"least":{},"most":{},"beside":"{beside}"}}"#,
        bound(least),
        bound(most)
    );
}
