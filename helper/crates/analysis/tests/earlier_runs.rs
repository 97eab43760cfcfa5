//! Rows of single executions are judged by what they differed by in earlier runs of the program.

use crate::support::{Chance, profile_of, recorded_run, with_timeline};
use analysis::{
    Comparison, EarlierRuns, LearntNoise, Side, Verdict, compared_functions, compared_lines,
};
use profile::run::{EndReason, Exit};
use profile::{Profile, RunInfo};

/// `restless` is on line 3, `steady` on line 5.
fn run(started: i64, restless: u64, steady: u64) -> Profile {
    let text = format!("main@m.c:1 restless@m.c:3 {restless}\nmain@m.c:1 steady@m.c:5 {steady}");
    let mut profile = profile_of(&text);
    profile.run = Some(profile::RunInfo {
        started_unix_ns: started,
        exit: Some(Exit::default()),
        end_reason: EndReason::Exited.into(),
        user_ns: (restless + steady) * 1_000_000,
        ..recorded_run("")
    });
    profile
}

fn compare(earlier: Vec<Profile>) -> Comparison {
    let mut chance = Chance(5);
    let mut side = |profile| Side::of(vec![with_timeline(profile, &mut chance)]).expect("one file");
    let sides = [side(run(1, 100, 2000)), side(run(2, 400, 4000))];
    let earlier = EarlierRuns {
        profiles: earlier,
        ..EarlierRuns::default()
    };
    let [base, new] = sides;
    Comparison::knowing(earlier, base, new, None).expect("the same values")
}

fn verdicts(comparison: &Comparison) -> Vec<(String, Verdict, Verdict)> {
    let lines = compared_lines(comparison);
    let mut all: Vec<_> = (compared_functions(comparison).into_iter())
        .filter(|row| row.name != "main")
        .map(|row| {
            let line = (lines.iter()).find(|line| line.new.self_ == row.new.self_);
            let of_line = line.expect("a line of the function").effects.self_.verdict;
            (row.name, row.effects.self_.verdict, of_line)
        })
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

#[test]
fn a_row_that_always_varied_is_noise_and_a_steady_one_is_not() {
    let restless = [100, 420, 90, 380, 110, 400, 95, 430];
    let earlier = (restless.iter().zip(10..))
        .map(|(&restless, started)| run(started, restless, 2000 + 5 * started as u64))
        .collect();
    assert_eq!(
        verdicts(&compare(earlier)),
        [
            ("restless".into(), Verdict::Noise, Verdict::Noise),
            ("steady".into(), Verdict::Slower, Verdict::Slower),
        ]
    );
}

#[test]
fn runs_of_another_kind_teach_nothing() {
    let mut builder = profile::ProfileBuilder::new(&[("alloc_space", "bytes")]);
    builder.add_sample(&[], &[5], &[]);
    let mut other = builder.finish();
    other.run = run(10, 1, 1).run;
    let untold = verdicts(&compare(vec![other]));
    assert_eq!(untold, verdicts(&compare(Vec::new())));
}

/// Six executions a side of which those of a side are alike and the sides 5 % apart, as earlier runs of the program are.
fn compare_six(starts: impl Fn(i64, bool) -> i64) -> Comparison {
    let side = |is_new: bool, steady: u64| -> Side {
        let runs = (0..6).map(|at| {
            let started = 100 + starts(at, is_new);
            run(started, 1, steady + 7 * (at as u64 % 3))
        });
        Side::of(runs.collect()).expect("files of one kind")
    };
    let sides = [side(false, 4000), side(true, 4200)];
    let earlier: Vec<Profile> = ([3800, 4250, 4000, 4150, 3900, 4300, 3850, 4100]
        .iter()
        .zip(10..))
    .map(|(&steady, started)| run(started, 1, steady))
    .collect();
    let infos: Vec<RunInfo> = (earlier.iter()).filter_map(|run| run.run.clone()).collect();
    let compared: Vec<&RunInfo> = (sides.iter())
        .filter_map(|side| side.analyzed.profile().run.as_ref())
        .collect();
    let noise = LearntNoise::of(&compared, &infos);
    let earlier = match EarlierRuns::are_wanted(sides.each_ref()) {
        true => EarlierRuns {
            noise,
            profiles: earlier,
        },
        false => EarlierRuns::default(),
    };
    let [base, new] = sides;
    Comparison::knowing(earlier, base, new, None).expect("the same values")
}

#[test]
fn sides_recorded_one_after_the_other_differ_as_earlier_runs_do() {
    let blocks = compare_six(|at, is_new| 2 * at + i64::from(is_new) * 1000);
    assert_eq!(
        blocks.whole().verdict,
        Verdict::Noise,
        "{}",
        blocks.whole().method
    );
    assert!(
        blocks
            .whole()
            .method
            .contains("One side was recorded after the other")
    );
    assert!(verdicts(&blocks).iter().all(|row| row.1 != Verdict::Slower));
    let alternately = compare_six(|at, is_new| 2 * at + i64::from(is_new));
    assert_eq!(alternately.whole().verdict, Verdict::Slower);
}
