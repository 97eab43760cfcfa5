//! Where Go's runtime keeps whether it samples its heap and how often, in a program without symbols: by the code that reads the one and
//! sets the other.

use iced_x86::{Code as Opcode, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

use crate::Code;

/// Addresses of `runtime.disableMemoryProfiling`, a byte, and `runtime.MemProfileRate`, a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoSwitch {
    pub disabled: u64,
    pub rate: u64,
}

/// What a program's rate is at first.
const USUAL_RATE: u64 = 512 << 10;

/// `None`: not exactly one place of the function is such code, in one of two forms. Since Go 1.21, `schedinit` has
/// `if disabled { rate = 0 }`; before, `init` has `rate = 512 KiB, or 0 if disabled`.
pub fn go_switch(function: Code) -> Option<GoSwitch> {
    let instructions = instructions_of(function);
    let since_1_21 = instructions.windows(4).filter_map(reset_if_disabled);
    let before = instructions.windows(6).filter_map(chosen_by_disabled);
    let mut found = since_1_21.chain(before);
    found.next().filter(|_| found.next().is_none())
}

/// Whether the function reads or compares a word of 8 bytes at this address.
pub fn reads_word(function: Code, address: u64) -> bool {
    instructions_of(function).iter().any(|one| {
        let reads = matches!(
            one.code(),
            Opcode::Mov_r64_rm64
                | Opcode::Cmp_r64_rm64
                | Opcode::Cmp_rm64_r64
                | Opcode::Cmp_rm64_imm8
        );
        reads && place(one) == Some(address)
    })
}

fn instructions_of(function: Code) -> Vec<Instruction> {
    let decoder = Decoder::with_ip(64, function.bytes, function.start, DecoderOptions::NONE);
    decoder.into_iter().collect()
}

/// Of what is addressed from the instruction on.
fn place(of: &Instruction) -> Option<u64> {
    of.is_ip_rel_memory_operand()
        .then(|| of.ip_rel_memory_address())
}

/// cmpb $0, disabled; je next; movq $0, rate; next:
fn reset_if_disabled(code: &[Instruction]) -> Option<GoSwitch> {
    let [compare, branch, store, next] = code else {
        return None;
    };
    let is_it = compare.code() == Opcode::Cmp_rm8_imm8
        && compare.immediate8() == 0
        && branch.mnemonic() == Mnemonic::Je
        && branch.near_branch_target() == next.ip()
        && store.code() == Opcode::Mov_rm64_imm32
        && store.immediate32to64() == 0;
    let switch = GoSwitch {
        disabled: place(compare)?,
        rate: place(store)?,
    };
    is_it.then_some(switch)
}

/// movzbl disabled, a; test a, a; mov $512K, b; mov $0, c; cmovne c, b; mov b, rate
fn chosen_by_disabled(code: &[Instruction]) -> Option<GoSwitch> {
    let [load, test, usual, none, choice, store] = code else {
        return None;
    };
    let wide = |register: Register| register.full_register();
    let (flag, rate) = (wide(load.op0_register()), wide(usual.op0_register()));
    let is_constant = |one: &Instruction, value| {
        one.mnemonic() == Mnemonic::Mov
            && one.op0_kind() == OpKind::Register
            && matches!(
                one.op1_kind(),
                OpKind::Immediate32 | OpKind::Immediate32to64
            )
            && one.immediate(1) == value
    };
    let is_it = load.code() == Opcode::Movzx_r32_rm8
        && test.mnemonic() == Mnemonic::Test
        && [test.op0_register(), test.op1_register()].map(wide) == [flag; 2]
        && is_constant(usual, USUAL_RATE)
        && is_constant(none, 0)
        && choice.code() == Opcode::Cmovne_r64_rm64
        && wide(choice.op0_register()) == rate
        && wide(choice.op1_register()) == wide(none.op0_register())
        && store.code() == Opcode::Mov_rm64_r64
        && store.op1_register() == rate;
    let switch = GoSwitch {
        disabled: place(load)?,
        rate: place(store)?,
    };
    is_it.then_some(switch)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 0x43_462f;
    /// Of go1.21.13, then `ret`.
    const SINCE_1_21: [u8; 21] = [
        0x80, 0x3d, 0xca, 0x8f, 0x0e, 0x00, 0x00, 0x74, 0x0b, 0x48, 0xc7, 0x05, 0x55, 0x3b, 0x0e,
        0x00, 0x00, 0x00, 0x00, 0x00, 0xc3,
    ];
    /// Of go1.19.8, behind 0x458585.
    const BEFORE: [u8; 31] = [
        0x0f, 0xb6, 0x05, 0xb4, 0x91, 0x0c, 0x00, 0x48, 0x85, 0xc0, 0xb8, 0x00, 0x00, 0x08, 0x00,
        0xb9, 0x00, 0x00, 0x00, 0x00, 0x48, 0x0f, 0x45, 0xc1, 0x48, 0x89, 0x05, 0xac, 0xfa, 0x0f,
        0x00,
    ];

    fn found(start: u64, bytes: &[u8]) -> Option<GoSwitch> {
        go_switch(Code { start, bytes })
    }

    #[test]
    fn both_forms_are_found_where_their_symbols_are() {
        let since_1_21 = GoSwitch {
            disabled: 0x51_d600,
            rate: 0x51_8198,
        };
        assert_eq!(found(START, &SINCE_1_21), Some(since_1_21));
        let before = GoSwitch {
            disabled: 0x52_1740,
            rate: 0x55_8050,
        };
        assert_eq!(found(0x45_8585, &BEFORE), Some(before));
    }

    #[test]
    fn code_that_differs_or_comes_twice_shows_nothing() {
        for (at, byte) in [(6, 0x00), (7, 0x75), (8, 0x0c), (16, 1), (10, 0xc3)] {
            let mut bytes = SINCE_1_21;
            let was = std::mem::replace(&mut bytes[at], byte);
            if was != byte {
                assert_eq!(found(START, &bytes), None, "byte {at}");
            }
        }
        for (at, byte) in [(13, 0x07), (16, 1), (22, 0x44), (23, 0xc2)] {
            let mut bytes = BEFORE;
            bytes[at] = byte;
            assert_eq!(found(START, &bytes), None, "byte {at}");
        }
        let twice = [&SINCE_1_21[..], &SINCE_1_21[..]].concat();
        assert_eq!(found(START, &twice), None);
        assert_eq!(found(START, &[]), None);
    }

    #[test]
    fn a_word_is_read_at_its_address_alone() {
        // mov 0x14c490(%rip), %rdx; mov %rdx, 0x14c490(%rip)
        let bytes = [
            0x48, 0x8b, 0x15, 0x90, 0xc4, 0x14, 0x00, 0x48, 0x89, 0x15, 0x90, 0xc4, 0x14, 0x00,
        ];
        let function = Code {
            start: 0x40_bbb9,
            bytes: &bytes,
        };
        assert!(reads_word(function, 0x55_8050));
        assert!(!reads_word(function, 0x55_8057), "that one is written");
        assert!(!reads_word(function, 0x55_8051));
    }
}
