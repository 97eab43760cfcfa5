//! Split debug information: the `.dwp` package beside the program, or the `.dwo` files that the compiler wrote.
//!
//! A program built with `-gsplit-dwarf` has skeleton units with lines only; names and inlined calls are in these
//! files. A part counts only when its id is the skeleton's.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use addr2line::SplitDwarfLoad;
use gimli::{Dwarf, DwarfPackage, SectionId};
use object::{Object, ObjectSection};
use rustc_hash::FxHashMap;

use crate::arena::Arena;
use crate::elf::{Elf, Reader, is_needed, reader};
use crate::module::open_regular;
use crate::nesting;
use crate::split_files::copy_name;

/// A single `.dwo` file larger than this is not read, nor more than `DWO_BYTES_MAX_TOTAL` of them by one thread.
const DWO_BYTES_MAX: u64 = 512 << 20;
const DWO_BYTES_MAX_TOTAL: u64 = 2 << 30;

/// Where the parts of one module may be.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    /// Folders of the program and of its debug file.
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) debug_directories: Vec<PathBuf>,
}

type Part<'a> = Arc<Dwarf<Reader<'a>>>;

/// Parts read so far by one thread.
pub(crate) struct SplitDwarf<'a> {
    package: Option<DwarfPackage<Reader<'a>>>,
    places: &'a Places,
    arena: &'a Arena,
    parts: RefCell<FxHashMap<u64, Option<Part<'a>>>>,
    read_bytes: Cell<u64>,
    /// How many parts were not found, and the name of the first of them.
    missing: RefCell<(usize, String)>,
}

impl<'a> SplitDwarf<'a> {
    pub(crate) fn new(
        package: Option<&'a Elf<'a>>,
        places: &'a Places,
        arena: &'a Arena,
    ) -> SplitDwarf<'a> {
        SplitDwarf {
            // A malformed package is as good as none: the `.dwo` files may still be there.
            package: package.and_then(|package| {
                // All of them: its index refers to each section that a unit has.
                let section = |id: SectionId| Ok::<_, gimli::Error>(section(package, id, arena));
                DwarfPackage::load(section, reader(&[])).ok()
            }),
            places,
            arena,
            parts: RefCell::default(),
            read_bytes: Cell::new(0),
            missing: RefCell::default(),
        }
    }

    /// The part that belongs to a skeleton unit; `None`: not found, or too deep to be read.
    pub(crate) fn load(&self, wanted: &SplitDwarfLoad<Reader<'a>>) -> Option<Part<'a>> {
        if let Some(known) = self.parts.borrow().get(&wanted.dwo_id.0) {
            return known.clone();
        }
        let found = self
            .in_package(wanted)
            .or_else(|| self.in_files(wanted))
            .filter(|part| nesting::first_too_deep(part).is_none());
        if found.is_none() {
            let mut missing = self.missing.borrow_mut();
            missing.0 += 1;
            if missing.1.is_empty() {
                let name = wanted
                    .path
                    .map_or_else(Default::default, |path| path.to_string_lossy().into_owned());
                missing.1 = name;
            }
        }
        let mut parts = self.parts.borrow_mut();
        parts.insert(wanted.dwo_id.0, found.clone());
        found
    }

    /// What could not be found, as a sentence's part.
    pub(crate) fn problem(&self) -> Option<String> {
        match &*self.missing.borrow() {
            (0, _) => None,
            (1, name) => Some(format!(
                "its split debug information {name} was not found, so inlined functions are unknown"
            )),
            (count, name) => Some(format!(
                "{count} files of its split debug information were not found ({name} and others), so inlined functions are unknown"
            )),
        }
    }

    fn in_package(&self, wanted: &SplitDwarfLoad<Reader<'a>>) -> Option<Part<'a>> {
        let package = self.package.as_ref()?;
        let part = package.find_cu(wanted.dwo_id, &wanted.parent).ok()??;
        Some(Arc::new(part))
    }

    fn in_files(&self, wanted: &SplitDwarfLoad<Reader<'a>>) -> Option<Part<'a>> {
        let name = Path::new(OsStr::from_bytes(wanted.path?.slice()));
        let directory = wanted.comp_dir.as_ref().map_or(Path::new(""), |directory| {
            Path::new(OsStr::from_bytes(directory.slice()))
        });
        let recorded = directory.join(name);
        let mut candidates = Vec::new();
        if recorded.is_absolute() {
            candidates.push(recorded.clone());
        }
        for folder in &self.places.folders {
            // A build that was moved as a whole, or `.dwo` files gathered beside the program.
            if name.is_relative() {
                candidates.push(folder.join(name));
            }
            candidates.extend(name.file_name().map(|name| folder.join(name)));
            // Beside a copy of the program.
            candidates.push(folder.join(copy_name(wanted.dwo_id)));
        }
        let below_root = recorded.strip_prefix("/").unwrap_or(&recorded);
        for directory in &self.places.debug_directories {
            candidates.push(directory.join(below_root));
        }
        candidates.iter().find_map(|path| self.read(path, wanted))
    }

    fn read(&self, path: &Path, wanted: &SplitDwarfLoad<Reader<'a>>) -> Option<Part<'a>> {
        let file = open_regular(path).ok()?;
        let metadata = file.metadata().ok().filter(|metadata| metadata.is_file())?;
        let total = self.read_bytes.get().saturating_add(metadata.len());
        if metadata.len() > DWO_BYTES_MAX || total > DWO_BYTES_MAX_TOTAL {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(metadata.len()).read_to_end(&mut bytes).ok()?;
        self.read_bytes.set(total);
        let elf = Elf::parse(self.arena.push(bytes)).ok()?;
        let mut part = Dwarf::load(|id| {
            let needed = is_needed(id).then(|| section(&elf, id, self.arena));
            Ok::<_, gimli::Error>(needed.unwrap_or_else(|| reader(&[])))
        })
        .ok()?;
        let header = part.units().next().ok()??;
        if part.unit(header).ok()?.dwo_id != Some(wanted.dwo_id) {
            return None;
        }
        part.make_dwo(&wanted.parent);
        Some(Arc::new(part))
    }
}

/// A `.dwo` section; empty where there is none, or none that can be unpacked within bounds.
fn section<'a>(elf: &Elf<'a>, id: SectionId, arena: &'a Arena) -> Reader<'a> {
    let content = || {
        let section = elf.object.section_by_name(id.dwo_name()?)?;
        let content = section.compressed_data().ok()?;
        let is_plain = content.format == object::CompressionFormat::None;
        if !is_plain && content.uncompressed_size > DWO_BYTES_MAX {
            return None;
        }
        match content.decompress().ok()? {
            Cow::Borrowed(bytes) => Some(bytes),
            Cow::Owned(bytes) => Some(arena.push(bytes)),
        }
    };
    reader(content().unwrap_or_default())
}
