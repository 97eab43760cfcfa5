//! What aarch64 instructions do to sp, x29 and x30, and where they lead (Arm Architecture Reference Manual, C4.1 and C6.2).

pub(crate) const INSTRUCTION_BYTES: u64 = 4;

type Register = u8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub flow: Flow,
    pub effect: Effect,
    /// A nop or zeros.
    pub is_padding: bool,
}

/// Distances are in instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    Next,
    /// None: to what a register says.
    Call(Option<isize>),
    Jump(isize),
    /// There or to the next one.
    Branch(isize),
    IndirectJump,
    /// A return, a trap, or no instruction.
    End,
}

/// Of registers, only 29 (the frame pointer), 30 (the link register) and 31 (sp) matter. Offsets are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Nothing,
    /// x30 is signed, or its signature is checked and removed.
    Sign,
    /// to = base + offset
    Point {
        to: Register,
        base: Register,
        offset: i32,
    },
    Store(Transfer),
    Load(Transfer),
    /// The register has another value.
    Write(Register),
}

/// Words to or from base + offset, and then base moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Transfer {
    /// None: one that no rule is about.
    pub registers: [Option<Register>; 2],
    pub base: Register,
    pub offset: i32,
    pub moved: i32,
}

const SP: u32 = 31;

pub(crate) fn decode(word: u32) -> Instruction {
    let flow = flow(word);
    let effect = match flow {
        Flow::Next => effect(word),
        _ => Effect::Nothing,
    };
    Instruction {
        flow,
        effect,
        is_padding: matches!(word, 0 | 0xd503_201f),
    }
}

/// The field of so many bits from bit `from` on, as a number with a sign.
fn signed(word: u32, from: u32, bits: u32) -> i32 {
    ((word << (32 - from - bits)) as i32) >> (32 - bits)
}

fn flow(word: u32) -> Flow {
    let distance = |from, bits| signed(word, from, bits) as isize;
    match word {
        _ if word & 0xfc00_0000 == 0x1400_0000 => Flow::Jump(distance(0, 26)), // b
        _ if word & 0xfc00_0000 == 0x9400_0000 => Flow::Call(Some(distance(0, 26))), // bl
        _ if word & 0xff00_0000 == 0x5400_0000 => Flow::Branch(distance(5, 19)), // b.cond
        _ if word & 0x7e00_0000 == 0x3400_0000 => Flow::Branch(distance(5, 19)), // cbz, cbnz
        _ if word & 0x7e00_0000 == 0x3600_0000 => Flow::Branch(distance(5, 14)), // tbz, tbnz
        // br, blr, ret and those that check a signature first.
        _ if word & 0xfe00_0000 == 0xd600_0000 => match word >> 21 & 7 {
            0 => Flow::IndirectJump,
            1 => Flow::Call(None),
            _ => Flow::End,
        },
        0xd420_0000 => Flow::Next, // brk #0: a breakpoint of the program's own
        _ if word & 0xffe0_001f == 0xd420_0000 => Flow::End, // brk
        _ if word & 0xffff_0000 == 0 => Flow::End, // udf
        _ => Flow::Next,
    }
}

fn effect(word: u32) -> Effect {
    let (to, base) = (word & 31, word >> 5 & 31);
    match word {
        // paciasp, pacibsp, autiasp, autibsp
        0xd503_233f | 0xd503_237f | 0xd503_23bf | 0xd503_23ff => Effect::Sign,
        // add, sub of an immediate, 64 bits
        _ if word & 0xbf80_0000 == 0x9100_0000 => {
            let shift = if word & 1 << 22 == 0 { 0 } else { 12 };
            let bytes = ((word >> 10 & 0xfff) << shift) as i32;
            let offset = if word & 1 << 30 == 0 { bytes } else { -bytes };
            point(to, base, offset)
        }
        _ if word & 0x3a00_0000 == 0x2800_0000 => pair(word),
        _ if word & 0x3a00_0000 == 0x3800_0000 => single(word),
        // Other data processing, in which 31 may be the zero register.
        _ => match to {
            SP if !may_write_sp(word) => Effect::Nothing,
            29..=SP if is_data_processing(word) => Effect::Write(to as Register),
            _ => Effect::Nothing,
        },
    }
}

fn point(to: u32, base: u32, offset: i32) -> Effect {
    match to {
        29..=SP => Effect::Point {
            to: to as Register,
            base: base as Register,
            offset,
        },
        _ => Effect::Nothing,
    }
}

/// adrp: the register, and the distance of the page that it is given from the page of the instruction.
pub(crate) fn page_of(word: u32) -> Option<(usize, i64)> {
    let pages = signed(word, 5, 19) << 2 | (word >> 29 & 3) as i32;
    (word & 0x9f00_0000 == 0x9000_0000).then_some(((word & 31) as usize, i64::from(pages) << 12))
}

/// add of an immediate below 4096: the register that it is added to, and how much.
pub(crate) fn offset_in_page(word: u32) -> Option<(usize, u64)> {
    let offset = u64::from(word >> 10 & 0xfff);
    (word & 0xffc0_0000 == 0x9100_0000).then_some(((word >> 5 & 31) as usize, offset))
}

/// Logical operations with an immediate that set no flags, additions of extended registers that set none.
fn may_write_sp(word: u32) -> bool {
    let is_logical = word & 0x1f80_0000 == 0x1200_0000 && word >> 29 & 3 != 3;
    let is_extended = word & 0x3fe0_0000 == 0x0b20_0000;
    is_logical || is_extended
}

/// Immediate, register or vector to register; not branches, system instructions, loads and stores.
fn is_data_processing(word: u32) -> bool {
    matches!(
        word >> 25 & 15,
        0b1000 | 0b1001 | 0b0101 | 0b1101 | 0b0111 | 0b1111
    )
}

/// Of two registers: ldp, stp and their like.
fn pair(word: u32) -> Effect {
    let (size, is_vector) = (word >> 30, word & 1 << 26 != 0);
    let scale = if is_vector { 2 + size } else { 2 + (size >> 1) };
    let offset = signed(word, 15, 7) << scale;
    let registers = [word & 31, word >> 10 & 31].map(|r| wanted(r, !is_vector && size == 2));
    memory(word, word >> 23 & 3, offset, registers, word & 1 << 22 != 0)
}

/// How the base register changes, from two bits of an instruction of pairs.
const AFTERWARDS: u32 = 1;
const BEFORE: u32 = 3;
const NOT_AT_ALL: u32 = 2;

fn memory(
    word: u32,
    mode: u32,
    offset: i32,
    registers: [Option<Register>; 2],
    is_load: bool,
) -> Effect {
    let base = (word >> 5 & 31) as Register;
    let (offset, moved) = match mode {
        AFTERWARDS => (0, offset),
        BEFORE => (offset, offset),
        _ => (offset, 0),
    };
    if registers == [None; 2] && moved == 0 {
        return Effect::Nothing;
    }
    let transfer = Transfer {
        registers,
        base,
        offset,
        moved,
    };
    match is_load {
        true => Effect::Load(transfer),
        false => Effect::Store(transfer),
    }
}

/// Of one register: ldr, str and their like.
fn single(word: u32) -> Effect {
    let (size, is_vector) = (word >> 30, word & 1 << 26 != 0);
    let operation = word >> 22 & 3; // 0 store, 1 load; prefetching has the size of a whole register, too
    let is_load = operation != 0;
    let is_whole = !is_vector && size == 3 && operation < 2;
    let registers = [wanted(word & 31, is_whole), None];
    if word & 1 << 24 != 0 {
        let offset = ((word >> 10 & 0xfff) << size) as i32;
        return memory(word, NOT_AT_ALL, offset, registers, is_load);
    }
    if word & 1 << 21 != 0 {
        // An offset in a register, an atomic operation: no compiler keeps a return address so.
        return match registers[0] {
            Some(register) if is_load => Effect::Write(register),
            _ => Effect::Nothing,
        };
    }
    let mode = match word >> 10 & 3 {
        1 => AFTERWARDS,
        3 => BEFORE,
        _ => NOT_AT_ALL,
    };
    memory(word, mode, signed(word, 12, 9), registers, is_load)
}

/// 31 is the zero register here.
fn wanted(register: u32, is_whole: bool) -> Option<Register> {
    (is_whole && (29..SP).contains(&register)).then_some(register as Register)
}
