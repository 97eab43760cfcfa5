//! Addresses to chains of frames by the DWARF of one file.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use addr2line::Context;
use gimli::{Dwarf, UnitOffset, UnitRef};
use rustc_hash::FxHashMap;

use crate::declaration::Declarations;
use crate::demangle::{DemangleMode, demangle, is_linkage_name};
use crate::elf::Reader;
use crate::scope::Scopes;
use crate::{Frame, nesting, source_path};

/// More frames than this at one address are not a program's doing (a profile keeps at most 1024 a location).
const CHAIN_FRAMES_MAX: usize = 1024;
/// After so many faults the file is hopeless.
const FAULTS_MAX: usize = 64;

/// What the DWARF says of a list of addresses.
#[derive(Default)]
pub(crate) struct Answer {
    /// One for each address.
    pub(crate) chains: Vec<Vec<Frame>>,
    pub(crate) producers: BTreeSet<String>,
    pub(crate) problem: Option<String>,
}

/// Looks all of `vaddrs` up. A frame without a name has an empty one.
pub(crate) fn look_up<'a>(
    dwarf: Dwarf<Reader<'a>>,
    vaddrs: &[u64],
    mode: DemangleMode,
    deadline: Instant,
) -> Answer {
    let mut answer = Answer {
        chains: vec![Vec::new(); vaddrs.len()],
        ..Answer::default()
    };
    if let Some(unit) = nesting::first_too_deep(&dwarf, vaddrs) {
        answer.problem = Some(format!(
            "the inlined calls of the unit at {:#x} of its debug information nest too deep",
            unit.0
        ));
        return answer;
    }
    let context = match catch_unwind(AssertUnwindSafe(|| Context::from_dwarf(dwarf))) {
        Ok(Ok(context)) => context,
        Ok(Err(error)) => {
            answer.problem = Some(format!("its debug information is malformed ({error})"));
            return answer;
        }
        Err(_) => {
            answer.problem = Some("its debug information is malformed".to_owned());
            return answer;
        }
    };
    let mut lookup = Lookup {
        context: &context,
        mode,
        names: FxHashMap::default(),
        paths: FxHashMap::default(),
        declarations: Declarations::default(),
        scopes: Scopes::default(),
        units_seen: FxHashMap::default(),
        producers: BTreeSet::new(),
    };
    let mut faults = 0;
    for (vaddr, chain) in vaddrs.iter().zip(&mut answer.chains) {
        if faults == FAULTS_MAX {
            break;
        }
        if Instant::now() > deadline {
            answer.problem = Some("reading its debug information took too long".to_owned());
            break;
        }
        // A parser that panics costs this address: what it had finished before stays usable.
        match catch_unwind(AssertUnwindSafe(|| lookup.chain(*vaddr))) {
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
    answer.producers = lookup.producers;
    answer
}

struct Name {
    readable: String,
    is_linkage_name: bool,
    raw: String,
}

struct Lookup<'ctx, 'a> {
    context: &'ctx Context<Reader<'a>>,
    mode: DemangleMode,
    names: FxHashMap<&'a [u8], Name>,
    paths: FxHashMap<&'ctx str, String>,
    declarations: Declarations<'a>,
    scopes: Scopes,
    units_seen: FxHashMap<usize, ()>,
    producers: BTreeSet<String>,
}

impl<'ctx, 'a> Lookup<'ctx, 'a> {
    fn chain(&mut self, vaddr: u64) -> gimli::Result<Vec<Frame>> {
        let mut chain = Vec::new();
        let mut frames = self.context.find_frames(vaddr).skip_all_loads()?;
        let Some(unit) = self.context.find_dwarf_and_unit(vaddr).skip_all_loads() else {
            return Ok(chain);
        };
        self.note_producer(unit);
        while let Some(frame) = frames.next()? {
            if chain.len() == CHAIN_FRAMES_MAX {
                break;
            }
            // The frame before this one was inlined into it.
            if let Some(inner) = chain.last_mut() {
                let inner: &mut Frame = inner;
                inner.inlined = true;
            }
            let (name, system_name) = self.name(unit, frame.function.as_ref(), frame.dw_die_offset);
            let location = frame.location.as_ref();
            let file = location.and_then(|location| location.file);
            let file = file.map(|file| self.path(file));
            let declared = frame
                .dw_die_offset
                .map(|entry| self.declarations.of(unit, entry))
                .unwrap_or_default();
            let same_file = declared.file.is_some() && declared.file.as_deref() == file.as_deref();
            chain.push(Frame {
                name,
                system_name,
                file,
                line: location.and_then(|location| location.line).unwrap_or(0),
                column: location.and_then(|location| location.column).unwrap_or(0),
                function_line: if same_file { declared.line } else { 0 },
                inlined: false,
            });
        }
        Ok(chain)
    }

    /// The readable and the raw name of a function.
    fn name(
        &mut self,
        unit: UnitRef<'_, Reader<'a>>,
        function: Option<&addr2line::FunctionName<Reader<'a>>>,
        entry: Option<UnitOffset>,
    ) -> (String, String) {
        let Some(function) = function else {
            return Default::default();
        };
        let mode = self.mode;
        let known = self.names.entry(function.name.slice()).or_insert_with(|| {
            let raw = function.name.to_string_lossy().into_owned();
            Name {
                readable: demangle(&raw, mode),
                is_linkage_name: is_linkage_name(&raw),
                raw,
            }
        });
        let (mut readable, raw) = (known.readable.clone(), known.raw.clone());
        if !known.is_linkage_name
            && mode != DemangleMode::None
            && has_scopes(function.language)
            && let Some(qualified) =
                entry.and_then(|entry| self.scopes.qualified(unit, entry, &raw))
        {
            readable = qualified;
        }
        (readable, raw)
    }

    fn path(&mut self, recorded: &'ctx str) -> String {
        self.paths
            .entry(recorded)
            .or_insert_with(|| source_path::normalized(recorded))
            .clone()
    }

    fn note_producer(&mut self, unit: UnitRef<'_, Reader<'a>>) {
        let key = unit
            .header
            .debug_info_offset()
            .map_or(usize::MAX, |offset| offset.0);
        if self.units_seen.insert(key, ()).is_some() {
            return;
        }
        // A unit without a readable producer has none.
        if let Ok(Some(producer)) = producer(unit) {
            self.producers.insert(producer);
        }
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

fn producer(unit: UnitRef<'_, Reader<'_>>) -> gimli::Result<Option<String>> {
    let mut entries = unit.entries_raw(None)?;
    let Some(abbreviation) = entries.read_abbreviation()? else {
        return Ok(None);
    };
    for specification in abbreviation.attributes() {
        let attribute = entries.read_attribute(*specification)?;
        if attribute.name() == gimli::DW_AT_producer {
            let text = unit.attr_string(attribute.value())?;
            return Ok(Some(text.to_string_lossy().into_owned()));
        }
    }
    Ok(None)
}
