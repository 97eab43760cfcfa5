//! Mini debug info: the symbol table of a stripped program as an xz-compressed ELF file in its `.gnu_debugdata`.

use std::io::Read;

use lzma_rust2::XzReader;
use object::{Object, ObjectSection};

use crate::elf::Elf;

/// Fedora's largest (a browser) unpacks to less than a tenth of it.
const UNPACKED_BYTES_MAX: u64 = 256 << 20;
/// Of the decoder: `xz -9` needs 64 MiB.
const MEMORY_KIB_MAX: u32 = 96 << 10;

/// The unpacked file; `None`: there is none, or it does not unpack within bounds.
pub(crate) fn unpacked(elf: &Elf) -> Option<Vec<u8>> {
    let packed = elf.object.section_by_name(".gnu_debugdata")?.data().ok()?;
    let mut bytes = Vec::new();
    XzReader::new_mem_limit(packed, false, MEMORY_KIB_MAX)
        .take(UNPACKED_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .ok()?;
    (bytes.len() as u64 <= UNPACKED_BYTES_MAX).then_some(bytes)
}
