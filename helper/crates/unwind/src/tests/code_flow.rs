use super::*;
use crate::code_listing::Section;

/// The offsets of the CFA from rsp before each instruction, by their addresses. `starts` are called.
fn depths(code: &[u8], starts: &[u32]) -> Vec<(u32, Option<i32>)> {
    let size = code.len() as u32;
    let code = section(code);
    let mut listing = Listing::new(&code, std::slice::from_ref(&(0..size)), starts);
    listing.resolve(&code);
    let starts: Vec<_> = starts
        .iter()
        .map(|s| listing.index_at(*s).unwrap())
        .collect();
    let mut flow = CodeFlow::new(&listing, &starts).unwrap();
    flow.follow_functions(&starts);
    flow.follow_tables();
    let mut depths = Vec::new();
    flow.each_rule(|step, rule| depths.push((step.at, rule.map(|r| r.cfa_offset))));
    depths
}

fn depth_at(depths: &[(u32, Option<i32>)], at: u32) -> Option<i32> {
    depths.iter().find(|d| d.0 == at).expect("an instruction").1
}

#[test]
fn several_exits_and_a_tail_jump_leave_at_the_depth_of_the_entry() {
    let code = [
        0x53, // 0: push %rbx
        0x85, 0xff, // 1: test %edi, %edi
        0x74, 0x02, // 3: je 7
        0x5b, // 5: pop %rbx
        0xc3, // 6: ret
        0x5b, // 7: pop %rbx
        0xeb, 0x01, // 8: jmp 11
        0x90, // 10
        0xc3, // 11: ret, another function
    ];
    let depths = depths(&code, &[0, 11]);
    let known = [0, 1, 3, 5, 6, 7, 8, 11].map(|at| depth_at(&depths, at).unwrap());
    assert_eq!(known, [8, 16, 16, 16, 8, 16, 8, 8]);
    assert_eq!(depth_at(&depths, 10), None, "nothing leads there");
}

#[test]
fn cases_behind_an_indirect_jump_have_its_depth_unless_they_return_from_another() {
    let code = [
        0x50, // 0: push %rax
        0xff, 0xe2, // 1: jmp *%rdx
        0x31, 0xc0, // 3: xor %eax, %eax
        0x59, // 5: pop %rcx
        0xc3, // 6: ret
        0x31, 0xc0, // 7: xor %eax, %eax
        0xc3, // 9: ret: of a function that nothing points to
    ];
    let depths = depths(&code, &[0]);
    let of_case = [3, 5, 6].map(|at| depth_at(&depths, at).unwrap());
    assert_eq!(of_case, [16, 16, 8]);
    let of_other = [7, 9].map(|at| depth_at(&depths, at));
    assert_eq!(of_other, [None, None]);
}

#[test]
fn behind_a_call_that_does_not_return_another_function_begins() {
    let mut code = vec![0x50, 0xe8, 0, 1, 0, 0]; // push %rax; call abort
    code.extend([0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0]); // nopw, to 16
    code.extend([0x31, 0xc0, 0xc3]); // 16: xor %eax, %eax; ret
    let depths = depths(&code, &[0]);
    assert_eq!(depth_at(&depths, 1), Some(16));
    assert_eq!(depth_at(&depths, 16), None);
}

#[test]
fn behind_a_call_that_returns_the_frame_is_the_same() {
    // push %rax; call; nop, as without optimization; pop %rcx; ret
    let code = [0x50, 0xe8, 0, 1, 0, 0, 0x90, 0x59, 0xc3];
    let depths = depths(&code, &[0]);
    let known = [6, 7, 8].map(|at| depth_at(&depths, at).unwrap());
    assert_eq!(known, [16, 16, 8]);
}

#[test]
fn a_jump_behind_the_prefix_lock_leads_to_the_same_instruction() {
    // je 3; lock cmpxchg %ecx, (%rdi); ret
    let code = [0x74, 1, 0xf0, 0x0f, 0xb1, 0x0f, 0xc3];
    assert_eq!(depth_at(&depths(&code, &[0]), 6), Some(8));
    // je 4 leads between: what is executed there is not what is listed.
    let code = [0x74, 2, 0xb8, 0x90, 0x90, 0x90, 0x90, 0xc3];
    assert_eq!(depth_at(&depths(&code, &[0]), 7), None);
}

fn section(bytes: &[u8]) -> Section<'_> {
    Section {
        bytes,
        start: 0x1000,
        is_fixed: true,
    }
}

/// How often instructions are gone through, each time that there are so many.
fn work(code: &[u8]) -> usize {
    let size = code.len() as u32;
    let code = section(code);
    let mut listing = Listing::new(&code, std::slice::from_ref(&(0..size)), &[]);
    listing.resolve(&code);
    let starts = [0];
    if listing.steps.is_empty() {
        return 0;
    }
    let Some(mut flow) = CodeFlow::new(&listing, &starts) else {
        return 0;
    };
    flow.follow_functions(&starts);
    flow.follow_tables();
    flow.work
}

/// Of so many instructions.
fn repeated(instructions: &[u8], times: usize) -> Vec<u8> {
    instructions.repeat(times)
}

#[test]
fn the_work_grows_with_the_length_of_hostile_code_and_with_nothing_else() {
    const TIMES: usize = 20_000;
    let hostile: [(&str, &[u8]); 7] = [
        ("jumps back", &[0x50, 0x74, 0xfd]),
        ("jumps forth", &[0x50, 0x74, 0x7f]),
        (
            "jumps back and forth",
            &[0x53, 0x74, 0x40, 0x55, 0x75, 0xc0, 0x5b],
        ),
        ("overlapping instructions", &[0x74, 0xff, 0x75, 0x01, 0xb8]),
        ("indirect jumps", &[0x50, 0xff, 0xe0]),
        (
            "indirect jumps from different depths",
            &[0x74, 1, 0x50, 0xff, 0xe0, 0x90],
        ),
        (
            "calls before padding",
            &[0xe8, 0, 1, 0, 0, 0x66, 0x90, 0x66, 0x90],
        ),
    ];
    for (what, instructions) in hostile {
        let (short, long) = (
            repeated(instructions, TIMES),
            repeated(instructions, 4 * TIMES),
        );
        let (of_short, of_long) = (work(&short), work(&long));
        assert!(of_long <= 24 * long.len(), "{what}: {of_long}");
        assert!(
            of_long <= 5 * of_short.max(100),
            "{what}: {of_short}, {of_long}"
        );
    }
}

#[test]
fn too_much_code_is_left_without_rules() {
    assert_eq!(
        work(&repeated(&[0x50], 10 << 20)),
        0,
        "too many instructions"
    );
    assert_eq!(work(&repeated(&[0xeb, 0xff], 5 << 20)), 0, "too many jumps");
    assert_eq!(
        work(&repeated(&[0x74, 0], 2 << 20)),
        0,
        "too many ways meet"
    );
}

#[test]
fn zeros_behind_the_end_of_a_function_do_not_swallow_the_next_one() {
    let mut code = vec![0x50, 0x59, 0xc3]; // 0: push %rax, pop %rcx, ret
    code.resize(16, 0);
    code.extend([0x90; 14].iter().chain(&[0xc3, 0])); // 16: nops, ret, a single zero
    code.extend([0x53, 0x5b, 0xc3]); // 32: push %rbx, pop %rbx, ret
    let code = section(&code);
    let listing = Listing::new(&code, std::slice::from_ref(&(0..35)), &[0]);
    for start in [16, 32] {
        let at = listing.index_at(start).expect("an instruction begins");
        assert!(listing.is_behind_end(at), "{start}");
        assert_eq!(listing.steps[at].end(), start + 1);
    }
}

#[test]
fn a_single_zero_behind_a_return_begins_an_addition_where_no_other_zeros_are() {
    let mut code = vec![0x90; 14];
    code.extend([0xc3, 0x00, 0xc8, 0xc3]); // 14: ret, add %cl, %al, ret
    let code = section(&code);
    let listing = Listing::new(&code, std::slice::from_ref(&(0..18)), &[0]);
    assert!(listing.index_at(15).is_some());
    assert!(listing.index_at(16).is_none());
}

#[test]
fn cases_of_a_function_that_only_a_pointer_leads_to_are_its_own() {
    let code = [
        0x50, // 0: push %rax, of a function that is called
        0xff, 0xe1, // 1: jmp *%rcx
        0x59, // 3: pop %rcx
        0xc3, // 4: ret
        0xff, 0xe1, // 5: jmp *%rcx, of the function that is pointed to
        0x31, 0xc0, // 7: xor %eax, %eax
        0xc3, // 9: ret
    ];
    let code = section(&code);
    let mut listing = Listing::new(&code, std::slice::from_ref(&(0..10)), &[0]);
    listing.resolve(&code);
    let [called, pointed] = [0, 5].map(|at| listing.index_at(at).unwrap());
    let mut flow = CodeFlow::new(&listing, &[called]).unwrap();
    flow.follow_functions(&[called]);
    flow.follow_function(pointed);
    flow.follow_tables();
    let mut depths = Vec::new();
    flow.each_rule(|step, rule| depths.push((step.at, rule.map(|r| r.cfa_offset))));
    let of_cases = [3, 4, 7, 9].map(|at| depth_at(&depths, at));
    assert_eq!(of_cases, [16, 8, 8, 8].map(Some));
}
