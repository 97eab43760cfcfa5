//! Addresses to chains of frames by the DWARF of one file.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use addr2line::{Context, LookupContinuation, LookupResult};
use gimli::{Dwarf, UnitOffset, UnitRef};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::build::{self, Build};
use crate::declaration::{self, Declaration, Declarations};
use crate::demangle::{DemangleMode, demangle, is_linkage_name};
use crate::elf::Reader;
use crate::functions::{self, Call, Functions};
use crate::lines::Place;
use crate::options::Options;
use crate::other_units::{OtherUnits, unit_key};
use crate::scope::Scopes;
use crate::split_dwarf::SplitDwarf;
use crate::text::Text;
use crate::units::Units;
use crate::{Frame, lines, nesting, source_path};

/// More frames than this at one address are not a program's doing (a profile keeps at most 1024 a location).
const CHAIN_FRAMES_MAX: usize = 1024;
/// After so many faults the file is hopeless.
const FAULTS_MAX: usize = 64;

/// What the DWARF says of a list of addresses.
#[derive(Default)]
pub(crate) struct Answer {
    /// One for each address.
    pub(crate) chains: Vec<Vec<Frame>>,
    /// One for each address.
    pub(crate) builds: Vec<Option<Arc<Build>>>,
    pub(crate) source_sums: BTreeMap<Text, [u8; 16]>,
    pub(crate) problem: Option<String>,
}

/// Looks all of `vaddrs` up. A frame without a name has an empty one.
pub(crate) fn look_up<'a>(
    dwarf: Dwarf<Reader<'a>>,
    split: &SplitDwarf<'a>,
    vaddrs: &[u64],
    options: &Options,
    deadline: Instant,
) -> Answer {
    let mut answer = Answer {
        chains: vec![Vec::new(); vaddrs.len()],
        builds: vec![None; vaddrs.len()],
        ..Answer::default()
    };
    let dwarf = Arc::new(dwarf);
    let units = match catch_unwind(AssertUnwindSafe(|| Units::of(&dwarf))) {
        Ok(Ok(units)) => units,
        Ok(Err(error)) => {
            answer.problem = Some(format!("its debug information is malformed ({error})"));
            return answer;
        }
        Err(_) => {
            answer.problem = Some("its debug information is malformed".to_owned());
            return answer;
        }
    };
    let context = OnceCell::new();
    let mut lookup = Lookup::new(&dwarf, &units, vaddrs, split, &context, options.demangle);
    let mut faults = 0;
    let places = answer.chains.iter_mut().zip(&mut answer.builds);
    for (vaddr, (chain, build)) in vaddrs.iter().zip(places) {
        if faults == FAULTS_MAX {
            break;
        }
        if Instant::now() > deadline {
            answer.problem = Some("reading its debug information took too long".to_owned());
            break;
        }
        options.progress.fetch_add(1, Ordering::Relaxed);
        // A parser that panics costs this address: what it had finished before stays usable.
        match catch_unwind(AssertUnwindSafe(|| lookup.chain(*vaddr, build))) {
            Ok(Ok(frames)) => *chain = frames,
            Ok(Err(error)) => {
                faults += 1;
                answer.problem = Some(format!("its debug information is malformed ({error})"));
            }
            Err(_) => {
                faults += 1;
                answer.problem = Some("its debug information is malformed".to_owned());
            }
        }
    }
    answer.source_sums =
        catch_unwind(AssertUnwindSafe(|| lookup.source_sums())).unwrap_or_default();
    if lookup.too_deep.values().any(|is_too_deep| *is_too_deep) {
        answer.problem.get_or_insert_with(|| {
            "the inlined calls of a unit of its debug information nest too deep".to_owned()
        });
    }
    answer.problem = answer.problem.or_else(|| split.problem());
    answer
}

fn frame(function: Function, file: Option<Text>, line: u32, column: u32) -> Frame {
    let declared = function.declared;
    // Go gives a line without a file: a function's lines are all in one.
    let same_file = declared.file.is_none() || declared.file.as_deref() == file.as_deref();
    Frame {
        name: function.name,
        system_name: function.system_name,
        file,
        line,
        column,
        function_line: if same_file { declared.line } else { 0 },
        inlined: false,
    }
}

/// All but the last were inlined into the next.
fn mark_inlined(chain: &mut [Frame]) {
    if let Some((_, inlined)) = chain.split_last_mut() {
        for frame in inlined {
            frame.inlined = true;
        }
    }
}

struct Name {
    readable: Text,
    is_linkage_name: bool,
    raw: Text,
}

/// What an entry of a function says.
#[derive(Clone, Default)]
pub(crate) struct Function {
    pub(crate) name: Text,
    pub(crate) system_name: Text,
    declared: Declaration,
}

struct SeenUnit<'ctx, 'a> {
    unit: UnitRef<'ctx, Reader<'a>>,
    build: Option<Arc<Build>>,
    language: Option<gimli::DwLang>,
}

pub(crate) struct Lookup<'ctx, 'a> {
    dwarf: &'ctx Arc<Dwarf<Reader<'a>>>,
    units: &'ctx Units<'ctx, 'a>,
    /// Sorted.
    asked: &'ctx [u64],
    split: &'ctx SplitDwarf<'a>,
    /// Reads units whose debug information is split, once there is one.
    split_context: &'ctx SplitContext<'a>,
    mode: DemangleMode,
    names: FxHashMap<&'a [u8], Name>,
    declarations: Declarations,
    scopes: Scopes,
    others: OtherUnits<'a>,
    inlined: Functions,
    /// By unit and entry.
    functions: FxHashMap<((usize, usize), usize), Function>,
    /// By unit and number.
    files: FxHashMap<((usize, usize), u64), Option<Text>>,
    /// As split debug information has them, and as they are shown.
    split_paths: FxHashMap<&'ctx str, Text>,
    too_deep: FxHashMap<(usize, usize), bool>,
    /// By unit and address.
    places: FxHashMap<(usize, usize), FxHashMap<u64, Place>>,
    seen: FxHashMap<(usize, usize), SeenUnit<'ctx, 'a>>,
}

pub(crate) type SplitContext<'a> = OnceCell<gimli::Result<Context<Reader<'a>>>>;

impl<'ctx, 'a> Lookup<'ctx, 'a> {
    pub(crate) fn new(
        dwarf: &'ctx Arc<Dwarf<Reader<'a>>>,
        units: &'ctx Units<'ctx, 'a>,
        asked: &'ctx [u64],
        split: &'ctx SplitDwarf<'a>,
        split_context: &'ctx SplitContext<'a>,
        mode: DemangleMode,
    ) -> Lookup<'ctx, 'a> {
        Lookup {
            dwarf,
            units,
            asked,
            split,
            split_context,
            mode,
            names: FxHashMap::default(),
            declarations: Declarations::default(),
            scopes: Scopes::default(),
            others: OtherUnits::default(),
            inlined: Functions::default(),
            functions: FxHashMap::default(),
            files: FxHashMap::default(),
            split_paths: FxHashMap::default(),
            too_deep: FxHashMap::default(),
            places: FxHashMap::default(),
            seen: FxHashMap::default(),
        }
    }

    /// The frames at an address; also says how their unit was built.
    fn chain(&mut self, vaddr: u64, build: &mut Option<Arc<Build>>) -> gimli::Result<Vec<Frame>> {
        for unit in self.units.at(vaddr) {
            if unit.dwo_id.is_some() {
                return self.chain_of_split(vaddr, build);
            }
            let calls = self.inlined.at(unit, vaddr)?;
            let place = self.place(unit, vaddr)?;
            if !calls.is_empty() || place.is_some() {
                *build = self.build_of(unit);
                return Ok(self.chain_of_calls(unit, &calls, place.unwrap_or_default()));
            }
        }
        Ok(Vec::new())
    }

    /// The calls at a place, innermost first; a place in no function has a frame without a name.
    fn chain_of_calls(
        &mut self,
        unit: UnitRef<'_, Reader<'a>>,
        calls: &[Call],
        mut place: Place,
    ) -> Vec<Frame> {
        if calls.is_empty() {
            let file = place.file.and_then(|index| self.file(unit, index));
            return vec![frame(Function::default(), file, place.line, place.column)];
        }
        let mut chain = Vec::with_capacity(calls.len().min(CHAIN_FRAMES_MAX));
        for call in calls.iter().take(CHAIN_FRAMES_MAX) {
            let file = place.file.and_then(|index| self.file(unit, index));
            let function = self.function_of(unit, call.entry);
            chain.push(frame(function, file, place.line, place.column));
            place = call.site;
        }
        mark_inlined(&mut chain);
        chain
    }

    fn place(&mut self, unit: UnitRef<'_, Reader<'a>>, vaddr: u64) -> gimli::Result<Option<Place>> {
        let places = match self.places.entry(unit_key(unit)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(lines::places(unit, self.asked)?),
        };
        Ok(places.get(&vaddr).copied())
    }

    /// The frames at an address of a unit whose debug information is in another file.
    fn chain_of_split(
        &mut self,
        vaddr: u64,
        build: &mut Option<Arc<Build>>,
    ) -> gimli::Result<Vec<Frame>> {
        let new = || Context::from_arc_dwarf(Arc::clone(self.dwarf));
        let context = match self.split_context.get_or_init(new) {
            Ok(context) => context,
            Err(error) => return Err(*error),
        };
        if self.is_too_deep(vaddr) {
            return Ok(Vec::new());
        }
        let Some(unit) = self.loaded(context.find_dwarf_and_unit(vaddr)) else {
            return Ok(Vec::new());
        };
        *build = self.build_of(unit);
        let mut chain = Vec::new();
        let mut frames = self.loaded(context.find_frames(vaddr))?;
        while let Some(found) = frames.next()? {
            if chain.len() == CHAIN_FRAMES_MAX {
                break;
            }
            let function = match found.dw_die_offset {
                Some(entry) => self.function_of(unit, entry),
                None => Function::default(),
            };
            let (file, line, column) = match &found.location {
                Some(place) => (place.file, place.line, place.column),
                None => (None, None, None),
            };
            let file = file.map(|file| self.split_path(file));
            chain.push(frame(
                function,
                file,
                line.unwrap_or(0),
                column.unwrap_or(0),
            ));
        }
        mark_inlined(&mut chain);
        Ok(chain)
    }

    /// addr2line reads a function by recursion. The unit itself may have functions, too; its parts are looked at when
    /// they are loaded.
    fn is_too_deep(&mut self, vaddr: u64) -> bool {
        let units = self.units.at(vaddr);
        units.into_iter().any(|unit| {
            let look = || nesting::is_too_deep(unit.dwarf, &unit.header);
            *self.too_deep.entry(unit_key(unit)).or_insert_with(look)
        })
    }

    /// What the entry of a function, or of a call that was inlined, is of. The unit's build is asked for before.
    pub(crate) fn function_of(
        &mut self,
        unit: UnitRef<'_, Reader<'a>>,
        entry: UnitOffset,
    ) -> Function {
        let key = (unit_key(unit), entry.0);
        if let Some(known) = self.functions.get(&key) {
            return known.clone();
        }
        let name = functions::name_of(unit, entry, &mut self.others);
        let (name, system_name) = self.name(unit, name, entry);
        let function = Function {
            name,
            system_name,
            declared: self.declarations.of(unit, entry, &mut self.others),
        };
        self.functions.insert(key, function.clone());
        function
    }

    fn split_path(&mut self, recorded: &'ctx str) -> Text {
        let normalized = || Text::from(source_path::normalized(recorded));
        let path = self.split_paths.entry(recorded).or_insert_with(normalized);
        path.clone()
    }

    /// A file of the unit's line table.
    fn file(&mut self, unit: UnitRef<'_, Reader<'a>>, index: u64) -> Option<Text> {
        let key = (unit_key(unit), index);
        if let Some(known) = self.files.get(&key) {
            return known.clone();
        }
        let file = declaration::file_path(unit, index).map(Text::from);
        self.files.insert(key, file.clone());
        file
    }

    /// The result of a lookup with the parts of split debug information that it asks for.
    fn loaded<L: LookupContinuation<Buf = Reader<'a>>>(
        &self,
        mut result: LookupResult<L>,
    ) -> L::Output {
        loop {
            match result {
                LookupResult::Output(output) => return output,
                LookupResult::Load { load, continuation } => {
                    result = continuation.resume(self.split.load(&load));
                }
            }
        }
    }

    /// The readable and the raw name of a function.
    fn name(
        &mut self,
        unit: UnitRef<'_, Reader<'a>>,
        name: Option<Reader<'a>>,
        entry: UnitOffset,
    ) -> (Text, Text) {
        let Some(name) = name else {
            return Default::default();
        };
        let seen = self.seen.get(&unit_key(unit));
        let (mode, language) = (self.mode, seen.and_then(|seen| seen.language));
        let known = self.names.entry(name.slice()).or_insert_with(|| {
            let raw = name.to_string_lossy().into_owned();
            // Dots are part of Go's names.
            let is_go = language == Some(gimli::DW_LANG_Go);
            Name {
                readable: if is_go {
                    Text::from(raw.as_str())
                } else {
                    Text::from(demangle(&raw, mode))
                },
                is_linkage_name: is_linkage_name(&raw),
                raw: Text::from(raw),
            }
        });
        let (mut readable, raw) = (known.readable.clone(), known.raw.clone());
        if !known.is_linkage_name
            && mode != DemangleMode::None
            && has_scopes(language)
            && let Some(qualified) = self.scopes.qualified(unit, entry, &raw, &mut self.others)
        {
            readable = Text::from(qualified);
        }
        (readable, raw)
    }

    pub(crate) fn build_of(&mut self, unit: UnitRef<'ctx, Reader<'a>>) -> Option<Arc<Build>> {
        let key = unit_key(unit);
        if let Some(known) = self.seen.get(&key) {
            return known.build.clone();
        }
        let build = build::build_of(unit).map(Arc::new);
        let seen = SeenUnit {
            unit,
            build: build.clone(),
            language: build::language(unit),
        };
        self.seen.insert(key, seen);
        build
    }

    /// Sums of the source files that were met, where the line tables hold them (clang's DWARF 5).
    fn source_sums(&self) -> BTreeMap<Text, [u8; 16]> {
        let met = self.files.values().flatten();
        let met = met.chain(self.split_paths.values());
        let met: FxHashSet<&str> = met.map(|path| &**path).collect();
        let name_of = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let met_names: FxHashSet<String> = met.iter().map(|path| name_of(path)).collect();
        let mut sums = BTreeMap::new();
        for seen in self.seen.values() {
            let Some(program) = seen.unit.line_program.as_ref() else {
                continue;
            };
            let header = program.header();
            if !header.file_has_md5() {
                continue;
            }
            for file in header.file_names() {
                let name = seen.unit.attr_string(file.path_name());
                let name = name.map(|name| name_of(&name.to_string_lossy()));
                if !name.is_ok_and(|name| met_names.contains(&name)) {
                    continue;
                }
                let path = declaration::path_of(seen.unit, file, header);
                if let Some(path) = path.filter(|path| met.contains(path.as_str())) {
                    sums.insert(Text::from(path), *file.md5());
                }
            }
        }
        sums
    }
}

/// C and assembly have one flat space of names.
fn has_scopes(language: Option<gimli::DwLang>) -> bool {
    matches!(
        language,
        Some(
            gimli::DW_LANG_C_plus_plus
                | gimli::DW_LANG_C_plus_plus_03
                | gimli::DW_LANG_C_plus_plus_11
                | gimli::DW_LANG_C_plus_plus_14
                | gimli::DW_LANG_C_plus_plus_17
                | gimli::DW_LANG_C_plus_plus_20
                | gimli::DW_LANG_Rust
        )
    )
}
