//! Calls of chosen functions that were inlined: where they are counted.

use std::collections::BTreeMap;
use std::fs::File;

use probe_places::{Body, Code, InlinedCode, NoInlinedPlace};
use records::PlaceKind;
use supervision::Urgency;
use symbolize::{
    AskedModule, Frame, FunctionList, InlinedPlace, Isolation, ListedFunction, ModuleFile, Options,
    symbolize_isolated,
};

use super::code::{ModuleCode, OwnCode};
use crate::options::RecordOptions;
use crate::symbolize_worker;

/// Calls of a function at a place where it was inlined.
#[derive(Debug, Clone, PartialEq)]
pub struct InlinedCalls {
    /// Number of the function.
    pub function: usize,
    /// The function with the call.
    pub caller: String,
    /// Of the call; empty: unknown.
    pub file: String,
    /// 0: unknown.
    pub line: u32,
    pub calls: u64,
}

/// Where they are counted.
pub struct FoundPlace {
    /// Offsets in the file, and what is probed there: each call passes one of them.
    pub probes: Vec<(u64, PlaceKind)>,
    pub calls: InlinedCalls,
    /// Where the function is defined: its file and line, if they are known.
    pub defined: Option<(String, u32)>,
}

/// Why the calls at a place are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UncountedPlace {
    /// Other calls have the same code.
    Shared,
    /// There is no room for so many places.
    TooMany,
    NoPlace(NoInlinedPlace),
}

/// A place with the function that it is in.
struct Place<'a> {
    of: &'a ListedFunction,
    place: &'a InlinedPlace,
    /// In `Finder::bodies`.
    body: Option<u64>,
}

type Found = Result<FoundPlace, UncountedPlace>;

/// By function, what is found at each place where it was inlined.
pub fn find(
    module: &ModuleCode,
    path: &std::path::Path,
    list: &FunctionList,
    functions: &[ListedFunction],
    (options, urgency): (&RecordOptions, &Urgency),
) -> Vec<Vec<Found>> {
    if functions.iter().all(|function| function.inlined.is_empty()) {
        return functions.iter().map(|_| Vec::new()).collect();
    }
    let mut finder = Finder::new(module, list);
    let places: Vec<Vec<Place>> = (functions.iter())
        .map(|of| {
            (of.inlined.iter())
                .map(|place| finder.place(of, place))
                .collect()
        })
        .collect();
    let all = places.iter().flatten();
    let mut vaddrs: Vec<u64> = all
        .flat_map(|place| finder.instructions_of(place))
        .collect();
    vaddrs.sort_unstable();
    vaddrs.dedup();
    finder.chains = (module.file.try_clone()).map_or_else(
        |_| BTreeMap::new(),
        |file| chains(path, file, vaddrs, options, urgency),
    );
    let found = places
        .iter()
        .map(|of| of.iter().map(|place| finder.find(place)));
    found.map(Iterator::collect).collect()
}

/// By instruction, what the debug information says of it.
fn chains(
    path: &std::path::Path,
    file: File,
    vaddrs: Vec<u64>,
    options: &RecordOptions,
    urgency: &Urgency,
) -> BTreeMap<u64, Vec<Frame>> {
    let asked = [AskedModule {
        module: ModuleFile::opened(path, file),
        vaddrs,
    }];
    let options = Options {
        demangle: options.demangle,
        ..Options::default()
    };
    let mut isolation = Isolation {
        urgency: urgency.clone(),
        ..Isolation::by(symbolize_worker::command())
    };
    let mut symbols = symbolize_isolated(&asked, &options, &mut isolation, || {});
    let chains = symbols.pop().map_or_else(Vec::new, |of| of.chains);
    asked[0].vaddrs.iter().copied().zip(chains).collect()
}

struct Finder<'a> {
    module: &'a ModuleCode<'a>,
    list: &'a FunctionList,
    /// Start and end of code, its function, and which of its copies it is; of a part, none.
    pieces: Vec<(u64, u64, usize, Option<usize>)>,
    /// By the start of the code.
    bodies: BTreeMap<u64, Option<Body>>,
    chains: BTreeMap<u64, Vec<Frame>>,
}

impl<'a> Finder<'a> {
    fn new(module: &'a ModuleCode<'a>, list: &'a FunctionList) -> Finder<'a> {
        let mut pieces = Vec::new();
        for (number, function) in list.functions.iter().enumerate() {
            let copies = function.codes.iter().enumerate();
            pieces.extend(copies.map(|(copy, code)| (code.start, code.end, number, Some(copy))));
            let parts = function.parts.iter();
            pieces.extend(parts.map(|(start, end)| (*start, *end, number, None)));
        }
        pieces.sort_unstable();
        Finder {
            module,
            list,
            pieces,
            bodies: BTreeMap::new(),
            chains: BTreeMap::new(),
        }
    }

    fn place(&mut self, of: &'a ListedFunction, place: &'a InlinedPlace) -> Place<'a> {
        let body = place.first().and_then(|first| self.body_around(first));
        Place { of, place, body }
    }

    /// The code that has an address, decoded.
    fn body_around(&mut self, vaddr: u64) -> Option<u64> {
        let behind = self.pieces.partition_point(|(start, ..)| *start <= vaddr);
        let (start, end, number, copy) = *self.pieces.get(behind.checked_sub(1)?)?;
        if vaddr >= end {
            return None;
        }
        let function = &self.list.functions[number];
        // Who the parts of several copies belong to is not known: each is decoded with all of them.
        let key = match copy {
            Some(_) => start,
            None => function.codes.first()?.start,
        };
        if !self.bodies.contains_key(&key) {
            let body = (self.module.of(function)).and_then(|code| body(&code, copy.unwrap_or(0)));
            self.bodies.insert(key, body);
        }
        Some(key)
    }

    fn body_of(&self, place: &Place) -> Option<&Body> {
        self.bodies.get(&place.body?)?.as_ref()
    }

    fn instructions_of(&self, place: &Place) -> Vec<u64> {
        let body = self.body_of(place);
        body.map_or_else(Vec::new, |body| body.instructions_of(code_of(place.place)))
    }

    fn find(&self, place: &Place) -> Found {
        if place.place.is_shared {
            return Err(UncountedPlace::Shared);
        }
        let not_decoded = UncountedPlace::NoPlace(NoInlinedPlace::NotDecoded);
        let body = self.body_of(place).ok_or(not_decoded)?;
        let chain = |at: u64| self.chains.get(&at).filter(|chain| !chain.is_empty());
        // Where nothing is known of them, they may be copies.
        let is_same = |one: u64, other: u64| chain(one) == chain(other);
        let code = code_of(place.place);
        let at = (body.place_of(code, &is_same)).map_err(UncountedPlace::NoPlace)?;
        let probes = at.probes.iter().map(|probe| {
            let kind = (probe.condition).map_or(PlaceKind::Counted, |condition| {
                PlaceKind::CountedIf { condition }
            });
            Some((self.module.offset_of(probe.at)?, kind))
        });
        let probes: Option<_> = probes.collect();
        let chain = chain(at.entry).map_or(&[][..], Vec::as_slice);
        let own = chain.iter().position(|frame| *frame.name == *place.of.name);
        let definition = own.map(|at| &chain[at]);
        let caller = own.map_or(chain.last(), |at| chain.get(at + 1));
        let file_of = |frame: &Frame| frame.file.as_deref().unwrap_or("").to_owned();
        Ok(FoundPlace {
            probes: probes.ok_or(not_decoded)?,
            calls: InlinedCalls {
                function: 0,
                caller: caller.map_or_else(String::new, |frame| frame.name.to_string()),
                file: caller.map_or_else(String::new, file_of),
                line: caller.map_or(0, |frame| frame.line),
                calls: 0,
            },
            defined: definition.map(|frame| (file_of(frame), frame.function_line)),
        })
    }
}

fn body(code: &OwnCode, copy: usize) -> Option<Body> {
    let (start, bytes) = code.copies.get(copy)?;
    let start = *start;
    Body::of(Code { start, bytes }, &code.parts())
}

fn code_of(place: &InlinedPlace) -> InlinedCode<'_> {
    InlinedCode {
        ranges: &place.ranges,
        entry: place.entry,
    }
}

impl UncountedPlace {
    /// For the reader of a report, behind a number of places and a colon.
    pub fn words(self) -> &'static str {
        match self {
            UncountedPlace::Shared => "several calls share one piece of code",
            UncountedPlace::TooMany => "more places than can be counted",
            UncountedPlace::NoPlace(why) => match why {
                NoInlinedPlace::NoCode => "no code of the call is left",
                NoInlinedPlace::NotDecoded => {
                    "the function around the call could not be read, or jumps to computed addresses"
                }
                NoInlinedPlace::SeveralEntries => {
                    "the compiler has moved parts of the code, so that it begins at several instructions"
                }
                NoInlinedPlace::Copies => {
                    "the code seems to hold several calls, as unrolled loops do"
                }
                NoInlinedPlace::Packed => {
                    "the code works on several values at once, as vectorized loops do"
                }
                NoInlinedPlace::Loops => "the code leads back to its own start",
                NoInlinedPlace::SingleStepped => {
                    "there is no instruction where a count costs little"
                }
            },
        }
    }
}
