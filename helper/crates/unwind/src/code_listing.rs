//! Instructions in short: what each does to the frame of its function, and where it leads. x86-64.

use std::ops::Range;

use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register,
};

use crate::written_registers::Writes;

/// A general register as machine code numbers it.
pub(crate) type General = u8;
pub(crate) const RBX: General = 3;
pub(crate) const RSP: General = 4;
pub(crate) const RBP: General = 5;
pub(crate) const R13: General = 13;

/// What an instruction does to registers and to the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Nothing,
    /// rsp goes down by so many bytes, or up.
    Grow(i32),
    /// Of eight bytes. None: of a constant or of memory.
    Push(Option<General>),
    /// Of eight bytes.
    Pop(General),
    /// mov %rbp, %rsp; pop %rbp
    Leave,
    /// rsp is rounded down.
    Round,
    /// to = base + offset
    Point {
        to: General,
        base: General,
        offset: i32,
    },
    /// Eight bytes are written to base + offset.
    Store {
        register: General,
        base: General,
        offset: i32,
    },
    /// Eight bytes are read from base + offset.
    Load {
        register: General,
        base: General,
        offset: i32,
    },
    /// Registers are given other values: a bit for each.
    Write(u16),
}

/// Where an instruction leads, and what it does on the way there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// To the next one.
    Next(Effect),
    /// To the next one, and of no use by itself: it fills the space up to an aligned address.
    Padding,
    Call(Target),
    Jump(Target),
    /// To the target or to the next one.
    Branch(Target),
    IndirectJump,
    Return,
    /// Nowhere that is known: a trap, or no instruction.
    End,
}

impl Flow {
    /// Cannot lead to the next instruction.
    fn ends(self) -> bool {
        matches!(
            self,
            Flow::Padding | Flow::Jump(_) | Flow::IndirectJump | Flow::Return | Flow::End
        )
    }

    /// A call may be one that does not return.
    fn may_end_function(self) -> bool {
        self.ends() || matches!(self, Flow::Call(_))
    }
}

/// Of a call or a jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// In a register, in memory, or not in the listing.
    Elsewhere,
    /// From the start of the section. Becomes one of the others when all instructions are there.
    At(u32),
    /// The number of an instruction.
    Step(u32),
    /// Into the middle of the instruction with this number.
    Inside(u32),
}

/// One instruction. There are many.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// From the start of the section.
    pub at: u32,
    pub flow: Flow,
    pub length: u8,
}

const _: () = assert!(size_of::<Step>() <= 20);

impl Step {
    pub fn end(&self) -> u32 {
        self.at + u32::from(self.length)
    }
}

/// All instructions of some ranges of a section, in order.
#[derive(Default)]
pub(crate) struct Listing {
    pub steps: Vec<Step>,
    /// Addresses that are made into pointers, from the start of the section.
    pub pointed: Vec<u32>,
    /// More than one zero filled a space between functions so far.
    pads_with_zeros: bool,
}

/// Compilers align functions at this.
pub(crate) const FUNCTION_ALIGNMENT: u32 = 16;

/// What a listing may grow to: some 70 MB, which hold the code of OpenBLAS.
pub(crate) const STEPS_MAX: usize = 3 << 20;

impl Listing {
    /// `ranges` ascend. At each of the sorted `cuts` an instruction begins, whatever lies before. Ranges that do not
    /// fit in are left out.
    pub fn new(code: &Section<'_>, ranges: &[Range<u32>], cuts: &[u32]) -> Listing {
        let mut listing = Listing::default();
        let mut writes = Writes::new();
        let size: usize = ranges.iter().map(|r| r.len()).sum();
        listing.steps.reserve((size / 4).min(STEPS_MAX));
        for range in ranges {
            let inside = &cuts[cuts.partition_point(|c| *c <= range.start)..];
            let inside = &inside[..inside.partition_point(|c| *c < range.end)];
            let before = (listing.steps.len(), listing.pointed.len());
            let mut start = range.start;
            for end in inside.iter().copied().chain([range.end]) {
                listing.add(code, start..end, &mut writes);
                start = end;
            }
            if listing.steps.len() > STEPS_MAX {
                listing.steps.truncate(before.0);
                listing.pointed.truncate(before.1);
                break;
            }
        }
        listing
    }

    fn add(&mut self, code: &Section<'_>, range: Range<u32>, writes: &mut Writes) {
        let bytes = &code.bytes[range.start as usize..range.end as usize];
        let ip = code.start + u64::from(range.start);
        let mut decoder = Decoder::with_ip(64, bytes, ip, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        while decoder.can_decode() && self.steps.len() <= STEPS_MAX {
            let at = range.start + decoder.position() as u32;
            if let Some(length) = self.zeros_behind_end(code, at..range.end) {
                self.steps.push(Step {
                    at,
                    flow: Flow::Padding,
                    length,
                });
                self.pads_with_zeros |= length > 1;
                let next = decoder.position() + usize::from(length);
                decoder.set_position(next).expect("within the range");
                decoder.set_ip(ip + next as u64);
                continue;
            }
            decoder.decode_out(&mut instruction);
            let step = self.step(code, &instruction, writes);
            self.steps.push(step);
        }
    }

    /// How many zeros fill the space between the end of a function and the next aligned one. Free Pascal pads with them; decoded
    /// as `add %al, (%rax)`, the last one would swallow the next function's first bytes.
    fn zeros_behind_end(&self, code: &Section<'_>, range: Range<u32>) -> Option<u8> {
        let before = self.steps.last().filter(|s| s.end() == range.start)?;
        if !before.flow.may_end_function() {
            return None;
        }
        let bytes = &code.bytes[range.start as usize..range.end as usize];
        let to_aligned = range.start.wrapping_neg() % FUNCTION_ALIGNMENT;
        let padding = &bytes[..bytes.len().min(to_aligned as usize)];
        // A single one may begin an addition, but hardly where nothing leads to it in code that is padded with zeros.
        let is_single = self.pads_with_zeros && before.flow == Flow::Return;
        let fewest = if is_single { 1 } else { 2 };
        let is_filled = padding.len() >= fewest && padding.iter().all(|b| *b == 0);
        is_filled.then_some(padding.len() as u8)
    }

    fn step(&mut self, code: &Section<'_>, i: &Instruction, writes: &mut Writes) -> Step {
        let at = (i.ip() - code.start) as u32;
        let length = i.len() as u8;
        let mut flow = flow(code, i);
        match flow {
            // It only pushes its own address.
            Flow::Call(Target::At(target)) if target == at + u32::from(length) => {
                flow = Flow::Next(Effect::Push(None));
            }
            Flow::Next(_) => {
                flow = Flow::Next(effect(i, writes));
                let pointed = pointed(i, code.is_fixed);
                self.pointed.extend(pointed.and_then(|a| code.offset_of(a)));
            }
            _ => {}
        }
        Step { at, flow, length }
    }

    /// Where calls lead within the section, from its start.
    pub fn called(&self) -> impl Iterator<Item = u32> {
        self.steps.iter().filter_map(|s| match s.flow {
            Flow::Call(Target::At(target)) => Some(target),
            _ => None,
        })
    }

    /// Targets become numbers of instructions.
    pub fn resolve(&mut self, code: &Section<'_>) {
        for index in 0..self.steps.len() {
            let target = match self.steps[index].flow {
                Flow::Jump(Target::At(target)) | Flow::Branch(Target::At(target)) => target,
                _ => continue,
            };
            let found = self.search_near(index, target);
            let target = match self.steps.get(found) {
                Some(step) if step.at == target => Target::Step(found as u32),
                Some(step) if (step.at..step.end()).contains(&target) => {
                    // Whoever jumps behind the prefix `lock` meets the same instruction.
                    if target == step.at + 1 && code.bytes[step.at as usize] == LOCK {
                        Target::Step(found as u32)
                    } else {
                        Target::Inside(found as u32)
                    }
                }
                _ => Target::Elsewhere,
            };
            if let Flow::Jump(to) | Flow::Branch(to) = &mut self.steps[index].flow {
                *to = target;
            }
        }
    }

    /// The last instruction that begins at an offset or before it. Jumps are short: the search widens from `near`.
    fn search_near(&self, near: usize, offset: u32) -> usize {
        let (mut low, mut high) = (near, near + 1);
        let mut width = 1;
        while low > 0 && self.steps[low].at > offset {
            high = low;
            low = low.saturating_sub(width);
            width *= 2;
        }
        while high < self.steps.len() && self.steps[high].at <= offset {
            low = high;
            high = (high + width).min(self.steps.len());
            width *= 2;
        }
        let inside = self.steps[low..high].partition_point(|s| s.at <= offset);
        (low + inside).saturating_sub(1)
    }

    /// The instruction that begins at an offset.
    pub fn index_at(&self, offset: u32) -> Option<usize> {
        self.steps.binary_search_by_key(&offset, |s| s.at).ok()
    }

    /// Whether the instruction before cannot lead to this one, as at a function's start.
    pub fn is_behind_end(&self, index: usize) -> bool {
        let before = index.checked_sub(1).map(|before| &self.steps[before]);
        before.is_none_or(|before| before.end() != self.steps[index].at || before.flow.ends())
    }

    /// Whether a pointer to this instruction can be one to a function: compilers align these, or end another one before.
    pub fn may_be_function(&self, index: usize) -> bool {
        self.is_behind_end(index) || self.steps[index].at.is_multiple_of(FUNCTION_ALIGNMENT)
    }

    /// The next one, where no gap lies between.
    pub fn next(&self, index: usize) -> Option<usize> {
        let next = self.steps.get(index + 1)?;
        (next.at == self.steps[index].end()).then_some(index + 1)
    }
}

/// A section of code.
pub(crate) struct Section<'a> {
    pub bytes: &'a [u8],
    pub start: u64,
    /// Loaded where the file says: a constant may be an address.
    pub is_fixed: bool,
}

impl Section<'_> {
    pub fn offset_of(&self, address: u64) -> Option<u32> {
        let offset = address.checked_sub(self.start)?;
        (offset < self.bytes.len() as u64).then(|| u32::try_from(offset).ok())?
    }
}

fn flow(code: &Section<'_>, i: &Instruction) -> Flow {
    let target = || match i.op0_kind() {
        OpKind::NearBranch64 => code
            .offset_of(i.near_branch_target())
            .map_or(Target::Elsewhere, Target::At),
        _ => Target::Elsewhere,
    };
    let next = Flow::Next(Effect::Nothing);
    match i.flow_control() {
        FlowControl::Next if is_padding(i) => Flow::Padding,
        FlowControl::Next | FlowControl::XbeginXabortXend => next,
        FlowControl::Call | FlowControl::IndirectCall => Flow::Call(target()),
        FlowControl::UnconditionalBranch => Flow::Jump(target()),
        FlowControl::ConditionalBranch => Flow::Branch(target()),
        FlowControl::IndirectBranch => Flow::IndirectJump,
        // A breakpoint of the program's own goes on.
        FlowControl::Interrupt if i.mnemonic() == Mnemonic::Int3 => Flow::Padding,
        FlowControl::Interrupt => next,
        FlowControl::Return => Flow::Return,
        FlowControl::Exception => Flow::End,
    }
}

fn is_padding(i: &Instruction) -> bool {
    match i.mnemonic() {
        Mnemonic::Nop => true,
        Mnemonic::Xchg => i.op0_register() == i.op1_register(), // xchg %ax, %ax
        _ => false,
    }
}

/// The address that an instruction makes into a pointer, as `lea main(%rip), %rdi` does, and `mov $main, %edi` in code that
/// cannot be moved.
fn pointed(i: &Instruction, is_fixed: bool) -> Option<u64> {
    match i.code() {
        Code::Lea_r64_m if i.is_ip_rel_memory_operand() => Some(i.ip_rel_memory_address()),
        Code::Mov_r32_imm32 | Code::Mov_rm64_imm32 | Code::Mov_r64_imm64 | Code::Pushq_imm32
            if is_fixed =>
        {
            Some(i.immediate(i.op_count() - 1))
        }
        _ => None,
    }
}

fn general(register: Register) -> Option<General> {
    register.is_gpr64().then(|| register.number() as General)
}

/// Base and offset of a memory operand at a constant distance from a register.
fn place(i: &Instruction) -> Option<(General, i32)> {
    if i.memory_index() != Register::None || i.has_segment_prefix() {
        return None;
    }
    let offset = i32::try_from(i.memory_displacement64() as i64).ok()?;
    Some((general(i.memory_base())?, offset))
}

fn effect(i: &Instruction, writes: &mut Writes) -> Effect {
    let special = match i.code() {
        Code::Push_r64 => general(i.op0_register()).map(|r| Effect::Push(Some(r))),
        Code::Push_rm64 | Code::Pushq_imm32 | Code::Pushq_imm8 | Code::Pushfq => {
            Some(Effect::Push(None))
        }
        Code::Pop_r64 => general(i.op0_register()).map(Effect::Pop),
        Code::Popfq => Some(Effect::Grow(-8)),
        Code::Pop_rm64 if i.op0_kind() == OpKind::Memory => Some(Effect::Grow(-8)),
        Code::Leaveq => Some(Effect::Leave),
        Code::Add_rm64_imm8 | Code::Add_rm64_imm32 | Code::Sub_rm64_imm8 | Code::Sub_rm64_imm32
            if i.op0_register() == Register::RSP =>
        {
            let bytes = i.immediate(1) as i32;
            let grown = if i.mnemonic() == Mnemonic::Sub {
                Some(bytes)
            } else {
                bytes.checked_neg()
            };
            grown.map(Effect::Grow)
        }
        Code::And_rm64_imm8 | Code::And_rm64_imm32 if i.op0_register() == Register::RSP => {
            Some(Effect::Round)
        }
        Code::Lea_r64_m => lea(i),
        Code::Mov_r64_rm64 | Code::Mov_rm64_r64 => mov(i),
        _ => None,
    };
    special.unwrap_or_else(|| match writes.of(i) {
        0 => Effect::Nothing,
        registers => Effect::Write(registers),
    })
}

fn lea(i: &Instruction) -> Option<Effect> {
    let (base, offset) = place(i)?;
    let to = general(i.op0_register())?;
    Some(Effect::Point { to, base, offset })
}

fn mov(i: &Instruction) -> Option<Effect> {
    if i.op0_kind() == OpKind::Memory {
        let (base, offset) = place(i)?;
        let register = general(i.op1_register())?;
        return Some(Effect::Store {
            register,
            base,
            offset,
        });
    }
    let to = general(i.op0_register())?;
    if i.op1_kind() == OpKind::Memory {
        let (base, offset) = place(i)?;
        let register = to;
        return Some(Effect::Load {
            register,
            base,
            offset,
        });
    }
    let base = general(i.op1_register())?;
    Some(Effect::Point {
        to,
        base,
        offset: 0,
    })
}

/// The prefix.
const LOCK: u8 = 0xf0;
