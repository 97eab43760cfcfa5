//! The instructions of a function in short.

use std::collections::BTreeMap;

use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, OpKind, Register,
};

use crate::effect::Effect;
use crate::shape::Shape;

/// Machine code and its ELF virtual address.
#[derive(Debug, Clone, Copy)]
pub struct Code<'a> {
    pub start: u64,
    pub bytes: &'a [u8],
}

/// Where an instruction leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    Next,
    /// And back, if all goes well.
    Call,
    Jump(u64),
    /// To the target or to the next one.
    Branch(u64),
    IndirectJump(Indirect),
    Return,
    /// Nowhere in the function.
    End,
}

/// Where the address comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Indirect {
    /// From one place in memory: no table of the function has a single entry.
    Place,
    /// From a table or a register.
    Computed,
}

#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub at: u64,
    pub length: u8,
    pub flow: Flow,
    pub is_emulated: bool,
    pub is_push: bool,
    /// Of a conditional jump, as its opcode has it.
    pub condition: Option<u8>,
    pub effect: Effect,
    pub shape: Shape,
}

impl Step {
    pub fn end(&self) -> u64 {
        self.at + u64::from(self.length)
    }
}

pub struct Listing {
    steps: BTreeMap<u64, Step>,
    /// From where to where, those of one instruction to itself included.
    pub jumps: Vec<(u64, u64)>,
    pub has_indirect_jumps: bool,
}

impl Listing {
    /// None: not all of it are instructions.
    pub fn of(function: Code, parts: &[Code]) -> Option<Listing> {
        let mut listing = Listing {
            steps: BTreeMap::new(),
            jumps: Vec::new(),
            has_indirect_jumps: false,
        };
        for code in [function].iter().chain(parts) {
            listing.add(*code)?;
        }
        Some(listing)
    }

    pub fn at(&self, address: u64) -> Option<&Step> {
        self.steps.get(&address)
    }

    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.values()
    }

    /// Whether all jumps into the pieces lead to instructions: what lies between these was not taken for code, then.
    pub fn agrees_with_its_jumps(&self) -> bool {
        (self.jumps.iter()).all(|(_, to)| self.at(*to).is_some() || !self.is_inside(*to))
    }

    fn is_inside(&self, address: u64) -> bool {
        let before = self.steps.range(..=address).next_back();
        before.is_some_and(|(_, step)| address < step.end())
    }

    fn add(&mut self, code: Code) -> Option<()> {
        let mut decoder = Decoder::with_ip(64, code.bytes, code.start, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        let mut info = InstructionInfoFactory::new();
        while decoder.can_decode() {
            let first = decoder.position();
            decoder.decode_out(&mut instruction);
            if instruction.is_invalid() {
                return None;
            }
            let bytes = &code.bytes[first..decoder.position()];
            let step = step(&instruction, bytes, &mut info);
            match step.flow {
                Flow::Jump(to) | Flow::Branch(to) => self.jumps.push((step.at, to)),
                Flow::IndirectJump(_) => self.has_indirect_jumps = true,
                _ => {}
            }
            self.steps.insert(step.at, step);
        }
        Some(())
    }
}

fn step(i: &Instruction, bytes: &[u8], info: &mut InstructionInfoFactory) -> Step {
    let target = match i.op_count() > 0 && i.op0_kind() == OpKind::NearBranch64 {
        true => i.near_branch64(),
        false => 0,
    };
    Step {
        at: i.ip(),
        length: i.len() as u8,
        flow: match i.flow_control() {
            FlowControl::Next => Flow::Next,
            FlowControl::Call | FlowControl::IndirectCall => Flow::Call,
            FlowControl::UnconditionalBranch => Flow::Jump(target),
            FlowControl::ConditionalBranch | FlowControl::XbeginXabortXend => Flow::Branch(target),
            FlowControl::IndirectBranch => Flow::IndirectJump(indirect(i)),
            FlowControl::Return => Flow::Return,
            FlowControl::Interrupt | FlowControl::Exception => Flow::End,
        },
        is_emulated: is_emulated(bytes),
        is_push: is_push(bytes),
        condition: match bytes {
            [code @ 0x70..=0x7f, _] | [0x0f, code @ 0x80..=0x8f, ..] => Some(code & 0xf),
            _ => None,
        },
        effect: Effect::of(i, info),
        shape: Shape::of(i),
    }
}

fn indirect(i: &Instruction) -> Indirect {
    match i.op0_kind() == OpKind::Memory && i.memory_index() == Register::None {
        true => Indirect::Place,
        false => Indirect::Computed,
    }
}

/// Without single-stepping, on all kernels that have `uprobe.multi` (arch/x86/kernel/uprobes.c). Longer nops are left out: newer
/// kernels replace them by calls (docs/decisions/allocations.md).
fn is_emulated(bytes: &[u8]) -> bool {
    let is_branch = match bytes {
        [0xe8 | 0xe9, ..] => bytes.len() == 5,
        [0xeb | 0x70..=0x7f, _] => true,
        [0x0f, 0x80..=0x8f, ..] => bytes.len() == 6,
        _ => false,
    };
    is_branch || is_push(bytes) || bytes == [0x90]
}

/// Of a general register.
fn is_push(bytes: &[u8]) -> bool {
    matches!(bytes, [0x50..=0x57] | [0x41, 0x50..=0x57])
}
