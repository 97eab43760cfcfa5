//! What call paths are made of: functions, places in source files and frames, each by its index.

use std::ops::Range;

use profile::StringId;

/// Index of a function, see [`crate::Analyzed::function`].
pub type FunctionId = u32;
/// Index of a source file with lines in the profile, see [`crate::Analyzed::files`].
pub type FileId = u32;
/// Index of one line of one file; the places of a file stand together, lines ascending.
pub type PlaceId = u32;

/// A frame without file or line has this place.
pub(crate) const NO_PLACE: PlaceId = PlaceId::MAX;

/// Name, file and module together are its identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionOf {
    pub name: StringId,
    pub file: StringId,
    /// File name of the module, without folders.
    pub module: StringId,
    /// Line of the definition; 0: unknown.
    pub line: u32,
    pub kind: FunctionKind,
    /// Some of its frames stand for what they call, too: see [`crate::Transform::MyCode`].
    pub is_collapsed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionKind {
    Native,
    Kernel,
    /// Only module and address are known.
    Unknown,
    /// Stands for the interrupts that came while something ran, and for all that they led to.
    Interrupts,
}

impl From<FunctionKind> for FrameKind {
    /// Whether a call was inlined is a matter of the call: never `Inlined`.
    fn from(kind: FunctionKind) -> FrameKind {
        match kind {
            FunctionKind::Native => FrameKind::Native,
            FunctionKind::Kernel => FrameKind::Kernel,
            FunctionKind::Unknown => FrameKind::Unknown,
            FunctionKind::Interrupts => FrameKind::Interrupts,
        }
    }
}

/// As on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrameKind {
    Native = 0,
    Inlined = 1,
    Kernel = 2,
    Unknown = 3,
    Root = 4,
    Interrupts = 5,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub file: FileId,
    pub line: u32,
}

/// Which value a view is about: index into the profile's sample types.
pub type Measure = usize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ChainFrame {
    pub function: FunctionId,
    pub place: PlaceId,
    /// 0: unknown.
    pub line: u32,
    /// Inlined into the next frame of the chain.
    pub inlined: bool,
}

pub(crate) struct SourceFile {
    pub path: StringId,
    pub places: Range<PlaceId>,
}
