//! Rules for aarch64 functions of which no call frame information speaks, from their instructions. Where the return
//! address is (the link register, or a place in the frame), and how far sp is from where it was at the function's start, is
//! followed along all ways that the instructions lead.
//!
//! Such rules are marked: they hold only where they lead to a return address, which the walk checks. Code of which nothing
//! is known stays without a rule: there callers are found by frame records.

use std::collections::BTreeMap;
use std::ops::Range;

use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};
use records::Rule;

use crate::code_rules::{data_with_pointers, in_order, words_of};
use crate::frame_state_aarch64::State;
use crate::instructions_aarch64::{
    Flow, INSTRUCTION_BYTES, Instruction, decode, offset_in_page, page_of,
};
use crate::machine::Elf;
use crate::spans::{Span, Spans, push_joined};

/// So much code is looked at in a section, at most: some 70 MB of memory.
const BYTES_MAX: usize = 4 << 20;

/// Where functions begin, as addresses.
#[derive(Default)]
struct Starts {
    /// Other files call these functions.
    global: Vec<u64>,
    /// Functions, and parts of functions that compilers put elsewhere (`main.cold`).
    local: Vec<u64>,
    /// What data point to.
    pointed: Vec<u64>,
}

impl Starts {
    fn of(file: &Elf<'_>) -> Starts {
        let mut starts = Starts::default();
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            if symbol.kind() == SymbolKind::Text && symbol.is_definition() {
                match symbol.is_global() {
                    true => starts.global.push(symbol.address()),
                    false => starts.local.push(symbol.address()),
                }
            }
        }
        if file.symbols().next().is_none() {
            starts.pointed = words_of(&data_with_pointers(file)).collect();
        }
        starts
    }
}

/// Code that `known` does not cover.
pub(crate) fn spans_of_code(file: &Elf<'_>, known: &Spans) -> Spans {
    let mut starts = None;
    let mut spans = Vec::new();
    for section in file.sections().filter(|s| s.kind() == SectionKind::Text) {
        let Ok(code) = section.data() else { continue };
        let Some(end) = section.address().checked_add(code.len() as u64) else {
            continue;
        };
        let gaps = known.gaps(section.address()..end);
        let listing = Listing::new(section.address(), code, &gaps);
        if !listing.instructions.is_empty() {
            let starts = starts.get_or_insert_with(|| Starts::of(file));
            spans.extend(spans_of_listing(&listing, starts));
        }
    }
    Spans::new(spans)
}

/// The instructions of a section's gaps, one gap after the other.
struct Listing<'a> {
    start: u64,
    /// Of the section.
    words: &'a [[u8; 4]],
    /// As numbers of words.
    gaps: Vec<Range<usize>>,
    /// By gap: the index of its first instruction.
    firsts: Vec<usize>,
    instructions: Vec<Instruction>,
}

impl<'a> Listing<'a> {
    /// Empty when there is too much code.
    fn new(start: u64, code: &'a [u8], gaps: &[Range<u64>]) -> Listing<'a> {
        let words = code.as_chunks().0;
        let mut listing = Listing {
            start,
            words,
            gaps: Vec::new(),
            firsts: Vec::new(),
            instructions: Vec::new(),
        };
        for gap in gaps {
            // What is returned to has a span that begins one byte early, in the instruction before.
            let first = (gap.start - start).div_ceil(INSTRUCTION_BYTES) as usize;
            let end = ((gap.end - start).div_ceil(INSTRUCTION_BYTES) as usize).min(words.len());
            let padding = instructions(words.get(first..end).unwrap_or_default());
            let first = first + padding.take_while(|i| i.is_padding).count();
            if first >= end {
                continue;
            }
            listing.firsts.push(listing.instructions.len());
            listing
                .instructions
                .extend(instructions(&words[first..end]));
            listing.gaps.push(first..end);
            if listing.instructions.len() as u64 * INSTRUCTION_BYTES > BYTES_MAX as u64 {
                listing.instructions.clear();
                break;
            }
        }
        listing
    }

    fn index_of_word(&self, word: usize) -> Option<usize> {
        let after = self.gaps.partition_point(|gap| gap.start <= word);
        let gap = after.checked_sub(1)?;
        let is_inside = word < self.gaps[gap].end;
        is_inside.then(|| self.firsts[gap] + word - self.gaps[gap].start)
    }

    fn index_of(&self, address: u64) -> Option<usize> {
        let offset = address.checked_sub(self.start)?;
        let word = usize::try_from(offset / INSTRUCTION_BYTES).ok()?;
        let is_aligned = offset.is_multiple_of(INSTRUCTION_BYTES);
        is_aligned.then(|| self.index_of_word(word))?
    }

    fn word_of(&self, index: usize) -> usize {
        let gap = self.firsts.partition_point(|first| *first <= index) - 1;
        self.gaps[gap].start + index - self.firsts[gap]
    }

    fn target(&self, index: usize, distance: isize) -> Option<usize> {
        self.index_of_word(self.word_of(index).checked_add_signed(distance)?)
    }

    /// The next one, where no gap ends between.
    fn next(&self, index: usize) -> Option<usize> {
        let next = index + 1;
        let is_other_gap = self.firsts.binary_search(&next).is_ok();
        (next < self.instructions.len() && !is_other_gap).then_some(next)
    }

    /// Where calls of the whole section lead.
    fn called(&self) -> impl Iterator<Item = usize> {
        let calls = (0..).zip(instructions(self.words));
        calls.filter_map(|(from, i)| match i.flow {
            Flow::Call(Some(distance)) => {
                self.index_of_word(usize::checked_add_signed(from, distance)?)
            }
            _ => None,
        })
    }

    /// What pairs of instructions make addresses of: of a page, then of a place in it.
    fn pointed(&self) -> impl Iterator<Item = usize> {
        let mut pages = [None; 32];
        let addresses = (0..).zip(self.words).filter_map(move |(index, word)| {
            let word = u32::from_le_bytes(*word);
            if let Some((register, distance)) = page_of(word) {
                let page = self.start.checked_add(index * INSTRUCTION_BYTES)? & !0xfff;
                pages[register] = page.checked_add_signed(distance);
                return None;
            }
            let (register, offset) = offset_in_page(word)?;
            pages[register]?.checked_add(offset)
        });
        addresses.filter_map(|address| self.index_of(address))
    }

    /// Whether a function may begin here: the instruction before does not lead here.
    fn is_behind_end(&self, index: usize) -> bool {
        let before = self.word_of(index).checked_sub(1);
        before.is_none_or(|before| {
            let before = decode(u32::from_le_bytes(self.words[before]));
            let is_end = matches!(before.flow, Flow::End | Flow::Jump(_) | Flow::IndirectJump);
            is_end || before.is_padding
        })
    }
}

fn instructions(words: &[[u8; 4]]) -> impl Iterator<Item = Instruction> {
    words.iter().map(|word| decode(u32::from_le_bytes(*word)))
}

fn spans_of_listing(listing: &Listing<'_>, starts: &Starts) -> Vec<Span> {
    let indexes = |addresses: &[u64]| -> Vec<usize> {
        addresses
            .iter()
            .filter_map(|a| listing.index_of(*a))
            .collect()
    };
    let sure = in_order(listing.called().chain(indexes(&starts.global)));
    let pointed = listing.pointed().chain(indexes(&starts.pointed));
    let pointed = pointed.filter(|index| listing.is_behind_end(*index));
    let gaps = listing.firsts.iter().copied();
    let others = in_order(gaps.chain(indexes(&starts.local)).chain(pointed));
    let mut code_flow = CodeFlow {
        listing,
        starts: in_order(sure.iter().chain(&others).copied()),
        states: vec![None; listing.instructions.len()],
        sure,
        waiting: Vec::new(),
        of_tables: BTreeMap::new(),
    };
    code_flow.follow_functions(&others);
    code_flow.follow_tables();

    let mut spans: Vec<Span> = Vec::new();
    for (index, rule) in code_flow.rules().enumerate() {
        let Some(rule) = rule else { continue };
        let start = listing.start + listing.word_of(index) as u64 * INSTRUCTION_BYTES;
        let end = start + INSTRUCTION_BYTES;
        push_joined(&mut spans, Span { start, end, rule });
    }
    spans
}

/// The states before all instructions, along every way that these lead.
struct CodeFlow<'a> {
    listing: &'a Listing<'a>,
    /// Functions begin here, for sure: whoever calls them has no frame in them yet.
    sure: Vec<usize>,
    /// These, and where a function may begin.
    starts: Vec<usize>,
    /// None: nothing leads there.
    states: Vec<Option<State>>,
    waiting: Vec<(usize, State)>,
    /// By the last start before them: the indirect jumps.
    of_tables: BTreeMap<usize, State>,
}

impl CodeFlow<'_> {
    fn rules(&self) -> impl Iterator<Item = Option<Rule>> {
        self.states.iter().map(|state| state.as_ref()?.rule())
    }

    fn follow_functions(&mut self, others: &[usize]) {
        for index in self.sure.clone() {
            self.follow(index, State::AT_ENTRY);
        }
        self.follow_waiting();
        for &index in others {
            // What is jumped to need not be a function's start.
            if self.states[index].is_none() {
                self.follow(index, State::AT_ENTRY);
                self.follow_waiting();
            }
        }
    }

    /// The cases of a switch are led to by an indirect jump only.
    fn follow_tables(&mut self) {
        let mut function = None;
        for index in 0..self.states.len() {
            if self.starts.binary_search(&index).is_ok() {
                function = Some(index);
            }
            let is_unreached =
                self.states[index].is_none() && !self.listing.instructions[index].is_padding;
            if is_unreached && let Some(state) = function.and_then(|f| self.of_tables.get(&f)) {
                self.follow(index, *state);
                self.follow_waiting();
            }
        }
    }

    fn follow_waiting(&mut self) {
        while let Some((index, state)) = self.waiting.pop() {
            if self.sure.binary_search(&index).is_err() {
                self.follow(index, state);
            }
        }
    }

    fn follow(&mut self, mut index: usize, mut state: State) {
        loop {
            if let Some(kept) = self.states[index] {
                state = kept.merged(state);
                if state == kept {
                    return;
                }
            }
            self.states[index] = Some(state);
            let instruction = &self.listing.instructions[index];
            state.apply(instruction);
            if let Flow::Jump(distance) | Flow::Branch(distance) = instruction.flow
                && let Some(target) = self.listing.target(index, distance)
            {
                self.waiting.push((target, state));
            }
            match instruction.flow {
                Flow::Next | Flow::Call(_) | Flow::Branch(_) => {}
                Flow::IndirectJump => return self.add_table(index, state),
                Flow::Jump(_) | Flow::End => return,
            }
            // A call before a function's start does not return.
            match self.listing.next(index) {
                Some(next) if self.starts.binary_search(&next).is_err() => index = next,
                _ => return,
            }
        }
    }

    fn add_table(&mut self, index: usize, state: State) {
        let after = self.starts.partition_point(|s| *s <= index);
        if let Some(function) = after.checked_sub(1) {
            let kept = self.of_tables.entry(self.starts[function]).or_insert(state);
            *kept = kept.merged(state);
        }
    }
}

#[cfg(test)]
#[path = "tests/code_rules_aarch64.rs"]
mod tests;
