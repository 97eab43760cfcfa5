//! Code that is known without call frame information: a file's entry, and what is returned to without having called.

use std::ops::Range;

use memchr::memmem;
use object::elf::{DT_NEEDED, ET_EXEC, PF_X, PT_INTERP, PT_LOAD};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Architecture, Object, ObjectSymbol, SymbolKind};
use records::{Rule, RuleKind};

use crate::Machine;
use crate::code_rules::called_from;
use crate::machine::Elf;
use crate::spans::{Span, Spans};

/// A dynamic loader's entry with its second half is some 90 bytes long, a program's 40.
const ENTRY_BYTES_MAX: u64 = 128;

/// Where a thread of the kernel's making begins: nobody called it. C libraries mark it in their call frame
/// information; dynamic loaders, musl and assembly programs do not.
pub(crate) fn entry_span(file: &Elf<'_>, known: &Spans) -> Option<Span> {
    let entry = file.entry();
    let rule = Rule::of_kind(RuleKind::End);
    if entry == 0 || !starts_processes(file) || !is_code(file, entry) {
        return None;
    }
    let covered = known.at(entry);
    if covered.is_some_and(|span| span.rule.kind == RuleKind::End) {
        return None;
    }
    let size = symbol_size(file, entry).unwrap_or(ENTRY_BYTES_MAX);
    let mut end = entry.saturating_add(size.clamp(1, ENTRY_BYTES_MAX));
    if let Some(next) = next_function(file, entry..end) {
        end = next;
    }
    if covered.is_none()
        && let Some(next) = known.next_start(entry)
    {
        end = end.min(next);
    }
    Some(Span {
        start: entry,
        end,
        rule,
    })
}

/// A program or a dynamic loader. A library's entry is whatever its linker put there.
fn starts_processes(file: &Elf<'_>) -> bool {
    let endian = file.endian();
    if file.elf_header().e_type(endian) == ET_EXEC {
        return true;
    }
    let headers = file.elf_program_headers();
    if headers.iter().any(|h| h.p_type(endian) == PT_INTERP) {
        return true;
    }
    let dynamic = headers
        .iter()
        .find_map(|h| h.dynamic(endian, file.data()).ok().flatten());
    dynamic.is_some_and(|entries| !entries.iter().any(|d| d.d_tag.get(endian) == DT_NEEDED))
}

fn is_code(file: &Elf<'_>, vaddr: u64) -> bool {
    code_segments(file).any(|(start, bytes)| {
        vaddr
            .checked_sub(start)
            .is_some_and(|o| o < bytes.len() as u64)
    })
}

/// From the first to the last byte of code.
pub(crate) fn code_range(file: &Elf<'_>) -> Range<u64> {
    let ranges =
        code_segments(file).map(|(start, bytes)| (start, start.saturating_add(bytes.len() as u64)));
    ranges
        .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        .map_or(0..0, |(start, end)| start..end)
}

/// vaddr and bytes of what is mapped to be executed.
fn code_segments<'a>(file: &Elf<'a>) -> impl Iterator<Item = (u64, &'a [u8])> {
    let (endian, data) = (file.endian(), file.data());
    file.elf_program_headers()
        .iter()
        .filter(move |h| h.p_type(endian) == PT_LOAD && h.p_flags(endian).contains(PF_X))
        .filter_map(move |h| Some((h.p_vaddr(endian), h.data(endian, data).ok()?)))
}

/// The first function after a program's entry and near it. Some C libraries do not say how long their entry is.
fn next_function(file: &Elf<'_>, range: Range<u64>) -> Option<u64> {
    let symbols = file.symbols().chain(file.dynamic_symbols());
    let named = symbols.filter(|s| s.kind() == SymbolKind::Text && s.is_definition());
    let called = match file.architecture() {
        Architecture::X86_64 => code_segments(file)
            .flat_map(|(start, bytes)| called_from(bytes, start, range.clone()))
            .collect(),
        _ => Vec::new(),
    };
    let all = named.map(|s| s.address()).chain(called);
    all.filter(|address| (range.start + 1..range.end).contains(address))
        .min()
}

fn symbol_size(file: &Elf<'_>, vaddr: u64) -> Option<u64> {
    let mut symbols = file.symbols().chain(file.dynamic_symbols());
    let at_entry = symbols.find(|s| s.address() == vaddr && s.size() > 0);
    at_entry.map(|s| s.size())
}

/// Code that is returned to and was never called, so that no call frame information covers the byte before it.
struct ReturnedTo {
    begins: &'static [u8],
    bytes: u64,
    kind: RuleKind,
}

const X86_64_RETURNED_TO: &[ReturnedTo] = &[
    // What a signal handler returns to: mov $15, %rax; syscall. musl's and Go's say nowhere what they are.
    ReturnedTo {
        begins: &[0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05],
        bytes: 9,
        kind: RuleKind::Signal,
    },
    // glibc's __start_context, to which a function returns that makecontext has prepared: mov %rbx, %rsp;
    // mov (%rsp), %rdi; test %rdi, %rdi; je; then setcontext or exit. Nobody called it.
    ReturnedTo {
        begins: &[
            0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24, 0x48, 0x85, 0xff, 0x74,
        ],
        bytes: 26,
        kind: RuleKind::End,
    },
];
const AARCH64_RETURNED_TO: &[ReturnedTo] = &[
    // mov x8, #139; svc #0
    ReturnedTo {
        begins: &[0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4],
        bytes: 8,
        kind: RuleKind::Signal,
    },
];

/// Files with more code than this are no C library and no runtime: searching them would cost more than it finds.
const SEARCHED_BYTES_MAX: usize = 16 << 20;

/// Code that is returned to without having called is recognized by its bytes, as libgcc and gdb do.
pub(crate) fn returned_to_spans(file: &Elf<'_>, machine: Machine) -> Spans {
    let known = match machine {
        Machine::X86_64 => X86_64_RETURNED_TO,
        Machine::Aarch64 => AARCH64_RETURNED_TO,
    };
    let segments: Vec<_> = code_segments(file).collect();
    if segments.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() > SEARCHED_BYTES_MAX {
        return Spans::default();
    }
    let mut spans = Vec::new();
    for code in known {
        let finder = memmem::Finder::new(code.begins);
        for (vaddr, bytes) in &segments {
            for at in finder.find_iter(bytes).take(16) {
                let Some(start) = vaddr.checked_add(at as u64) else {
                    continue;
                };
                spans.push(Span {
                    // A return address is looked up one byte earlier, as that of a call.
                    start: start.saturating_sub(1),
                    end: start.saturating_add(code.bytes),
                    rule: Rule::of_kind(code.kind),
                });
            }
        }
    }
    Spans::new(spans)
}
