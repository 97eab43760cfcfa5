//! What a run of an earlier build says: the commit that it was made from, and where it is not quite what ran then.

use std::collections::BTreeSet;
use std::path::Path;

use profile::run::RunInfo;

use super::module_files::ModuleFiles;
use super::modules::Modules;
use super::options::Earlier;
use super::shown_path::module_name;

/// Names in one sentence.
const SHOWN_MAX: usize = 3;

/// Says what is true of the build instead of the present sources, and what is not known of it.
pub fn correct(info: &mut RunInfo, modules: &Modules, files: &ModuleFiles, earlier: &Earlier) {
    let sources = &earlier.sources;
    info.git_commit.clone_from(&sources.git_commit);
    info.git_branch.clone_from(&sources.git_branch);
    info.git_dirty = sources.git_dirty;
    info.not_as_built = problems(info, modules, files, earlier);
    info.problems.extend(info.not_as_built.iter().cloned());
}

/// As sentences.
fn problems(
    info: &RunInfo,
    modules: &Modules,
    files: &ModuleFiles,
    earlier: &Earlier,
) -> Vec<String> {
    let foreign = (modules.iter())
        .filter(|(index, module)| (earlier.build).is_foreign(&module.path, files.of(*index)))
        .map(|(_, module)| module_name(&module.path));
    let unknown = info.sources_apart.iter();
    let unknown = unknown.map(|source| module_name(Path::new(&source.path)));
    let libraries = named(foreign.collect()).map(|names| {
        format!("The earlier build ran with files as they are now, not as they were: {names}. Differences in them are not shown.")
    });
    let texts = named(unknown.collect()).map(|names| {
        format!("The source text of the earlier build is not known for: {names}. Lines of such a file are compared by number. Keep the run that recorded the build to match them.")
    });
    libraries.into_iter().chain(texts).collect()
}

/// None: there are none.
fn named(names: BTreeSet<String>) -> Option<String> {
    let more = names.len().saturating_sub(SHOWN_MAX);
    let shown: Vec<String> = names.into_iter().take(SHOWN_MAX).collect();
    let shown = (!shown.is_empty()).then(|| shown.join(", "))?;
    Some(match more {
        0 => shown,
        more => format!("{shown} and {more} more"),
    })
}
