//! What is wrong with how the hot code was built: no optimisation, no line tables, functions that share their code,
//! sources that are newer.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use profile::Locations;
use symbolize::Text;

use super::problem::Problem;
use crate::evidence::Evidence;
use crate::modules::ModuleIndex;
use crate::named::Named;
use crate::preload::is_library;
use crate::shown_path::{module_name, shown_path};

/// Shares of all samples above which it is told.
const UNNAMED_WORTH_TELLING: f64 = 0.05;
const UNOPTIMIZED_WORTH_TELLING: f64 = 0.05;
const FOLDED_WORTH_TELLING: f64 = 0.01;
const SOURCES_TOLD_MAX: usize = 3;

/// Leaf samples of one module.
#[derive(Default)]
struct Hot<'a> {
    samples: u64,
    unoptimized: u64,
    folded: u64,
    folded_functions: BTreeSet<&'a [Text]>,
}

/// Of the modules that have a worthwhile share of the samples.
pub fn build_problems(seen: &Evidence, named: &Named) -> Vec<Problem> {
    let (symbols, profile) = (named.symbols, named.profile);
    let paths: BTreeMap<ModuleIndex, &Path> = (seen.modules.iter())
        .filter(|(_, module)| module.made_by.is_none() && !is_library(&module.path))
        .map(|(index, module)| (index, module.path.as_path()))
        .collect();
    let by_path: HashMap<String, ModuleIndex> = (paths.iter())
        .map(|(index, path)| (shown_path(path), *index))
        .collect();
    let mut hot: BTreeMap<ModuleIndex, Hot> = BTreeMap::new();
    let mut samples = 0;
    for sample in 0..profile.samples.len() {
        let count = profile.value(sample, 0);
        samples += count;
        let Some(leaf) = profile.samples.stack(sample).first() else {
            continue;
        };
        let mapping = profile.locations.mapping[*leaf as usize];
        if mapping == Locations::NO_MAPPING {
            continue;
        }
        let filename = profile.text(profile.mappings[mapping as usize].filename);
        let Some(index) = by_path.get(filename) else {
            continue;
        };
        let hot = hot.entry(*index).or_default();
        hot.samples += count;
        let Some((symbols, at)) = symbols.get(index).and_then(|s| {
            Some((
                &s.found,
                s.place(profile.locations.address[*leaf as usize])?,
            ))
        }) else {
            continue;
        };
        let build = symbols.builds.get(at).and_then(Option::as_ref);
        if build.is_some_and(|build| build.is_unoptimized) {
            hot.unoptimized += count;
        }
        if let Some(names) = symbols.folded.get(at).filter(|names| !names.is_empty()) {
            hot.folded += count;
            hot.folded_functions.insert(names);
        }
    }
    let share = |n: u64| n as f64 / samples.max(1) as f64;
    let mut problems = Vec::new();
    for (index, hot) in &hot {
        let (Some(path), Some(symbols)) = (paths.get(index), symbols.get(index)) else {
            continue;
        };
        let found = &symbols.found;
        let module = module_name(path);
        if is_of_kernel(path) {
            continue; // as the kernel's functions, it has names, and the lines are those of callers
        }
        if !found.has_lines && share(hot.samples) >= UNNAMED_WORTH_TELLING {
            problems.push(Problem::NoLines {
                module: module.clone(),
                share: share(hot.samples),
                why: found.problem.clone(),
                is_unread: symbols.is_unread,
                own: (!is_of_system(path)).then_some(found.language),
            });
        } else if let Some(why) = &found.problem
            && share(hot.samples) >= UNNAMED_WORTH_TELLING
        {
            problems.push(Problem::NamesMissing {
                module: module.clone(),
                share: share(hot.samples),
                why: why.clone(),
            });
        }
        if share(hot.unoptimized) >= UNOPTIMIZED_WORTH_TELLING {
            problems.push(Problem::Unoptimized {
                module: module.clone(),
                share: share(hot.unoptimized),
                language: found.language,
            });
        }
        if share(hot.folded) >= FOLDED_WORTH_TELLING {
            problems.push(Problem::Folded {
                module,
                share: share(hot.folded),
                functions: hot.folded_functions.iter().map(|f| f.to_vec()).collect(),
            });
        }
    }
    problems
}

/// Nobody builds it who uses it.
fn is_of_system(path: &Path) -> bool {
    ["/usr/lib", "/usr/bin", "/lib", "/bin"]
        .iter()
        .any(|folder| path.starts_with(folder))
}

/// `[vdso]`: code that the kernel puts into each program.
fn is_of_kernel(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().starts_with(b"[")
}

/// Source files that are not what was built.
pub fn changed_sources(_: &Evidence, named: &Named) -> Vec<Problem> {
    let sources = named.texts.known.iter();
    let changed = sources.filter(|source| source.newer_than_binary);
    (changed.take(SOURCES_TOLD_MAX))
        .map(|source| Problem::SourceChanged {
            path: source.path.clone(),
            differs: source.differs_from_binary,
        })
        .collect()
}
