//! The files of the modules: opened once, their unwind rows packed for the sampler.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use records::{FileId, ToSampler};
use supervision::Urgency;
use symbolize::GuardedMap;
use unwind::{ElfLayout, PackedPages, RuleSet};

use super::modules::{Module, ModuleIndex, Modules};
use super::opener::{Asked, Identity, Opened, Opener};
use super::row_cache::RowCache;

/// The mapped inode, even if another file takes its place later.
struct MappedFile {
    file: File,
    /// What the file was when it was read for its rows; later it may have been rewritten in place. None: it had been
    /// already.
    stamp: Option<Stamp>,
}

#[derive(PartialEq, Eq)]
struct Stamp {
    modified: SystemTime,
    bytes: u64,
}

impl Stamp {
    fn of(file: &File) -> Option<Stamp> {
        let metadata = file.metadata().ok()?;
        Some(Stamp {
            modified: metadata.modified().ok()?,
            bytes: metadata.len(),
        })
    }

    /// Whether the file was rewritten after it had been mapped. A time in the future tells nothing.
    fn is_later_than(&self, mapped_at: SystemTime) -> bool {
        mapped_at < self.modified && self.modified <= SystemTime::now()
    }
}

/// Opens and reads them, and has what the sampler is told of them.
#[derive(Default)]
pub struct ModuleFiles {
    /// Those that could be opened.
    files: HashMap<ModuleIndex, MappedFile>,
    rules: RuleSet,
    opener: Opener,
    cache: RowCache,
    /// Messages that the sampler has not got yet, in order.
    pending: Vec<ToSampler>,
    rules_sent: usize,
    rows_used: u32,
    pages_used: u32,
    /// Set once the sampler's maps have their size.
    capacity: Option<Capacity>,
}

#[derive(Clone, Copy)]
pub struct Capacity {
    pub rows: u32,
    pub pages: u32,
}

/// Room for libraries that the target loads later: twice libLLVM.
const SPARE_ROWS: u32 = 3 << 20;
const SPARE_PAGES: u32 = 64 << 10;

const FILE_BYTES_MAX: u64 = 16 << 30;
/// A file that is no larger is read instead of mapped: setting up and removing a mapping takes longer.
const READ_BYTES_MAX: u64 = 64 << 10;

impl ModuleFiles {
    pub fn with(urgency: &Urgency) -> ModuleFiles {
        ModuleFiles {
            opener: Opener::with(urgency),
            cache: RowCache::of_user(urgency),
            ..ModuleFiles::default()
        }
    }

    /// What the sampler's maps must hold, fixed from now on; rows that do not fit later are left out, and their
    /// module is unwound by frame pointers.
    pub fn fix_capacity(&mut self) -> Capacity {
        *self.capacity.get_or_insert(Capacity {
            rows: self.rows_used.saturating_add(SPARE_ROWS),
            pages: self.pages_used.saturating_add(SPARE_PAGES),
        })
    }

    /// The mapped file, whatever has become of it since. None: it could not be opened.
    pub fn of(&self, index: ModuleIndex) -> Option<&File> {
        self.files.get(&index).map(|mapped| &mapped.file)
    }

    /// The mapped file, if it still is what ran; otherwise why its names are not to be trusted.
    pub fn as_mapped(&self, index: ModuleIndex, module: &Module) -> Result<&File, String> {
        let missing = || {
            let problem = module.problem.clone();
            problem.unwrap_or_else(|| "could not be read".to_owned())
        };
        let MappedFile { file, stamp } = self.files.get(&index).ok_or_else(missing)?;
        if Stamp::of(file) != *stamp {
            return Err("was rewritten during the recording, so its code has no names: install by renaming, or record again".to_owned());
        }
        Ok(file)
    }

    /// The module of a mapped file; read and packed when it is new. `open_as` are paths to try in turn. A file that was
    /// changed after `mapped_at` is not read: it is not what runs.
    pub fn module_of(
        &mut self,
        modules: &mut Modules,
        id: FileId,
        path: &Path,
        open_as: &[PathBuf],
        mapped_at: Option<SystemTime>,
    ) -> ModuleIndex {
        if let Some(index) = modules.known(id) {
            return index;
        }
        if id == FileId::VDSO {
            let module = self.read_vdso(id);
            return self.add(modules, module, None);
        }
        let opened = self
            .open(Identity::Is(id), open_as)
            .map(|opened| opened.file);
        let (module, file) = self.read_opened(id, path, opened, mapped_at);
        self.add(modules, module, file)
    }

    fn open(&mut self, identity: Identity, paths: &[PathBuf]) -> Result<Opened, String> {
        self.opener.open(&Asked {
            identity,
            paths,
            bytes_max: FILE_BYTES_MAX,
        })
    }

    fn add(
        &mut self,
        modules: &mut Modules,
        module: Module,
        file: Option<MappedFile>,
    ) -> ModuleIndex {
        let id = module.id;
        let index = modules.add(module);
        self.files.extend(file.map(|file| (index, file)));
        let has_rows = |m: &ToSampler| matches!(m, ToSampler::File { id: of, .. } if *of == id);
        if !self.pending.iter().any(has_rows) {
            // No rows will come: nobody is to wait for them.
            self.pending.push(ToSampler::File {
                id,
                first_page: 0,
                base_page: 0,
                page_count: 0,
                segments: Vec::new(),
            });
        }
        index
    }

    /// Reads a library that will be mapped soon, under the number that the kernel will report for it.
    pub fn expect_library(&mut self, modules: &mut Modules, path: &Path) {
        let opened = self.open(Identity::Wanted, &[path.to_owned()]);
        if let Ok(Opened { file, id: Some(id) }) = opened
            && modules.known(id).is_none()
        {
            let (module, file) = self.read_opened(id, path, Ok(file), None);
            self.add(modules, module, file);
        }
    }

    /// What the sampler has not been told yet, in order. From now on it has.
    pub fn take_news(&mut self) -> Vec<ToSampler> {
        if self.pending.is_empty() {
            return Vec::new();
        }
        let first = self.rules_sent;
        self.rules_sent = self.rules.len();
        let rules = (self.rules_sent > first).then(|| ToSampler::Rules {
            first: first as u32,
            rules: self.rules.bytes_from(first),
        });
        rules.into_iter().chain(self.pending.drain(..)).collect()
    }

    fn read_opened(
        &mut self,
        id: FileId,
        path: &Path,
        opened: Result<File, String>,
        mapped_at: Option<SystemTime>,
    ) -> (Module, Option<MappedFile>) {
        let mut module = Module::of_file(id, path);
        let file = match opened {
            Ok(file) => file,
            Err(problem) => {
                module.problem = Some(problem);
                return (module, None);
            }
        };
        let stamp = Stamp::of(&file);
        if (stamp.as_ref().zip(mapped_at)).is_some_and(|(s, at)| s.is_later_than(at)) {
            return (module, Some(MappedFile { file, stamp: None }));
        }
        let is_small = stamp.as_ref().is_some_and(|s| s.bytes <= READ_BYTES_MAX);
        match image_of(&file, is_small) {
            Ok(bytes) => self.read_image(&mut module, Some(&file), &bytes),
            Err(e) => module.problem = Some(format!("could not be read: {e}")),
        }
        (module, Some(MappedFile { file, stamp }))
    }

    fn read_vdso(&mut self, id: FileId) -> Module {
        let mut module = Module::of_file(id, "[vdso]");
        match own_vdso() {
            Some(bytes) => self.read_image(&mut module, None, &bytes),
            None => module.problem = Some("this process has no vDSO to read".to_owned()),
        }
        module
    }

    fn read_image(&mut self, module: &mut Module, file: Option<&File>, bytes: &[u8]) {
        let cache = &mut self.cache;
        // A parser that panics costs this file only.
        let read = catch_unwind(AssertUnwindSafe(|| {
            let layout = unwind::layout_of_elf(bytes).map_err(|e| e.to_string())?;
            Ok::<_, String>((layout, cache.rows_of(file, bytes)))
        }));
        match read.unwrap_or_else(|_| Err("is malformed: its code has no names".to_owned())) {
            Ok((layout, rows)) => {
                if let Some(rows) = rows {
                    let packed = rows.numbered_in(&mut self.rules);
                    self.queue(module.id, packed, &layout);
                }
                module.layout = Some(layout);
            }
            Err(problem) => module.problem = Some(problem),
        }
    }

    fn queue(&mut self, id: FileId, packed: PackedPages, layout: &ElfLayout) {
        let (row_count, page_count) = (packed.rows.len() as u32, packed.pages.len() as u32);
        // Rows lie two to a map element: every module begins on an even row.
        let first_row = self.rows_used.next_multiple_of(2);
        let first_page = self.pages_used;
        let fits = self.capacity.is_none_or(|c| {
            first_row.saturating_add(row_count) <= c.rows && first_page + page_count <= c.pages
        });
        if !fits || page_count == 0 {
            return;
        }
        self.rows_used = first_row + row_count;
        self.pages_used = first_page + page_count;
        let entry =
            |(first, count): &(u32, u32)| u64::from(first_row + first) | u64::from(*count) << 32;
        let pages = packed.pages.iter().map(entry).collect();
        self.pending.push(ToSampler::Rows {
            first: first_row,
            rows: packed.rows,
        });
        self.pending.push(ToSampler::Pages {
            first: first_page,
            pages,
        });
        self.pending.push(ToSampler::File {
            id,
            first_page,
            base_page: packed.base_page,
            page_count,
            segments: layout.segments.clone(),
        });
    }
}

/// What is in the file: read, where that costs less than to map it.
fn image_of(file: &File, is_small: bool) -> io::Result<Box<dyn Deref<Target = [u8]>>> {
    Ok(match is_small {
        true => Box::new(read_small(file)?),
        false => Box::new(GuardedMap::of(file)?),
    })
}

fn read_small(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; READ_BYTES_MAX as usize];
    let mut length = 0;
    // Its position stays: others read it from the beginning.
    while length < bytes.len() {
        match file.read_at(&mut bytes[length..], length as u64) {
            Ok(0) => break,
            Ok(n) => length += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}

/// The vDSO is the same in all processes of a kernel (32-bit ones apart), so ours can be read from our own memory.
pub fn own_vdso() -> Option<Vec<u8>> {
    let maps = target::executable_mappings(std::process::id()).ok()?;
    let vdso = maps.iter().find(|m| m.path == Path::new("[vdso]"))?;
    let length = (vdso.end - vdso.start) as usize;
    // SAFETY: /proc/self/maps just named this range as mapped and readable; the vDSO is never unmapped.
    let bytes = unsafe { std::slice::from_raw_parts(vdso.start as *const u8, length) };
    Some(bytes.to_vec())
}
