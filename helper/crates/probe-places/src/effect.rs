//! What an instruction does to the stack pointer.

use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};

/// And to the frame pointer, from which a function may get it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    None,
    /// The stack grows by so many bytes.
    Deeper(i64),
    /// `mov %rsp,%rbp` and the like: the frame pointer is so much deeper than the stack pointer.
    FrameFromStack(i64),
    /// `mov %rbp,%rsp` and the like.
    StackFromFrame(i64),
    /// `leave`.
    Leave,
    /// As `Deeper`, and the frame pointer has another value: `pop %rbp`.
    FrameLost(i64),
    StackLost,
}

impl Effect {
    pub fn of(i: &Instruction, info: &mut InstructionInfoFactory) -> Effect {
        let [to, from] = [i.op0_kind(), i.op1_kind()].map(|kind| kind == OpKind::Register);
        let (rsp, rbp) = (Register::RSP, Register::RBP);
        let is_to = |register| to && i.op0_register() == register;
        let constant = || i.try_immediate(1).ok().map(u64::cast_signed);
        match i.mnemonic() {
            Mnemonic::Leave => return Effect::Leave,
            Mnemonic::Mov if is_to(rbp) && from && i.op1_register() == rsp => {
                return Effect::FrameFromStack(0);
            }
            Mnemonic::Mov if is_to(rsp) && from && i.op1_register() == rbp => {
                return Effect::StackFromFrame(0);
            }
            Mnemonic::Lea if i.memory_index() == Register::None => {
                let up = i.memory_displacement64().cast_signed();
                match (i.op0_register(), i.memory_base()) {
                    (Register::RSP, Register::RSP) => return Effect::Deeper(-up),
                    (Register::RBP, Register::RSP) => return Effect::FrameFromStack(-up),
                    (Register::RSP, Register::RBP) => return Effect::StackFromFrame(-up),
                    _ => {}
                }
            }
            Mnemonic::Sub if is_to(rsp) => {
                return constant().map_or(Effect::StackLost, Effect::Deeper);
            }
            Mnemonic::Add if is_to(rsp) => {
                return constant().map_or(Effect::StackLost, |up| Effect::Deeper(-up));
            }
            // The callee pops what the call has pushed.
            Mnemonic::Call | Mnemonic::Ret => return Effect::None,
            _ => {}
        }
        let deeper = -i64::from(i.stack_pointer_increment());
        let (mut writes_stack, mut writes_frame) = (false, false);
        for used in info.info(i).used_registers() {
            let writes = !matches!(
                used.access(),
                OpAccess::None | OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess
            );
            writes_stack |= writes && used.register().full_register() == rsp;
            writes_frame |= writes && used.register().full_register() == rbp;
        }
        match (writes_stack, writes_frame, deeper) {
            (true, _, 0) => Effect::StackLost,
            (_, true, deeper) => Effect::FrameLost(deeper),
            (_, false, 0) => Effect::None,
            (_, false, deeper) => Effect::Deeper(deeper),
        }
    }
}
