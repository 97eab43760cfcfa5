//! What a process has mapped as code: one value, whoever says so. It comes from a MMAP2 record of the kernel
//! (`perf_events::map_event`), or from a line of `/proc/PID/maps`, and goes over the pipe in both directions.

use crate::bytes::{Body, Fields};

/// A file as the kernel names it in mapping records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId {
    pub device_major: u32,
    pub device_minor: u32,
    pub inode: u64,
}

impl FileId {
    /// The vDSO, which is no file, under a number that no file has.
    pub const VDSO: FileId = FileId {
        device_major: 0,
        device_minor: 0,
        inode: 1,
    };
}

/// An executable mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapping {
    pub start: u64,
    pub length: u64,
    pub file_offset: u64,
    /// All zeros: it lies in no file.
    pub file: FileId,
}

impl Mapping {
    /// One that the kernel calls by this path.
    pub fn called(self, path: &[u8]) -> Mapping {
        match path {
            b"[vdso]" => Mapping {
                file: FileId::VDSO,
                ..self
            },
            _ => self,
        }
    }

    /// The first address behind it.
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.length)
    }
}

pub(crate) fn put_file_id(body: Body, id: FileId) -> Body {
    body.u32(id.device_major).u32(id.device_minor).u64(id.inode)
}

pub(crate) fn parse_file_id(f: &mut Fields<'_>) -> Option<FileId> {
    Some(FileId {
        device_major: f.u32()?,
        device_minor: f.u32()?,
        inode: f.u64()?,
    })
}

pub(crate) fn put_mapping(body: Body, mapping: &Mapping) -> Body {
    put_file_id(body, mapping.file)
        .u64(mapping.start)
        .u64(mapping.length)
        .u64(mapping.file_offset)
}

pub(crate) fn parse_mapping(f: &mut Fields<'_>) -> Option<Mapping> {
    let file = parse_file_id(f)?;
    Some(Mapping {
        file,
        start: f.u64()?,
        length: f.u64()?,
        file_offset: f.u64()?,
    })
}
