//! Go's own table of functions, files, lines and inlined calls (`.gopclntab`), which stays in stripped programs: the
//! runtime prints stack traces by it. The layout is that of Go 1.18 and later (runtime/symtab.go, internal/abi/symtab.go).

use object::{Object, ObjectSection};

use crate::go_module::{GoModule, Layout, u64_at};
use crate::source_path;
use crate::text::Text;
use crate::{Frame, elf::Elf};

const MAGIC_1_18: u32 = 0xffff_fff0;
const MAGIC_1_20: u32 = 0xffff_fff1;
/// Steps of one table of one function, and inlined calls at one address: a hostile table may be long.
const STEPS_MAX: usize = 1 << 20;
const CHAIN_FRAMES_MAX: usize = 1024;
/// Of a program; Kubernetes has 100,000.
const FUNCTIONS_MAX: u64 = 4 << 20;

const PCDATA_INLINE_TREE_INDEX: u32 = 2;
const FUNCDATA_INLINE_TREE: u32 = 3;
const NO_FUNCDATA: u32 = u32::MAX;

pub(crate) struct GoTable<'a> {
    bytes: &'a [u8],
    layout: Layout,
    /// Bytes of the machine's shortest instruction, which tables count code in.
    code_unit: u64,
    functions: u64,
    names: u64,
    units: u64,
    files: u64,
    tables: u64,
    function_table: u64,
    module: GoModule<'a>,
}

struct Function {
    /// Where it stands in the table.
    at: u64,
    entry: u64,
    name: u64,
    file_steps: u32,
    line_steps: u32,
    pcdata_count: u32,
    unit: u32,
    start_line: u32,
    funcdata_count: u8,
}

impl<'a> GoTable<'a> {
    /// `None`: the file has no such table, or one of a layout that is not known.
    pub(crate) fn of(elf: &'a Elf<'a>) -> Option<GoTable<'a>> {
        let section = [".gopclntab", ".data.rel.ro.gopclntab"]
            .iter()
            .find_map(|name| elf.object.section_by_name(name))?;
        let bytes = section.data().ok()?;
        let magic = u32_at(bytes, 0)?;
        let [code_unit, pointer_bytes] = [*bytes.get(6)?, *bytes.get(7)?];
        let layout = match magic {
            MAGIC_1_18 => Layout::Go118,
            MAGIC_1_20 => Layout::Go120,
            _ => return None,
        };
        if pointer_bytes != 8 || !matches!(code_unit, 1 | 2 | 4) {
            return None;
        }
        let word = |index: u64| u64_at(bytes, 8 + 8 * index);
        let text_start = word(2)?;
        let module = GoModule::of(elf, layout, section.address(), text_start)?;
        Some(GoTable {
            bytes,
            layout,
            code_unit: u64::from(code_unit),
            functions: word(0)?,
            names: word(3)?,
            units: word(4)?,
            files: word(5)?,
            tables: word(6)?,
            function_table: word(7)?,
            module,
        })
    }

    /// The frames at `vaddr`, innermost first; empty: no function of Go.
    pub(crate) fn chain(&self, vaddr: u64) -> Vec<Frame> {
        let mut chain = Vec::new();
        // What was found before a malformed entry stays.
        let _ = self.add_frames(vaddr, &mut chain);
        chain
    }

    fn add_frames(&self, vaddr: u64, chain: &mut Vec<Frame>) -> Option<()> {
        let function = self.function_at(vaddr)?;
        let mut at = vaddr;
        while chain.len() < CHAIN_FRAMES_MAX {
            let call = self.inlined_call(&function, at);
            let (name, start_line) = match call {
                Some(call) => (self.text(self.names, call.name)?, call.start_line),
                None => (self.text(self.names, function.name)?, function.start_line),
            };
            let file = self.file_at(&function, at);
            let line = self.value_at(&function, function.line_steps, at);
            chain.push(Frame {
                name: Text::from(name),
                system_name: Text::from(name),
                file: file.map(|file| Text::from(source_path::normalized(file))),
                line: line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0),
                column: 0,
                function_line: start_line,
                inlined: call.is_some(),
            });
            match call {
                Some(call) => at = function.entry.checked_add(u64::from(call.parent))?,
                None => break,
            }
        }
        Some(())
    }

    /// Where functions of these names begin and end, in the order of the names. One that assembly calls has a second function of its
    /// name, which is smaller and calls it.
    pub(crate) fn functions_named<const N: usize>(
        &self,
        names: [&str; N],
    ) -> [Option<(u64, u64)>; N] {
        let mut found: [Option<(u64, u64)>; N] = [None; N];
        for index in 0..self.functions.min(FUNCTIONS_MAX) {
            let Some((name, range)) = self.name_and_range(index) else {
                break;
            };
            if let Some(at) = names.iter().position(|wanted| *wanted == name) {
                let bytes = |(start, end): (u64, u64)| end.saturating_sub(start);
                if found[at].is_none_or(|known| bytes(known) < bytes(range)) {
                    found[at] = Some(range);
                }
            }
        }
        found
    }

    fn name_and_range(&self, index: u64) -> Option<(&'a str, (u64, u64))> {
        let (entry, offset) = self.function_entry(index)?;
        let (end, _) = self.function_entry(index + 1)?;
        let at = self.function_table.checked_add(u64::from(offset))?;
        let name = u32_at(self.bytes, at.checked_add(4)?)?;
        let vaddr = |offset: u32| self.module.text.checked_add(u64::from(offset));
        let range = (vaddr(entry)?, vaddr(end)?);
        Some((self.text(self.names, u64::from(name))?, range))
    }

    /// The functions are sorted by where they begin; a last entry says where the code ends.
    fn function_at(&self, vaddr: u64) -> Option<Function> {
        let wanted = vaddr.checked_sub(self.module.text)?;
        let entry_of = |index: u64| {
            self.function_entry(index)
                .map(|(entry, _)| u64::from(entry))
        };
        let (mut low, mut high) = (0, self.functions);
        if entry_of(high)? <= wanted {
            return None;
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if entry_of(middle)? <= wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let (entry, offset) = self.function_entry(low.checked_sub(1)?)?;
        let at = self.function_table.checked_add(u64::from(offset))?;
        let field = |index: u64| u32_at(self.bytes, at.checked_add(4 * index)?);
        // Then stand the function's kind, its flags, padding and the count of its funcdata, one byte each.
        let (start_line, tail) = match self.layout {
            Layout::Go118 => (0, 9),
            Layout::Go120 => (field(9)?, 10),
        };
        Some(Function {
            at,
            entry: self.module.text.checked_add(u64::from(entry))?,
            name: u64::from(field(1)?),
            file_steps: field(5)?,
            line_steps: field(6)?,
            pcdata_count: field(7)?,
            unit: field(8)?,
            start_line,
            funcdata_count: (field(tail)? >> 24) as u8,
        })
    }

    fn function_entry(&self, index: u64) -> Option<(u32, u32)> {
        let at = self.function_table.checked_add(index.checked_mul(8)?)?;
        Some((
            u32_at(self.bytes, at)?,
            u32_at(self.bytes, at.checked_add(4)?).unwrap_or(0),
        ))
    }

    fn file_at(&self, function: &Function, vaddr: u64) -> Option<&'a str> {
        let number = u64::try_from(self.value_at(function, function.file_steps, vaddr)?).ok()?;
        let index = u64::from(function.unit).checked_add(number)?;
        let offset = u32_at(self.bytes, self.units.checked_add(index.checked_mul(4)?)?)?;
        // Of a file that no line is left of.
        (offset != u32::MAX).then(|| self.text(self.files, u64::from(offset)))?
    }

    /// The value that a table of steps (value, then how much code it holds for) has at an address.
    fn value_at(&self, function: &Function, table: u32, vaddr: u64) -> Option<i64> {
        if table == 0 {
            return None;
        }
        let start = usize::try_from(self.tables.checked_add(u64::from(table))?).ok()?;
        let mut steps = self.bytes.get(start..)?;
        let (mut value, mut end) = (-1i64, function.entry);
        for step in 0..STEPS_MAX {
            let change = varint(&mut steps)?;
            if change == 0 && step > 0 {
                return None;
            }
            // Zigzag: the lowest bit is the sign.
            let change = i64::from(change >> 1) ^ -i64::from(change & 1);
            value = value.checked_add(change)?;
            end = end.checked_add(self.code_unit * u64::from(varint(&mut steps)?))?;
            if vaddr < end {
                return Some(value);
            }
        }
        None
    }

    /// The inlined call that the code at an address is of.
    fn inlined_call(&self, function: &Function, vaddr: u64) -> Option<InlinedCall> {
        if function.pcdata_count <= PCDATA_INLINE_TREE_INDEX
            || u32::from(function.funcdata_count) <= FUNCDATA_INLINE_TREE
        {
            return None;
        }
        let (head_bytes, call_bytes) = match self.layout {
            Layout::Go118 => (40, 20),
            Layout::Go120 => (44, 16),
        };
        let lists = function.at.checked_add(head_bytes)?;
        let index_table = lists.checked_add(4 * u64::from(PCDATA_INLINE_TREE_INDEX))?;
        let table = u32_at(self.bytes, index_table)?;
        let index = u64::try_from(self.value_at(function, table, vaddr)?).ok()?;
        let place = u64::from(function.pcdata_count) + u64::from(FUNCDATA_INLINE_TREE);
        let tree = u32_at(self.bytes, lists.checked_add(place.checked_mul(4)?)?)?;
        if tree == NO_FUNCDATA {
            return None;
        }
        let offset = u64::from(tree).checked_add(index.checked_mul(call_bytes)?)?;
        let call = self.module.function_data(offset, call_bytes as usize)?;
        let (name, parent, start_line) = match self.layout {
            // parent: i16, kind, padding, file, line, name, address of the call
            Layout::Go118 => (u32_at(call, 12)?, u32_at(call, 16)?, 0),
            // kind, padding, name, address of the call, first line
            Layout::Go120 => (u32_at(call, 4)?, u32_at(call, 8)?, u32_at(call, 12)?),
        };
        Some(InlinedCall {
            name: u64::from(name),
            parent,
            start_line,
        })
    }

    /// Text that ends with a zero byte.
    fn text(&self, table: u64, offset: u64) -> Option<&'a str> {
        const TEXT_BYTES_MAX: usize = 64 << 10;
        let start = usize::try_from(table.checked_add(offset)?).ok()?;
        let rest = self.bytes.get(start..)?;
        let rest = &rest[..rest.len().min(TEXT_BYTES_MAX)];
        let end = rest.iter().position(|byte| *byte == 0)?;
        std::str::from_utf8(&rest[..end]).ok()
    }
}

#[derive(Clone, Copy)]
struct InlinedCall {
    name: u64,
    /// Where the call was, from the function's entry on.
    parent: u32,
    start_line: u32,
}

pub(crate) fn u32_at(bytes: &[u8], at: u64) -> Option<u32> {
    let at = usize::try_from(at).ok()?;
    let end = at.checked_add(4)?;
    Some(u32::from_le_bytes(bytes.get(at..end)?.try_into().ok()?))
}

fn varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0u32;
    for shift in (0..32).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
