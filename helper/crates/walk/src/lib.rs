//! The BPF sampler's walk of a user stack (`bpf/walk.h`), compiled for user space: it reads recorded registers, stack
//! bytes and the same rows, and gives the same frames. For recordings without privilege, for tests, and to look at a
//! walk with a debugger. Each machine's stacks can be walked on any machine.

mod chain;
mod machine;
mod tables;

use std::ffi::c_void;

use records::StackEnd;
use records::layout::USER_FRAMES_MAX;

#[cfg(target_arch = "aarch64")]
pub use machine::aarch64 as own;
#[cfg(target_arch = "x86_64")]
pub use machine::x86_64 as own;
pub use machine::{Machine, aarch64, x86_64};
pub use tables::{Mapping, MappingTable, Tables};
use tables::{RawMappingTable, RawRule};

/// Registers of the leaf. Their number tells the machine: [`x86_64::Registers`], [`aarch64::Registers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers<const N: usize> {
    /// By DWARF number, the stack pointer among them.
    pub general: [u64; N],
    pub ip: u64,
    /// False when `ip` is a return address itself: that of a system call.
    pub is_exact: bool,
}

/// Bytes of a thread's stack, or of one of its stacks.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// Address of the first byte.
    pub start: u64,
    pub bytes: &'a [u8],
}

impl Piece<'_> {
    fn read(&self, address: u64, to: &mut [u8]) -> bool {
        let from = usize::try_from(address.wrapping_sub(self.start)).unwrap_or(usize::MAX);
        let end = from.saturating_add(to.len());
        let found = self.bytes.get(from..end);
        found.inspect(|bytes| to.copy_from_slice(bytes)).is_some()
    }
}

/// What is known of a thread's stack.
#[derive(Debug, Clone, Copy)]
pub struct Stack<'a> {
    pub pieces: &'a [Piece<'a>],
    /// What the kernel found by frame pointers as it took the sample: the leaf's address, then return addresses. Serves
    /// where a frame's caller is on another stack, of which no piece is here. Empty where the kernel was not asked.
    pub chain: &'a [u64],
}

impl<'a> Stack<'a> {
    pub fn of(pieces: &'a [Piece<'a>]) -> Stack<'a> {
        Stack { pieces, chain: &[] }
    }

    fn read(&self, address: u64, to: &mut [u8]) -> bool {
        self.pieces.iter().any(|piece| piece.read(address, to))
    }
}

/// Addresses in the process, leaf first; those of callers are one less than the return address, so that they lie
/// in the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walked<'a> {
    pub frames: &'a [u64],
    pub end: StackEnd,
}

/// What a walk needs room for: some 120 KB, made once.
pub struct Walker<const N: usize> {
    /// `struct user_walk` of the machine, zeroed at first.
    state: Vec<u64>,
    no_table: MappingTable,
    frames: Box<[u64; USER_FRAMES_MAX]>,
}

impl<const N: usize> Default for Walker<N>
where
    Registers<N>: Machine,
{
    fn default() -> Walker<N> {
        // SAFETY: takes nothing and reads nothing.
        let size = unsafe { (Registers::<N>::CODE.state_size)() };
        Walker {
            state: vec![0; size.div_ceil(8)],
            // Nothing is remembered of what lies beyond a table.
            no_table: MappingTable::new(u64::MAX, &[]),
            frames: Box::new([0; USER_FRAMES_MAX]),
        }
    }
}

impl<const N: usize> Walker<N>
where
    Registers<N>: Machine,
{
    /// Walks from the leaf to the thread's start, or as far as stack bytes and rows reach. Tables that changed must
    /// come with a mapping table of another generation: rules are remembered by address and generation.
    pub fn walk(
        &mut self,
        registers: &Registers<N>,
        stack: Stack<'_>,
        mappings: &MappingTable,
        tables: &Tables,
    ) -> Walked<'_> {
        let mut read = |address: u64, to: &mut [u8]| stack.read(address, to);
        let sources = Sources::new(&mut read, mappings, tables);
        self.walk_sources(registers, stack.chain, &sources)
    }

    /// As [`Walker::walk`], for a process with more mappings than a table holds: `find` gives the one at an address.
    pub fn walk_finding<F: FnMut(u64) -> Option<Mapping>>(
        &mut self,
        registers: &Registers<N>,
        stack: Stack<'_>,
        mut find: F,
        tables: &Tables,
    ) -> Walked<'_> {
        let mut read = |address: u64, to: &mut [u8]| stack.read(address, to);
        let sources = Sources {
            find: Some(find_by::<F>),
            finder: (&raw mut find).cast(),
            ..Sources::new(&mut read, &self.no_table, tables)
        };
        self.walk_sources(registers, stack.chain, &sources)
    }

    /// As [`Walker::walk`], over any memory: `read` fills the slice with the bytes at an address, or gives false.
    pub fn walk_memory<R: FnMut(u64, &mut [u8]) -> bool>(
        &mut self,
        registers: &Registers<N>,
        mut read: R,
        mappings: &MappingTable,
        tables: &Tables,
    ) -> Walked<'_> {
        let sources = Sources::new(&mut read, mappings, tables);
        self.walk_sources(registers, &[], &sources)
    }

    fn walk_sources(
        &mut self,
        registers: &Registers<N>,
        chain: &[u64],
        sources: &Sources,
    ) -> Walked<'_> {
        let mut ended = Ended::default();
        // SAFETY: every pointer comes with the length of what it points to, all of which outlive the call; `reader` and
        // `finder` are the closures that `read_by` and `find_by` were made for; the state has the size and alignment of `struct user_walk` and is
        // valid zeroed; N is the machine's number of registers; `frames` has room for USER_FRAMES_MAX. The C code
        // reads nothing beyond the lengths (tests/random_walks.rs).
        let mut count = unsafe {
            (Registers::<N>::CODE.walk)(
                self.state.as_mut_ptr(),
                sources,
                registers.general.as_ptr(),
                registers.ip,
                registers.is_exact,
                self.frames.as_mut_ptr(),
                &mut ended,
            )
        };
        let mut end = StackEnd::from_code(ended.end).expect("the walk gives one of its own codes");
        if ended.on_other_stack {
            let fp = registers.general[Registers::<N>::FP];
            let is_leafs = ended.frame_pointer == fp;
            let rest = chain::beyond(chain, &self.frames[..count], is_leafs);
            let state = self.state.as_mut_ptr();
            // SAFETY: the state is of the walk above, whose sources are all still there.
            let code_kind = |address| unsafe { (Registers::<N>::CODE.code_kind)(state, address) };
            if chain::append(rest, &mut self.frames[..], &mut count, code_kind) {
                end = StackEnd::Root;
            }
        }
        Walked {
            frames: &self.frames[..count],
            end,
        }
    }
}

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
    frame_pointer: u64,
    end: u8,
    on_other_stack: bool,
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
    fn new<R: FnMut(u64, &mut [u8]) -> bool>(
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
}
