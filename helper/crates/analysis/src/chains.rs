//! Locations to chains: which functions, files and lines stand at each address of one profile or several.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::hint::black_box;

use profile::{Locations, Profile, SampleLine, SeededHash, StringId, Strings};

use crate::frames::{
    ChainFrame, FunctionId, FunctionKind, FunctionOf, NO_PLACE, Place, PlaceId, SourceFile,
};
use crate::id_table::IdTable;
use crate::path_parts::file_name;
use crate::source_places::SourcePlaces;
use crate::texts::{AT_ONCE, Texts, push_text};

/// The tables that [`crate::Analyzed`] is made of.
pub(crate) struct Resolved {
    pub texts: Texts,
    pub functions: Vec<FunctionOf>,
    pub files: Vec<SourceFile>,
    pub places: Vec<Place>,
    pub chain_ends: Vec<u32>,
    pub chain_frames: Vec<ChainFrame>,
    /// By profile and location.
    pub chain_of_location: Vec<Vec<u32>>,
}

impl Resolved {
    /// Numbers the chains by `chain_of_node`, the first that has one: walks over all nodes then read them one after the
    /// other. Chains of no node keep their order behind the others. [`Resolved::chain_of_location`] is of no meaning then.
    pub fn order_chains(&mut self, chain_of_node: &mut [u32]) {
        let mut number_of = vec![NONE; self.chain_ends.len()];
        let mut ends = Vec::with_capacity(self.chain_ends.len());
        let mut frames = Vec::with_capacity(self.chain_frames.len());
        let mut numbered = |chain: u32| {
            let number = &mut number_of[chain as usize];
            if *number == NONE {
                *number = ends.len() as u32;
                let start = chain
                    .checked_sub(1)
                    .map_or(0, |b| self.chain_ends[b as usize]);
                let end = self.chain_ends[chain as usize];
                frames.extend_from_slice(&self.chain_frames[start as usize..end as usize]);
                ends.push(frames.len() as u32);
            }
            *number
        };
        // The root has none.
        for chain in &mut chain_of_node[1..] {
            *chain = numbered(*chain);
        }
        for chain in 0..self.chain_ends.len() as u32 {
            numbered(chain);
        }
        self.chain_ends = ends;
        self.chain_frames = frames;
    }
}

/// Takes the texts out of the profiles.
pub(crate) fn resolve(profiles: &mut [Profile]) -> Resolved {
    let mut texts = Texts::of(profiles);
    let count = texts.strings.len();
    let modules = Modules::of(profiles, &mut texts);
    let SourcePlaces {
        files,
        places,
        place_of_line,
    } = SourcePlaces::of(profiles, &texts.same, count);
    let homes = homes(profiles, &texts, &modules);
    let mut chains = Chains {
        strings: &mut texts.strings,
        homes: &homes,
        function_of_name: vec![NONE; count],
        other_functions: IdTable::default(),
        unknown_functions: HashMap::default(),
        functions: Vec::new(),
        chain_of_function: Vec::new(),
        other_chains: IdTable::default(),
        hash: SeededHash::default(),
        ends: Vec::new(),
        frames: Vec::new(),
        current: Vec::new(),
    };
    let chain_of_location = (profiles.iter().enumerate())
        .map(|(index, profile)| {
            let mut tables = Tables {
                profile,
                same: &texts.same[index],
                place_of_line: &place_of_line[index],
                function_ids: vec![(NONE, 0); profile.functions.len()],
            };
            (0..profile.locations.len() as u32)
                .map(|location| {
                    if (location as usize).is_multiple_of(AT_ONCE) {
                        chains.touch(&tables, location);
                    }
                    let module = modules.of_location(index, profile, location);
                    chains.chain_of(&mut tables, location, module)
                })
                .collect()
        })
        .collect();
    let Chains {
        functions,
        ends,
        frames,
        ..
    } = chains;
    Resolved {
        texts,
        functions,
        files,
        places,
        chain_ends: ends,
        chain_frames: frames,
        chain_of_location,
    }
}

/// No function, or no chain.
const NONE: u32 = u32::MAX;

/// Module name and kernel or not, by profile and mapping.
struct Modules {
    of_mapping: Vec<Vec<(StringId, bool)>>,
}

impl Modules {
    fn of(profiles: &[Profile], texts: &mut Texts) -> Modules {
        let mut ids: HashMap<String, StringId> = HashMap::new();
        let of_mapping = (profiles.iter().zip(&texts.same))
            .map(|(profile, same)| {
                (profile.mappings.iter())
                    .map(|mapping| {
                        let path = texts.strings.get(same[mapping.filename as usize]);
                        let is_kernel =
                            path.starts_with("[kernel") || path.starts_with("[guest.kernel");
                        let name = match path.starts_with('[') {
                            true => path.to_owned(),
                            false => file_name(path).to_owned(),
                        };
                        let id = *ids
                            .entry(name)
                            .or_insert_with_key(|name| push_text(&mut texts.strings, name));
                        (id, is_kernel)
                    })
                    .collect()
            })
            .collect();
        Modules { of_mapping }
    }

    fn of_location(&self, index: usize, profile: &Profile, location: u32) -> (StringId, bool) {
        match profile.locations.mapping[location as usize] {
            Locations::NO_MAPPING => (0, false),
            mapping => self.of_mapping[index][mapping as usize],
        }
    }
}

/// Where a function is defined, by module and linkage name, for those with lines of several files: code of other
/// functions inlined without a record of it. `None`: several functions of the name are defined.
type Homes = HashMap<(StringId, StringId), Option<Home>, SeededHash>;

#[derive(Clone, Copy, PartialEq, Eq)]
struct Home {
    file: StringId,
    line: u32,
}

/// Of linkage names that some function without a definition has: only for those it is asked.
fn homes(profiles: &[Profile], texts: &Texts, modules: &Modules) -> Homes {
    let mut homes = Homes::default();
    let mut is_asked = vec![false; texts.strings.len()];
    let mut is_any_asked = false;
    for (profile, same) in profiles.iter().zip(&texts.same) {
        for function in profile.functions.iter().filter(|f| f.start_line == 0) {
            is_asked[same[function.system_name as usize] as usize] = true;
            is_any_asked |= function.system_name != 0;
        }
    }
    if !is_any_asked {
        return homes;
    }
    for (index, profile) in profiles.iter().enumerate() {
        let same = &texts.same[index];
        let mut seen = vec![None; profile.functions.len()];
        for location in 0..profile.locations.len() as u32 {
            let (module, _) = modules.of_location(index, profile, location);
            for line in profile.locations.lines_of(location) {
                let function = profile.functions[line.function as usize];
                let system_name = same[function.system_name as usize];
                let is_seen = seen[line.function as usize].replace(module) == Some(module);
                let is_home = function.start_line != 0 && system_name != 0;
                if is_seen || !is_home || !is_asked[system_name as usize] {
                    continue;
                }
                let home = Home {
                    file: same[function.filename as usize],
                    line: function.start_line,
                };
                homes
                    .entry((module, system_name))
                    .and_modify(|known| *known = known.filter(|known| *known == home))
                    .or_insert(Some(home));
            }
        }
    }
    homes
}

/// Of the profile whose locations are being resolved.
struct Tables<'a> {
    profile: &'a Profile,
    same: &'a [StringId],
    place_of_line: &'a [PlaceId],
    /// By function of the profile: the one that it is in the module where it was met last.
    function_ids: Vec<(FunctionId, StringId)>,
}

/// Most names are those of one function, and most functions have one line that was sampled, so these are found by an
/// index; the tables have the others.
struct Chains<'a> {
    strings: &'a mut Strings,
    homes: &'a Homes,
    /// By name: the first function that has it.
    function_of_name: Vec<FunctionId>,
    other_functions: IdTable,
    /// By module and whether it is of the kernel.
    unknown_functions: HashMap<(StringId, bool), FunctionId, SeededHash>,
    functions: Vec<FunctionOf>,
    /// By function: the first chain that is this function alone.
    chain_of_function: Vec<FirstChain>,
    other_chains: IdTable,
    hash: SeededHash,
    ends: Vec<u32>,
    frames: Vec<ChainFrame>,
    /// Of the location that is being resolved.
    current: Vec<ChainFrame>,
}

/// A chain of one frame, whose function is known from elsewhere; it is inlined into none.
#[derive(Clone, Copy)]
struct FirstChain {
    chain: u32,
    place: PlaceId,
    line: u32,
}

impl Chains<'_> {
    /// Fetches what the locations from `first` on are likely to lead to.
    fn touch(&self, tables: &Tables, first: u32) {
        let profile = tables.profile;
        let last = profile.locations.len().min(first as usize + AT_ONCE) as u32;
        let mut likely = [NONE; AT_ONCE];
        for (id, location) in likely.iter_mut().zip(first..last) {
            if let Some(line) = profile.locations.lines_of(location).first() {
                let name = profile.functions[line.function as usize].name;
                *id = self.function_of_name[tables.same[name as usize] as usize];
            }
        }
        let known = likely.map(|id| {
            let function = self.functions.get(id as usize)?;
            Some(function.module ^ self.chain_of_function[id as usize].chain)
        });
        black_box(known);
    }

    fn chain_of(&mut self, tables: &mut Tables, location: u32, module: (StringId, bool)) -> u32 {
        let locations = &tables.profile.locations;
        let lines = locations.lines_of(location);
        let first_line = locations.line_ends[location as usize] as usize - lines.len();
        self.current.clear();
        if lines.is_empty() {
            let frame = self.unknown_frame(module);
            self.current.push(frame);
        }
        for (index, &line) in lines.iter().enumerate() {
            let place = tables.place_of_line[first_line + index];
            let function = self.function_of_line(tables, line, module);
            let frame = match function {
                Some(function) => ChainFrame {
                    function,
                    place,
                    line: line.line,
                    inlined: index + 1 < lines.len(),
                },
                None => self.unknown_frame(module),
            };
            self.current.push(frame);
        }
        self.known_chain()
    }

    /// The chain of the current frames.
    fn known_chain(&mut self) -> u32 {
        let next = self.ends.len() as u32;
        let (ends, frames, current) = (&self.ends, &self.frames, &self.current);
        let is_current = |chain: u32| {
            let chain = chain as usize;
            let start = if chain == 0 { 0 } else { ends[chain - 1] };
            frames[start as usize..ends[chain] as usize] == current[..]
        };
        if let [only] = current[..] {
            let first = &mut self.chain_of_function[only.function as usize];
            if first.chain == NONE {
                *first = FirstChain {
                    chain: next,
                    place: only.place,
                    line: only.line,
                };
                return self.add_chain();
            }
            if (first.place, first.line) == (only.place, only.line) {
                return first.chain;
            }
        }
        let mut hasher = self.hash.build_hasher();
        for frame in current {
            hasher.write_u64(u64::from(frame.function) << 32 | u64::from(frame.place));
            hasher.write_u64(u64::from(frame.line) << 1 | u64::from(frame.inlined));
        }
        let hash = hasher.finish();
        match self.other_chains.find_or_insert(hash, next, is_current) {
            chain if chain == next => self.add_chain(),
            chain => chain,
        }
    }

    fn add_chain(&mut self) -> u32 {
        self.frames.extend_from_slice(&self.current);
        self.ends.push(self.frames.len() as u32);
        self.ends.len() as u32 - 1
    }

    /// `None`: it has no name.
    fn function_of_line(
        &mut self,
        tables: &mut Tables,
        line: SampleLine,
        (module, is_kernel): (StringId, bool),
    ) -> Option<FunctionId> {
        let (known, of_module) = tables.function_ids[line.function as usize];
        if known != NONE && of_module == module {
            return Some(known);
        }
        let function = tables.profile.functions[line.function as usize];
        let [name, system_name, file] = [function.name, function.system_name, function.filename]
            .map(|id| tables.same[id as usize]);
        let name = if name == 0 { system_name } else { name };
        if name == 0 {
            return None;
        }
        let home = match function.start_line {
            0 => self.homes.get(&(module, system_name)).copied().flatten(),
            _ => None,
        };
        let home = home.unwrap_or(Home {
            file,
            line: function.start_line,
        });
        let id = self.function_id(FunctionOf {
            name,
            file: home.file,
            module,
            line: home.line,
            kind: match is_kernel {
                true => FunctionKind::Kernel,
                false => FunctionKind::Native,
            },
            is_collapsed: false,
        });
        tables.function_ids[line.function as usize] = (id, module);
        Some(id)
    }

    fn function_id(&mut self, function: FunctionOf) -> FunctionId {
        let next = self.functions.len() as FunctionId;
        let functions = &self.functions;
        let is_it = |id: FunctionId| {
            let known = &functions[id as usize];
            let identity = |of: &FunctionOf| (of.name, of.file, of.module);
            identity(known) == identity(&function)
        };
        let first = &mut self.function_of_name[function.name as usize];
        let id = if *first == NONE {
            *first = next;
            next
        } else if is_it(*first) {
            *first
        } else {
            let mut hasher = self.hash.build_hasher();
            for text in [function.name, function.file, function.module] {
                hasher.write_u32(text);
            }
            (self.other_functions).find_or_insert(hasher.finish(), next, is_it)
        };
        if id == next {
            self.add_function(function);
        }
        id
    }

    fn add_function(&mut self, function: FunctionOf) -> FunctionId {
        self.functions.push(function);
        self.chain_of_function.push(FirstChain {
            chain: NONE,
            place: NO_PLACE,
            line: 0,
        });
        self.functions.len() as FunctionId - 1
    }

    /// Code of a module without a name is one function, "[module]": a row for each address would say nothing.
    fn unknown_frame(&mut self, (module, is_kernel): (StringId, bool)) -> ChainFrame {
        let known = self.unknown_functions.get(&(module, is_kernel)).copied();
        let function = known.unwrap_or_else(|| {
            let name = match self.strings.get(module) {
                "" => "[unknown]".to_owned(),
                module if module.starts_with('[') => module.to_owned(),
                module => format!("[{module}]"),
            };
            let name = push_text(self.strings, &name);
            let function = self.add_function(FunctionOf {
                name,
                file: 0,
                module,
                line: 0,
                kind: match is_kernel {
                    true => FunctionKind::Kernel,
                    false => FunctionKind::Unknown,
                },
                is_collapsed: false,
            });
            self.unknown_functions.insert((module, is_kernel), function);
            function
        });
        ChainFrame {
            function,
            place: NO_PLACE,
            line: 0,
            inlined: false,
        }
    }
}
