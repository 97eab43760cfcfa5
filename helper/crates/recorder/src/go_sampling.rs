//! Go's own sampling of its heap: turned on in the program that was launched, and where its code says what it samples.

use std::fs::File;
use std::os::unix::fs::MetadataExt;

use probe_places::{Code, GoSwitch, branch_of_stack_check, go_switch, reads_word};
use records::{AllocationPlace, Mapping, Operand, PlaceRole, Source};
use symbolize::{GoHeap, GoVariables, NoGoHeap, RuntimeFunction, are_go_variables};
use target::{Launcher, ProcessMemory, executable_mappings};

use super::mapped_paths::mapping_of;

/// So many bytes are between samples of Go on average, unless a program wants another distance (runtime.MemProfileRate).
pub const USUAL_RATE: u32 = 512 << 10;

/// How a program samples its heap.
pub struct GoSampling {
    pub file: File,
    pub places: Vec<AllocationPlace>,
    heap: GoHeap,
    /// Vaddrs of its variables.
    switch: GoSwitch,
}

/// Why its heap is not sampled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoGoSampling {
    Unknown(NoGoHeap),
    /// How Go passes numbers is not known on this machine.
    Machine,
    /// The byte is not as it should be: what was found.
    Switch(String),
    /// The kernel does not put probes there: what it says.
    Probes(String),
    /// The file is this user's, and the command runs several times.
    OthersFile(String),
}

/// Words of `struct pt_regs` that have Go's first arguments: rax, rbx, rcx (src/cmd/compile/abi-internal.md).
const ARGUMENTS: [u8; 3] = [10, 5, 11];
/// Carry and zero: with either of them, the branch of a stack check is taken.
const BELOW_OR_EQUAL: u32 = 1 | 1 << 6;

impl GoSampling {
    /// # Errors
    /// Why it is not known.
    pub fn of(program: File) -> Result<GoSampling, NoGoSampling> {
        if !cfg!(target_arch = "x86_64") {
            return Err(NoGoSampling::Machine);
        }
        let heap = GoHeap::of(&program).map_err(NoGoSampling::Unknown)?;
        let switch = switch_of(&program, &heap).ok_or(NoGoSampling::Unknown(NoGoHeap::Stripped))?;
        let places = places(&heap, switch.rate).ok_or(NoGoSampling::Unknown(NoGoHeap::Unusual))?;
        Ok(GoSampling {
            file: program,
            places,
            heap,
            switch,
        })
    }

    /// Has the program that waits sample its heap.
    ///
    /// # Errors
    /// When it is another program, or the byte is not as expected: nothing was written then.
    pub fn turn_on(&self, launcher: &Launcher, pid: u32) -> Result<(), NoGoSampling> {
        let found = |what: String| NoGoSampling::Switch(what);
        let file = self.file.metadata().map_err(|e| found(e.to_string()))?;
        let running = std::fs::metadata(format!("/proc/{pid}/exe"));
        let running = running.map_err(|e| found(e.to_string()))?;
        if (file.dev(), file.ino()) != (running.dev(), running.ino()) {
            return Err(found("it is another file than before".to_owned()));
        }
        let maps = executable_mappings(pid).map_err(|e| found(e.to_string()))?;
        let of_file = maps.iter().filter(|map| map.inode == file.ino());
        let mut biases = of_file.filter_map(|map| self.bias(&mapping_of(map)));
        let bias = biases.next();
        let bias = bias.ok_or_else(|| found("its code is not mapped".to_owned()))?;
        let was = launcher.clear_byte(self.switch.disabled.wrapping_add(bias));
        match was.map_err(|e| found(e.to_string()))? {
            0 | 1 => Ok(()),
            other => Err(unexpected_switch(other)),
        }
    }

    /// Where the program lies, less where it was linked to; None: the mapping does not have what shows it.
    pub fn bias(&self, mapping: &Mapping) -> Option<u64> {
        let RuntimeFunction { vaddr, offset, .. } = self.heap.allocated;
        let skipped = offset.checked_sub(mapping.file_offset)?;
        (skipped < mapping.length).then(|| (mapping.start + skipped).wrapping_sub(vaddr))
    }

    /// Has a program that runs already sample its heap. Gives, where it may not have begun to use the rate, what to look at again.
    ///
    /// # Errors
    /// When its memory is not as expected: nothing was written then.
    pub fn turn_on_late(
        &self,
        memory: ProcessMemory,
        bias: u64,
    ) -> Result<Option<Unsettled>, NoGoSampling> {
        let not_read = |e: std::io::Error| NoGoSampling::Switch(e.to_string());
        let heap = &self.heap;
        for function in [&heap.allocated, &heap.free_begins, &heap.freed] {
            let address = function.vaddr.wrapping_add(bias);
            let found = memory.read_all(address, function.code.len());
            if !is_same_code(&found.map_err(not_read)?, function, &self.places) {
                let what = "its code is not that of its file".to_owned();
                return Err(NoGoSampling::Switch(what));
            }
        }
        let disabled = self.switch.disabled.wrapping_add(bias);
        match memory.read::<1>(disabled).map_err(not_read)? {
            [0] => return Ok(None), // the program decides itself
            [1] => memory.write_byte(disabled, 0).map_err(not_read)?,
            [other] => return Err(unexpected_switch(other)),
        }
        let mut unsettled = Unsettled {
            memory,
            rate: self.switch.rate.wrapping_add(bias),
        };
        unsettled.settle().map_err(not_read)?;
        Ok(Some(unsettled))
    }
}

/// A program whose runtime may just have read that sampling is off, and not have written so into its rate yet.
#[derive(Debug)]
pub struct Unsettled {
    memory: ProcessMemory,
    /// Address of `MemProfileRate`.
    rate: u64,
}

impl Unsettled {
    /// Writes the usual rate over a rate of 0. Its other bytes are 0, so one is written.
    ///
    /// # Errors
    /// The program has ended.
    pub fn settle(&mut self) -> std::io::Result<()> {
        const BYTE: usize = USUAL_RATE.trailing_zeros() as usize / 8;
        const VALUE: u8 = (USUAL_RATE >> (8 * BYTE)) as u8;
        const _: () = assert!((VALUE as u32) << (8 * BYTE) == USUAL_RATE);
        match u64::from_le_bytes(self.memory.read(self.rate)?) {
            0 => self.memory.write_byte(self.rate + BYTE as u64, VALUE),
            _ => Ok(()),
        }
    }
}

/// Of the file, but for probes.
fn is_same_code(found: &[u8], function: &RuntimeFunction, places: &[AllocationPlace]) -> bool {
    const BREAKPOINT: u8 = 0xcc;
    let is_place = |at: u64| places.iter().any(|place| place.offset == at);
    let mut bytes = (function.offset..).zip(function.code.iter().zip(found));
    found.len() == function.code.len()
        && bytes
            .all(|(at, (linked, there))| linked == there || (*there == BREAKPOINT && is_place(at)))
}

fn unexpected_switch(found: u8) -> NoGoSampling {
    NoGoSampling::Switch(format!("its switch is {found}, expected 0 or 1"))
}

/// None: the code does not show them, or the file cannot have them there.
fn switch_of(program: &File, heap: &GoHeap) -> Option<GoSwitch> {
    let (sets, read) = match &heap.variables {
        GoVariables::Named { disabled, rate } => {
            return Some(GoSwitch {
                disabled: *disabled,
                rate: *rate,
            });
        }
        GoVariables::InCode { sets, read } => (sets, read),
    };
    let switch = go_switch(code_of(sets))?;
    let is_read = (read.iter()).any(|function| reads_word(code_of(function), switch.rate));
    (is_read && are_go_variables(program, switch.disabled, switch.rate)).then_some(switch)
}

fn code_of(function: &RuntimeFunction) -> Code<'_> {
    Code {
        start: function.vaddr,
        bytes: &function.code,
    }
}

/// None: the functions do not begin as expected.
fn places(heap: &GoHeap, rate: u64) -> Option<Vec<AllocationPlace>> {
    let argument = |index: usize| Operand::word(Source::Register(ARGUMENTS[index]));
    let first = usize::from(heap.has_thread_argument);
    let mut allocated = place_in(&heap.allocated, PlaceRole::GoAllocation)?;
    allocated.address = argument(first);
    allocated.size = argument(first + 1);
    let instruction = heap.allocated.vaddr + (allocated.offset - heap.allocated.offset);
    let to_rate = rate.wrapping_sub(instruction).cast_signed();
    allocated.weight = Operand::word(Source::NearCode(to_rate));
    let mut free_begins = place_in(&heap.free_begins, PlaceRole::GoFreeBegins)?;
    free_begins.address = argument(1);
    let freed = place_in(&heap.freed, PlaceRole::GoFree)?;
    Some(vec![allocated, free_begins, freed])
}

fn place_in(function: &RuntimeFunction, role: PlaceRole) -> Option<AllocationPlace> {
    let at = branch_of_stack_check(code_of(function))?;
    Some(AllocationPlace {
        offset: function.offset + (at - function.vaddr),
        semaphore: 0,
        role,
        flags_clear: BELOW_OR_EQUAL,
        address: Operand::NONE,
        size: Operand::NONE,
        weight: Operand::NONE,
    })
}

/// What a sampled block stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GoEstimate {
    pub bytes: f64,
    pub blocks: f64,
}

impl GoEstimate {
    /// Points lie on the bytes at distances with an exponential distribution of the mean `rate`; a block that holds any is a sample,
    /// once. So a block of `size` bytes is one with a probability of 1 − exp(−size / rate) (runtime/pprof, scaleHeapSample).
    pub fn of(size: u64, rate: u32) -> GoEstimate {
        let size = size as f64;
        let probability = -(-size / f64::from(rate.max(1))).exp_m1();
        match size > 0.0 {
            true => GoEstimate {
                bytes: size / probability,
                blocks: 1.0 / probability,
            },
            false => GoEstimate {
                bytes: 0.0,
                blocks: 1.0,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_block_stands_for_the_distance_and_a_large_one_for_itself() {
        let small = GoEstimate::of(16, USUAL_RATE);
        assert!((small.bytes - 524_296.0).abs() < 0.1, "{small:?}");
        assert!((small.blocks * 16.0 - small.bytes).abs() < 1e-3);
        let large = GoEstimate::of(100 << 20, USUAL_RATE);
        assert_eq!((large.bytes, large.blocks), (104_857_600.0, 1.0));
        let each = GoEstimate::of(48, 1);
        assert_eq!((each.bytes, each.blocks), (48.0, 1.0));
        let none = GoEstimate::of(0, USUAL_RATE);
        assert_eq!((none.bytes, none.blocks), (0.0, 1.0));
    }

    #[test]
    fn what_is_no_program_of_go_is_not_sampled() {
        let own = File::open("/proc/self/exe").unwrap();
        let why = GoSampling::of(own).err();
        let unknown = NoGoSampling::Unknown(NoGoHeap::Version(String::new()));
        assert_eq!(why, Some(unknown));
    }
}
