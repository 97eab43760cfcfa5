//! The code that a compiler's run-time files (crti.o, crtbegin.o) put around a program's own, on x86-64: it prepares
//! and ends every program and library, and has no call frame information. It is found through the tables that name it
//! and recognized by its bytes.

use object::{Object, ObjectSection};
use records::Rule;
use records::layout::FpKind;

use crate::machine::Elf;
use crate::spans::{Span, Spans};
use crate::x86_64::at_rsp;

pub(crate) fn start_up_spans(file: &Elf<'_>) -> Spans {
    let mut spans = Vec::new();
    for section in [".init", ".fini"] {
        spans.extend(aligned_call(file, section).unwrap_or_default());
    }
    spans.extend(around_the_destructors(file).unwrap_or_default());
    Spans::new(spans)
}

/// `_init` and `_fini`: they move rsp by 8, call what there is to call, and move it back.
fn aligned_call(file: &Elf<'_>, section: &str) -> Option<Vec<Span>> {
    const SUB_8_RSP: &[u8] = &[0x48, 0x83, 0xec, 8];
    const ADD_8_RSP: &[u8] = &[0x48, 0x83, 0xc4, 8];
    let section = file.section_by_name(section)?;
    let mut parts = Parts::new(section.address(), section.data().ok()?);
    let start = parts.find(SUB_8_RSP)? + SUB_8_RSP.len();
    parts.end_at(start, at_rsp(8))?;
    let end = parts.find(ADD_8_RSP)? + ADD_8_RSP.len();
    parts.end_at(end, at_rsp(16))?;
    parts.end_at(parts.code.len(), at_rsp(8))?;
    Some(parts.spans)
}

/// gcc's `deregister_tm_clones`, `register_tm_clones`, `__do_global_dtors_aux` and `frame_dummy`, which lie side by
/// side in this order. Only the third, to which .fini_array points, and in static programs the fourth move rsp: they
/// push rbp after a conditional jump.
fn around_the_destructors(file: &Elf<'_>) -> Option<Vec<Span>> {
    /// The first two are 48 and 64 bytes long.
    const BEFORE: usize = 112;
    /// The last two are some 64 bytes each.
    const AFTER: usize = 128;
    const ENDBR64: &[u8] = &[0xf3, 0x0f, 0x1e, 0xfa];
    const COMPARE_BYTE: &[u8] = &[0x80, 0x3d]; // cmpb $0, completed(%rip)
    const JUMP_IF: [u8; 2] = [0x74, 0x75]; // je, jne; 2 bytes
    const PUSH_RBP: u8 = 0x55;
    const POP_RBP: u8 = 0x5d;
    const RET_OR_JUMP: [u8; 2] = [0xc3, 0xe9];

    let array = file.section_by_name(".fini_array")?;
    let address = u64::from_le_bytes(*array.data().ok()?.first_chunk()?);
    let text = file.section_by_name(".text")?;
    let (text_start, text) = (text.address(), text.data().ok()?);
    let at = usize::try_from(address.checked_sub(text_start)?).ok()?;
    let code = text.get(at..)?;
    let code = code.strip_prefix(ENDBR64).unwrap_or(code);
    if !code.starts_with(COMPARE_BYTE) {
        return None;
    }
    let first = at.saturating_sub(BEFORE);
    let last = text.len().min(at + AFTER);
    let mut parts = Parts::new(text_start.checked_add(first as u64)?, &text[first..last]);
    let rbp_saved = Rule {
        fp: FpKind::AtCfa,
        fp_offset: -16,
        ..at_rsp(16)
    };
    while let Some(jump) =
        parts.position(3, |code| JUMP_IF.contains(&code[0]) && code[2] == PUSH_RBP)
    {
        parts.end_at(jump + 3, at_rsp(8))?;
        let pop = parts.position(2, |code| {
            code[0] == POP_RBP && RET_OR_JUMP.contains(&code[1])
        })?;
        parts.end_at(pop + 1, rbp_saved)?;
    }
    parts.end_at(parts.code.len(), at_rsp(8))?;
    Some(parts.spans)
}

/// Code that is cut into spans from its start on.
struct Parts<'a> {
    start: u64,
    code: &'a [u8],
    /// So many bytes are in spans.
    done: usize,
    spans: Vec<Span>,
}

impl<'a> Parts<'a> {
    fn new(start: u64, code: &'a [u8]) -> Parts<'a> {
        Parts {
            start,
            code,
            done: 0,
            spans: Vec::new(),
        }
    }

    /// The offset from `start` of the next `size` bytes that are `wanted`.
    fn position(&self, size: usize, wanted: impl Fn(&[u8]) -> bool) -> Option<usize> {
        let at = self.code[self.done..].windows(size).position(wanted)?;
        Some(self.done + at)
    }

    fn find(&self, bytes: &[u8]) -> Option<usize> {
        self.position(bytes.len(), |code| code == bytes)
    }

    /// The next span ends at this offset. None when its addresses overflow.
    fn end_at(&mut self, end: usize, rule: Rule) -> Option<()> {
        self.spans.push(Span {
            start: self.start.checked_add(self.done as u64)?,
            end: self.start.checked_add(end as u64)?,
            rule,
        });
        self.done = end;
        Some(())
    }
}
