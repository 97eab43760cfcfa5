//! An earlier build of a program, run in turns with the present one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recorder::turn_so_far;
use recorder::{
    Build, Earlier, Event, RecordError, RecordOptions, Recorded, Target, record_in_turns,
    shown_path,
};
use recorder::{EarlierBuild, KeptBuilds, NoEarlierBuild};
use wire::recording_progress::Build as Side;
use wire::reply::Body;
use wire::{
    CompareBuildsRequest, EarlierBuildRequest, RecordRequest, RecordingEnded, RecordingProgress,
};

use super::failure::{Failure, FailureKind};
use super::recording::{ended, in_background, options, output, program, runs_directory, told};
use super::replies::Replies;
use super::session::Session;
use super::telling::Telling;

const SIDES: [Side; 2] = [Side::Earlier, Side::Present];

/// Whether there is an earlier build.
pub fn earlier(request: &EarlierBuildRequest) -> Result<wire::EarlierBuild, Failure> {
    let record = RecordRequest {
        program: request.program.clone(),
        cwd: request.cwd.clone(),
        runs_directory: request.runs_directory.clone(),
        ..RecordRequest::default()
    };
    let found = find(&record)?;
    Ok(wire::EarlierBuild {
        recorded_unix_ms: found.recorded_unix_ms,
    })
}

/// Starts the two recordings of request `id`, one run each. Finding the earlier build may mean reading it whole.
pub fn start(session: &Arc<Session>, replies: &Replies, id: u32, request: CompareBuildsRequest) {
    let record = request.record.unwrap_or_default();
    let outputs = outputs(&record);
    let runs = outputs.to_vec();
    in_background(session, replies, id, runs, move |replies, control| {
        let mut sides = prepare(record, request.earlier_name, outputs)?;
        for side in &mut sides {
            side.until = (request.until > 0.0).then_some(request.until);
        }
        let telling = Telling::start(replies, id);
        let mut so_far = String::new();
        let outcomes = record_in_turns(sides, &control, |side, event| {
            if let Event::Turn(turn) = &event {
                so_far = turn_so_far(turn);
            }
            match told(event) {
                Body::RecordingProgress(progress) => {
                    telling.tell(Body::RecordingProgress(RecordingProgress {
                        build: SIDES[side].into(),
                        so_far: so_far.clone(),
                        ..progress
                    }));
                }
                Body::RecordingStarted(_) if side > 0 => {} // the earlier one has
                body => telling.tell(body),
            }
        });
        drop(telling);
        both(outcomes).map(Body::RecordingEnded)
    });
}

/// Of the earlier build and of the present one.
fn outputs(record: &RecordRequest) -> [PathBuf; 2] {
    let first = output(record);
    let name = first.file_name().unwrap_or_default().to_string_lossy();
    let id = name.strip_suffix(".pb.gz").unwrap_or(&name);
    ["base", "new"].map(|side| first.with_file_name(format!("{id}-{side}.pb.gz")))
}

/// The earlier build first.
fn prepare(
    record: RecordRequest,
    earlier_name: String,
    [base, new]: [PathBuf; 2],
) -> Result<Vec<RecordOptions>, Failure> {
    let found = find(&record)?;
    let present = RecordOptions {
        output: Some(new),
        ..options(&record)?
    };
    let mut earlier = options(&RecordRequest {
        name: earlier_name,
        ..record
    })?;
    run_instead(&mut earlier.target, &found);
    earlier.output = Some(base);
    earlier.build = Build::Earlier(Box::new(Earlier {
        sources: found.sources(),
        build: found,
    }));
    Ok(vec![earlier, present])
}

/// The copy runs as the present program would.
fn run_instead(target: &mut Target, build: &EarlierBuild) {
    let Target::Launch { program, env, .. } = target else {
        return;
    };
    program.clone_from(&build.executable);
    let given = env.iter().find(|(name, _)| name == "LD_LIBRARY_PATH");
    let given: Option<OsString> = given.map(|(_, paths)| paths.clone());
    let paths = given.or_else(|| std::env::var_os("LD_LIBRARY_PATH"));
    if let Some((name, paths)) = build.environment(paths.as_deref()) {
        env.retain(|(other, _)| other != name);
        env.push((name.into(), paths));
    }
}

fn find(record: &RecordRequest) -> Result<EarlierBuild, Failure> {
    if record.program.is_empty() {
        return Err(Failure::protocol("Only a program has builds to compare."));
    }
    let path = program(record);
    let builds = KeptBuilds::beside(&runs_directory(record));
    let found = builds.map_or(Err(NoEarlierBuild::NeverKept), |builds| {
        builds.earlier(&path)
    });
    found.map_err(|why| Failure {
        kind: match why {
            NoEarlierBuild::Unchanged { .. } => FailureKind::UnchangedBuild,
            NoEarlierBuild::NeverKept => FailureKind::NeverKept,
            _ => FailureKind::NoEarlierBuild,
        },
        message: why.sentence(&name_of(&path)),
        advice: why.advice().to_owned(),
    })
}

fn name_of(program: &Path) -> String {
    shown_path(program.file_name().unwrap_or(program.as_os_str()))
}

/// One reply for both runs; runs of which nothing can be compared stay saved, and the failure says why.
fn both(outcomes: Vec<Result<Recorded, RecordError>>) -> Result<RecordingEnded, Failure> {
    let mut recorded = Vec::new();
    for (outcome, build) in outcomes.into_iter().zip(["earlier", "new"]) {
        recorded.push(outcome.map_err(|error| RecordError {
            message: format!("The {build} build could not be recorded: {}", error.message),
            ..error
        })?);
    }
    let [base, new] = &recorded[..] else {
        return Err(Failure::protocol("Two builds are compared."));
    };
    // Without runs, the user has discarded both, or stopped before the first execution.
    if base.run.is_some() || new.run.is_some() {
        is_comparable(base, "earlier")?;
        is_comparable(new, "new")?;
    }
    let base_run: Option<&PathBuf> = base.run.as_ref();
    Ok(RecordingEnded {
        base_run_path: base_run
            .map_or_else(String::new, |path| path.to_string_lossy().into_owned()),
        ..ended(new)
    })
}

fn is_comparable(recorded: &Recorded, build: &str) -> Result<(), Failure> {
    let is_whole = |execution: &profile::run::Repetition| !execution.warm_up && !execution.cut;
    if recorded.run.is_some() && recorded.repetitions.iter().any(is_whole) {
        return Ok(());
    }
    let problems = recorded.problems.join(" ");
    let message = format!(
        "No execution of the {build} build was completed, so there is nothing to compare. {problems}"
    );
    Err(Failure {
        kind: FailureKind::NothingToCompare,
        message: message.trim_end().to_owned(),
        advice: "What was recorded until then is in the Runs view.".to_owned(),
    })
}
