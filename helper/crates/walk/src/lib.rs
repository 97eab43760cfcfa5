//! The BPF sampler's walk of a user stack (`bpf/walk.h`), compiled for user space: it reads recorded registers, stack
//! bytes and the same rows, and gives the same frames. For recordings without privilege, for tests, and to look at a
//! walk with a debugger. Each machine's stacks can be walked on any machine.

mod chain;
mod machine;
mod sources;
mod tables;
mod walker;

#[cfg(target_arch = "aarch64")]
pub use aarch64 as own;
pub use machine::{Machine, Registers};
pub use tables::{Mapping, MappingTable, Tables};
pub use walker::{Piece, Stack, Walked, Walker};
#[cfg(target_arch = "x86_64")]
pub use x86_64 as own;

pub mod x86_64 {
    pub use crate::machine::x86_64::*;
    pub type Walker = crate::walker::Walker<REGISTERS>;
}

pub mod aarch64 {
    pub use crate::machine::aarch64::*;
    pub type Walker = crate::walker::Walker<REGISTERS>;
}
