use super::*;

const START: u64 = 0x1000;

/// All instructions come from different places of the source, but for those named.
fn place(
    bytes: &[u8],
    ranges: &[(u64, u64)],
    entry: Option<u64>,
    same: &[&[u64]],
) -> Result<Vec<(u64, Option<u8>)>, NoInlinedPlace> {
    let code = Code {
        start: START,
        bytes,
    };
    let ranges: Vec<(u64, u64)> = ranges.iter().map(|(a, b)| (START + a, START + b)).collect();
    let code_of_call = InlinedCode {
        ranges: &ranges,
        entry: entry.map(|at| START + at),
    };
    let is_same = |one: u64, other: u64| {
        let has = |group: &&&[u64]| [one, other].iter().all(|at| group.contains(&(at - START)));
        one == other || same.iter().any(|group| has(&group))
    };
    let body = Body::of(code, &[]).ok_or(NoInlinedPlace::NotDecoded)?;
    let place = body.place_of(code_of_call, &is_same)?;
    Ok(place
        .probes
        .iter()
        .map(|probe| (probe.at - START, probe.condition))
        .collect())
}

/// 0 test %rdi,%rdi; 3 je 0x10; 5 xor %eax,%eax; 7 add %rdi,%rax; 10 dec %rdi; 13 jne 7; 15 nop; 16 ret
const LOOP: [u8; 17] = [
    0x48, 0x85, 0xff, 0x74, 0x0b, 0x31, 0xc0, 0x48, 0x01, 0xf8, 0x48, 0xff, 0xcf, 0x75, 0xf8, 0x90,
    0xc3,
];

#[test]
fn the_branch_that_ends_the_run_is_the_place_if_the_code_begins_with_an_instruction() {
    assert_eq!(place(&LOOP, &[(7, 10)], None, &[]), Ok(vec![(13, None)]));
    assert_eq!(
        place(&LOOP, &[(7, 10)], Some(10), &[]),
        Ok(vec![(13, None)]),
        "of the same run"
    );
    assert_eq!(place(&LOOP, &[(0, 3)], None, &[]), Ok(vec![(3, None)]));
    assert_eq!(place(&LOOP, &[], Some(7), &[]), Err(NoInlinedPlace::NoCode));
    assert_eq!(
        place(&LOOP, &[(15, 16)], None, &[]),
        Err(NoInlinedPlace::NoCode),
        "padding"
    );
}

#[test]
fn a_loop_of_the_call_itself_is_not_one_call_a_round() {
    assert_eq!(
        place(&LOOP, &[(7, 15)], None, &[]),
        Err(NoInlinedPlace::Loops)
    );
    // Entered before the loop, by a run that the branch alone leads to: taken if it is not `je`.
    assert_eq!(place(&LOOP, &[(5, 15)], None, &[]), Ok(vec![(3, Some(5))]));
}

#[test]
fn work_that_was_moved_out_of_a_loop_is_no_call_but_constants_may_be_loaded_there() {
    // The compiler's own entry is in the loop.
    let moved = place(&LOOP, &[(0, 3), (7, 10)], Some(7), &[]);
    assert_eq!(moved, Err(NoInlinedPlace::SeveralEntries));
    let constant = place(&LOOP, &[(5, 10)], Some(7), &[]);
    assert_eq!(constant, Ok(vec![(13, None)]));
}

#[test]
fn a_rotated_loop_has_a_call_before_it_and_one_in_each_round() {
    // 0 add %esi,%eax; 2 js 10; 4 dec %edi; 6 add %esi,%eax; 8 jns 4; 10 ret
    let code = [
        0x01, 0xf0, 0x78, 0x06, 0xff, 0xcf, 0x01, 0xf0, 0x79, 0xfa, 0xc3,
    ];
    let both = place(&code, &[(0, 2), (6, 8)], Some(0), &[&[0, 6]]);
    assert_eq!(both, Ok(vec![(2, None), (8, None)]));
    // The loop is one of the call itself.
    let own = place(&code, &[(0, 10)], Some(0), &[&[0, 6]]);
    assert_eq!(own, Err(NoInlinedPlace::Copies));
}

#[test]
fn the_start_of_a_call_behind_each_of_two_branches_counts_at_both() {
    // 0 test %edi,%edi; 2 je 9; 4 add %esi,%eax; 6 jo 13; 8 ret; 9 add %edx,%eax; 11 jo 13; 13 imul %eax,%eax; 16 ret
    let code = [
        0x85, 0xff, 0x74, 0x05, 0x01, 0xf0, 0x70, 0x05, 0xc3, 0x01, 0xd0, 0x70, 0x00, 0x0f, 0xaf,
        0xc0, 0xc3,
    ];
    let ranges = [(4, 6), (9, 11), (13, 16)];
    let both = place(&code, &ranges, None, &[&[4, 9]]);
    assert_eq!(both, Ok(vec![(6, None), (11, None)]));
    assert_eq!(
        place(&code, &ranges, None, &[]),
        Err(NoInlinedPlace::SeveralEntries)
    );
}

#[test]
fn an_unrolled_loop_holds_several_calls() {
    // 0 add (%rdi),%eax; 2 add 4(%rdi),%eax; 5 add $8,%rdi; 9 dec %esi; 11 jne 0; 13 ret
    let code = [
        0x03, 0x07, 0x03, 0x47, 0x04, 0x48, 0x83, 0xc7, 0x08, 0xff, 0xce, 0x75, 0xf3, 0xc3,
    ];
    let copies = place(&code, &[(0, 5)], None, &[&[0, 2]]);
    assert_eq!(copies, Err(NoInlinedPlace::Copies));
    assert_eq!(
        place(&code, &[(0, 2)], None, &[&[0, 2]]),
        Ok(vec![(11, None)]),
        "two calls"
    );
    assert_eq!(
        place(&code, &[(2, 5)], None, &[&[0, 2]]),
        Ok(vec![(11, None)])
    );
}

#[test]
fn a_vectorized_loop_holds_several_calls() {
    // 0 paddd %xmm1,%xmm0; 4 dec %esi; 6 jne 0; 8 ret
    let code = [0x66, 0x0f, 0xfe, 0xc1, 0xff, 0xce, 0x75, 0xf8, 0xc3];
    assert_eq!(
        place(&code, &[(0, 4)], None, &[]),
        Err(NoInlinedPlace::Packed)
    );
}

#[test]
fn what_nothing_cheap_is_near_is_left_out() {
    // 0 lea 1(%rdi),%eax; 3 ret
    let leaf = [0x8d, 0x47, 0x01, 0xc3];
    assert_eq!(
        place(&leaf, &[(0, 3)], None, &[]),
        Err(NoInlinedPlace::SingleStepped)
    );
    // 0 call; 5 lea; 8 ret: a call may not come back.
    let behind = [0xe8, 0, 1, 0, 0, 0x8d, 0x47, 0x01, 0xc3];
    assert_eq!(
        place(&behind, &[(5, 8)], None, &[]),
        Err(NoInlinedPlace::SingleStepped)
    );
    // 0 push %rbx; 1 lea: before the call, in its run.
    let pushed = [0x53, 0x8d, 0x47, 0x01, 0x5b, 0xc3];
    assert_eq!(place(&pushed, &[(1, 4)], None, &[]), Ok(vec![(0, None)]));
    // jmp *%rax
    assert_eq!(
        place(&[0xff, 0xe0], &[(0, 2)], None, &[]),
        Err(NoInlinedPlace::NotDecoded)
    );
}

#[test]
fn code_that_only_tables_lead_to_may_be_a_call_of_its_own() {
    // 0 ret; 1 add %esi,%eax; 3 jo 5; 5 ret
    let code = [0xc3, 0x01, 0xf0, 0x70, 0x00, 0xc3];
    assert_eq!(
        place(&code, &[(1, 3)], None, &[]),
        Err(NoInlinedPlace::SeveralEntries)
    );
    // 1 mov %eax,%edi before it is not of the call.
    let code = [0xc3, 0x89, 0xc7, 0x01, 0xf0, 0x70, 0x00, 0xc3];
    assert_eq!(place(&code, &[(3, 5)], None, &[]), Ok(vec![(5, None)]));
}
