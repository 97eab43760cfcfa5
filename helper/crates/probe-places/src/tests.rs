use super::*;

const START: u64 = 0x1000;

fn place(bytes: &[u8]) -> Result<u64, NoPlace> {
    let code = Code {
        start: START,
        bytes,
    };
    place_of_calls(code, &[]).map(|at| at - START)
}

#[test]
fn an_instruction_that_the_kernel_emulates_is_the_place() {
    // push %rbp; mov %rsp,%rbp; pop %rbp; ret
    assert_eq!(place(&[0x55, 0x48, 0x89, 0xe5, 0x5d, 0xc3]), Ok(0));
    // endbr64; push %r12; pop %r12; ret
    let endbr = [0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x54, 0x41, 0x5c, 0xc3];
    assert_eq!(place(&endbr), Ok(4));
    // test %edi,%edi; je +1; nop; ret
    assert_eq!(place(&[0x85, 0xff, 0x74, 0x01, 0x90, 0xc3]), Ok(2));
    // jne, of six bytes; jmp; call
    assert_eq!(place(&[0x0f, 0x85, 0, 0, 0, 0, 0xc3]), Ok(0));
    assert_eq!(place(&[0xe9, 0xfb, 0x10, 0, 0]), Ok(0));
    assert_eq!(place(&[0x31, 0xc0, 0xe8, 0, 1, 0, 0, 0xc3]), Ok(2));
}

#[test]
fn what_would_be_single_stepped_is_not_a_place() {
    // lea 1(%rdi),%eax; ret
    let leaf = [0x8d, 0x47, 0x01, 0xc3];
    assert_eq!(place(&leaf), Err(NoPlace::SingleStepped));
    // A nop of five bytes, sub, and nothing else; call *%rax is not emulated.
    let nop = [
        0x0f, 0x1f, 0x44, 0, 0, 0x48, 0x83, 0xec, 8, 0xff, 0xd0, 0xc3,
    ];
    assert_eq!(place(&nop), Err(NoPlace::SingleStepped));
    // push of a constant and of memory; bnd jmp
    let others = [0x6a, 0x01, 0xff, 0x30, 0xf2, 0xe9, 0, 0, 0, 0];
    assert_eq!(place(&others), Err(NoPlace::SingleStepped));
    assert_eq!(place(&[0x06]), Err(NoPlace::NotDecoded));
}

#[test]
fn behind_the_first_branch_nothing_is_sure() {
    // test %edi,%edi; jrcxz +1; push %rax; ret
    let skipped = [0x85, 0xff, 0xe3, 0x01, 0x50, 0xc3];
    assert_eq!(place(&skipped), Err(NoPlace::SingleStepped));
    // xor %eax,%eax; ret; push %rbp
    assert_eq!(
        place(&[0x31, 0xc0, 0xc3, 0x55]),
        Err(NoPlace::SingleStepped)
    );
}

#[test]
fn what_a_loop_passes_again_is_not_a_place() {
    // dec %edi; jne -4; ret
    assert_eq!(
        place(&[0xff, 0xcf, 0x75, 0xfc, 0xc3]),
        Err(NoPlace::NotOnce)
    );
    // push %rbx; dec %edi; jne to dec; pop %rbx; ret: the push is before the loop
    assert_eq!(place(&[0x53, 0xff, 0xcf, 0x75, 0xfc, 0x5b, 0xc3]), Ok(0));
    // dec %edi; push %rbx; pop %rbx; jne to the push; ret
    let to_it = [0xff, 0xcf, 0x53, 0x5b, 0x75, 0xfc, 0xc3];
    assert_eq!(place(&to_it), Err(NoPlace::NotOnce));
    // The same from a part that lies elsewhere: jmp to the second instruction.
    let code = Code {
        start: START,
        bytes: &[0xff, 0xcf, 0x53, 0x5b, 0xc3],
    };
    let cold = Code {
        start: START + 0x100,
        bytes: &[0xe9, 0xfd, 0xfe, 0xff, 0xff],
    };
    assert_eq!(place_of_calls(code, &[]), Ok(START + 2));
    assert_eq!(place_of_calls(code, &[cold]), Err(NoPlace::NotOnce));
}

#[test]
fn where_it_is_not_known_where_a_jump_leads_only_a_push_is_a_place() {
    // test %edi,%edi; je +2; jmp *%rax; ret
    let switch = [0x85, 0xff, 0x74, 0x02, 0xff, 0xe0, 0xc3];
    assert_eq!(place(&switch), Err(NoPlace::NotOnce));
    // push %rax; pop %rax; jmp *%rax
    assert_eq!(place(&[0x50, 0x58, 0xff, 0xe0]), Ok(0));
}

#[test]
fn of_a_function_whose_stack_grows_the_place_is_behind_the_check() {
    // cmp 0x10(%r14),%rsp; jbe to the call; push %rbp; pop %rbp; ret; mov %rax,8(%rsp); call; mov 8(%rsp),%rax; jmp to the start
    let go = [
        &[0x49, 0x3b, 0x66, 0x10, 0x76, 0x03][..],
        &[0x55, 0x5d, 0xc3],
        &[0x48, 0x89, 0x44, 0x24, 0x08],
        &[0xe8, 0, 1, 0, 0],
        &[0x48, 0x8b, 0x44, 0x24, 0x08],
        &[0xeb, 0xe6],
    ]
    .concat();
    assert_eq!(place(&go), Ok(6));
    // If the code of the check does anything else, it is not that.
    let mut other = go.clone();
    other[24..].copy_from_slice(&[0xeb, 0xe8]);
    assert_eq!(place(&other), Err(NoPlace::NotOnce));
    // The branch itself.
    let branch = |bytes| {
        let code = Code {
            start: START,
            bytes,
        };
        branch_of_stack_check(code).map(|at| at - START)
    };
    assert_eq!(branch(&go), Some(4));
    assert_eq!(branch(&other), None);
    // With a large frame: lea -0xf0(%rsp),%r12; cmp 0x10(%r14),%r12; jbe of six bytes to a jmp back
    let large = [
        &[0x4c, 0x8d, 0xa4, 0x24, 0x10, 0xff, 0xff, 0xff][..],
        &[0x4d, 0x3b, 0x66, 0x10],
        &[0x0f, 0x86, 1, 0, 0, 0],
        &[0xc3],
        &[0xeb, 0xeb],
    ]
    .concat();
    assert_eq!(branch(&large), Some(12));
    // je, which looks at the zero flag alone; no branch at all
    let mut equal = go.clone();
    equal[4] = 0x74;
    assert_eq!(branch(&equal), None);
    assert_eq!(branch(&[0x55, 0x48, 0x89, 0xe5, 0xc3]), None);
}
