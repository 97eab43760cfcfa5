//! Which general registers an x86-64 instruction writes, by iced's tables.

use iced_x86::{
    Instruction, InstructionInfoFactory, InstructionInfoOptions, OpAccess, OpKind, Register,
};

/// Which general registers an instruction writes.
pub(crate) struct Writes {
    factory: InstructionInfoFactory,
    /// By code of the instruction: looking up all that one touches takes longer than everything else.
    known: Vec<Option<Written>>,
}

#[derive(Clone, Copy)]
struct Written {
    /// A bit for each operand.
    operands: u8,
    /// A bit for each register that is no operand.
    others: u16,
}

impl Writes {
    pub fn new() -> Writes {
        Writes {
            factory: InstructionInfoFactory::new(),
            known: Vec::new(),
        }
    }

    pub fn of(&mut self, i: &Instruction) -> u16 {
        let code = i.code() as usize;
        if code >= self.known.len() {
            self.known.resize(code + 1, None);
        }
        let known = self.known[code];
        let written = known.unwrap_or_else(|| self.look_up(i));
        self.known[code] = Some(written);
        let mut registers = written.others;
        for operand in 0..u32::from(OPERANDS).min(i.op_count()) {
            if written.operands & 1 << operand != 0 && i.op_kind(operand) == OpKind::Register {
                registers |= bit(i.op_register(operand));
            }
        }
        registers
    }

    fn look_up(&mut self, i: &Instruction) -> Written {
        let info = self
            .factory
            .info_options(i, InstructionInfoOptions::NO_MEMORY_USAGE);
        let mut written = Written {
            operands: 0,
            others: 0,
        };
        for operand in 0..u32::from(OPERANDS).min(i.op_count()) {
            if is_write(info.op_access(operand)) {
                written.operands |= 1 << operand;
            }
        }
        let is_operand = |register| (0..i.op_count()).any(|n| bit(i.op_register(n)) == register);
        for used in info.used_registers() {
            let register = bit(used.register());
            if is_write(used.access()) && !is_operand(register) {
                written.others |= register;
            }
        }
        written
    }
}

/// Instructions have five at most.
const OPERANDS: u8 = 5;

fn bit(register: Register) -> u16 {
    match register.full_register() {
        full if full.is_gpr64() => 1 << full.number(),
        _ => 0,
    }
}

fn is_write(access: OpAccess) -> bool {
    !matches!(
        access,
        OpAccess::None | OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess
    )
}
