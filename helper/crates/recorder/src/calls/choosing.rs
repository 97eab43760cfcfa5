//! Which functions are counted, and where in their code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::unix::fs::MetadataExt;

use name_patterns::NamePattern;
use probe_places::{Code, NoPlace, place_of_calls};
use records::layout::CALLED_FUNCTIONS_MAX;
use records::{CallPlace, CallTimes, PlaceKind};
use supervision::Urgency;
use symbolize::{
    AskedModule, FunctionCode, FunctionList, Isolation, ListedFunction, ModuleFile, Options,
    symbolize_isolated,
};

use super::code::{ModuleCode, OwnCode};
use super::inlined::{self, FoundPlace, InlinedCalls, UncountedPlace};
use super::refusals::{no_match, nothing_to_count, others_file, too_many, wrong_pattern};
use super::timing::{ENDS_MAX, timed_places};
use super::{CalledFunction, Calls, NotCounted};
use crate::errors::RecordError;
use crate::module_files::ModuleFiles;
use crate::modules::{ModuleIndex, Modules};
use crate::options::{MissingCalls, RecordOptions};
use crate::shown_path::shown_path;
use crate::symbolize_worker;

/// In a sentence.
const NAMED_MAX: usize = 3;

/// What the sampler is to count in a file.
pub struct FileOfCalls {
    pub file: File,
    pub places: Vec<CallPlace>,
}

/// The functions that the patterns mean, of all modules that are known by now.
///
/// # Errors
/// When a pattern means nothing, or too much, or when nothing that is meant can be counted.
pub fn choose(
    options: &RecordOptions,
    modules: &Modules,
    files: &ModuleFiles,
    urgency: &Urgency,
) -> Result<(Calls, Vec<FileOfCalls>), RecordError> {
    let lists = list_functions(options, modules, files, urgency);
    let (meant, missing) = meant(options, &lists)?;
    let mut choice = Choice {
        are_timed: options.chosen.latency,
        ..Choice::default()
    };
    for (list, chosen) in lists.iter().zip(meant) {
        if !chosen.is_empty() {
            choice.add_module(modules, list, &chosen, (options, urgency))?;
        }
    }
    let asked = options.calls.join(", ");
    let places = choice.files.iter().flat_map(|of| &of.places);
    let places = places.filter(|place| !place.kind.is_end()).count();
    if places > CALLED_FUNCTIONS_MAX {
        return Err(too_many(&asked, places));
    }
    let inlined = choice.number_inlined(places);
    if choice.counted.is_empty() && options.missing_calls == MissingCalls::Refused {
        return Err(choice.nothing());
    }
    if options.chosen.repeat > 1
        && let Some((module, owner)) = choice.others.first()
    {
        let path = shown_path(&modules.get(*module).path);
        return Err(others_file(&path, &target::user_name(*owner)));
    }
    let mut functions = choice.counted;
    let counted = functions.len();
    functions.append(&mut choice.left_out);
    let calls = Calls {
        functions,
        counted,
        inlined,
        missing,
        modules: modules.iter().count(),
        without_children: choice.others.iter().map(|(module, _)| *module).collect(),
        ..Calls::default()
    };
    Ok((calls, choice.files))
}

struct Listed<'a> {
    module: ModuleIndex,
    file: &'a File,
    functions: FunctionList,
}

fn list_functions<'a>(
    options: &RecordOptions,
    modules: &Modules,
    files: &'a ModuleFiles,
    urgency: &Urgency,
) -> Vec<Listed<'a>> {
    let (mut found, mut asked) = (Vec::new(), Vec::new());
    for (index, module) in modules.iter() {
        if let Ok(file) = files.as_mapped(index, module)
            && let Ok(copy) = file.try_clone()
        {
            found.push((index, file));
            asked.push(AskedModule {
                module: ModuleFile::opened(&module.path, copy),
                vaddrs: Vec::new(),
            });
        }
    }
    let options = Options {
        demangle: options.demangle,
        lists_functions: true,
        ..Options::default()
    };
    let mut isolation = Isolation {
        urgency: urgency.clone(),
        ..Isolation::by(symbolize_worker::command())
    };
    let lists = symbolize_isolated(&asked, &options, &mut isolation, || {});
    (found.into_iter().zip(lists))
        .map(|((module, file), symbols)| Listed {
            module,
            file,
            functions: symbols.functions,
        })
        .collect()
}

/// By list, the numbers of the functions that a pattern means; and the patterns that mean none, unless that is refused.
fn meant(
    options: &RecordOptions,
    lists: &[Listed],
) -> Result<(Vec<BTreeSet<usize>>, Vec<String>), RecordError> {
    let all = lists.iter().flat_map(|list| &list.functions.functions);
    let names = all.map(|function| function.name.as_str());
    let mut meant = vec![BTreeSet::new(); lists.len()];
    let mut missing = Vec::new();
    for pattern in &options.calls {
        let parsed = NamePattern::new(pattern).map_err(|why| wrong_pattern(&why))?;
        let Some(found) = parsed.found(names.clone()) else {
            if options.missing_calls == MissingCalls::Refused {
                return Err(no_match(pattern, names));
            }
            missing.push(pattern.clone());
            continue;
        };
        let count = found.iter().filter(|is| **is).count();
        if count > CALLED_FUNCTIONS_MAX {
            return Err(too_many(pattern, count));
        }
        let mut found = found.into_iter();
        for (list, meant) in lists.iter().zip(&mut meant) {
            let of_list = found.by_ref().take(list.functions.functions.len());
            meant.extend(of_list.enumerate().filter(|(_, is)| *is).map(|(at, _)| at));
        }
    }
    Ok((meant, missing))
}

#[derive(Default)]
struct Choice {
    /// Their times are wanted.
    are_timed: bool,
    ends: usize,
    counted: Vec<CalledFunction>,
    left_out: Vec<CalledFunction>,
    files: Vec<FileOfCalls>,
    /// With the file that each is in.
    inlined: Vec<(usize, FoundPlace)>,
    /// Modules whose files are somebody else's, and whose.
    others: Vec<(ModuleIndex, u32)>,
}

impl Choice {
    fn add_module(
        &mut self,
        modules: &Modules,
        list: &Listed,
        chosen: &BTreeSet<usize>,
        asked: (&RecordOptions, &Urgency),
    ) -> Result<(), RecordError> {
        let layout = modules.get(list.module).layout.as_ref();
        let segments = layout.map_or(&[][..], |layout| &layout.segments);
        let code = ModuleCode::new(list.file, segments, &list.functions);
        let mut places = Vec::new();
        let path = &modules.get(list.module).path;
        let functions = by_name(chosen.iter().map(|at| &list.functions.functions[*at]));
        let inlined = inlined::find(&code, path, &list.functions, &functions, asked);
        // By where their code begins.
        let mut known: BTreeMap<Vec<FunctionCode>, usize> = BTreeMap::new();
        for (function, inlined) in functions.into_iter().zip(inlined) {
            if let Some(first) = known.get(&function.codes) {
                let of = &mut self.counted[*first];
                of.same_code.push(function.name);
                of.inlined += function.inlined.len() as u32;
                self.add_inlined(*first, inlined);
                continue;
            }
            let mut called = CalledFunction {
                name: function.name.clone(),
                system_name: function.system_name.clone(),
                module: list.module,
                vaddr: function.codes.first().map(|code| code.start),
                inlined: function.inlined.len() as u32,
                may_be_inlined: list.functions.may_be_inlined,
                ..CalledFunction::default()
            };
            let number = self.counted.len();
            match self.places_of(&code, &function, &mut called) {
                Ok(of_it) => {
                    known.insert(function.codes, number);
                    places.extend(of_it);
                }
                Err(why) if inlined.iter().any(Result::is_ok) => {
                    called.own_not_counted =
                        Some(why).filter(|why| *why != NotCounted::InlinedEverywhere);
                }
                Err(why) => {
                    called.not_counted = Some(why);
                    called.add_uncounted(inlined.into_iter().filter_map(Result::err));
                    self.left_out.push(called);
                    continue;
                }
            }
            self.counted.push(called);
            self.add_inlined(number, inlined);
        }
        // Reports may show the time under a name that was not asked for.
        for (at, function) in list.functions.functions.iter().enumerate() {
            if let Some(first) = known.get(&function.codes).filter(|_| !chosen.contains(&at)) {
                self.counted[*first].same_code.push(function.name.clone());
            }
        }
        let file = self.files.len();
        if places.is_empty() && self.inlined.last().is_none_or(|(of, _)| *of != file) {
            return Ok(());
        }
        // Ends first: a call that begins has its end, then.
        places.sort_by_key(|place| !place.kind.is_end());
        let internal = |e| RecordError::internal(format!("cannot pass a file on: {e}"));
        let file = list.file.try_clone().map_err(internal)?;
        let owner = file.metadata().map_err(internal)?.uid();
        let own = target::own_uid();
        if own != 0 && owner != own {
            self.others.push((list.module, owner));
        }
        self.files.push(FileOfCalls { file, places });
        Ok(())
    }

    /// What was found at the places where a function was inlined, in the file that comes next.
    fn add_inlined(&mut self, function: usize, found: Vec<Result<FoundPlace, UncountedPlace>>) {
        let called = &mut self.counted[function];
        for found in found {
            match found {
                Ok(mut place) => {
                    place.calls.function = function;
                    if called.vaddr.is_none() && called.defined.is_none() {
                        called.defined = place.defined.take();
                    }
                    self.inlined.push((self.files.len(), place));
                }
                Err(why) => called.add_uncounted([why].into_iter()),
            }
        }
    }

    /// Places of inlined calls have the numbers behind those of the functions. `places`: so many are taken.
    fn number_inlined(&mut self, places: usize) -> Vec<InlinedCalls> {
        let (mut places, counted) = (places, self.counted.len());
        let mut numbered = Vec::new();
        for (file, found) in std::mem::take(&mut self.inlined) {
            let number = counted + numbered.len();
            places += found.probes.len();
            if places.max(number + 1) > CALLED_FUNCTIONS_MAX {
                places -= found.probes.len();
                let called = &mut self.counted[found.calls.function];
                called.add_uncounted([UncountedPlace::TooMany].into_iter());
                continue;
            }
            let probes = found.probes.iter();
            (self.files[file].places).extend(probes.map(|(offset, kind)| CallPlace {
                offset: *offset,
                function: number as u32,
                kind: *kind,
            }));
            numbered.push(found.calls);
        }
        self.files.retain(|of| !of.places.is_empty());
        for (number, called) in self.counted.iter_mut().enumerate() {
            let has_places = called.vaddr.is_some() && called.own_not_counted.is_none();
            if !has_places && numbered.iter().all(|of| of.function != number) {
                called.not_counted = Some(NotCounted::InlinedEverywhere);
            }
        }
        numbered
    }

    /// Where it is counted as the next one and, if that is wanted and can be, timed.
    fn places_of(
        &mut self,
        code: &ModuleCode,
        function: &ListedFunction,
        called: &mut CalledFunction,
    ) -> Result<Vec<CallPlace>, NotCounted> {
        let number = self.counted.len() as u32;
        let (places, own) = places_of(code, function)?;
        let counted = places.iter().map(|vaddr| {
            Some(CallPlace {
                offset: code.offset_of(*vaddr)?,
                function: number,
                kind: PlaceKind::Counted,
            })
        });
        let counted: Option<Vec<CallPlace>> = counted.collect();
        let counted = counted.ok_or(NotCounted::NoPlace(NoPlace::NotDecoded))?;
        if !self.are_timed {
            return Ok(counted);
        }
        match timed_places(code, &own, &places, number, ENDS_MAX - self.ends) {
            Ok(timed) => {
                self.ends += timed.len();
                called.times = Some(CallTimes::default());
                Ok(timed)
            }
            Err(why) => {
                called.not_timed = Some(why);
                Ok(counted)
            }
        }
    }

    /// Why nothing is counted.
    fn nothing(&self) -> RecordError {
        let names: Vec<&str> = (self.left_out.iter().take(NAMED_MAX))
            .map(|of| of.name.as_str())
            .collect();
        let more = match self.left_out.len() > NAMED_MAX {
            true => ", …",
            false => "",
        };
        let first = self.left_out.first();
        let why = first
            .and_then(|of| of.not_counted)
            .map_or("", NotCounted::sentence);
        let places = first.and_then(|of| of.uncounted.keys().next());
        let places = places.map_or_else(String::new, |why| {
            format!(" Where it was inlined, {}.", why.words())
        });
        nothing_to_count(
            &format!("{}{more}", names.join(", ")),
            &format!("{why}{places}"),
        )
    }
}

/// Functions that reports show under one name (overloads, instances) are counted as one: the time of each alone is not known either.
fn by_name<'a>(functions: impl Iterator<Item = &'a ListedFunction>) -> Vec<ListedFunction> {
    let mut named: BTreeMap<&str, Vec<&ListedFunction>> = BTreeMap::new();
    for function in functions {
        named.entry(&function.name).or_default().push(function);
    }
    let merged = named.into_values().map(|mut all| {
        // It only calls the other destructor and frees the memory.
        let others = all.iter().filter(|of| !is_deleting_destructor(of));
        if others.into_iter().any(|of| !of.codes.is_empty()) {
            all.retain(|of| !is_deleting_destructor(of));
        }
        let mut one = all[0].clone();
        for other in &all[1..] {
            one.system_name.clear();
            one.codes.extend(&other.codes);
            one.parts.extend(&other.parts);
            one.inlined.extend_from_slice(&other.inlined);
        }
        one.codes.sort_unstable();
        one.codes.dedup_by_key(|code| code.start);
        one
    });
    merged.collect()
}

/// Of C++ (Itanium ABI).
fn is_deleting_destructor(function: &ListedFunction) -> bool {
    function.system_name.starts_with("_Z") && function.system_name.ends_with("D0Ev")
}

/// Addresses, one for each copy of the function; and its code.
fn places_of(
    module: &ModuleCode,
    function: &ListedFunction,
) -> Result<(Vec<u64>, OwnCode), NotCounted> {
    if function.codes.is_empty() {
        return Err(NotCounted::InlinedEverywhere);
    }
    let code = (module.of(function)).ok_or(NotCounted::NoPlace(NoPlace::NotDecoded))?;
    let parts = code.parts();
    let places = code.copies.iter().map(|(start, bytes)| {
        let start = *start;
        place_of_calls(Code { start, bytes }, &parts).map_err(NotCounted::NoPlace)
    });
    let places = places.collect::<Result<_, _>>()?;
    drop(parts);
    Ok((places, code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(system_name: &str, starts: &[u64], inlined: u64) -> ListedFunction {
        ListedFunction {
            name: "A::~A".to_owned(),
            system_name: system_name.to_owned(),
            codes: (starts.iter())
                .map(|start| FunctionCode {
                    start: *start,
                    end: start + 9,
                })
                .collect(),
            parts: Vec::new(),
            inlined: (0..inlined)
                .map(|at| symbolize::InlinedPlace {
                    ranges: vec![(at, at + 1)],
                    entry: None,
                    is_shared: false,
                })
                .collect(),
        }
    }

    #[test]
    fn what_has_one_name_is_counted_as_one_but_for_destructors_that_call_another() {
        let all = [
            listed("_ZN1AD0Ev", &[10], 0),
            listed("_ZN1AD1Ev", &[20], 1),
            listed("_ZN1AD2Ev", &[20, 30], 2),
        ];
        let one = by_name(all.iter());
        assert_eq!(one.len(), 1);
        let starts: Vec<u64> = one[0].codes.iter().map(|code| code.start).collect();
        assert_eq!((starts, one[0].inlined.len()), (vec![20, 30], 3));
        let alone = by_name(all[..1].iter());
        assert_eq!(alone[0].codes.len(), 1, "it is all that there is");
    }
}
