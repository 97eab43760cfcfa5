//! As `go`, for aarch64 (Go 1.21 and later; cmd/internal/obj/arm64/obj7.go, runtime/asm_arm64.s): a function that calls others
//! stores the link register at its frame's end, and below it, beyond its stack pointer, the frame pointer, to which x29
//! points from then on.

use object::{Object, ObjectSection};
use records::layout::{FpKind, SavedSlots};
use records::{Rule, RuleKind};

use crate::aarch64::{CALL_IS_INJECTED, ENTERED, FP, RETURN_AT_CFA};
use crate::go::{Special, SpecialKind, special_at, special_functions};
use crate::go_stack_table::GoStackTable;
use crate::machine::Elf;
use crate::spans::{Span, Spans};

/// Has no frame on this machine.
const FRAMELESS: &str = "runtime.mcall";

/// As [`crate::go::adjust_go_spans`].
pub(crate) fn adjust_go_spans(file: &Elf<'_>, mut spans: Spans) -> Spans {
    let Some(table) = &GoStackTable::of(file) else {
        return spans;
    };
    if spans.is_empty() {
        spans = table.spans(moved_rule);
    }
    let mut special = special_functions(table);
    let frameless = table.functions().find(|f| f.name == FRAMELESS.as_bytes());
    for function in &mut special {
        if frameless
            .as_ref()
            .is_some_and(|f| f.start == function.start)
        {
            function.kind = SpecialKind::SwitchesWithoutFrame;
        }
    }
    for span in spans.iter_mut() {
        adjust(&mut span.rule, special_at(&special, span.start));
    }
    let text = file.section_by_name(".text");
    let Some((start, code)) = text.and_then(|s| Some((s.address(), s.data().ok()?))) else {
        return spans;
    };
    let after_the_load = special.iter().filter_map(|function| {
        let from = usize::try_from(function.start.checked_sub(start)?).ok()?;
        let length = usize::try_from(function.end - function.start).ok()?;
        let loaded = end_of_sp_load(code.get(from..)?.get(..length)?)?;
        Some(Span {
            start: function.start + loaded,
            end: function.end,
            rule: match function.kind {
                SpecialKind::SwitchesWithoutFrame => on_other_stack(16 - 8),
                SpecialKind::LeavesStack => Rule::of_kind(RuleKind::End),
                _ => return None,
            },
        })
    });
    Spans::new(after_the_load.collect()).over(spans)
}

/// Where the first `mov sp, xN` ends.
fn end_of_sp_load(code: &[u8]) -> Option<u64> {
    let words = code
        .as_chunks()
        .0
        .iter()
        .map(|bytes| u32::from_le_bytes(*bytes));
    let is_load = |word: u32| word & 0xffff_fc1f == 0x9100_001f && word != 0x9100_03ff;
    (1u64..)
        .zip(words)
        .find_map(|(count, word)| is_load(word).then_some(4 * count))
}

fn moved_rule(bytes: i32) -> Rule {
    match bytes {
        0 => ENTERED,
        size => framed(size),
    }
}

/// In a frame of `size` bytes: link register and frame pointer stored.
fn framed(size: i32) -> Rule {
    Rule {
        cfa_offset: size,
        fp: FpKind::AtCfa,
        fp_offset: size.saturating_neg().saturating_sub(8),
        saved: SavedSlots::from_byte(RETURN_AT_CFA),
        extra: size.saturating_neg(),
        ..ENTERED
    }
}

/// The same by x29, wherever it leads to. Of 8 bytes: it is another frame's, whose size is not known (walk_aarch64.h).
fn on_other_stack(size: i32) -> Rule {
    Rule {
        kind: RuleKind::OtherStack,
        register: FP as u8,
        cfa_offset: size.saturating_add(8),
        ..framed(size)
    }
}

fn adjust(rule: &mut Rule, special: Option<&Special>) {
    if special.is_some_and(|s| s.kind == SpecialKind::Outermost) {
        *rule = Rule::of_kind(RuleKind::End);
        return;
    }
    let is_injected = special.is_some_and(|s| s.kind == SpecialKind::Injected);
    if is_injected && *rule == ENTERED {
        rule.saved = SavedSlots::from_byte(CALL_IS_INJECTED);
    }
    let size = rule.cfa_offset;
    let is_framed = size > 0
        && Rule {
            fp: FpKind::AtCfa,
            fp_offset: framed(size).fp_offset,
            ..*rule
        } == framed(size);
    if !is_framed {
        return;
    }
    *rule = match special.map(|s| &s.kind) {
        Some(SpecialKind::SwitchesStack) => on_other_stack(size),
        Some(SpecialKind::Injected) => Rule {
            saved: SavedSlots::from_byte(RETURN_AT_CFA | CALL_IS_INJECTED),
            ..framed(size)
        },
        _ => framed(size),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_of_sp_is_found() {
        // ldr x0, [x28, #56]; mov sp, x0; bl
        let code = [0xf940_1f80_u32, 0x9100_001f, 0x9400_0000];
        let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(end_of_sp_load(&bytes), Some(8));
        // mov x29, sp
        assert_eq!(end_of_sp_load(&0x9100_03fd_u32.to_le_bytes()), None);
    }

    #[test]
    fn a_frame_has_its_frame_pointer_below_it_and_a_leaf_keeps_it() {
        let mut rule = Rule {
            fp: FpKind::Same,
            fp_offset: 0,
            ..framed(48)
        };
        adjust(&mut rule, None);
        assert_eq!((rule.fp, rule.fp_offset), (FpKind::AtCfa, -56));
        let mut leaf = ENTERED;
        adjust(&mut leaf, None);
        assert_eq!(leaf, ENTERED);
    }

    #[test]
    fn what_a_signal_handler_calls_leaves_a_link_register_beyond_its_frame() {
        let special = Special {
            start: 0,
            end: 4,
            kind: SpecialKind::Injected,
        };
        let saved = |mut rule: Rule| {
            adjust(&mut rule, Some(&special));
            (rule.saved.byte(), rule.cfa_offset)
        };
        assert_eq!(saved(ENTERED), (CALL_IS_INJECTED, 0));
        assert_eq!(saved(framed(496)), (RETURN_AT_CFA | CALL_IS_INJECTED, 496));
    }

    #[test]
    fn what_runs_on_another_stack_is_left_by_its_frame_record() {
        let special = Special {
            start: 0,
            end: 4,
            kind: SpecialKind::SwitchesStack,
        };
        let mut rule = framed(16);
        adjust(&mut rule, Some(&special));
        let places = (rule.register, rule.cfa_offset, rule.fp_offset, rule.extra);
        assert_eq!(
            (rule.kind, places),
            (RuleKind::OtherStack, (29, 24, -24, -16))
        );
    }
}
