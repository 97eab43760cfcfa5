//! Selections of runs: made from the editor's words, and open like runs.

use std::path::Path;

use analysis::{FunctionFilter, NamedFunction, Selection, Transform};
use wire::{SaveRunRequest, SelectRequest, Selected, transform};

use super::amounts::{known, totals};
use super::failure::Failure;
use super::open_run::OpenRun;
use super::runtimes;
use super::shared_profiles::SharedProfile;

/// As many as the contract has.
const TRANSFORMS_MAX: usize = 256;
/// Of times, threads, processes and executions each: far more than anyone chooses.
const PARTS_MAX: usize = 1024;
/// As many functions of a call path as the contract has.
const PATH_MAX: usize = 4096;

/// The run's selection, and what the editor is told of it; the handle is the session's to fill in.
pub fn select(run: &OpenRun, request: &SelectRequest) -> Result<(OpenRun, Selected), Failure> {
    let wanted = selection(request.selection.as_ref(), &run.workspace_folders)?;
    let shared = run.selections().get(&wanted, || {
        let selected = (run.analyzed.selected(&wanted)).map_err(Failure::not_found)?;
        Ok(SharedProfile::new(selected, run.summary.clone()))
    })?;
    let selected = &shared.analyzed;
    let [whole, part] =
        [&*run.analyzed, selected].map(|of| known(of, run.measure, of.total(run.measure)));
    let told = Selected {
        run: 0,
        samples: part.samples,
        value: part.value,
        run_samples: whole.samples,
        run_value: whole.value,
        samples_unknown: !run.analyzed.is_counted(run.measure),
        totals: totals(selected),
        notice: selected.selection_notice(),
    };
    Ok((run.with(shared), told))
}

/// Writes the run to a file that is not there yet.
pub fn save(run: &OpenRun, request: &SaveRunRequest) -> Result<(), Failure> {
    let path = Path::new(&request.path);
    if !path.is_absolute() || !request.path.ends_with(".pb.gz") {
        return Err(Failure::protocol(format!(
            "{}: a run needs an absolute path that ends in .pb.gz.",
            path.display()
        )));
    }
    if path.exists() {
        let message = format!("{}: there is such a file already.", path.display());
        return Err(Failure::protocol(message));
    }
    let mut profile = run.analyzed.to_profile(&request.words);
    if let Some(run) = &mut profile.run {
        // A name of its own would be that of the whole.
        run.name = path.file_name().map_or(String::new(), |name| {
            name.to_string_lossy().trim_end_matches(".pb.gz").to_owned()
        });
    }
    Ok(profile::save(&profile, path)?)
}

fn selection(asked: Option<&wire::Selection>, folders: &[String]) -> Result<Selection, Failure> {
    let Some(asked) = asked else {
        return Err(Failure::protocol(
            "The request to select names no selection.",
        ));
    };
    let parts = [
        asked.times.len(),
        asked.threads.len(),
        asked.processes.len(),
        asked.executions.len(),
        asked.dropped_threads.len(),
        asked.dropped_processes.len(),
    ];
    if asked.transforms.len() > TRANSFORMS_MAX || parts.iter().any(|&count| count > PARTS_MAX) {
        return Err(Failure::protocol(format!(
            "A selection has at most {PARTS_MAX} parts of a kind and {TRANSFORMS_MAX} transforms."
        )));
    }
    Ok(Selection {
        times: (asked.times.iter())
            .map(|time| time.from_ns..time.to_ns)
            .collect(),
        threads: asked.threads.clone(),
        processes: asked.processes.clone(),
        executions: asked.executions.clone(),
        dropped_threads: asked.dropped_threads.clone(),
        dropped_processes: asked.dropped_processes.clone(),
        transforms: (asked.transforms.iter())
            .map(|transform| transform_of(transform, folders))
            .collect::<Result<_, _>>()?,
        rest: asked.rest,
    })
}

fn transform_of(asked: &wire::Transform, folders: &[String]) -> Result<Transform, Failure> {
    use transform::Kind;
    let kind = Kind::try_from(asked.kind)
        .map_err(|_| Failure::protocol(format!("There is no transform {}.", asked.kind)))?;
    let filter = |named: Option<&wire::NamedFunction>| {
        let named = named.filter(|named| !named.name.is_empty());
        let named = named.ok_or_else(|| Failure::protocol("A transform names no function."))?;
        Ok::<_, Failure>(match named.module.as_str() {
            "" => FunctionFilter::Pattern(named.name.clone()),
            module => FunctionFilter::Named(NamedFunction::new(&named.name, module)),
        })
    };
    let function = || filter(asked.function.as_ref());
    let opened = || match asked.opened.len() {
        0..=PARTS_MAX => (asked.opened.iter().map(|one| filter(Some(one)))).collect(),
        count => Err(Failure::protocol(format!(
            "At most {PARTS_MAX} functions can be opened, not {count}."
        ))),
    };
    let path = || {
        let named = |functions: &[wire::NamedFunction]| -> Vec<NamedFunction> {
            let one = |of: &wire::NamedFunction| NamedFunction::new(&of.name, &of.module);
            functions.iter().map(one).collect()
        };
        if !(1..=PATH_MAX).contains(&asked.path.len()) || asked.left_out.len() > PARTS_MAX {
            return Err(Failure::protocol(format!(
                "A call path has 1 to {PATH_MAX} functions, and at most {PARTS_MAX} are left out of it."
            )));
        }
        Ok(Transform::FocusSubtree {
            path: named(&asked.path),
            left_out: named(&asked.left_out),
        })
    };
    let runtime = || {
        runtimes::of_wire(asked.runtime)
            .ok_or_else(|| Failure::protocol(format!("There is no runtime {}.", asked.runtime)))
    };
    let module = || match asked.module.as_str() {
        "" => Err(Failure::protocol("A transform names no module.")),
        module => Ok(module.to_owned()),
    };
    let of_module = || module().map(FunctionFilter::Module);
    let of_file = || match asked.file.as_str() {
        "" => Err(Failure::protocol("A transform names no source file.")),
        file => Ok(FunctionFilter::File(file.to_owned())),
    };
    Ok(match kind {
        Kind::FocusFunction => Transform::FocusFunction(function()?),
        Kind::FocusSelf => Transform::FocusSelf(function()?),
        Kind::MergeFunction => Transform::MergeFunction(function()?),
        Kind::DropFunction => Transform::DropFunction(function()?),
        Kind::CollapseRecursion => Transform::CollapseRecursion(function()?),
        Kind::CollapseDirectRecursion => Transform::CollapseDirectRecursion(function()?),
        Kind::FocusSubtree => path()?,
        Kind::HideRuntime => Transform::HideRuntime(runtime()?),
        Kind::CollapseModule => Transform::CollapseModule(module()?),
        Kind::HideModule => Transform::MergeFunction(of_module()?),
        Kind::KeepFunction => Transform::KeepFunction(function()?),
        Kind::KeepModule => Transform::KeepFunction(of_module()?),
        Kind::DropModule => Transform::DropFunction(of_module()?),
        Kind::KeepFile => Transform::KeepFunction(of_file()?),
        Kind::DropFile => Transform::DropFunction(of_file()?),
        Kind::HideFile => Transform::MergeFunction(of_file()?),
        Kind::HideKernel => Transform::HideKernel,
        Kind::MyCode => Transform::MyCode {
            folders: match asked.folders.as_slice() {
                [] => folders.to_vec(),
                asked => asked.to_vec(),
            },
            opened: opened()?,
        },
    })
}
