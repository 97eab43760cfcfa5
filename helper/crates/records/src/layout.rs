//! Layouts and codes shared with the BPF program: the twin of `bpf/records.h`.

pub const KERNEL_FRAMES_MAX: usize = 127;
/// The most that may be asked for.
pub const USER_FRAMES_MAX: usize = 2048;
pub const MAPPINGS_MAX: usize = 256;
pub const PROCESSES_MAX: usize = 1024;
/// Processes that are sampled at a time, those included that have just ended.
pub const FOLLOWED_MAX: usize = 16384;
/// Files whose rows the BPF program knows without a mapping table, and code segments of each.
pub const FILES_MAX: usize = 4096;
pub const FILE_SEGMENTS_MAX: usize = 4;
pub const RULES_MAX: usize = 65536;
/// Functions whose calls are counted, and places in their code where that is done.
pub const CALLED_FUNCTIONS_MAX: usize = 4096;
/// Functions whose calls are timed: the first of those.
pub const TIMED_FUNCTIONS_MAX: usize = 1024;
/// Places where calls of them end.
pub const CALL_ENDS_MAX: usize = 32768;
/// Of the lengths of calls, in nanoseconds: one value each below 8, then an eighth of a power of two. The last one has all that is
/// longer, too.
pub const LATENCY_BUCKETS: usize = 320;
/// Rows are found by 4 KiB page of a module's vaddr: a search among some 100 rows.
pub const PAGE_SHIFT: u32 = 12;

/// First page of a mapping that will never have rows.
pub const NO_PAGES: u32 = u32::MAX;

/// Size of `struct sample_head`.
pub const SAMPLE_HEAD_BYTES: usize = 56;
/// Of `struct stack_copy`: what is copied at most, and how many registers: the general ones of the machine that this runs on.
pub const COPY_BYTES_MAX: usize = 126 << 10;
pub const COPIED_REGISTERS: usize = if cfg!(target_arch = "aarch64") {
    32
} else {
    16
};

/// What a sample is of, which says what its value is (`enum sample_kind`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum SampleKind {
    /// Nanoseconds on a CPU.
    #[default]
    Cpu,
    /// Nanoseconds off the CPU. A sample of it is a wait that begins; its value is the place, 0: none; its id the thread that holds
    /// the lock, 0: none.
    Wait,
    /// Bytes that were asked for; the weight is how many mean distances between samples it stands for.
    Allocation,
    /// What is not freed of allocations. The engine makes it of these: no sampler sends it.
    InUse,
    /// What of them was in use when most was. Made by the engine, too.
    Peak,
    /// What of them the thread freed before its next sample. Made by the engine, too.
    Temporary,
    /// Page faults; the id is 0 for those that the kernel served from memory, 1 for others.
    Fault,
    /// Nanoseconds in system calls, all together; the weight is how many, the id their number ([`COMPAT_SYSCALL`]).
    Syscall,
    /// System calls that failed.
    SyscallError,
    /// An allocation that Go has sampled: bytes; the weight is how many are between samples, on average.
    GoAllocation,
    /// An allocation that a program has reported: bytes; the weight is how many bytes it stands for.
    ReportedAllocation,
    /// Who ended a wait of the thread that is the id; the value is a [`WokenBy`](crate::WokenBy).
    WakeUp,
    /// Events of the counter with this number.
    Counted0 = 32,
    Counted1,
    Counted2,
    Counted3,
    Counted4,
    Counted5,
    Counted6,
    Counted7,
}

/// A bit in the number of a system call by the interface for 32-bit programs, whose calls have other numbers.
pub const COMPAT_SYSCALL: u32 = 1 << 16;

impl SampleKind {
    pub const COUNTED: [SampleKind; crate::COUNTERS_MAX] = [
        SampleKind::Counted0,
        SampleKind::Counted1,
        SampleKind::Counted2,
        SampleKind::Counted3,
        SampleKind::Counted4,
        SampleKind::Counted5,
        SampleKind::Counted6,
        SampleKind::Counted7,
    ];

    /// Those that samplers send.
    pub const ALL: [SampleKind; 9] = [
        SampleKind::Cpu,
        SampleKind::Wait,
        SampleKind::Allocation,
        SampleKind::Fault,
        SampleKind::Syscall,
        SampleKind::SyscallError,
        SampleKind::GoAllocation,
        SampleKind::ReportedAllocation,
        SampleKind::WakeUp,
    ];

    pub fn from_code(code: u8) -> Option<SampleKind> {
        let all = Self::ALL.iter().chain(&Self::COUNTED);
        all.copied().find(|kind| *kind as u8 == code)
    }
}

/// What follows the head of a record in the ring buffer (`enum record_form`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordForm {
    Stack,
    Copy,
    WaitEnd,
    Free,
    Rest,
}

impl RecordForm {
    pub const ALL: [RecordForm; 5] = [
        RecordForm::Stack,
        RecordForm::Copy,
        RecordForm::WaitEnd,
        RecordForm::Free,
        RecordForm::Rest,
    ];

    pub fn from_code(code: u8) -> Option<RecordForm> {
        Self::ALL.get(code as usize).copied()
    }
}

/// How the walk of a user stack ended (`enum stack_end`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StackEnd {
    Root,
    Cut,
    NoMapping,
    NoRule,
    Unreadable,
    Broken,
    Not64Bit,
}

impl StackEnd {
    pub const ALL: [StackEnd; 7] = [
        StackEnd::Root,
        StackEnd::Cut,
        StackEnd::NoMapping,
        StackEnd::NoRule,
        StackEnd::Unreadable,
        StackEnd::Broken,
        StackEnd::Not64Bit,
    ];

    pub fn from_code(code: u8) -> Option<StackEnd> {
        Self::ALL.get(code as usize).copied()
    }

    /// The word used in run files.
    pub fn name(self) -> &'static str {
        match self {
            StackEnd::Root => "root",
            StackEnd::Cut => "cut",
            StackEnd::NoMapping => "no-mapping",
            StackEnd::NoRule => "no-rule",
            StackEnd::Unreadable => "unreadable",
            StackEnd::Broken => "broken",
            StackEnd::Not64Bit => "not-64-bit",
        }
    }
}

/// What the BPF program counts (`enum counter`): taken = kept + all losses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    Taken,
    Kept,
    LostRingFull,
    LostNoScratch,
    /// Of a program that the user who records may not look into.
    LostNotAllowed,
    /// Programs that were such from their exec on, not samples: the kernel itself ends their sampling.
    ProgramsNotAllowed,
    /// Children for which there was no room, not samples.
    ProcessesNotFollowed,
    /// Waits for which there was no room, not samples.
    LostWaits,
    /// Of these, as far as their length is known.
    LostWaitNs,
    /// Threads that were off the CPU from the beginning to the end, not samples.
    ThreadsNotRun,
    /// Samples of allocations for which there was no room; in no other count.
    LostAllocations,
    /// Frees of such samples.
    LostFrees,
    /// Samples of allocations by programs that the user who records may not look into; in no other count.
    AllocationsNotAllowed,
    /// Calls of chosen functions in such programs, not samples.
    CallsNotAllowed,
    /// Page faults that were seen, those for which there was no room, and those of such programs; not samples.
    Faults,
    LostFaults,
    FaultsNotAllowed,
    /// The same of system calls.
    Syscalls,
    LostSyscalls,
    SyscallsNotAllowed,
    /// Calls, of any process of the machine, for which the kernel ran no program.
    SkippedSyscalls,
}

impl Counter {
    pub const ALL: [Counter; 21] = [
        Counter::Taken,
        Counter::Kept,
        Counter::LostRingFull,
        Counter::LostNoScratch,
        Counter::LostNotAllowed,
        Counter::ProgramsNotAllowed,
        Counter::ProcessesNotFollowed,
        Counter::LostWaits,
        Counter::LostWaitNs,
        Counter::ThreadsNotRun,
        Counter::LostAllocations,
        Counter::LostFrees,
        Counter::AllocationsNotAllowed,
        Counter::CallsNotAllowed,
        Counter::Faults,
        Counter::LostFaults,
        Counter::FaultsNotAllowed,
        Counter::Syscalls,
        Counter::LostSyscalls,
        Counter::SyscallsNotAllowed,
        Counter::SkippedSyscalls,
    ];
    pub const LOSSES: [Counter; 3] = [
        Counter::LostRingFull,
        Counter::LostNoScratch,
        Counter::LostNotAllowed,
    ];

    /// The word used in run files.
    pub fn name(self) -> &'static str {
        match self {
            Counter::Taken => "taken",
            Counter::Kept => "kept",
            Counter::LostRingFull => "ring-full",
            Counter::LostNoScratch => "no-scratch",
            Counter::LostNotAllowed => "not-allowed",
            Counter::ProgramsNotAllowed => "programs-not-allowed",
            Counter::ProcessesNotFollowed => "processes-not-followed",
            Counter::LostWaits => "lost-waits",
            Counter::LostWaitNs => "lost-wait-ns",
            Counter::ThreadsNotRun => "threads-not-run",
            Counter::LostAllocations => "lost-allocations",
            Counter::LostFrees => "lost-frees",
            Counter::AllocationsNotAllowed => "allocations-not-allowed",
            Counter::CallsNotAllowed => "calls-not-allowed",
            Counter::Faults => "faults",
            Counter::LostFaults => "lost-faults",
            Counter::FaultsNotAllowed => "faults-not-allowed",
            Counter::Syscalls => "syscalls",
            Counter::LostSyscalls => "lost-syscalls",
            Counter::SyscallsNotAllowed => "syscalls-not-allowed",
            Counter::SkippedSyscalls => "skipped-syscalls",
        }
    }
}

/// What makes a sample be taken after each period of CPU time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Timers {
    /// Each thread's counter of CPU cycles, where the machine has any; else a timer on each CPU.
    #[default]
    Best = 0,
    /// A timer on each CPU, whoever runs: threads and processes of any length get their share of the samples.
    PerCpu = 1,
    /// Each thread's own timer or counter, which begins with the thread: one that ends within its first period gets no
    /// sample, and other programs no interrupts.
    PerThread = 2,
}

impl Timers {
    pub fn from_code(code: u32) -> Option<Timers> {
        [Timers::Best, Timers::PerCpu, Timers::PerThread]
            .get(code as usize)
            .copied()
    }
}

/// How the canonical frame address is found (`enum cfa_kind`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum RuleKind {
    /// No row covers the pc: follow the frame pointer.
    None = 0,
    /// The return address is undefined: outermost frame.
    End = 1,
    /// CFA = register + cfa_offset
    Register = 2,
    /// CFA = *(register + cfa_offset) + extra
    Deref = 3,
    /// x86-64: CFA = rsp + cfa_offset + (if rip & 15 ≥ extra { 8 } else { 0 })
    Plt = 4,
    /// A signal frame made by the kernel.
    Signal = 5,
    /// CFI of a form that is not supported.
    Unsupported = 6,
    /// CFA = *(*(register + cfa_offset) + extra) + fp_offset; the frame pointer is unchanged: the parent of an OCaml fiber.
    DoubleDeref = 7,
    /// As Register, but the return address is still in register `extra`: leaf only (vfork).
    ReturnInRegister = 8,
    /// As Register, but the caller may run on any other stack (Go's stack switches); a register of 0: outermost frame.
    OtherStack = 9,
    /// The caller's stack pointer is in `register`, its frame pointer in register `fp_offset`, its pc in register
    /// `extra`: leaf only (longjmp).
    CallerInRegisters = 10,
    /// As Register; 0 in register `extra`: a new thread, whose outermost frame this is.
    Clone = 11,
}

/// A bit of `extra` in `Register` and `Deref` rules, which is even otherwise. No compiler has stated the rule, it was
/// taken from instructions: it holds only where it leads to a return address.
pub const TAKEN_FROM_CODE: i32 = 1;

impl RuleKind {
    const ALL: [RuleKind; 12] = [
        RuleKind::None,
        RuleKind::End,
        RuleKind::Register,
        RuleKind::Deref,
        RuleKind::Plt,
        RuleKind::Signal,
        RuleKind::Unsupported,
        RuleKind::DoubleDeref,
        RuleKind::ReturnInRegister,
        RuleKind::OtherStack,
        RuleKind::CallerInRegisters,
        RuleKind::Clone,
    ];
}

/// Where the caller's frame pointer is (`enum fp_kind`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum FpKind {
    Same = 0,
    /// *(CFA + fp_offset)
    AtCfa = 1,
    /// *(fp + fp_offset)
    AtFp = 2,
    /// Not to be found: nothing may be computed from it.
    Lost = 3,
}

impl FpKind {
    const ALL: [FpKind; 4] = [FpKind::Same, FpKind::AtCfa, FpKind::AtFp, FpKind::Lost];
}

/// Where a callee-saved register other than the frame pointer is, in four bits: 0 unchanged, 1 to 14 at
/// CFA − 8 × slot, 15 not to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SavedSlots(u8);

impl SavedSlots {
    pub const LOST: u8 = 15;

    /// Of rbx and r13, which OCaml, glibc's lazy binding and others compute CFAs from.
    pub fn new(rbx: u8, r13: u8) -> SavedSlots {
        SavedSlots(rbx & 15 | r13 << 4)
    }

    /// The byte in `struct unwind_rule`. For aarch64 it says how to find the return address instead.
    pub fn from_byte(byte: u8) -> SavedSlots {
        SavedSlots(byte)
    }

    pub fn byte(self) -> u8 {
        self.0
    }
}

/// How to get from a frame to its caller (`struct unwind_rule`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rule {
    pub kind: RuleKind,
    /// DWARF register number.
    pub register: u8,
    pub fp: FpKind,
    pub saved: SavedSlots,
    pub cfa_offset: i32,
    pub fp_offset: i32,
    pub extra: i32,
}

impl Rule {
    pub const BYTES: usize = 16;

    pub const fn of_kind(kind: RuleKind) -> Rule {
        Rule {
            kind,
            register: 0,
            fp: FpKind::Same,
            saved: SavedSlots(0),
            cfa_offset: 0,
            fp_offset: 0,
            extra: 0,
        }
    }

    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut out = [0; Self::BYTES];
        out[0] = self.kind as u8;
        out[1] = self.register;
        out[2] = self.fp as u8;
        out[3] = self.saved.byte();
        out[4..8].copy_from_slice(&self.cfa_offset.to_le_bytes());
        out[8..12].copy_from_slice(&self.fp_offset.to_le_bytes());
        out[12..16].copy_from_slice(&self.extra.to_le_bytes());
        out
    }

    /// The rule that [`Rule::to_bytes`] gave these bytes; None when a code is out of range.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Rule> {
        Rule::check_bytes(bytes)?;
        let number = |at: usize| i32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[at + byte]));
        Some(Rule {
            kind: *(RuleKind::ALL.iter()).find(|kind| **kind as u8 == bytes[0])?,
            register: bytes[1],
            fp: *(FpKind::ALL.iter()).find(|fp| **fp as u8 == bytes[2])?,
            saved: SavedSlots::from_byte(bytes[3]),
            cfa_offset: number(4),
            fp_offset: number(8),
            extra: number(12),
        })
    }

    /// None when a code is out of range: such bytes never reach the BPF program.
    pub fn check_bytes(bytes: &[u8; Self::BYTES]) -> Option<()> {
        (usize::from(bytes[0]) < RuleKind::ALL.len()
            && usize::from(bytes[1]) < COPIED_REGISTERS
            && bytes[2] <= FpKind::Lost as u8)
            .then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_that_may_reach_the_kernel_is_read_from_its_bytes() {
        let mut bytes: [u8; Rule::BYTES] = std::array::from_fn(|at| 7 * at as u8 + 1);
        for kind in 0..=u8::MAX {
            for fp in 0..=u8::MAX {
                (bytes[0], bytes[1], bytes[2]) = (kind, 3, fp);
                let read = Rule::from_bytes(&bytes).map(Rule::to_bytes);
                assert_eq!(read, Rule::check_bytes(&bytes).map(|()| bytes));
            }
        }
    }
}
