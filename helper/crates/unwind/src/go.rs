//! Go's `.debug_frame` tells where a frame ends, but not where the frame pointer was saved, and it knows nothing of the
//! runtime's changes of stack. Both are known from the runtime's conventions (Go 1.21 and later; cmd/internal/obj/x86,
//! runtime/asm_amd64.s): a function that calls others begins with `push %rbp; mov %rsp, %rbp`, and rbp still leads to
//! the old stack while the runtime works on another one.

use object::{Object, ObjectSection};
use records::layout::FpKind;
use records::{Rule, RuleKind};

use crate::go_stack_table::GoStackTable;
use crate::machine::Elf;
use crate::spans::{Span, Spans};
use crate::x86_64::{RBP, RSP};

/// Their callees may run on another stack: callers are found by rbp, which is 0 where there is none.
const SWITCHES_STACK: &[&str] = &[
    "runtime.asmcgocall",
    "runtime.mcall",
    "runtime.nanotime1",
    "runtime.switchToCrashStack0",
    "runtime.systemstack",
    "runtime.vgetrandom1",
    "runtime.walltime",
    "time.now",
];

/// Called by no one: the start of a goroutine, of a thread, of the process.
const OUTERMOST: &[&str] = &["runtime.goexit", "runtime.mstart", "runtime.rt0_go"];

/// Changes the stack without a frame of its own: from the instruction that loads rsp on, the caller is found by rbp.
const WITHOUT_FRAME: &str = "runtime.morestack";
/// Goes on with a goroutine: from the same instruction on it has no caller.
const LEAVES_STACK: &str = "gogo";

/// Made to be called by a signal handler, between any two instructions (runtime/signal_arm64.go, pushCall).
const INJECTED: &[&str] = &["runtime.asyncPreempt", "runtime.sigpanic"];

const FRAME_POINTER_OFFSET: i32 = -16;
const PUSH_RBP: u8 = 0x55;
const RET: u8 = 0xc3;
/// mov %rbp, N(%rsp): how Go before 1.21 saved it
const STORE_RBP: [[u8; 4]; 2] = [[0x48, 0x89, 0x6c, 0x24], [0x48, 0x89, 0xac, 0x24]];

pub(crate) struct Special {
    pub start: u64,
    pub end: u64,
    pub kind: SpecialKind,
}

#[derive(PartialEq, Eq)]
pub(crate) enum SpecialKind {
    Outermost,
    SwitchesStack,
    /// From the instruction that loads the stack pointer on.
    SwitchesWithoutFrame,
    /// From the same instruction on it has no caller.
    LeavesStack,
    /// Its caller did not call it.
    Injected,
}

/// The spans of `.debug_frame`, corrected; in a stripped program, which has none, those of Go's own table. Does nothing to a file that is not of Go.
pub(crate) fn adjust_go_spans(file: &Elf<'_>, mut spans: Spans) -> Spans {
    let Some(table) = &GoStackTable::of(file) else {
        return spans;
    };
    if spans.is_empty() {
        spans = table.spans(moved_rule);
    }
    let text = file.section_by_name(".text");
    let text = text.and_then(|s| Some((s.address(), s.data().ok()?)));
    let code_at = |vaddr: u64| {
        let (start, bytes) = text?;
        bytes.get(usize::try_from(vaddr.checked_sub(start)?).ok()?..)
    };
    let special = special_functions(table);
    let mut has_saved_rbp = false;
    let mut offset_before = 0;
    for span in spans.iter_mut() {
        let rule = &mut span.rule;
        if rule.kind != RuleKind::Register || u16::from(rule.register) != RSP {
            continue;
        }
        if offset_before < 16 && rule.cfa_offset >= 16 {
            has_saved_rbp = match span.start.checked_sub(1).and_then(code_at) {
                Some([PUSH_RBP, ..]) => true,
                Some([RET, ..]) => has_saved_rbp, // the same function goes on
                Some([_, rest @ ..]) => STORE_RBP.iter().any(|store| rest.starts_with(store)),
                _ => false,
            };
        }
        offset_before = rule.cfa_offset;
        adjust(rule, special_at(&special, span.start), has_saved_rbp);
    }
    let after_the_load = special.iter().filter_map(|f| {
        let rule = match f.kind {
            SpecialKind::SwitchesWithoutFrame => on_other_stack(),
            SpecialKind::LeavesStack => Rule::of_kind(RuleKind::End),
            _ => return None,
        };
        let code = code_at(f.start)?.get(..(f.end - f.start) as usize)?;
        let end_of_load = end_of_rsp_load(code)?;
        Some(Span {
            start: f.start.saturating_add(end_of_load),
            end: f.end,
            rule,
        })
    });
    Spans::new(after_the_load.collect()).over(spans)
}

/// Where the first `mov (%reg), %rsp` or `mov disp8(%reg), %rsp` ends: REX.W, opcode, ModRM with register 4.
fn end_of_rsp_load(code: &[u8]) -> Option<u64> {
    code.windows(3)
        .enumerate()
        .find_map(|(at, bytes)| match *bytes {
            [0x48 | 0x49, 0x8b, 0x20..=0x23 | 0x26..=0x27] => Some(at as u64 + 3),
            [0x48 | 0x49, 0x8b, 0x60..=0x63 | 0x65..=0x67] => Some(at as u64 + 4),
            _ => None,
        })
}

/// The CFA is rsp, what was pushed or reserved, and the return address.
fn moved_rule(bytes: i32) -> Rule {
    Rule {
        register: RSP as u8,
        cfa_offset: bytes.saturating_add(8),
        ..Rule::of_kind(RuleKind::Register)
    }
}

/// By the frame pointer, wherever it leads to.
fn on_other_stack() -> Rule {
    Rule {
        register: RBP as u8,
        cfa_offset: 16,
        fp: FpKind::AtCfa,
        fp_offset: FRAME_POINTER_OFFSET,
        ..Rule::of_kind(RuleKind::OtherStack)
    }
}

fn adjust(rule: &mut Rule, special: Option<&Special>, has_saved_rbp: bool) {
    let has_frame = rule.cfa_offset >= 16;
    match special.map(|s| &s.kind) {
        Some(SpecialKind::Outermost) => *rule = Rule::of_kind(RuleKind::End),
        Some(SpecialKind::SwitchesStack) if has_frame => *rule = on_other_stack(),
        _ if has_frame && has_saved_rbp => {
            rule.fp = FpKind::AtCfa;
            rule.fp_offset = FRAME_POINTER_OFFSET;
        }
        _ if has_frame => rule.fp = FpKind::Lost,
        _ => {}
    }
}

pub(crate) fn special_at(special: &[Special], vaddr: u64) -> Option<&Special> {
    let after = special.partition_point(|f| f.start <= vaddr);
    let found = &special[after.checked_sub(1)?];
    (vaddr < found.end).then_some(found)
}

/// Sorted by start.
pub(crate) fn special_functions(table: &GoStackTable<'_>) -> Vec<Special> {
    let mut found = Vec::new();
    for function in table.functions() {
        let Ok(name) = std::str::from_utf8(function.name) else {
            continue;
        };
        let name = name.strip_suffix(".abi0").unwrap_or(name);
        let kind = match name {
            WITHOUT_FRAME => SpecialKind::SwitchesWithoutFrame,
            LEAVES_STACK => SpecialKind::LeavesStack,
            _ if INJECTED.contains(&name) => SpecialKind::Injected,
            _ if OUTERMOST.contains(&name) => SpecialKind::Outermost,
            _ if SWITCHES_STACK.contains(&name) => SpecialKind::SwitchesStack,
            _ => continue,
        };
        if function.start < function.end {
            found.push(Special {
                start: function.start,
                end: function.end,
                kind,
            });
        }
    }
    found.sort_unstable_by_key(|f| f.start);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_of_rsp_is_found_in_both_lengths() {
        let morestack = [0x90, 0x48, 0x8b, 0x63, 0x38, 0x90]; // mov 0x38(%rbx), %rsp
        assert_eq!(end_of_rsp_load(&morestack), Some(5));
        let gogo = [0x48, 0x8b, 0x23, 0x90]; // mov (%rbx), %rsp
        assert_eq!(end_of_rsp_load(&gogo), Some(3));
        assert_eq!(end_of_rsp_load(&[0x48, 0x8b, 0x1b]), None); // mov (%rbx), %rbx
    }

    #[test]
    fn a_frame_whose_frame_pointer_is_not_known_to_be_saved_loses_it() {
        let with_frame = Rule {
            register: RSP as u8,
            cfa_offset: 32,
            ..Rule::of_kind(RuleKind::Register)
        };
        let fp_of = |has_saved_rbp| {
            let mut rule = with_frame;
            adjust(&mut rule, None, has_saved_rbp);
            rule.fp
        };
        assert_eq!((fp_of(true), fp_of(false)), (FpKind::AtCfa, FpKind::Lost));
    }
}
