//! What the C code of a walk reads through, laid out as in walk.c.

use std::ffi::c_void;

use crate::tables::{Mapping, MappingTable, RawMappingTable, RawRule, Tables};

/// Calls the closure behind `reader`.
///
/// # Safety
/// `reader` points to an `R` that nobody else uses, `to` to `size` bytes.
unsafe extern "C" fn read_by<R: FnMut(u64, &mut [u8]) -> bool>(
    reader: *mut c_void,
    address: u64,
    to: *mut u8,
    size: usize,
) -> bool {
    // SAFETY: as this function demands of its caller; the C code passes what it got and room of its own.
    let (read, to) = unsafe {
        (
            &mut *reader.cast::<R>(),
            std::slice::from_raw_parts_mut(to, size),
        )
    };
    read(address, to)
}

/// Calls the closure behind `finder`.
///
/// # Safety
/// `finder` points to an `F` that nobody else uses, `found` to room for a mapping.
unsafe extern "C" fn find_by<F: FnMut(u64) -> Option<Mapping>>(
    finder: *mut c_void,
    address: u64,
    found: *mut Mapping,
) -> bool {
    // SAFETY: as this function demands of its caller; the C code passes what it got and room of its own.
    let find = unsafe { &mut *finder.cast::<F>() };
    let mapping = find(address);
    let Some(mapping) = mapping else {
        return false;
    };
    // SAFETY: as above.
    unsafe { found.write(mapping) };
    true
}

/// `struct walk_ended` of walk.c.
#[repr(C)]
#[derive(Default)]
pub(crate) struct Ended {
    pub(crate) frame_pointer: u64,
    pub(crate) end: u8,
    pub(crate) on_other_stack: bool,
}

/// `struct walk_sources` of walk.c.
#[repr(C)]
pub(crate) struct Sources {
    read: unsafe extern "C" fn(*mut c_void, u64, *mut u8, usize) -> bool,
    reader: *mut c_void,
    table: *const RawMappingTable,
    pages: *const u64,
    page_count: u64,
    rows: *const u32,
    row_count: u64,
    rules: *const RawRule,
    rule_count: u64,
    find: Option<FindMapping>,
    finder: *mut c_void,
}

type FindMapping = unsafe extern "C" fn(*mut c_void, u64, *mut Mapping) -> bool;

impl Sources {
    /// Valid as long as all of these are.
    pub(crate) fn new<R: FnMut(u64, &mut [u8]) -> bool>(
        read: &mut R,
        mappings: &MappingTable,
        tables: &Tables,
    ) -> Sources {
        Sources {
            read: read_by::<R>,
            reader: (&raw mut *read).cast(),
            table: mappings.raw(),
            pages: tables.pages().as_ptr(),
            page_count: tables.pages().len() as u64,
            rows: tables.rows().as_ptr(),
            row_count: tables.rows().len() as u64,
            rules: tables.rules().as_ptr(),
            rule_count: tables.rules().len() as u64,
            find: None,
            finder: std::ptr::null_mut(),
        }
    }

    /// The same, asking `find` for mappings; valid as long as that is, too.
    pub(crate) fn finding<F: FnMut(u64) -> Option<Mapping>>(self, find: &mut F) -> Sources {
        Sources {
            find: Some(find_by::<F>),
            finder: (&raw mut *find).cast(),
            ..self
        }
    }
}
