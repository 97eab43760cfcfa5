//! Names and lines of a profile that has only addresses: from the files of its modules, as far as they are here.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use profile::{LateNames, Profile, SampleLine};
use symbolize::{AskedModule, Frame, ModuleFile, ModuleSymbols};

use crate::module_files::{Certainty, FoundFile, NotFound, find};

/// Finds the names of addresses in modules, in their order.
pub type Symbolize = fn(&[AskedModule]) -> Vec<ModuleSymbols>;

/// So many modules are named in a sentence.
const NAMED_MAX: usize = 4;

/// Does nothing to a profile that has its names. What is missing, or may be wrong, is said in its problems.
pub fn name(profile: &mut Profile, path: &Path, symbolize: Symbolize) {
    if !profile.needs_names {
        return;
    }
    let path = &std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut said = Said::default();
    let (mut asked, mut locations) = (Vec::new(), Vec::new());
    for ((module, build_id), unnamed) in unnamed_by_module(profile) {
        let samples = unnamed.samples;
        match find(module, build_id, path) {
            Err(why) => said.missing.push((module.to_owned(), samples, why)),
            Ok(found) => {
                said.note(module, &found);
                let placed: Vec<(u64, usize)> = (unnamed.places.iter())
                    .filter_map(|(place, location)| Some((vaddr(*place, &found)?, *location)))
                    .collect();
                asked.push(AskedModule {
                    module: ModuleFile::at_path(found.path),
                    vaddrs: placed.iter().map(|(vaddr, _)| *vaddr).collect(),
                });
                locations.push(placed);
            }
        }
    }
    let mut frames: HashMap<usize, Vec<Frame>> = HashMap::new();
    if !asked.is_empty() {
        for (symbols, placed) in symbolize(&asked).into_iter().zip(locations) {
            said.unreadable.extend(symbols.problem);
            let chains = symbols.chains.into_iter();
            frames.extend(placed.into_iter().map(|(_, location)| location).zip(chains));
        }
    }
    let mut names = LateNames::of(profile);
    profile.name_locations(|profile, location| {
        let chain = frames.remove(&location).unwrap_or_default();
        (chain.iter())
            .map(|frame| line_of(&mut names, profile, frame))
            .collect()
    });
    let problems = said.sentences();
    profile.problems.extend(problems);
}

fn line_of(names: &mut LateNames, profile: &mut Profile, frame: &Frame) -> SampleLine {
    let file = frame.file.as_deref().unwrap_or("");
    let function = names.function(
        profile,
        &frame.name,
        &frame.system_name,
        file,
        frame.function_line,
    );
    SampleLine {
        function,
        line: frame.line,
        column: frame.column,
    }
}

/// Where code is in a module.
#[derive(Clone, Copy)]
enum Place {
    /// Its offset in the file.
    InFile(u64),
    /// Counted from the lowest address that is loaded: the profile does not say where that was.
    FromBase(u64),
}

fn vaddr(place: Place, file: &FoundFile) -> Option<u64> {
    match place {
        Place::InFile(offset) => file.loaded.vaddr(offset),
        Place::FromBase(address) => address.checked_add(file.loaded.base()),
    }
}

/// Locations of a module that have no name.
#[derive(Default)]
struct Unnamed {
    /// With the number of the location.
    places: Vec<(Place, usize)>,
    /// Samples that end in one of them.
    samples: u64,
}

/// By path and build-id. What has no path has no file: generated code, the kernel's page.
fn unnamed_by_module(profile: &Profile) -> BTreeMap<(&str, &str), Unnamed> {
    let mut modules: BTreeMap<(&str, &str), Unnamed> = BTreeMap::new();
    let module_of = |location: usize| {
        let mapping = profile
            .mappings
            .get(profile.locations.mapping[location] as usize)?;
        let names = [mapping.filename, mapping.build_id].map(|id| profile.text(id));
        let is_file = !names[0].is_empty() && !names[0].starts_with('[');
        let is_unnamed = profile.locations.lines_of(location as u32).is_empty();
        (is_file && is_unnamed).then_some((mapping, names))
    };
    for (location, address) in profile.locations.address.iter().enumerate() {
        let Some((mapping, [path, build_id])) = module_of(location) else {
            continue;
        };
        let offset = (address.checked_sub(mapping.memory_start))
            .and_then(|offset| offset.checked_add(mapping.file_offset));
        let place = match mapping.memory_limit {
            0 => Some(Place::FromBase(*address)),
            _ => offset.map(Place::InFile),
        };
        let unnamed = modules.entry((path, build_id)).or_default();
        unnamed.places.extend(place.map(|place| (place, location)));
    }
    let measure = profile.default_measure();
    for sample in 0..profile.samples.len() {
        let leaf = profile.samples.stack(sample).first();
        let module = leaf.and_then(|leaf| module_of(*leaf as usize));
        if let Some((_, [path, build_id])) = module {
            let unnamed = modules.entry((path, build_id)).or_default();
            unnamed.samples += profile.value(sample, measure);
        }
    }
    modules
}

/// What the names of a profile lack.
#[derive(Default)]
struct Said {
    missing: Vec<(String, u64, NotFound)>,
    unchecked: Vec<String>,
    newer: Vec<String>,
    unreadable: Vec<String>,
}

impl Said {
    fn note(&mut self, module: &str, found: &FoundFile) {
        let path = found.path.display().to_string();
        let shown = match path == module {
            true => path,
            false => format!("{module} (as {path})"),
        };
        match found.certainty {
            Certainty::SameBuild => {}
            Certainty::Unknown => self.unchecked.push(shown),
            Certainty::IsNewer => self.newer.push(shown),
        }
    }

    fn sentences(mut self) -> Vec<String> {
        let mut sentences = Vec::new();
        self.missing
            .sort_by_key(|(_, samples, _)| std::cmp::Reverse(*samples));
        for (why, what) in [
            (NotFound::NoFile, "not found here"),
            (NotFound::OtherBuild, "of another build here"),
        ] {
            let of_kind = self.missing.iter().filter(|(_, _, of)| *of == why);
            let modules: Vec<String> = of_kind.map(|(module, ..)| module.clone()).collect();
            if !modules.is_empty() {
                sentences.push(format!(
                    "The file has addresses only, and these programs or libraries are {what}: {}. To see names and lines, put the one that was profiled beside the profile and open it again.",
                    list(&modules)
                ));
            }
        }
        if !self.newer.is_empty() {
            sentences.push(format!(
                "Names and lines may be wrong: the file has no build-ids, and these are newer than it: {}.",
                list(&self.newer)
            ));
        }
        if !self.unchecked.is_empty() {
            sentences.push(format!(
                "Names and lines are those of the programs and libraries that are here now; the file has no build-ids to compare: {}.",
                list(&self.unchecked)
            ));
        }
        let more = self.unreadable.len().saturating_sub(NAMED_MAX);
        sentences.extend(self.unreadable.into_iter().take(NAMED_MAX));
        if more > 0 {
            sentences.push(format!("{more} more modules have no names or lines."));
        }
        sentences
    }
}

fn list(names: &[String]) -> String {
    let shown = names[..names.len().min(NAMED_MAX)].join(", ");
    match names.len().saturating_sub(NAMED_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
