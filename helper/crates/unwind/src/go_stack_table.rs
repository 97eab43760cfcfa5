//! `.gopclntab`: how far Go's functions have moved the stack pointer, and their names. It stays in stripped programs,
//! which have no other description of their frames (runtime/symtab.go and runtime2.go of Go 1.18 to 1.26).

use object::read::elf::ElfSection64;
use object::{Endianness, Object, ObjectSection};
use records::Rule;

use crate::machine::Elf;
use crate::spans::{Span, Spans};

const MAGIC_1_18: u32 = 0xffff_fff0;
const MAGIC_1_20: u32 = 0xffff_fff1;

/// A function of the table.
pub(crate) struct GoFunction<'a> {
    pub start: u64,
    pub end: u64,
    pub name: &'a [u8],
}

pub(crate) struct GoStackTable<'a> {
    bytes: &'a [u8],
    text: u64,
    function_count: usize,
    names: usize,
    /// Where tables by pc lie.
    by_pc: usize,
    /// Bytes of the machine's shortest instruction, which tables count code in.
    code_unit: u64,
    /// Where functions lie: first the index, two words each.
    functions: usize,
}

impl<'a> GoStackTable<'a> {
    /// None for a file that is not of Go, or of a Go whose table is laid out in another way.
    pub fn of(file: &Elf<'a>) -> Option<GoStackTable<'a>> {
        let section = file
            .section_by_name(".gopclntab")
            .or_else(|| file.section_by_name(".data.rel.ro.gopclntab"))?;
        let bytes = section.data().ok()?;
        let [code_unit, pointer_bytes] = [*bytes.get(6)?, *bytes.get(7)?];
        let is_known = [MAGIC_1_18, MAGIC_1_20].contains(&u32_at(bytes, 0)?);
        if !is_known || pointer_bytes != 8 || !matches!(code_unit, 1 | 2 | 4) {
            return None;
        }
        let word = |number: usize| usize::try_from(u64_at(bytes, 8 + 8 * number)?).ok();
        let text = match word(2)? as u64 {
            0 => text_of_module(file, &section)?,
            text => text,
        };
        Some(GoStackTable {
            bytes,
            text,
            code_unit: u64::from(code_unit),
            function_count: word(0)?.min(bytes.len() / 8),
            names: word(3)?,
            by_pc: word(6)?,
            functions: word(7)?,
        })
    }

    pub fn functions(&self) -> impl Iterator<Item = GoFunction<'a>> {
        (0..self.function_count).filter_map(|number| self.function(number).map(|f| f.0))
    }

    /// The rule of each instruction, by how many bytes the stack pointer has moved since the function was entered.
    pub fn spans(&self, rule_of: fn(i32) -> Rule) -> Spans {
        let mut spans = Vec::new();
        // A hostile table could make every function walk through all of it.
        let mut steps_left = 4 * self.bytes.len();
        for number in 0..self.function_count {
            let Some((function, table)) = self.function(number) else {
                continue;
            };
            let Some(mut table) = self
                .by_pc
                .checked_add(table)
                .and_then(|at| self.bytes.get(at..))
            else {
                continue;
            };
            let (mut pc, mut moved) = (function.start, -1i32);
            while pc < function.end && steps_left > 0 {
                steps_left -= 1;
                let Some((change, length)) = next_step(&mut table, pc == function.start) else {
                    break;
                };
                moved = moved.wrapping_add(change);
                let bytes = self.code_unit * u64::from(length);
                let end = pc.saturating_add(bytes).min(function.end);
                if moved >= 0 && pc < end {
                    spans.push(Span {
                        start: pc,
                        end,
                        rule: rule_of(moved),
                    });
                }
                pc = end;
            }
        }
        Spans::new(spans)
    }

    /// The function and where its table of stack moves is.
    fn function(&self, number: usize) -> Option<(GoFunction<'a>, usize)> {
        let index = self.functions.checked_add(number.checked_mul(8)?)?;
        let address =
            |at: usize| Some(self.text.saturating_add(u64::from(u32_at(self.bytes, at)?)));
        let record = self
            .functions
            .checked_add(u32_at(self.bytes, index.checked_add(4)?)? as usize)?;
        let name = self
            .names
            .checked_add(u32_at(self.bytes, record.checked_add(4)?)? as usize)?;
        let name = self.bytes.get(name..)?.split(|b| *b == 0).next()?;
        let table = u32_at(self.bytes, record.checked_add(16)?)? as usize;
        let function = GoFunction {
            start: address(index)?,
            end: address(index.checked_add(8)?)?,
            name,
        };
        (table != 0).then_some((function, table))
    }
}

/// Since Go 1.26 only `runtime.moduledata` says where the code begins; its first word is the table's address.
fn text_of_module(file: &Elf<'_>, table: &ElfSection64<'_, '_, Endianness>) -> Option<u64> {
    const TEXT: usize = 22; // word of moduledata
    let address = table.address().to_le_bytes();
    let in_module = [".go.module", ".noptrdata", ".data"]
        .iter()
        .find_map(|name| {
            let bytes = file.section_by_name(name)?.data().ok()?;
            let at = bytes.chunks_exact(8).position(|word| word == address)? * 8;
            u64_at(bytes, at.checked_add(8 * TEXT)?)
        });
    // Position-independent: the words are relocations. The code of a program without C begins its section.
    in_module.or_else(|| Some(file.section_by_name(".text")?.address()))
}

/// The change of the value, zigzag-coded, and for how many units of code the new value holds. None at the end.
fn next_step(table: &mut &[u8], is_first: bool) -> Option<(i32, u32)> {
    let change = variable_length(table)?;
    if change == 0 && !is_first {
        return None;
    }
    let change = if change & 1 == 1 {
        !(change >> 1) as i32
    } else {
        (change >> 1) as i32
    };
    Some((change, variable_length(table)?))
}

fn variable_length(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0u32;
    for shift in [0, 7, 14, 21, 28] {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(word.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let word = bytes.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(word.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_zigzag_changes_with_lengths_and_end_at_zero() {
        let mut table = &[2u8, 5, 0x80, 0x01, 3, 1, 200, 1, 0, 9][..];
        assert_eq!(next_step(&mut table, true), Some((1, 5)));
        assert_eq!(next_step(&mut table, false), Some((64, 3)));
        assert_eq!(next_step(&mut table, false), Some((-1, 200)));
        assert_eq!(next_step(&mut table, false), None);
    }

    #[test]
    fn a_number_that_never_ends_is_none() {
        assert_eq!(variable_length(&mut &[0x80u8; 9][..]), None);
        assert_eq!(variable_length(&mut &[0x80u8][..]), None);
    }
}
