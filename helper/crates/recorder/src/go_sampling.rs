//! Go's own sampling of its heap: turned on in the program that was launched, and where its code says what it samples.

use std::fs::File;
use std::os::unix::fs::MetadataExt;

use probe_places::{Code, branch_of_stack_check};
use records::{AllocationPlace, Operand, PlaceRole, Source};
use symbolize::{GoHeap, NoGoHeap, RuntimeFunction};
use target::{Launcher, executable_mappings};

/// So many bytes are between samples of Go on average, unless a program wants another distance (runtime.MemProfileRate).
pub const USUAL_RATE: u32 = 512 << 10;

/// How a program samples its heap.
pub struct GoSampling {
    pub file: File,
    pub places: Vec<AllocationPlace>,
    /// Vaddr of the byte with which the linker has turned sampling off.
    disabled: u64,
    /// Some code, which shows where the program lies: its place in the file, and its vaddr.
    code: (u64, u64),
}

/// Why its heap is not sampled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoGoSampling {
    Unknown(NoGoHeap),
    /// How Go passes numbers is not known on this machine.
    Machine,
    /// The byte is not as it should be: what was found.
    Switch(String),
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
        let places = places(&heap).ok_or(NoGoSampling::Unknown(NoGoHeap::Unusual))?;
        Ok(GoSampling {
            file: program,
            places,
            disabled: heap.disabled,
            code: (heap.allocated.offset, heap.allocated.vaddr),
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
        let (offset, vaddr) = self.code;
        let maps = executable_mappings(pid).map_err(|e| found(e.to_string()))?;
        let map = maps.iter().find(|map| {
            let bytes = map.file_offset..map.file_offset + (map.end - map.start);
            map.inode == file.ino() && bytes.contains(&offset)
        });
        let map = map.ok_or_else(|| found("its code is not mapped".to_owned()))?;
        let bias = (map.start + (offset - map.file_offset)).wrapping_sub(vaddr);
        let was = launcher.clear_byte(self.disabled.wrapping_add(bias));
        match was.map_err(|e| found(e.to_string()))? {
            0 | 1 => Ok(()),
            other => Err(found(format!("its switch is {other}, expected 0 or 1"))),
        }
    }
}

/// None: the functions do not begin as expected.
fn places(heap: &GoHeap) -> Option<Vec<AllocationPlace>> {
    let argument = |index: usize| Operand::word(Source::Register(ARGUMENTS[index]));
    let first = usize::from(heap.has_thread_argument);
    let mut allocated = place_in(&heap.allocated, PlaceRole::GoAllocation)?;
    allocated.address = argument(first);
    allocated.size = argument(first + 1);
    let instruction = heap.allocated.vaddr + (allocated.offset - heap.allocated.offset);
    let to_rate = heap.rate.wrapping_sub(instruction).cast_signed();
    allocated.weight = Operand::word(Source::NearCode(to_rate));
    let mut free_begins = place_in(&heap.free_begins, PlaceRole::GoFreeBegins)?;
    free_begins.address = argument(1);
    let freed = place_in(&heap.freed, PlaceRole::GoFree)?;
    Some(vec![allocated, free_begins, freed])
}

fn place_in(function: &RuntimeFunction, role: PlaceRole) -> Option<AllocationPlace> {
    let at = branch_of_stack_check(Code {
        start: function.vaddr,
        bytes: &function.code,
    })?;
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
