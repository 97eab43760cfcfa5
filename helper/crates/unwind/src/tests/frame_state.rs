use super::*;

/// CFA as register and offset, and where the caller's rbp is.
type Shape = Option<(RuleKind, u8, i32, FpKind, i32)>;

fn shape(state: FrameState) -> Shape {
    let rule = state.rule()?;
    assert_eq!(rule.extra, TAKEN_FROM_CODE);
    Some((
        rule.kind,
        rule.register,
        rule.cfa_offset,
        rule.fp,
        rule.fp_offset,
    ))
}

fn after(effects: &[Effect]) -> FrameState {
    let mut state = FrameState::AT_ENTRY;
    for effect in effects {
        state.apply(*effect);
    }
    state
}

const R10: General = 10;
const PUSH_RBP: Effect = Effect::Push(Some(RBP));
const MOV_RSP_RBP: Effect = point(RBP, RSP, 0);
const REGISTER: RuleKind = RuleKind::Register;
const DWARF_RBP: u8 = 6;
const DWARF_RSP: u8 = 7;

const fn point(to: General, base: General, offset: i32) -> Effect {
    Effect::Point { to, base, offset }
}

const fn by_rsp(offset: i32, fp: FpKind, fp_offset: i32) -> Shape {
    Some((REGISTER, DWARF_RSP, offset, fp, fp_offset))
}

#[test]
fn pushes_and_constants_move_rsp() {
    assert_eq!(shape(after(&[])), by_rsp(8, FpKind::Same, 0));
    let frame = [Effect::Push(None), Effect::Grow(40)];
    assert_eq!(shape(after(&frame)), by_rsp(56, FpKind::Same, 0));
    let left = [Effect::Grow(40), Effect::Grow(-40)];
    assert_eq!(after(&left), FrameState::AT_ENTRY);
    let by_lea = [point(RSP, RSP, -136)];
    assert_eq!(shape(after(&by_lea)), by_rsp(144, FpKind::Same, 0));
}

#[test]
fn a_frame_pointer_is_set_up_and_left() {
    let mut state = after(&[PUSH_RBP, MOV_RSP_RBP, Effect::Grow(32)]);
    assert!(state.has_frame_pointer() && state.cannot_return());
    assert_eq!(shape(state), by_rsp(48, FpKind::AtCfa, -16));
    // alloca: sub %rax, %rsp
    state.apply(Effect::Write(1 << RSP));
    let by_rbp = Some((REGISTER, DWARF_RBP, 16, FpKind::AtCfa, -16));
    assert_eq!(shape(state), by_rbp);
    state.apply(Effect::Leave);
    assert_eq!(shape(state), by_rsp(8, FpKind::Same, 0));
    assert!(!state.cannot_return());
}

#[test]
fn a_popped_register_is_the_callers_only_from_where_it_was_saved() {
    let saved = [PUSH_RBP, Effect::Push(Some(RBX)), Effect::Write(1 << RBX)];
    let in_order = [&saved[..], &[Effect::Pop(RBX), Effect::Pop(RBP)]].concat();
    assert_eq!(
        after(&in_order).rule(),
        after(&[]).rule(),
        "both have their values again"
    );
    let exchanged = [&saved[..], &[Effect::Pop(RBP), Effect::Pop(RBX)]].concat();
    let rule = after(&exchanged).rule().unwrap();
    assert_eq!((rule.fp, rule.cfa_offset), (FpKind::AtCfa, 8));
    assert_eq!(rule.saved, SavedSlots::new(3, 0));
}

#[test]
fn what_is_stored_over_a_saved_register_loses_it() {
    let store = Effect::Store {
        register: 0,
        base: RSP,
        offset: 0,
    };
    let overwritten = [PUSH_RBP, store, Effect::Pop(RBP)];
    let wanted = by_rsp(8, FpKind::Lost, 0);
    assert_eq!(shape(after(&overwritten)), wanted);
}

#[test]
fn a_rounded_rsp_is_followed_from_rbp_or_from_the_saved_cfa() {
    let by_rbp = [PUSH_RBP, MOV_RSP_RBP, Effect::Round, Effect::Grow(64)];
    let wanted = Some((REGISTER, DWARF_RBP, 16, FpKind::AtCfa, -16));
    assert_eq!(shape(after(&by_rbp)), wanted);

    // lea 8(%rsp), %r10; and $-32, %rsp; push -8(%r10); push %rbp; mov %rsp, %rbp; push %r10
    let mut state = after(&[point(R10, RSP, 8), Effect::Round]);
    assert_eq!(shape(state), Some((REGISTER, 10, 0, FpKind::Same, 0)));
    for effect in [
        Effect::Push(None),
        PUSH_RBP,
        MOV_RSP_RBP,
        Effect::Push(Some(R10)),
    ] {
        state.apply(effect);
    }
    state.apply_call();
    let by_saved = (RuleKind::Deref, DWARF_RBP, -8, FpKind::AtFp, 0);
    assert_eq!(shape(state), Some(by_saved));
}

#[test]
fn where_ways_meet_only_what_is_the_same_on_both_is_kept() {
    let framed = after(&[PUSH_RBP, MOV_RSP_RBP]);
    let deeper = after(&[PUSH_RBP, MOV_RSP_RBP, Effect::Grow(8)]);
    let met = framed.merged(deeper);
    let by_rbp = Some((REGISTER, DWARF_RBP, 16, FpKind::AtCfa, -16));
    assert_eq!(shape(met), by_rbp);
    assert!(framed.has_other_depth(deeper) && !met.has_other_depth(deeper));
    assert_eq!(shape(framed.merged(FrameState::UNKNOWN)), None);
}

#[test]
fn a_state_changes_a_few_times_at_most() {
    let different = [
        after(&[Effect::Grow(8)]),
        after(&[PUSH_RBP]),
        after(&[Effect::Write(1 << RBP | 1 << RBX | 1 << R13)]),
        after(&[point(R10, RSP, 8), Effect::Push(Some(R10))]),
    ];
    let mut state = different[3];
    let mut changes = 0;
    for other in different.iter().cycle().take(64) {
        changes += usize::from(state.merged(*other) != state);
        state = state.merged(*other);
    }
    assert!((1..=FrameState::PARTS).contains(&changes));
}

#[test]
fn absurd_distances_are_not_known() {
    for bytes in [i32::MAX, i32::MIN, 2 * FRAME_BYTES_MAX] {
        let mut state = after(&[Effect::Grow(bytes), Effect::Grow(bytes)]);
        assert_eq!(shape(state), None, "{bytes}");
        state = after(&[point(RBP, RSP, bytes), point(RSP, RBP, bytes)]);
        assert_eq!(shape(state), None, "{bytes}");
    }
    let without_return_address = after(&[Effect::Pop(0)]);
    assert_eq!(shape(without_return_address), None);
}
