//! The machines whose stacks can be walked, and the C code compiled for each.

use crate::sources::{Ended, Sources};

/// Registers of the leaf. Their number tells the machine: [`x86_64::Registers`], [`aarch64::Registers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers<const N: usize> {
    /// By DWARF number, the stack pointer among them.
    pub general: [u64; N],
    pub ip: u64,
    /// False when `ip` is a return address itself: that of a system call.
    pub is_exact: bool,
}

pub mod x86_64 {
    /// rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15.
    pub const REGISTERS: usize = 16;
    pub const FP: usize = 6;
    pub const SP: usize = 7;

    pub type Registers = super::Registers<REGISTERS>;
}

pub mod aarch64 {
    /// x0 to x30 (the frame pointer and the link register are the last two), sp.
    pub const REGISTERS: usize = 32;
    pub const FP: usize = 29;
    pub const LINK: usize = 30;
    pub const SP: usize = 31;

    pub type Registers = super::Registers<REGISTERS>;
}

/// Registers of a machine whose stacks can be walked.
pub trait Machine {
    #[doc(hidden)]
    const CODE: Code;
    /// DWARF number of the frame pointer.
    const FP: usize;
}

impl Machine for x86_64::Registers {
    const CODE: Code = Code {
        state_size: lineheat_walk_state_size_x86_64,
        walk: lineheat_walk_x86_64,
        code_kind: lineheat_code_kind_x86_64,
    };
    const FP: usize = x86_64::FP;
}

impl Machine for aarch64::Registers {
    const CODE: Code = Code {
        state_size: lineheat_walk_state_size_aarch64,
        walk: lineheat_walk_aarch64,
        code_kind: lineheat_code_kind_aarch64,
    };
    const FP: usize = aarch64::FP;
}

/// What walk.c defines for each machine.
pub struct Code {
    pub(crate) state_size: StateSize,
    pub(crate) walk: Walk,
    pub(crate) code_kind: CodeKind,
}

type StateSize = unsafe extern "C" fn() -> usize;
type Walk = unsafe extern "C" fn(
    state: *mut u64,
    sources: *const Sources,
    registers: *const u64,
    ip: u64,
    exact_ip: bool,
    frames: *mut u64,
    ended: *mut Ended,
) -> usize;
type CodeKind = unsafe extern "C" fn(state: *mut u64, address: u64) -> u8;

/// Declares walk.c's functions under a machine's names for them.
macro_rules! code_of_machine {
    ($state_size:ident, $walk:ident, $code_kind:ident) => {
        unsafe extern "C" {
            fn $state_size() -> usize;
            fn $walk(
                state: *mut u64,
                sources: *const Sources,
                registers: *const u64,
                ip: u64,
                exact_ip: bool,
                frames: *mut u64,
                ended: *mut Ended,
            ) -> usize;
            fn $code_kind(state: *mut u64, address: u64) -> u8;
        }
    };
}

code_of_machine!(
    lineheat_walk_state_size_x86_64,
    lineheat_walk_x86_64,
    lineheat_code_kind_x86_64
);
code_of_machine!(
    lineheat_walk_state_size_aarch64,
    lineheat_walk_aarch64,
    lineheat_code_kind_aarch64
);
