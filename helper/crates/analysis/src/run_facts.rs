//! What is known of both sides beyond their samples, and what of it makes them unlike.

use profile::RunInfo;
use profile::run::EndReason;
use statistics::Pattern;

use crate::analyzed::Analyzed;
use crate::comparison::{ComparedSide, Comparison};
use crate::evidence::Test;
use crate::matching_files::FilePair;
use crate::normalisation::Normalisation;

/// One fact of both sides; empty: unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideFact {
    pub what: &'static str,
    pub base: String,
    pub new: String,
}

impl SideFact {
    pub fn differs(&self) -> bool {
        self.base != self.new
    }
}

/// Facts that are known of neither side are left out.
pub fn side_facts(comparison: &Comparison) -> Vec<SideFact> {
    let runs = [comparison.base(), comparison.new_run()].map(|side| {
        let run = side.profile().run.clone().unwrap_or_default();
        facts(side, &run)
    });
    let [base, new] = runs;
    (base.into_iter().zip(new))
        .map(|((what, base), (_, new))| SideFact { what, base, new })
        .filter(|fact| !(fact.base.is_empty() && fact.new.is_empty()))
        .collect()
}

fn facts(side: &Analyzed, run: &RunInfo) -> Vec<(&'static str, String)> {
    let known = |is_known: bool, text: String| if is_known { text } else { String::new() };
    vec![
        ("program", target(side)),
        ("build-id", build_id(side)),
        (
            "arguments",
            run.command.get(1..).unwrap_or_default().join(" "),
        ),
        ("working directory", run.cwd.clone()),
        ("commit", run.git_commit.clone()),
        (
            "uncommitted changes",
            known(
                !run.git_commit.is_empty(),
                if run.git_dirty { "yes" } else { "no" }.to_owned(),
            ),
        ),
        ("branch", run.git_branch.clone()),
        ("compiler and flags", producers(run)),
        ("processor", run.cpu.clone()),
        (
            "processors",
            known(run.cpu_count > 0, run.cpu_count.to_string()),
        ),
        ("kernel", run.kernel.clone()),
        ("event", run.event.clone()),
        (
            "sampling rate",
            known(run.asked_hz > 0.0, format!("{} Hz", run.asked_hz)),
        ),
        (
            "samples lost",
            known(
                run.samples_taken > 0,
                format!("{:.1} %", 100.0 * lost_share(run)),
            ),
        ),
        ("rights", run.way.clone()),
        ("Lineheat", run.lineheat_version.clone()),
    ]
}

fn target(side: &Analyzed) -> String {
    profile::summarize(side.profile()).target
}

/// Of the program itself: by convention the first mapping.
fn build_id(side: &Analyzed) -> String {
    let profile = side.profile();
    (profile.mappings.first()).map_or(String::new(), |first| {
        profile.text(first.build_id).to_owned()
    })
}

fn producers(run: &RunInfo) -> String {
    let own = run
        .modules
        .iter()
        .find(|module| !module.producers.is_empty());
    own.map_or(String::new(), |module| module.producers.join("; "))
}

fn lost_share(run: &RunInfo) -> f64 {
    let lost = (run.losses.iter()).fold(0u64, |sum, loss| sum.saturating_add(loss.count));
    lost as f64 / run.samples_taken.max(1) as f64
}

impl Comparison {
    /// What differs between the runs beyond the code, and what cannot be told, as sentences.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        match self.evidence.test {
            Test::None => warnings.push(self.evidence.problem.clone()),
            Test::Batches => warnings.push(
                match self.names().are_parts() {
                    true => "One execution on each side cannot show noise, so only large changes are found. Record with --repeat 10.",
                    false => "One execution per side cannot show noise, so only large changes are found. Record both sides with --repeat 5.",
                }
                .into(),
            ),
            Test::Executions | Test::Windows => {}
        }
        let are_parts = self.names().are_parts();
        if self.normalisation() == Normalisation::Share && self.evidence.test != Test::Executions {
            warnings.push(
                "This compares shares: if one function grows, the share of every other function falls, although none of them changed."
                    .into(),
            );
        }
        for side in [&self.base, &self.new] {
            warnings.extend(side.side.problems.iter().cloned());
        }
        warnings.extend(self.unusual_executions());
        if are_parts {
            let run = self.base().profile().run.as_ref();
            warnings.extend(run.iter().flat_map(|run| defects_of_recording("run", run)));
            let notices = [self.base(), self.new_run()].map(Analyzed::selection_notice);
            warnings.extend(
                notices
                    .into_iter()
                    .filter(|notice| !notice.is_empty())
                    .take(1),
            );
            return warnings;
        }
        let runs = [self.base(), self.new_run()]
            .map(|side| (side.profile().run.as_ref()).filter(|_| !side.profile().is_foreign()));
        let [Some(base), Some(new)] = runs else {
            warnings.push("One of the runs was not recorded by Lineheat; the two may have been recorded in different ways.".into());
            return warnings;
        };
        if self.evidence.test == Test::Executions {
            warnings.extend(layouts(base, new));
        }
        warnings.extend(unlike(base, new));
        warnings.extend(self.unlike_targets());
        for (name, side, run) in [("base", &self.base, base), ("new run", &self.new, new)] {
            warnings.extend(defects(name, side, run));
        }
        if self
            .files
            .iter()
            .any(|pair| !pair.texts_known && self.is_own_source(pair))
        {
            warnings.push(
                "The text of some files was not saved with both runs, so their lines are compared by number."
                    .into(),
            );
        }
        warnings
    }

    /// Executions that do not vary by chance alone.
    fn unusual_executions(&self) -> Vec<String> {
        let in_turns = !self.evidence.turns.is_empty();
        // With their numbers as the tables show them, in the order in which they ran.
        let sides = self.executions().map(|side| -> Vec<(usize, f64)> {
            let sampled = side.into_iter().filter(|(one, _)| !one.warm_up);
            let mut numbered: Vec<_> = sampled.enumerate().collect();
            numbered.sort_by_key(|(_, (one, _))| one.started_ns);
            let values = numbered.into_iter();
            values
                .map(|(number, (_, value))| (number + 1, value))
                .collect()
        });
        let pattern_of = |side: &[(usize, f64)]| {
            let values: Vec<f64> = side.iter().map(|(_, value)| *value).collect();
            statistics::pattern(&values)
        };
        let names = match self.names().are_parts() {
            true => self.names().words(),
            false => ["base", "new run"],
        };
        (names.iter().zip(&sides))
            .filter_map(|(name, side)| match pattern_of(side)? {
                // Pairs of executions that alternated drift together.
                Pattern::Trend { .. } if in_turns => None,
                Pattern::Trend { change } => Some(format!(
                    "The executions of the {name} became {:.0} % {} from first to last. Record both sides alternately (compare-commands), or with --warm-up.",
                    100.0 * change.abs(),
                    if change > 0.0 { "slower" } else { "faster" },
                )),
                Pattern::TwoGroups { lower, upper } => Some(format!(
                    "The executions of the {name} form two groups: {} faster ones and {} that are {:.0} % slower. Their mean describes neither; find out what differs, such as the address layout or the CPU frequency.",
                    lower.0,
                    upper.0,
                    100.0 * (upper.1 / lower.1 - 1.0),
                )),
                Pattern::Outlier { index, ratio } => Some(format!(
                    "Execution {} of the {name} was {:.0} % {} than the mean of the others. If other work on the machine was the cause, record again.",
                    side[index].0,
                    100.0 * (ratio - 1.0).abs(),
                    if ratio > 1.0 { "slower" } else { "faster" },
                )),
            })
            .collect()
    }

    fn unlike_targets(&self) -> Option<String> {
        let [base, new] = [target(self.base()), target(self.new_run())];
        (base != new && !base.is_empty() && !new.is_empty() && self.matched_share() < 0.5).then(|| {
            format!(
                "The program differs: {base} in the base, {new} in the new run; {:.0} % of both was matched.",
                100.0 * self.matched_share()
            )
        })
    }

    /// In both runs, and below the working directory of one: system headers hardly change between two builds.
    fn is_own_source(&self, pair: &FilePair) -> bool {
        let is_below = |side: &Analyzed, file| {
            let cwd = side
                .profile()
                .run
                .as_ref()
                .map_or("", |run| run.cwd.as_str());
            !cwd.is_empty() && side.file_path(file).starts_with(cwd)
        };
        match (pair.files.base, pair.files.new) {
            (Some(base), Some(new)) => is_below(self.base(), base) || is_below(self.new_run(), new),
            _ => false,
        }
    }
}

/// Of executions: whether their addresses varied with them.
fn layouts(base: &RunInfo, new: &RunInfo) -> Option<String> {
    let whose = match (base.fixed_addresses, new.fixed_addresses) {
        (false, false) => return None,
        (true, true) => "both sides",
        (true, false) => "the base",
        (false, true) => "the new run",
    };
    let is_drawn = |run: &RunInfo| run.drawn_environments || !run.fixed_addresses;
    Some(if is_drawn(base) && is_drawn(new) {
        format!(
            "Address-space randomization was off for {whose}, so --layouts varied the place of the stack only. Turn it on (sysctl kernel.randomize_va_space=2, no setarch -R) to vary heap and libraries as well."
        )
    } else {
        format!(
            "Address-space randomization was off for {whose}, so all executions there had one address layout and a difference may be luck of that layout. Turn it on (sysctl kernel.randomize_va_space=2, no setarch -R), or compare with `lineheat compare-commands --layouts`."
        )
    })
}

fn unlike(base: &RunInfo, new: &RunInfo) -> Vec<String> {
    let arguments = |run: &RunInfo| run.command.get(1..).unwrap_or_default().join(" ");
    let mut warnings: Vec<String> = [
        ("event", base.event.clone(), new.event.clone()),
        (
            "sampling rate",
            format!("{} Hz", base.asked_hz),
            format!("{} Hz", new.asked_hz),
        ),
        ("processor", base.cpu.clone(), new.cpu.clone()),
        (
            "number of processors",
            base.cpu_count.to_string(),
            new.cpu_count.to_string(),
        ),
        ("kernel", base.kernel.clone(), new.kernel.clone()),
        ("list of arguments", arguments(base), arguments(new)),
    ]
    .into_iter()
    .filter(|(_, base, new)| base != new && !base.is_empty() && !new.is_empty())
    .map(|(what, base, new)| {
        format!("The {what} differs: {base} in the base, {new} in the new run.")
    })
    .collect();
    if base.kernel_stacks != new.kernel_stacks {
        let with = if base.kernel_stacks {
            "base"
        } else {
            "new run"
        };
        warnings.push(format!(
            "Only the {with} has kernel stacks, so kernel functions cannot be compared."
        ));
    }
    let (of_base, of_new) = (lost_share(base), lost_share(new));
    if (of_base - of_new).abs() > 0.01 {
        warnings.push(format!(
            "The runs lost different shares of their samples ({:.1} % and {:.1} %), which may cause changes smaller than that.",
            100.0 * of_base,
            100.0 * of_new
        ));
    }
    warnings
}

/// What makes a side doubtful by itself.
fn defects(name: &str, side: &ComparedSide, run: &RunInfo) -> Vec<String> {
    let mut warnings = defects_of_recording(name, run);
    if run.partial {
        return warnings;
    }
    if side.side.executions.iter().any(|one| !one.is_complete)
        && matches!(run.end_reason(), EndReason::Stopped | EndReason::Duration)
    {
        warnings.push(format!(
            "The {name} was stopped before the program ended: the two may have done different amounts of work."
        ));
    }
    warnings
}

fn defects_of_recording(name: &str, run: &RunInfo) -> Vec<String> {
    let mut warnings = run.not_as_built.clone();
    let share = lost_share(run);
    if share > 0.05 {
        warnings.push(format!(
            "The {name} lost {:.1} % of its samples.",
            share * 100.0
        ));
    }
    if run.asked_hz > 0.0 && run.achieved_hz > 0.0 && run.achieved_hz < 0.9 * run.asked_hz {
        warnings.push(format!(
            "The {name} has {:.0} samples per second of CPU time instead of {:.0}.",
            run.achieved_hz, run.asked_hz
        ));
    }
    if run.partial {
        warnings.push(format!("The {name} is partial: its recording was cut off."));
    }
    warnings
}
