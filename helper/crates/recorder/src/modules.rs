//! The modules of a recording: files whose code the target runs, and code that it has made itself.

use std::collections::HashMap;
use std::path::PathBuf;

use records::FileId;
use unwind::ElfLayout;

pub struct Module {
    pub id: FileId,
    pub path: PathBuf,
    pub layout: Option<ElfLayout>,
    /// Why addresses in it will have no names, if so.
    pub problem: Option<String>,
    pub is_vdso: bool,
    /// None: it is a file's.
    pub made_by: Option<MadeBy>,
}

/// Whose code it is that lies in no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MadeBy {
    Process {
        pid: u32,
        name: String,
    },
    /// Processes whose code cannot be told apart.
    Others,
}

/// Where a module's code is as linked.
#[derive(Default)]
pub struct Span {
    pub memory_start: u64,
    pub memory_limit: u64,
    pub file_offset: u64,
}

impl Module {
    /// That of a file, of which nothing has been read.
    pub fn of_file(id: FileId, path: impl Into<PathBuf>) -> Module {
        Module {
            id,
            path: path.into(),
            layout: None,
            problem: None,
            is_vdso: id == FileId::VDSO,
            made_by: None,
        }
    }

    /// Nothing when its file could not be read.
    pub fn span(&self) -> Span {
        let segments = self.layout.as_ref().map_or(&[][..], |l| &l.segments);
        let (Some(first), Some(last)) = (segments.first(), segments.last()) else {
            return Span::default();
        };
        Span {
            memory_start: first.vaddr,
            memory_limit: last.vaddr.saturating_add(last.size),
            file_offset: first.file_offset,
        }
    }
}

/// Index of a module of a recording.
pub type ModuleIndex = u32;

#[derive(Default)]
pub struct Modules {
    modules: Vec<Module>,
    by_file: HashMap<FileId, ModuleIndex>,
}

impl Modules {
    /// The module of a file that was met before.
    pub fn known(&self, id: FileId) -> Option<ModuleIndex> {
        self.by_file.get(&id).copied()
    }

    /// One that is not known yet.
    pub fn add(&mut self, module: Module) -> ModuleIndex {
        let index = self.modules.len() as ModuleIndex;
        if module.made_by.is_none() {
            self.by_file.insert(module.id, index);
        }
        self.modules.push(module);
        index
    }

    /// Code that lies in no file: it has no rows, and its vaddrs are addresses.
    pub fn add_made(&mut self, name: &str, made_by: MadeBy) -> ModuleIndex {
        let no_file = FileId {
            device_major: 0,
            device_minor: 0,
            inode: 0,
        };
        self.add(Module {
            made_by: Some(made_by),
            ..Module::of_file(no_file, name)
        })
    }

    pub fn get(&self, index: ModuleIndex) -> &Module {
        &self.modules[index as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = (ModuleIndex, &Module)> {
        (0..).zip(&self.modules)
    }

    /// Whether a process of the target has made this code.
    pub fn is_made(&self, index: ModuleIndex) -> bool {
        self.get(index).made_by.is_some()
    }
}
