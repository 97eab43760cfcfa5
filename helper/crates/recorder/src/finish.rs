//! The end of a recording: names and lines are found, and the run is saved.

use std::path::Path;
use std::time::{Duration, Instant};

use supervision::Patience;

use super::environment::Environment;
use super::recording::Recording;
use super::symbols::CodeSources;
use super::trouble::Trouble;
use super::turns::Turn;
use super::{Event, RecordError, RecordOptions, Recorded, Stage, output, problems, run_info, save};

/// Longer than git may take: it is waited for since the beginning.
const ENVIRONMENT_WITHIN: Duration = Duration::from_secs(12);

/// After its last words.
const SAMPLER_ENDS_WITHIN: Duration = Duration::from_secs(2);

impl Recording<'_> {
    pub(super) fn finish(
        mut self,
        options: &RecordOptions,
        on_event: &mut impl FnMut(Event),
    ) -> Result<Recorded, RecordError> {
        let wall = self.ended.unwrap_or_else(Instant::now) - self.started;
        self.seen.waits.finish();
        let end_ns = self.seen.started_monotonic_ns + wall.as_nanos() as u64;
        (self.seen.allocations).finish(end_ns, &mut self.seen.stacks);
        self.discard |= self.turn.is_some_and(Turn::is_discarded);
        let run_file = self.steps.run_file().cloned().filter(|_| !self.discard);
        let mut not_kept = None;
        if let Some(output) = &run_file {
            // Names may take their time, or never come, and the file more room than there is.
            self.append_step(options);
            on_event(self.progress(Stage::Symbolizing { done: 0, total: 0 }));
            let environment = self.await_environment();
            let mut profile = save::profile_of(
                &self.seen,
                &self.code_sources(),
                options,
                wall,
                &environment,
                |stage| on_event(self.progress(stage)),
            );
            on_event(self.progress(Stage::Saving));
            if let Err(error) = output::write(&mut profile, output, options, &self.urgency) {
                return Err(self.not_saved(error, output.path(), wall));
            }
            not_kept = self.keep_build(options, &profile, output.path());
        }
        self.steps.remove();
        if let Some(why) = self.sampler.end(SAMPLER_ENDS_WITHIN, &self.urgency) {
            self.seen.troubles.push(Trouble::SamplerLeft { why });
        }
        Ok(Recorded {
            run: run_file.map(|run_file| run_file.path().to_owned()),
            exit: self.seen.exit,
            repetitions: run_info::repetitions_of(&self.seen.repetitions),
            samples: self.seen.kept(),
            lost: self.seen.lost(),
            more_may_be_lost: self.seen.sampler_lost,
            user_space_only: !self.sampler.is_privileged(),
            wall,
            end_reason: self.seen.end_reason,
            problems: (self.seen.troubles.iter())
                .map(Trouble::sentence)
                .chain(problems::not_delivered(&self.seen))
                .collect(),
            not_kept,
        })
    }

    fn code_sources(&self) -> CodeSources<'_> {
        CodeSources {
            files: &self.files,
            jit: &self.jit,
            urgency: &self.urgency,
        }
    }

    /// What is not known by now stays unknown.
    fn await_environment(&self) -> Environment {
        let mut patience = Patience::new(ENVIRONMENT_WITHIN, &self.urgency);
        let environment = supervision::receive(&self.environment, &mut patience);
        environment.unwrap_or_else(|_| Environment {
            problem: Some(format!(
                "Reading the machine's details and the source tree took longer than {:.1} s: the run does not state its kernel, processor and commit.",
                patience.waited().as_secs_f64()
            )),
            ..Environment::default()
        })
    }

    /// The run could not be written; its journal stays, if there is something in it.
    fn not_saved(mut self, error: RecordError, output: &Path, wall: Duration) -> RecordError {
        let failed = self.steps.failed.take();
        if !self.steps.hold_something() {
            self.steps.remove();
            return match failed {
                Some((since, why)) => nothing_more(error, &why.to_string(), since),
                None => error,
            };
        }
        let run = output.display();
        let (since, why) = failed.map_or((wall, String::new()), |(since, why)| {
            (since, why.to_string())
        });
        RecordError {
            advice: format!(
                "The samples recorded until then are in {run}.journal. lineheat report {run} opens them, without names. Free some space, or choose another place with --output."
            ),
            ..nothing_more(error, &why, since)
        }
    }
}

fn nothing_more(error: RecordError, why: &str, since: Duration) -> RecordError {
    let is_full = |text: &str| text.contains("os error 28"); // ENOSPC
    let cause = match is_full(why) || is_full(&error.message) {
        true => "the disk was full",
        false => "nothing could be written",
    };
    let seconds = since.as_secs_f64();
    RecordError {
        message: format!(
            "{} ({cause} since {seconds:.1} s after the start)",
            error.message
        ),
        ..error
    }
}
