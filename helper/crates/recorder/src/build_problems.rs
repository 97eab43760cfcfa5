//! What is wrong with how the hot code was built, as sentences with the line to add: no optimisation, no line tables,
//! functions that share their code.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use profile::{Locations, Profile};
use symbolize::{DemangleMode, Language, Text, demangle};

use super::modules::ModuleIndex;
use super::shown_path::{module_name, shown_path};
use super::symbols::Symbols;

/// Shares of all samples above which it is told.
const UNNAMED_WORTH_TELLING: f64 = 0.05;
const UNOPTIMIZED_WORTH_TELLING: f64 = 0.05;
const FOLDED_WORTH_TELLING: f64 = 0.01;
const FOLDED_SHOWN_MAX: usize = 3;

/// Leaf samples of one module.
#[derive(Default)]
struct Hot<'a> {
    samples: u64,
    unoptimized: u64,
    folded: u64,
    folded_functions: BTreeSet<&'a [Text]>,
}

/// Sentences on the modules that have a worthwhile share of the samples.
pub fn build_problems(
    profile: &Profile,
    paths: &BTreeMap<ModuleIndex, &Path>,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
) -> Vec<String> {
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
        let name = module_name(path);
        let percent = |n: u64| 100.0 * share(n);
        if !found.has_lines && share(hot.samples) >= UNNAMED_WORTH_TELLING {
            let what = match &found.problem {
                Some(problem) => format!(
                    "{name} ({:.0} % of the samples): {problem}",
                    percent(hot.samples)
                ),
                None => format!(
                    "{name} ({:.0} % of the samples) has no line tables: build it with -g, or install its debug symbols.",
                    percent(hot.samples)
                ),
            };
            problems.push(match symbols.is_unread {
                true => format!("{what}."),
                false => format!("{what}{}", lines_advice(path, found.language)),
            });
        } else if let Some(problem) = &found.problem
            && share(hot.samples) >= UNNAMED_WORTH_TELLING
        {
            problems.push(format!(
                "{name} ({:.0} % of the samples): {problem}",
                percent(hot.samples)
            ));
        }
        if share(hot.unoptimized) >= UNOPTIMIZED_WORTH_TELLING {
            problems.push(format!(
                "{name} was built without optimization ({:.0} % of the samples are in such code): a release build will have different figures.{}",
                percent(hot.unoptimized),
                optimisation_advice(found.language)
            ));
        }
        if share(hot.folded) >= FOLDED_WORTH_TELLING {
            problems.push(format!(
                "{name}: the linker merged functions with identical code (identical-code folding), and {:.0} % of the samples are in such code. Any of these may have run: {}.",
                percent(hot.folded),
                folded_names(&hot.folded_functions)
            ));
        }
    }
    problems
}

fn folded_names(groups: &BTreeSet<&[Text]>) -> String {
    let group = |names: &&[Text]| {
        let mut names: Vec<String> = (names.iter())
            .map(|name| demangle(name, DemangleMode::Full))
            .collect();
        let more = names.len().saturating_sub(FOLDED_SHOWN_MAX);
        names.truncate(FOLDED_SHOWN_MAX);
        match more {
            0 => names.join(" = "),
            more => format!("{} = {more} more", names.join(" = ")),
        }
    };
    let mut shown: Vec<String> = groups.iter().take(FOLDED_SHOWN_MAX).map(group).collect();
    if groups.len() > FOLDED_SHOWN_MAX {
        shown.push(format!("{} more", groups.len() - FOLDED_SHOWN_MAX));
    }
    shown.join("; ")
}

/// The line to add for line tables; none for what the system installed.
fn lines_advice(path: &Path, language: Language) -> &'static str {
    if ["/usr/lib", "/usr/bin", "/lib", "/bin"]
        .iter()
        .any(|folder| path.starts_with(folder))
        || path.starts_with("[")
    {
        return "";
    }
    match language {
        Language::C | Language::Unknown => {
            " CMake: -DCMAKE_BUILD_TYPE=RelWithDebInfo. make: CFLAGS=\"-O2 -g\" CXXFLAGS=\"-O2 -g\"."
        }
        Language::Rust => " Cargo.toml: [profile.release] debug = 1 and strip = \"none\".",
        Language::Go => " Go: build it without -ldflags=-s or -w.",
        Language::OCaml => " dune: (ocamlopt_flags (:standard -g)) and (link_flags (-g)).",
    }
}

fn optimisation_advice(language: Language) -> &'static str {
    match language {
        Language::C | Language::Unknown => {
            " CMake: -DCMAKE_BUILD_TYPE=RelWithDebInfo. make: CFLAGS=\"-O2 -g\" CXXFLAGS=\"-O2 -g\"."
        }
        Language::Rust => " cargo build --release, with [profile.release] debug = 1 in Cargo.toml.",
        Language::Go => " Go: build it without -gcflags=-N.",
        Language::OCaml => " dune: dune build --profile release.",
    }
}
