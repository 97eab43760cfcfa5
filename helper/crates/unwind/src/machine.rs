//! The machines whose code can be unwound, and the files that hold it.

use object::Endianness;
use object::read::elf::ElfFile64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    X86_64,
    Aarch64,
}

pub(crate) type Elf<'a> = ElfFile64<'a, Endianness>;
