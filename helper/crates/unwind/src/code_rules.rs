//! Rules for functions of which no call frame information speaks, from their instructions: hand-written assembly as in
//! musl and libcrypto, and C that was built with -fno-asynchronous-unwind-tables. x86-64.
//!
//! Such rules are marked: they hold only where they lead to a return address, which the walk checks.

use std::ops::Range;
use std::slice;

use memchr::memchr_iter;
use object::{Object, ObjectKind, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};
use records::{Rule, RuleKind};

use crate::clone_code::clone_spans;
use crate::code_flow::CodeFlow;
use crate::code_listing::{Listing, Section};
use crate::machine::Elf;
use crate::spans::{Span, Spans, push_joined};

/// So much code is looked at in a section, at most.
const BYTES_MAX: u32 = 16 << 20;
/// Files with more data than this have call frame information: what it points to is not worth the search.
const DATA_BYTES_MAX: usize = 16 << 20;
/// Functions begin at 16 bytes: what is shorter is padding between two of them, unless a section has nothing else.
const GAP_BYTES_MIN: u64 = 16;

/// Code that `known` does not cover, as symbols, calls and pointers tell where its functions begin.
pub(crate) fn spans_of_code(file: &Elf<'_>, known: &Spans) -> Spans {
    let mut spans = Vec::new();
    let mut symbols = None;
    for section in file.sections().filter(|s| s.kind() == SectionKind::Text) {
        let Ok(bytes) = section.data() else { continue };
        let code = Section {
            bytes,
            start: section.address(),
            is_fixed: is_fixed(file),
        };
        spans.extend(clone_spans(&code, known));
        let gaps = gaps(&code, known);
        if gaps.is_empty() {
            continue;
        }
        let symbols = symbols.get_or_insert_with(|| Symbols::of(file));
        // Each of these is one function, whose parts the linker has put together.
        if matches!(section.name(), Ok(".init" | ".fini")) {
            symbols.global.push(code.start);
        }
        spans.extend(spans_of_gaps(&code, &gaps, symbols));
    }
    Spans::new(spans)
}

/// The code at a program's entry: it is described by the C library and points to main, which may not be.
const ENTRY_BYTES: u32 = 48;

fn entry(code: &Section<'_>, entry: u64) -> Option<Range<u32>> {
    let start = code.offset_of(entry)?;
    let end = start.saturating_add(ENTRY_BYTES);
    Some(start..end.min(code.bytes.len() as u32))
}

/// Where the calls of a short range of code lead.
pub(crate) fn called_from(bytes: &[u8], start: u64, range: Range<u64>) -> Vec<u64> {
    let is_fixed = false;
    let code = Section {
        bytes,
        start,
        is_fixed,
    };
    let (start, last) = (code.offset_of(range.start), code.offset_of(range.end - 1));
    let Some((start, last)) = start.zip(last) else {
        return Vec::new();
    };
    let listing = Listing::new(&code, slice::from_ref(&(start..last + 1)), &[]);
    let called = listing
        .called()
        .map(|offset| code.start + u64::from(offset));
    called.collect()
}

/// Where bytes between the gaps lead that look like calls. Only a stripped file needs to be searched for them.
fn called_from_elsewhere(code: &Section<'_>, gaps: &[Range<u32>]) -> Vec<u32> {
    const CALL: u8 = 0xe8;
    if code.bytes.len() > BYTES_MAX as usize {
        return Vec::new();
    }
    let target = |at: usize| {
        let displacement = i32::from_le_bytes(*code.bytes.get(at + 1..)?.first_chunk()?);
        let target = i64::try_from(at + 5).ok()? + i64::from(displacement);
        u32::try_from(target).ok().filter(|t| contains(gaps, *t))
    };
    let is_between = |at: &usize| u32::try_from(*at).is_ok_and(|at| !contains(gaps, at));
    let calls = memchr_iter(CALL, code.bytes).filter(is_between);
    in_order(calls.filter_map(target))
}

fn is_fixed(file: &Elf<'_>) -> bool {
    file.kind() == ObjectKind::Executable
}

/// Sections that may point to functions, if nothing names these. Empty: too much to be searched.
pub(crate) fn data_with_pointers<'a>(file: &Elf<'a>) -> Vec<&'a [u8]> {
    // What can be moved has its pointers in the relocations.
    let sections = file.sections().filter(|s| match is_fixed(file) {
        true => s.kind() != SectionKind::Text && s.address() != 0,
        false => s.name() == Ok(".rela.dyn"),
    });
    let data: Vec<_> = sections.filter_map(|s| s.data().ok()).collect();
    let size: usize = data.iter().map(|data| data.len()).sum();
    if size > DATA_BYTES_MAX {
        return Vec::new();
    }
    data
}

pub(crate) fn words_of(data: &[&[u8]]) -> impl Iterator<Item = u64> {
    let words = data.iter().flat_map(|section| section.as_chunks().0);
    words.map(|word| u64::from_le_bytes(*word))
}

/// Words of data that are addresses in the gaps: tables of functions.
fn pointed_by_data(code: &Section<'_>, gaps: &[Range<u32>], symbols: &Symbols<'_>) -> Vec<u32> {
    let offsets = words_of(&symbols.data).filter_map(|address| code.offset_of(address));
    in_order(offsets.filter(|offset| contains(gaps, *offset)))
}

/// What no rule covers, from the start of the section, padding apart.
fn gaps(code: &Section<'_>, known: &Spans) -> Vec<Range<u32>> {
    let end = code.start.checked_add(code.bytes.len() as u64);
    let Some(end) = end.filter(|end| end - code.start <= u64::from(u32::MAX)) else {
        return Vec::new();
    };
    let gaps = known.gaps(code.start..end);
    let gaps = gaps
        .iter()
        .filter(|gap| gap.end - gap.start >= GAP_BYTES_MIN || *gap == &(code.start..end))
        .map(|gap| (gap.start - code.start) as u32..(gap.end - code.start) as u32)
        .filter(|gap| !is_filled(&code.bytes[gap.start as usize..gap.end as usize]));
    let mut left = BYTES_MAX;
    gaps.take_while(|gap| {
        let rest = left.checked_sub(gap.end - gap.start);
        left = rest.unwrap_or(0);
        rest.is_some()
    })
    .collect()
}

/// Whether a gap holds one byte again and again, or the long nops of the assembler.
fn is_filled(bytes: &[u8]) -> bool {
    const LONG_NOP: [&[u8]; 2] = [&[0x66, 0x2e, 0x0f, 0x1f, 0x84], &[0x2e, 0x0f, 0x1f, 0x84]];
    let mut rest = bytes;
    // 66 66 … 2e 0f 1f 84 00 and four bytes of 0, up to 15 bytes each.
    loop {
        let prefixes = rest.iter().take_while(|b| **b == 0x66).count();
        let nop = &rest[prefixes..];
        let Some(long) = LONG_NOP.iter().find(|n| nop.starts_with(n)) else {
            break;
        };
        rest = nop.get(long.len() + 5..).unwrap_or_default();
    }
    rest.len() < 16 && rest.len() < bytes.len() || bytes.iter().all(|b| *b == bytes[0])
}

struct Symbols<'a> {
    /// Other files call these functions.
    global: Vec<u64>,
    /// Functions, and parts of functions that compilers put elsewhere (`main.cold`).
    local: Vec<u64>,
    entry: u64,
    /// Nothing names the functions that other files do not call.
    is_stripped: bool,
    /// Sections that may point to functions, if nothing names these.
    data: Vec<&'a [u8]>,
}

impl<'a> Symbols<'a> {
    fn of(file: &Elf<'a>) -> Symbols<'a> {
        let mut symbols = Symbols {
            global: vec![file.entry()],
            local: Vec::new(),
            entry: file.entry(),
            is_stripped: file.symbols().next().is_none(),
            data: Vec::new(),
        };
        if symbols.is_stripped {
            symbols.data = data_with_pointers(file);
        }
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            // Assembly does not always say that a name is a function's.
            let is_function = match symbol.kind() {
                SymbolKind::Text => true,
                SymbolKind::Unknown => symbol.is_global(),
                _ => false,
            };
            if is_function && symbol.is_definition() {
                let list = match symbol.is_global() {
                    true => &mut symbols.global,
                    false => &mut symbols.local,
                };
                list.push(symbol.address());
            }
        }
        symbols
    }
}

fn spans_of_gaps(code: &Section<'_>, gaps: &[Range<u32>], symbols: &Symbols<'_>) -> Vec<Span> {
    let inside = |addresses: &[u64]| -> Vec<u32> {
        let offsets = addresses.iter().filter_map(|a| code.offset_of(*a));
        in_order(offsets.filter(|offset| contains(gaps, *offset)))
    };
    let (global, local) = (inside(&symbols.global), inside(&symbols.local));
    let mut cuts = in_order(global.iter().chain(&local).copied());
    let mut listing = Listing::new(code, gaps, &cuts);
    let calls = |listing: &Listing| in_order(listing.called().filter(|t| contains(gaps, *t)));
    let mut called = calls(&listing);
    // Data before a function has hidden where its first instruction begins.
    if called.iter().any(|t| listing.index_at(*t).is_none()) {
        cuts = in_order(cuts.into_iter().chain(called));
        listing = Listing::new(code, gaps, &cuts);
        called = calls(&listing);
    }
    listing.resolve(code);

    let indexes = |offsets: Vec<u32>| offsets.into_iter().filter_map(|o| listing.index_at(o));
    let sure: Vec<usize> = in_order(indexes(called).chain(indexes(global)));
    let local: Vec<usize> = indexes(local).collect();
    let starts = in_order(sure.iter().chain(&local).copied());
    let Some(mut flow) = CodeFlow::new(&listing, &starts) else {
        return Vec::new();
    };
    flow.follow_functions(&sure);
    let of_entry = Listing::new(code, entry(code, symbols.entry).as_slice(), &[]).pointed;
    let pointed = of_entry.into_iter().chain(listing.pointed.iter().copied());
    let pointed = indexes(in_order(pointed)).filter(|i| listing.may_be_function(*i));
    for index in local.into_iter().chain(pointed) {
        // What is jumped to need not be a function's start.
        if !flow.is_led_to(index) {
            flow.follow_function(index);
        }
    }
    flow.follow_tables();
    if symbols.is_stripped {
        let pointed = pointed_by_data(code, gaps, symbols);
        let pointed = indexes(pointed).filter(|i| listing.may_be_function(*i));
        let called = indexes(called_from_elsewhere(code, gaps));
        let called = called.filter(|i| listing.is_behind_end(*i));
        for index in pointed.chain(called) {
            if !flow.is_led_to(index) {
                flow.follow_function(index);
            }
        }
        flow.follow_tables();
    }
    spans_of_flow(code.start, &flow)
}

/// Where nothing is known of code among which others use rbp for anything, no caller can be found: that one by rbp would
/// be a wrong one.
fn spans_of_flow(start: u64, flow: &CodeFlow<'_>) -> Vec<Span> {
    let unsupported = Rule::of_kind(RuleKind::Unsupported);
    let mut spans: Vec<Span> = Vec::new();
    let has_frame_pointers = flow.each_rule(|step, rule| {
        let rule = rule.unwrap_or(unsupported);
        let (start, end) = (start + u64::from(step.at), start + u64::from(step.end()));
        push_joined(&mut spans, Span { start, end, rule });
    });
    if has_frame_pointers {
        spans.retain(|span| span.rule != unsupported);
    }
    spans
}

pub(crate) fn in_order<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items.dedup();
    items
}

fn contains(ranges: &[Range<u32>], offset: u32) -> bool {
    let after = ranges.partition_point(|r| r.start <= offset);
    after > 0 && offset < ranges[after - 1].end
}
