//! Locations to chains: which functions, files and lines stand at each address of a profile.

use std::collections::HashMap;

use profile::{Locations, Profile, SeededHash, StringId, Strings};

use crate::analyzed::{
    ChainFrame, FileId, FunctionId, FunctionKind, FunctionOf, NO_PLACE, Place, PlaceId, SourceFile,
    file_name,
};

/// The tables that [`crate::Analyzed`] is made of.
pub(crate) struct Resolved {
    pub functions: Vec<FunctionOf>,
    pub files: Vec<SourceFile>,
    pub places: Vec<Place>,
    pub chain_ends: Vec<u32>,
    pub chain_frames: Vec<ChainFrame>,
    pub chain_of_location: Vec<u32>,
}

/// Adds the texts that it needs to the profile's own.
pub(crate) fn resolve(profile: &mut Profile) -> Resolved {
    let same_text = same_text(&profile.strings);
    let modules = Modules::of(profile);
    let (files, places) = source_places(profile, &same_text);
    let homes = homes(profile, &same_text, &modules);
    let mut chains = Chains {
        same_text: &same_text,
        modules: &modules,
        homes: &homes,
        place_ids: places
            .iter()
            .enumerate()
            .map(|(id, &place)| (place, id as u32))
            .collect(),
        file_ids: files
            .iter()
            .enumerate()
            .map(|(id, file)| (file.path, id as u32))
            .collect(),
        function_ids: HashMap::default(),
        functions: Vec::new(),
        known: HashMap::default(),
        ends: Vec::new(),
        frames: Vec::new(),
    };
    let chain_of_location = (0..profile.locations.len() as u32)
        .map(|location| chains.chain_of(profile, location))
        .collect();
    let Chains {
        functions,
        ends,
        frames,
        ..
    } = chains;
    Resolved {
        functions,
        files,
        places,
        chain_ends: ends,
        chain_frames: frames,
        chain_of_location,
    }
}

/// For each string the first one with the same text.
fn same_text(strings: &Strings) -> Vec<StringId> {
    let mut first: HashMap<&str, StringId, SeededHash> =
        HashMap::with_capacity_and_hasher(strings.len(), SeededHash::default());
    (strings.iter().enumerate())
        .map(|(id, text)| *first.entry(text).or_insert(id as StringId))
        .collect()
}

/// Module name and kernel or not, by mapping.
struct Modules {
    of_mapping: Vec<(StringId, bool)>,
}

impl Modules {
    fn of(profile: &mut Profile) -> Modules {
        let mut ids: HashMap<String, StringId> = HashMap::new();
        let mut of_mapping = Vec::with_capacity(profile.mappings.len());
        for mapping in &profile.mappings {
            let path = profile.strings.get(mapping.filename);
            let is_kernel = path.starts_with("[kernel") || path.starts_with("[guest.kernel");
            let name = if path.starts_with('[') {
                path
            } else {
                file_name(path)
            }
            .to_owned();
            let id = *ids
                .entry(name)
                .or_insert_with_key(|name| push_text(&mut profile.strings, name));
            of_mapping.push((id, is_kernel));
        }
        Modules { of_mapping }
    }

    fn of_location(&self, profile: &Profile, location: u32) -> (StringId, bool) {
        match profile.locations.mapping[location as usize] {
            Locations::NO_MAPPING => (0, false),
            mapping => self.of_mapping[mapping as usize],
        }
    }
}

/// The table of a read profile is at most 256 MiB; what is added to it is small beside its 4 GiB.
pub(crate) fn push_text(strings: &mut Strings, text: &str) -> StringId {
    strings.push(text).unwrap_or(0)
}

/// Files by path, and their lines, each sorted.
fn source_places(profile: &Profile, same_text: &[StringId]) -> (Vec<SourceFile>, Vec<Place>) {
    let mut by_path: Vec<(StringId, u32)> = (profile.locations.lines.iter())
        .filter(|line| line.line != 0)
        .map(|line| {
            let path = profile.functions[line.function as usize].filename;
            (same_text[path as usize], line.line)
        })
        .filter(|&(path, _)| path != 0)
        .collect();
    by_path.sort_unstable();
    by_path.dedup();
    let mut files: Vec<SourceFile> = Vec::new();
    let mut places = Vec::with_capacity(by_path.len());
    for (path, line) in by_path {
        let id = places.len() as PlaceId;
        match files.last_mut() {
            Some(file) if file.path == path => file.places.end = id + 1,
            _ => files.push(SourceFile {
                path,
                places: id..id + 1,
            }),
        }
        places.push(Place {
            file: files.len() as FileId - 1,
            line,
        });
    }
    (files, places)
}

/// Where a function is defined, by module and linkage name, for those with lines of several files: code of other
/// functions inlined without a record of it. `None`: several functions of the name are defined.
type Homes = HashMap<(StringId, StringId), Option<Home>, SeededHash>;

#[derive(Clone, Copy, PartialEq, Eq)]
struct Home {
    file: StringId,
    line: u32,
}

fn homes(profile: &Profile, same_text: &[StringId], modules: &Modules) -> Homes {
    let mut seen = vec![None; profile.functions.len()];
    let mut homes = Homes::default();
    for location in 0..profile.locations.len() as u32 {
        let (module, _) = modules.of_location(profile, location);
        for line in profile.locations.lines_of(location) {
            let function = profile.functions[line.function as usize];
            let is_seen = seen[line.function as usize].replace(module) == Some(module);
            if is_seen || function.start_line == 0 || function.system_name == 0 {
                continue;
            }
            let home = Home {
                file: same_text[function.filename as usize],
                line: function.start_line,
            };
            homes
                .entry((module, same_text[function.system_name as usize]))
                .and_modify(|known| *known = known.filter(|known| *known == home))
                .or_insert(Some(home));
        }
    }
    homes
}

struct Chains<'a> {
    same_text: &'a [StringId],
    modules: &'a Modules,
    homes: &'a Homes,
    place_ids: HashMap<Place, PlaceId, SeededHash>,
    file_ids: HashMap<StringId, FileId, SeededHash>,
    function_ids: HashMap<(StringId, StringId, StringId), FunctionId, SeededHash>,
    functions: Vec<FunctionOf>,
    known: HashMap<Box<[ChainFrame]>, u32, SeededHash>,
    ends: Vec<u32>,
    frames: Vec<ChainFrame>,
}

impl Chains<'_> {
    fn chain_of(&mut self, profile: &mut Profile, location: u32) -> u32 {
        let frames = self.frames_of(profile, location);
        let next = self.ends.len() as u32;
        *self.known.entry(frames).or_insert_with_key(|frames| {
            self.frames.extend_from_slice(frames);
            self.ends.push(self.frames.len() as u32);
            next
        })
    }

    fn frames_of(&mut self, profile: &mut Profile, location: u32) -> Box<[ChainFrame]> {
        let (module, is_kernel) = self.modules.of_location(profile, location);
        let count = profile.locations.lines_of(location).len();
        if count == 0 {
            return Box::new([self.unknown_frame(profile, module, is_kernel)]);
        }
        (0..count)
            .map(|index| {
                let line = profile.locations.lines_of(location)[index];
                let function = profile.functions[line.function as usize];
                let name = match self.same_text[function.name as usize] {
                    0 => self.same_text[function.system_name as usize],
                    name => name,
                };
                if name == 0 {
                    return self.unknown_frame(profile, module, is_kernel);
                }
                let file = self.same_text[function.filename as usize];
                let place = (self.file_ids.get(&file))
                    .and_then(|&file| {
                        let line = line.line;
                        self.place_ids.get(&Place { file, line }).copied()
                    })
                    .unwrap_or(NO_PLACE);
                let kind = match is_kernel {
                    true => FunctionKind::Kernel,
                    false => FunctionKind::Native,
                };
                let system_name = self.same_text[function.system_name as usize];
                let home = match self.homes.get(&(module, system_name)) {
                    Some(Some(home)) if function.start_line == 0 => *home,
                    _ => Home {
                        file,
                        line: function.start_line,
                    },
                };
                let function = FunctionOf {
                    name,
                    file: home.file,
                    module,
                    line: home.line,
                    kind,
                };
                ChainFrame {
                    function: self.function_id((name, home.file, module), || function),
                    place,
                    line: line.line,
                    inlined: index + 1 < count,
                }
            })
            .collect()
    }

    /// Code of a module without a name is one function, "[module]": a row for each address would say nothing.
    fn unknown_frame(
        &mut self,
        profile: &mut Profile,
        module: StringId,
        is_kernel: bool,
    ) -> ChainFrame {
        // A key that no named function has: those have a name.
        let key = (0, u32::from(is_kernel), module);
        let function = self.function_id(key, || {
            let name = match profile.strings.get(module) {
                "" => "[unknown]".to_owned(),
                module if module.starts_with('[') => module.to_owned(),
                module => format!("[{module}]"),
            };
            FunctionOf {
                name: push_text(&mut profile.strings, &name),
                file: 0,
                module,
                line: 0,
                kind: match is_kernel {
                    true => FunctionKind::Kernel,
                    false => FunctionKind::Unknown,
                },
            }
        });
        ChainFrame {
            function,
            place: NO_PLACE,
            line: 0,
            inlined: false,
        }
    }

    fn function_id(
        &mut self,
        key: (StringId, StringId, StringId),
        make: impl FnOnce() -> FunctionOf,
    ) -> FunctionId {
        let next = self.functions.len() as FunctionId;
        *self.function_ids.entry(key).or_insert_with(|| {
            self.functions.push(make());
            next
        })
    }
}
