//! The error rates that this crate stands for, over simulated runs of known truth. Short forms: `npm run bench -- error-rates`
//! has the long ones.

#[path = "../simulation/mod.rs"]
mod simulation;

use simulation::Rate;
use simulation::found_changes::found_changes;
use simulation::one_run::{OneRunRates, Pair, one_run_rates};
use simulation::several_runs::{Program, Scale, discoveries, false_positives, power};
use simulation::whole_runs::{drifting_rates, until_rates, whole_rates};
use statistics::{Plan, RunNoise, Until, minimum_detectable};

const SAMPLES: usize = 20_000;

#[track_caller]
fn assert_within(rate: Rate, least: f64, most: f64) {
    let share = rate.share();
    assert!(
        (least..=most).contains(&share),
        "{share:.4} of {} is not within {least} and {most}",
        rate.of
    );
}

/// Over functions that are on few, some and many of the samples.
fn equal_pairs(correlation: f64) -> OneRunRates {
    let mut sum = OneRunRates::default();
    for (seed, share) in [0.01, 0.05, 0.3].into_iter().enumerate() {
        sum += one_run_rates(&Pair::equal(share, correlation, SAMPLES), 700, seed as u64);
    }
    sum
}

#[test]
fn one_run_each_independent_samples_are_rarely_called_different() {
    // The floor makes the test careful here.
    assert_within(equal_pairs(0.0).rejected, 0.02, 0.06);
}

#[test]
fn one_run_each_dependent_samples_are_called_different_in_5_of_100_and_by_the_z_test_in_25_or_65() {
    for (correlation, naive) in [(0.5, 0.2), (0.9, 0.55)] {
        let rates = equal_pairs(correlation);
        assert_within(rates.rejected, 0.03, 0.06);
        assert_within(rates.naive_rejected, naive, 1.0);
        assert_within(rates.tested, 0.97, 1.0);
    }
}

#[test]
fn one_run_each_short_runs_of_long_dependence_are_refused() {
    let rates = one_run_rates(&Pair::equal(0.3, 0.99, 2000), 400, 1);
    assert_within(rates.tested, 0.0, 0.03);
}

#[test]
fn one_run_each_intervals_cover_a_change_and_large_functions_show_it() {
    for (share, least, most) in [(0.05, 0.13, 0.26), (0.3, 0.75, 0.88)] {
        let pair = Pair {
            change: 0.2,
            ..Pair::equal(share, 0.9, SAMPLES)
        };
        let rates = one_run_rates(&pair, 700, 3);
        assert_within(rates.difference_covered, 0.93, 1.0);
        assert_within(rates.change_covered, 0.93, 1.0);
        assert_within(rates.rejected, least, most);
    }
}

#[test]
fn one_run_each_noise_between_runs_is_taken_for_a_change_unless_it_is_known() {
    let unknown = Pair {
        run_noise: 0.03,
        ..Pair::equal(0.3, 0.5, SAMPLES)
    };
    assert_within(one_run_rates(&unknown, 700, 4).rejected, 0.2, 0.4);
    let known = Pair {
        known: RunNoise {
            cv: 0.03,
            df: f64::INFINITY,
        },
        ..unknown
    };
    assert_within(one_run_rates(&known, 700, 4).rejected, 0.02, 0.06);
}

#[test]
fn one_run_each_functions_of_a_dozen_samples_are_not_called_new_or_gone() {
    for correlation in [0.0, 0.5] {
        let rates = one_run_rates(&Pair::equal(0.0005, correlation, SAMPLES), 2000, 5);
        assert_within(rates.rare_rejected, 0.0, 0.06);
        assert_within(rates.rejected, 0.0, 0.06);
    }
}

#[test]
fn several_runs_are_called_different_in_5_of_100_whatever_the_count_and_by_the_bootstrap_in_more() {
    for (runs, bootstrap) in [(3, 0.15), (5, 0.1), (10, 0.07)] {
        let rates = false_positives(&Program::zipf(900, 200_000.0, runs), 5, 6);
        assert_within(rates.rejected, 0.03, 0.06);
        for rate in rates.by_count {
            assert_within(rate, 0.02, 0.07);
        }
        assert_within(rates.interval_covers, 0.93, 1.0);
        assert_within(rates.bootstrap, bootstrap, 1.0);
        if runs == 3 {
            assert_eq!(
                rates.rank_test.times, 0,
                "the rank test cannot reject at 3 runs"
            );
        }
    }
}

#[test]
fn several_runs_of_few_or_unlike_functions_are_called_different_in_5_of_100() {
    for (functions, samples, unevenness) in [
        (12, 20_000.0, 0.0),
        (12, 20_000.0, 0.5),
        (900, 200_000.0, 0.8),
    ] {
        let program = Program {
            unevenness,
            ..Program::zipf(functions, samples, 3)
        };
        let rates = false_positives(&program, 5400 / functions, 7);
        assert_within(rates.rejected, 0.03, 0.065);
    }
}

#[test]
fn no_function_is_called_different_more_often_because_it_varies_more_than_others() {
    for runs in [3, 5] {
        let program = Program {
            unevenness: 0.8,
            ..Program::zipf(60, 200_000.0, runs)
        };
        // The worst of 60 rates of 2000 cases is 1.2 % above them all by chance.
        let rates = false_positives(&program, 2000, 14);
        assert!(rates.worst <= 0.07, "{}", rates.worst);
    }
}

#[test]
fn drift_makes_blocks_differ_and_not_turns() {
    for runs in [5, 10] {
        let [blocks, turns] = drifting_rates(runs, 4000, 15);
        assert_within(blocks, 0.25, 1.0);
        assert_within(turns, 0.02, 0.06);
    }
}

#[test]
fn several_runs_whose_functions_are_slow_together_raise_no_more_alarms() {
    for runs in [3, 5] {
        // Hot functions, so that their own noise does not hide what is shared.
        let program = Program {
            means: vec![100_000.0; 40],
            run_noise: 0.005,
            shared_noise: 0.03,
            unevenness: 0.5,
            ..Program::zipf(0, 0.0, runs)
        };
        let rates = false_positives(&program, 1000, 13);
        assert_within(rates.rejected, 0.03, 0.065);
        assert_within(rates.alarms, 0.0, 0.07);
    }
}

/// 300 functions of 200 to 2000 samples.
fn alike(runs: usize) -> Program {
    Program {
        means: (0..300).map(|at| 200.0 + 6.0 * f64::from(at)).collect(),
        ..Program::zipf(0, 0.0, runs)
    }
}

/// Every so-manieth function costs half as much again.
fn every(manieth: usize) -> Vec<f64> {
    (0..300)
        .map(|at| if at % manieth == 0 { 0.5 } else { 0.0 })
        .collect()
}

#[test]
fn of_what_is_found_at_most_6_of_100_are_false_and_by_shares_of_the_total_many() {
    for (runs, by_total) in [(5, 0.1), (10, 0.25)] {
        for manieth in [50, 10] {
            for scale in [Scale::Work, Scale::Iterated] {
                let found = discoveries(&alike(runs), &every(manieth), scale, 150, 8);
                assert!(
                    found.false_share <= 0.06,
                    "{runs} runs, 1 in {manieth}, {scale:?}: {}",
                    found.false_share
                );
                // 6 of 300 at 5 runs: each has to pass nearly on its own.
                assert_within(found.power, if runs == 5 { 0.85 } else { 0.95 }, 1.0);
                assert_within(found.covered, 0.93, 1.0);
                assert_within(found.rejected, 0.03, 0.06);
            }
        }
        let found = discoveries(&alike(runs), &every(10), Scale::Total, 150, 8);
        assert!(found.false_share >= by_total, "{}", found.false_share);
    }
}

#[test]
fn when_one_function_grows_the_others_do_not_seem_to_shrink() {
    let (program, changes) = Program::of_which_one_grows(10);
    let rejected = |scale| discoveries(&program, &changes, scale, 60, 9).rejected;
    assert_within(rejected(Scale::Iterated), 0.03, 0.06);
    assert_within(rejected(Scale::Total), 0.065, 1.0);
}

#[test]
fn the_planned_change_is_found_in_4_of_5_cases() {
    for runs in [3, 5, 10] {
        let program = Program {
            means: vec![1000.0; 100],
            ..Program::zipf(0, 0.0, runs)
        };
        let plan = Plan {
            base_runs: runs,
            new_runs: runs,
            run_cv: program.run_noise,
            design_effect: program.design_effect,
            samples: 1000.0,
        };
        assert_within(
            power(&program, minimum_detectable(&plan), 15, 10),
            0.74,
            0.86,
        );
    }
}

#[test]
fn equal_wholes_are_called_different_in_5_of_100_and_intervals_cover_a_change() {
    for (sides, least) in [
        ((1, 1), 0.03),
        ((1, 3), 0.03),
        ((3, 3), 0.02),
        ((5, 5), 0.03),
        ((10, 10), 0.03),
    ] {
        assert_within(
            whole_rates(sides, 0.03, 0.0, 4000, 11).rejected,
            least,
            0.06,
        );
        assert_within(whole_rates(sides, 0.03, 0.1, 4000, 12).covered, 0.93, 1.0);
    }
}

/// Beside tests that keep to their level; the percentile bootstrap finds more, and more that is not there.
#[test]
fn changes_are_found_as_often_as_by_other_tests() {
    for runs in [3, 5, 10] {
        let program = Program {
            means: vec![1000.0; 20],
            ..Program::zipf(0, 0.0, runs)
        };
        let found = found_changes(&program, 0.15, 40, 17);
        let others = found.welch.share().max(found.rank_test.share());
        assert_within(found.ours, others - 0.02, 1.0);
        let nothing = found_changes(&program, 0.0, 40, 18);
        assert_within(nothing.ours, 0.03, 0.07);
        assert!(nothing.bootstrap.share() > nothing.ours.share());
    }
}

#[test]
fn a_series_that_ends_by_itself_tells_no_difference_more_often_where_there_is_none() {
    let two_percent = Until {
        change: 0.02,
        turns_max: 60,
    };
    let same = until_rates(0.02, 0.0, two_percent, 250, 21);
    assert_within(same.told, 0.005, 0.08);
    assert_within(same.covered, 0.92, 0.995);
    assert_within(same.functions, 0.01, 0.09);
    let changed = until_rates(0.02, 0.05, two_percent, 60, 22);
    assert_within(changed.told, 0.99, 1.0);
    assert!(changed.median_turns() < same.median_turns());
}
