use super::*;

const START: u64 = 0x1000;
/// Where another function begins.
const OTHER: u64 = 0x2000;

/// Depth and exits.
type Found = (u32, Vec<(u64, Option<u8>)>);

fn code(bytes: &[u8]) -> Code<'_> {
    Code {
        start: START,
        bytes,
    }
}

/// Its calls are counted at this offset. All offsets are from the start.
fn timed_at(place: u64, bytes: &[u8]) -> Result<Found, NoExits> {
    timed_in(place, bytes, &[], true)
}

fn timed_in(
    place: u64,
    bytes: &[u8],
    parts: &[Code],
    is_described: bool,
) -> Result<Found, NoExits> {
    let file = File {
        is_function: &|vaddr| vaddr == OTHER,
        is_described,
    };
    let timed = timed(code(bytes), START + place, parts, &file)?;
    let exits = timed
        .exits
        .iter()
        .map(|exit| (exit.at - START, exit.condition));
    Ok((timed.depth, exits.collect()))
}

#[test]
fn each_return_is_an_end_and_the_depth_is_that_before_the_place() {
    // push %rbp; push %rbx; sub $24,%rsp; test %edi,%edi; je +7; add $24,%rsp; pop; pop; ret; the same again
    let epilogue = [0x48, 0x83, 0xc4, 0x18, 0x5b, 0x5d, 0xc3];
    let two = [
        &[0x55, 0x53, 0x48, 0x83, 0xec, 0x18, 0x85, 0xff, 0x74, 0x07][..],
        &epilogue,
        &epilogue,
    ]
    .concat();
    let ends = vec![(16, None), (23, None)];
    assert_eq!(timed_at(0, &two), Ok((0, ends.clone())));
    assert_eq!(timed_at(1, &two), Ok((8, ends.clone())));
    assert_eq!(timed_at(8, &two), Ok((40, ends)));
    // push %rbp; mov %rsp,%rbp; sub %rax,%rsp; leave; ret
    let frame = [0x55, 0x48, 0x89, 0xe5, 0x48, 0x29, 0xc4, 0xc9, 0xc3];
    assert_eq!(timed_at(0, &frame), Ok((0, vec![(8, None)])));
    assert_eq!(timed_at(7, &frame), Err(NoExits::UnknownStack));
}

#[test]
fn a_jump_to_another_function_is_an_end_and_one_to_no_function_is_refused() {
    // push %rbx; pop %rbx; jmp to another function
    assert_eq!(
        timed_at(0, &[0x53, 0x5b, 0xe9, 0xf9, 0x0f, 0, 0]),
        Ok((0, vec![(2, None)]))
    );
    // push; pop; jle to it; ret
    assert_eq!(
        timed_at(0, &[0x53, 0x5b, 0x0f, 0x8e, 0xf8, 0x0f, 0, 0, 0xc3]),
        Ok((0, vec![(2, Some(14)), (8, None)]))
    );
    // Somewhere else: what lies there belongs to nobody that is known.
    assert_eq!(
        timed_at(0, &[0x53, 0x5b, 0xe9, 0xf8, 0x0f, 0, 0]),
        Err(NoExits::UnnamedCode)
    );
    // With a frame on the stack.
    assert_eq!(
        timed_at(0, &[0x53, 0xe9, 0xfa, 0x0f, 0, 0]),
        Err(NoExits::UnknownStack)
    );
    // All that it does.
    assert_eq!(
        timed_at(0, &[0xe9, 0xfb, 0x0f, 0, 0]),
        Err(NoExits::OnlyJumps)
    );
    // push %rbx; call; ud2
    assert_eq!(
        timed_at(0, &[0x53, 0xe8, 0, 0, 0, 0, 0x0f, 0x0b]),
        Err(NoExits::Never)
    );
}

#[test]
fn an_indirect_jump_is_an_end_if_it_cannot_be_one_inside() {
    // push %rbx; pop %rbx; jmp *8(%rax)
    assert_eq!(
        timed_at(0, &[0x53, 0x5b, 0xff, 0x60, 8]),
        Ok((0, vec![(2, None)]))
    );
    // push %rbx; jmp *%rax; pop %rbx; ret: with a frame, it stays inside
    let switch = [0x53, 0xff, 0xe0, 0x5b, 0xc3];
    assert_eq!(timed_at(0, &switch), Ok((0, vec![(4, None)])));
    // Without what the compiler says, these could be numbers.
    assert_eq!(timed_in(0, &switch, &[], false), Err(NoExits::OnlyByTables));
    // push; pop; jmp *(,%rax,8)
    assert_eq!(
        timed_at(0, &[0x53, 0x5b, 0xff, 0x24, 0xc5, 0, 0, 0, 0]),
        Err(NoExits::ComputedJumps)
    );
}

#[test]
fn a_part_that_lies_elsewhere_belongs_to_the_function() {
    // push %rbx; je to the part; pop %rbx; ret
    let bytes = [0x53, 0x0f, 0x84, 0xf9, 0, 0, 0, 0x5b, 0xc3];
    // xor %eax,%eax; pop %rbx; ret
    let cold = Code {
        start: START + 0x100,
        bytes: &[0x31, 0xc0, 0x5b, 0xc3],
    };
    assert_eq!(
        timed_in(0, &bytes, &[cold], false),
        Ok((0, vec![(8, None), (0x103, None)]))
    );
    assert_eq!(timed_in(0, &bytes, &[], false), Err(NoExits::UnnamedCode));
}

#[test]
fn code_whose_jumps_lead_between_its_instructions_is_not_trusted() {
    // push %rbx; jmp into the next instruction; mov $0xc3c3c3c3,%eax; ret
    assert_eq!(
        timed_at(0, &[0x53, 0xeb, 0x01, 0xb8, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3]),
        Err(NoExits::NotDecoded)
    );
}
