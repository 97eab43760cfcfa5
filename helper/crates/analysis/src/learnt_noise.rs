//! How much executions of a program differ, from its earlier runs: what a comparison of one execution each cannot see.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use profile::RunInfo;
use profile::run::EndReason;
use statistics::RunNoise;

/// So many executions on each side are few: what others differ by counts, too. If one side was recorded after the other, more of them
/// do not show better how much the machine changed in between, and count as so many.
pub(crate) const FEW_EXECUTIONS: usize = 4;

/// Executions of one recording differ less than those of different ones: of 14 programs, recorded eight times with five executions
/// each, an execution of another recording had 0.5 to 3.3 times the variance (median 1.9). So they count with twice theirs, and
/// four as one, because what differs between recordings was not seen.
const WITHIN_FACTOR: f64 = 2.0;
const WITHIN_FOR_ONE: f64 = 4.0;
const WITHIN_DF_MAX: f64 = 4.0;

/// Those of four recordings of one build. With fewer, what they differ by is hardly better known than by the sides themselves.
const DF_FOR_SEVERAL: f64 = 3.0;

/// What a comparison of few executions assumes about executions that were not made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearntNoise {
    /// Of the whole; rows that differ more are apart, see [`crate::earlier_runs`].
    pub(crate) noise: RunNoise,
    /// Earlier recordings that it comes from; 0: none, it is an assumption about programs in general.
    pub(crate) recordings: usize,
    /// Of the executions of those recordings alone.
    pub(crate) cv_seen: f64,
    /// The same, where there are enough: sides of a few executions vary by at least this, even if those are alike.
    pub(crate) least: Option<RunNoise>,
}

impl Default for LearntNoise {
    fn default() -> LearntNoise {
        LearntNoise::UNKNOWN
    }
}

impl LearntNoise {
    pub const UNKNOWN: LearntNoise = LearntNoise {
        noise: RunNoise::UNKNOWN,
        recordings: 0,
        cv_seen: 0.0,
        least: None,
    };

    /// From `earlier` runs of the same work. Those of one build should cost the same.
    pub fn of(compared: &[&RunInfo], earlier: &[RunInfo]) -> LearntNoise {
        let mut spread = Spread::default();
        let mut builds = Builds::default();
        for &run in &LearntNoise::of_the_same_work(compared, earlier) {
            let logs: Vec<f64> = costs_of(&earlier[run]).into_iter().map(f64::ln).collect();
            spread.add(builds.number(&earlier[run]), &logs, 0.0);
        }
        match spread.squares() {
            (_, 0.0) => LearntNoise::UNKNOWN,
            (squares, df) => LearntNoise {
                noise: RunNoise::learnt(RunNoise::UNKNOWN, squares, df),
                recordings: spread.recordings,
                cv_seen: (squares / df).sqrt(),
                least: spread.seen(),
            },
        }
    }

    /// Which of `earlier` executed to the end what one of `compared` did: the same command in the same folder on the same machine.
    /// Each recording once, and none of the compared: a copy has no noise.
    pub fn of_the_same_work(compared: &[&RunInfo], earlier: &[RunInfo]) -> Vec<usize> {
        let mut known: HashSet<i64> = compared.iter().map(|run| run.started_unix_ns).collect();
        (0..earlier.len())
            .filter(|&index| {
                let run = &earlier[index];
                let is_alike = (compared.iter()).any(|other| work_of(other) == work_of(run));
                is_alike && !costs_of(run).is_empty() && known.insert(run.started_unix_ns)
            })
            .collect()
    }

    /// Of a row that earlier runs do not have.
    pub(crate) fn of_unknown_row(&self) -> RunNoise {
        RunNoise::UNKNOWN_ROW.or_louder(self.noise)
    }

    /// `executions`: of a side.
    pub(crate) fn sentence_of_least(&self, executions: usize) -> String {
        let assumed = match executions <= FEW_EXECUTIONS {
            true => {
                "These few are assumed to differ by at least as much; so is each function and line."
            }
            false => {
                "One side was recorded after the other, and the machine may have changed in between: the sides, and each function and line, are assumed to differ by at least as much as if they had four executions each."
            }
        };
        format!(
            " Executions differed by {:.1} % in {} earlier recordings of this program. {assumed}",
            100.0 * self.cv_seen,
            self.recordings
        )
    }

    /// `rows_from`: earlier recordings that tell of each row.
    pub(crate) fn sentence(&self, rows_from: usize) -> String {
        let assumed = 100.0 * self.noise.cv;
        let of_whole = match self.recordings {
            0 => format!("How much executions differ is unknown; {assumed:.0} % is assumed"),
            recordings => format!(
                "Executions differed by {:.1} % in {recordings} earlier recordings of this program; {assumed:.1} % is assumed",
                100.0 * self.cv_seen
            ),
        };
        let of_rows = match rows_from {
            // One alone differs from nothing.
            0 | 1 => {
                let assumed = 100.0 * self.of_unknown_row().cv;
                format!(
                    ", and {assumed:.0} % for each function and line. Some programs differ far more: record each side several times."
                )
            }
            runs => {
                format!(", and for each function and line what it differed by in {runs} of them.")
            }
        };
        of_whole + &of_rows
    }
}

/// What was executed, and on what.
#[derive(PartialEq)]
struct Work<'a> {
    command: &'a [String],
    cwd: &'a str,
    cpu: &'a str,
    cpu_count: u32,
    event: &'a str,
    work_from: &'a str,
}

fn work_of(run: &RunInfo) -> Work<'_> {
    Work {
        command: &run.command,
        cwd: &run.cwd,
        cpu: &run.cpu,
        cpu_count: run.cpu_count,
        event: &run.event,
        work_from: &run.work_from,
    }
}

/// The command, and the program's build-id; empty where a script starts the program, whose builds then count as one.
type Build = (Vec<String>, String);

fn build_of(run: &RunInfo) -> Build {
    let name = |path: &str| Path::new(path).file_name().map(ToOwned::to_owned);
    let program = run.command.first().and_then(|program| name(program));
    let module = run
        .modules
        .iter()
        .find(|module| name(&module.path) == program);
    let build_id = module.map_or(String::new(), |module| module.build_id.clone());
    (run.command.clone(), build_id)
}

/// Numbers of builds, from 0.
#[derive(Default)]
pub(crate) struct Builds(HashMap<Build, usize>);

impl Builds {
    pub fn number(&mut self, run: &RunInfo) -> usize {
        let next = self.0.len();
        *self.0.entry(build_of(run)).or_insert(next)
    }
}

/// Sampled CPU time of the executions that ran to their end, per unit of work if it is known. The kernel counts otherwise, and
/// differs from the samples by another factor from run to run where interrupts work for the program.
fn costs_of(run: &RunInfo) -> Vec<f64> {
    if run.command.is_empty() || run.partial || run.end_reason() != EndReason::Exited {
        return Vec::new();
    }
    let all = match run.repetitions.is_empty() {
        true if has_succeeded(run) => vec![(run.user_ns + run.system_ns, 0.0)],
        _ => (run.repetitions.iter())
            .filter(|one| !one.warm_up && !one.cut)
            .map(|one| (one.user_ns + one.system_ns, one.work))
            .collect(),
    };
    let counted = all.iter().map(|(cpu_ns, _)| cpu_ns).sum::<u64>() as f64;
    let sampled = match run.samples_kept > 0 && run.asked_hz > 0.0 {
        true => run.samples_kept as f64 / run.asked_hz,
        false => counted,
    };
    (all.into_iter())
        .map(|(cpu_ns, work)| cpu_ns as f64 / if work > 0.0 { work } else { 1.0 })
        .map(|cost| cost * sampled / counted)
        .filter(|cost| *cost > 0.0 && cost.is_finite())
        .collect()
}

fn has_succeeded(run: &RunInfo) -> bool {
    run.exit
        .as_ref()
        .is_some_and(|exit| (exit.code, exit.signal) == (0, 0))
}

/// How much executions of recordings differ in one thing: logarithms of what it cost in each.
#[derive(Default)]
pub(crate) struct Spread {
    /// By build.
    first: Vec<Vec<f64>>,
    within: Squares,
    recordings: usize,
    /// Of all recordings together.
    sampling: f64,
}

impl Spread {
    /// `sampling`: variance of a logarithm that comes from sampling alone, and does not count.
    pub fn add(&mut self, build: usize, logs: &[f64], sampling: f64) {
        self.within.add(logs);
        let builds = self.first.len().max(build + 1);
        self.first.resize_with(builds, Vec::new);
        self.first[build].push(logs[0]);
        self.recordings += 1;
        self.sampling += sampling;
    }

    /// Their sum, and its degrees of freedom.
    fn squares(&self) -> (f64, f64) {
        let mut between = Squares::default();
        (self.first.iter().filter(|logs| !logs.is_empty())).for_each(|logs| between.add(logs));
        let within_df = (self.within.df / WITHIN_FOR_ONE).min(WITHIN_DF_MAX);
        let within_weight = within_df * WITHIN_FACTOR;
        let squares = between.squares + within_weight * self.within.variance();
        let sampling = self.sampling / self.recordings.max(1) as f64;
        let excess = squares - (between.df + within_weight) * sampling;
        (excess.max(0.0), between.df + within_df)
    }

    /// Of a row.
    pub fn noise(&self) -> RunNoise {
        let (squares, df) = self.squares();
        RunNoise::learnt(RunNoise::UNKNOWN_ROW, squares, df)
    }

    /// Of these recordings alone, if they are enough.
    pub fn seen(&self) -> Option<RunNoise> {
        let (squares, df) = self.squares();
        let cv = (squares / df).sqrt();
        (df >= DF_FOR_SEVERAL).then_some(RunNoise { cv, df })
    }
}

/// Of logarithms about the means of their groups.
#[derive(Default)]
struct Squares {
    squares: f64,
    df: f64,
}

impl Squares {
    fn add(&mut self, group: &[f64]) {
        let mean = group.iter().sum::<f64>() / group.len() as f64;
        self.squares += group
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>();
        self.df += group.len() as f64 - 1.0;
    }

    fn variance(&self) -> f64 {
        self.squares / self.df.max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use profile::run::{Exit, Module, Repetition};

    use super::*;

    fn run(started: i64, build: &str, cpu_ms: u64) -> RunInfo {
        RunInfo {
            started_unix_ns: started,
            command: vec!["./app".to_owned(), "data".to_owned()],
            exit: Some(Exit::default()),
            end_reason: EndReason::Exited.into(),
            user_ns: cpu_ms * 1_000_000,
            modules: vec![Module {
                path: "/project/app".to_owned(),
                build_id: build.to_owned(),
                ..Module::default()
            }],
            ..RunInfo::default()
        }
    }

    #[test]
    fn builds_are_compared_with_themselves_only() {
        let compared = run(100, "c", 900);
        let earlier = [
            run(1, "a", 500),
            run(2, "a", 510),
            run(3, "b", 800),
            run(4, "b", 790),
            run(5, "b", 806),
        ];
        let found = LearntNoise::of(&[&compared], &earlier);
        assert_eq!((found.recordings, found.noise.df), (5, 6.0));
        assert!((0.005..0.02).contains(&found.cv_seen), "{found:?}");
        assert!(found.noise.cv < 0.07 && found.sentence(0).contains("5 earlier recordings"));
    }

    #[test]
    fn few_executions_vary_by_at_least_what_four_recordings_of_a_build_did() {
        let compared = run(100, "c", 900);
        let least = |builds: [&str; 4]| {
            let earlier: Vec<RunInfo> = (1..)
                .zip(builds)
                .map(|(number, build)| run(number, build, 500 + 10 * number as u64))
                .collect();
            LearntNoise::of(&[&compared], &earlier).least
        };
        let known = least(["a"; 4]).unwrap();
        assert!(
            known.df == 3.0 && (0.02..0.03).contains(&known.cv),
            "{known:?}"
        );
        assert_eq!(least(["a", "a", "a", "b"]), None);
        assert_eq!(least(["a", "b", "c", "d"]), None);
    }

    #[test]
    fn what_is_no_other_execution_of_this_teaches_nothing() {
        let compared = run(100, "a", 500);
        let other_input = RunInfo {
            command: vec!["./app".to_owned()],
            ..run(2, "a", 700)
        };
        let stopped = RunInfo {
            end_reason: EndReason::Stopped.into(),
            ..run(3, "a", 100)
        };
        let failed = RunInfo {
            exit: Some(Exit { code: 1, signal: 0 }),
            ..run(4, "a", 100)
        };
        let earlier = [
            run(1, "a", 500),
            run(1, "a", 500),
            run(100, "a", 500),
            other_input,
            stopped,
            failed,
        ];
        assert_eq!(
            LearntNoise::of(&[&compared], &earlier),
            LearntNoise::UNKNOWN
        );
    }

    #[test]
    fn recordings_differ_by_their_first_executions_per_work() {
        let repeated = |started: i64, cpu_ns: u64| RunInfo {
            repetitions: vec![
                Repetition {
                    user_ns: 7,
                    warm_up: true,
                    ..Repetition::default()
                },
                Repetition {
                    user_ns: cpu_ns,
                    system_ns: cpu_ns,
                    work: cpu_ns as f64,
                    ..Repetition::default()
                },
            ],
            ..run(started, "a", 0)
        };
        let found = LearntNoise::of(
            &[&run(9, "a", 1)],
            &[repeated(1, 1_000), repeated(2, 9_000)],
        );
        assert_eq!((found.recordings, found.cv_seen), (2, 0.0));
    }

    #[test]
    fn executions_of_one_recording_count_little() {
        let execution = |cpu_ns: u64| Repetition {
            user_ns: cpu_ns,
            ..Repetition::default()
        };
        let repeated = |executions: u64| RunInfo {
            repetitions: (0..executions)
                .map(|one| execution(1_000_000 + 20_000 * (one % 2)))
                .collect(),
            ..run(1, "a", 0)
        };
        let of = |executions| LearntNoise::of(&[&run(9, "a", 1)], &[repeated(executions)]);
        assert_eq!(of(1), LearntNoise::UNKNOWN);
        assert_eq!(of(9).noise.df, 5.0);
        assert!((0.012..0.02).contains(&of(9).cv_seen), "{:?}", of(9));
        assert_eq!(of(90).noise.df, 7.0);
        assert!(of(90).noise.cv > 0.03);
    }
}
