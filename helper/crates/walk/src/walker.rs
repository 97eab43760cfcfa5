//! Walks one stack after the other.

use records::StackEnd;
use records::layout::USER_FRAMES_MAX;

use crate::chain;
use crate::machine::{Machine, Registers};
use crate::sources::{Ended, Sources};
use crate::tables::{Mapping, MappingTable, Tables};

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
        let sources = Sources::new(&mut read, &self.no_table, tables).finding(&mut find);
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
