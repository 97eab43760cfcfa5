//! Layouts and codes shared with the BPF program: the twin of `bpf/records.h`.

pub const KERNEL_FRAMES_MAX: usize = 127;
pub const USER_FRAMES_MAX: usize = 512;
pub const MAPPINGS_MAX: usize = 256;
pub const PROCESSES_MAX: usize = 1024;
pub const RULES_MAX: usize = 65536;
/// Rows are found by 64 KiB page of a module's vaddr.
pub const PAGE_SHIFT: u32 = 16;

/// Size of `struct sample_head`.
pub const SAMPLE_HEAD_BYTES: usize = 40;

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
}

impl Counter {
    pub const ALL: [Counter; 4] = [
        Counter::Taken,
        Counter::Kept,
        Counter::LostRingFull,
        Counter::LostNoScratch,
    ];
    pub const LOSSES: [Counter; 2] = [Counter::LostRingFull, Counter::LostNoScratch];

    /// The word used in run files.
    pub fn name(self) -> &'static str {
        match self {
            Counter::Taken => "taken",
            Counter::Kept => "kept",
            Counter::LostRingFull => "ring-full",
            Counter::LostNoScratch => "no-scratch",
        }
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
    /// CFA = rsp + cfa_offset + (if rip & 15 ≥ extra { 8 } else { 0 })
    Plt = 4,
    /// A signal frame made by the kernel.
    Signal = 5,
    /// CFI of a form that is not supported.
    Unsupported = 6,
}

/// Where the caller's frame pointer is (`enum fp_kind`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum FpKind {
    Same = 0,
    /// *(CFA + fp_offset)
    AtCfa = 1,
    /// *(rbp + fp_offset)
    AtFp = 2,
}

/// How to get from a frame to its caller (`struct unwind_rule`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rule {
    pub kind: RuleKind,
    /// DWARF register number.
    pub register: u8,
    pub fp: FpKind,
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
        out[4..8].copy_from_slice(&self.cfa_offset.to_le_bytes());
        out[8..12].copy_from_slice(&self.fp_offset.to_le_bytes());
        out[12..16].copy_from_slice(&self.extra.to_le_bytes());
        out
    }

    /// None when a code is out of range: such bytes never reach the BPF program.
    pub fn check_bytes(bytes: &[u8; Self::BYTES]) -> Option<()> {
        (bytes[0] <= RuleKind::Unsupported as u8 && bytes[1] < 16 && bytes[2] <= FpKind::AtFp as u8)
            .then_some(())
    }
}
