//! A program that is executed instruction by instruction.

use walk::Registers;

use super::Mapped;

/// How the process stands after it was let go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// By the instruction that it has executed, or by a breakpoint of its own.
    Trap,
    /// It is about to get this signal.
    Signal(i32),
    Ended,
}

/// What an instruction does to the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instruction {
    Breakpoint,
    SystemCall,
    Call,
    Return,
    /// It leaves the callers as they are.
    Plain,
    /// Any stack may follow.
    ChangesStack,
    /// A call, a return or a plain one.
    Undecoded,
}

/// A stopped program of a machine with N registers.
pub trait Stepped<const N: usize> {
    fn registers(&mut self) -> Registers<N>;

    /// The next instruction.
    fn instruction(&mut self, ip: u64) -> Instruction;

    /// Executes one instruction; `signal`, as [`Stop::Signal`] had it, is delivered first, 0 for none.
    fn step(&mut self, signal: i32) -> Stop;

    /// As many bytes from `start` on as can be read, up to `length`.
    fn read(&mut self, start: u64, length: usize) -> Vec<u8>;

    /// Whether all of these bytes could be read.
    fn read_exact(&mut self, address: u64, to: &mut [u8]) -> bool;

    /// The executable mappings, if they changed since the last call.
    fn changed_mappings(&mut self) -> Option<Vec<Mapped>>;
}
