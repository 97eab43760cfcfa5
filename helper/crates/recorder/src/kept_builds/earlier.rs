//! The build of a program that was recorded before its present one: found, proven to be what was kept, and what is known
//! of it from the runs that recorded it.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use profile::run::Source;
use profile::{Profile, RunInfo};
use supervision::Urgency;
use user_files::Folder;

use super::copying::digest_of;
use super::manifest::{KeptFile, Manifest, Stamp};
use super::{KeptBuilds, resolved};
use crate::shown_path;

/// A kept build that can run.
#[derive(Debug, Clone)]
pub struct EarlierBuild {
    pub id: String,
    pub recorded_unix_ms: u64,
    /// The present program; it is told that it is called so.
    pub program: PathBuf,
    /// The copy.
    pub executable: PathBuf,
    builds: KeptBuilds,
    manifest: Manifest,
}

/// Why there is nothing to compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoEarlierBuild {
    /// A script, or no file at all.
    NoProgram,
    TooLarge {
        bytes: u64,
        bytes_max: u64,
    },
    /// None was recorded here.
    NeverKept,
    /// What is kept is what the program is now.
    Unchanged {
        recorded_unix_ms: u64,
    },
    /// Something has written into the copy.
    Damaged,
}

/// What the runs of an earlier build say of its sources.
#[derive(Debug, Clone, Default)]
pub struct EarlierSources {
    texts: HashMap<String, Source>,
    pub git_commit: String,
    pub git_dirty: bool,
    pub git_branch: String,
}

impl KeptBuilds {
    /// The newest kept build of the program at this path that is not its present one.
    ///
    /// # Errors
    /// Why there is none.
    pub fn earlier(&self, program: &Path) -> Result<EarlierBuild, NoEarlierBuild> {
        let program = program.canonicalize();
        let program = program.map_err(|_| NoEarlierBuild::NoProgram)?;
        let bytes = elf_bytes(&program).ok_or(NoEarlierBuild::NoProgram)?;
        let folder = Folder::open(&self.folder);
        let mut all = folder.map_or_else(|_| Vec::new(), |folder| self.manifests(&folder));
        let shown = shown_path(&program);
        all.retain(|(_, manifest)| manifest.program == shown);
        all.sort_by_key(|(_, manifest)| u64::MAX - manifest.recorded_unix_ms);
        let bytes_max = self.build_bytes_max();
        let mut why = match bytes > bytes_max {
            true => NoEarlierBuild::TooLarge { bytes, bytes_max },
            false => NoEarlierBuild::NeverKept,
        };
        for (id, manifest) in all {
            let recorded_unix_ms = manifest.recorded_unix_ms;
            if is_present(&manifest, &program) {
                why = NoEarlierBuild::Unchanged { recorded_unix_ms };
                continue;
            }
            if !self.is_sound(&id, &manifest) {
                why = NoEarlierBuild::Damaged;
                continue;
            }
            return Ok(EarlierBuild {
                executable: self.folder.join(&id).join(&manifest.files[0].name),
                id,
                recorded_unix_ms,
                program,
                builds: self.clone(),
                manifest,
            });
        }
        Err(why)
    }

    /// Whether the copies are still what was copied.
    fn is_sound(&self, id: &str, manifest: &Manifest) -> bool {
        let Ok(folder) = Folder::open(&self.folder.join(id)) else {
            return false;
        };
        manifest.files.iter().all(|kept| {
            let file = folder.read(OsStr::new(&kept.name));
            file.is_ok_and(|file| is_file_of(&file, kept))
        })
    }
}

impl EarlierBuild {
    /// What its loader needs beside the environment that the new build has, which sets `library_path`: the libraries of the
    /// workspace as they were are found before those that are there now.
    pub fn environment(
        &self,
        library_path: Option<&OsStr>,
    ) -> Option<(&'static str, std::ffi::OsString)> {
        let folder = self.executable.parent()?;
        // The loader takes these for separators.
        let is_plain = !folder
            .as_os_str()
            .as_encoded_bytes()
            .iter()
            .any(|byte| b":;".contains(byte));
        if self.manifest.files.len() < 2 || !is_plain {
            return None;
        }
        let mut paths = folder.as_os_str().to_owned();
        if let Some(more) = library_path.filter(|paths| !paths.is_empty()) {
            paths.push(":");
            paths.push(more);
        }
        Some(("LD_LIBRARY_PATH", paths))
    }

    /// Reads what the runs of this build say. What was newer than the program then is not what it was built from.
    pub fn sources(&self) -> EarlierSources {
        let mut found = EarlierSources::default();
        for name in &self.manifest.runs {
            let run = Profile::open(&self.builds.runs.join(name));
            let Some(run) = run.ok().and_then(|profile| profile.run) else {
                continue;
            };
            if self.is_of_this_build(&run) {
                found.add(run);
            }
        }
        found
    }

    fn is_of_this_build(&self, run: &RunInfo) -> bool {
        let build_id = &self.manifest.build_id;
        let has_it = |build_id: &str| run.modules.iter().any(|module| module.build_id == build_id);
        build_id.is_empty() || has_it(build_id)
    }

    /// Notes a run of this build.
    ///
    /// # Errors
    /// As the system calls.
    pub(crate) fn note_run(&self, run: &Path, urgency: &Urgency) -> std::io::Result<()> {
        self.builds.note_run(&self.id, run, urgency)
    }

    /// Whether code of this file is not what the build had: a library of the workspace that is another one now, or of which
    /// no copy was kept.
    pub(crate) fn is_foreign(&self, path: &Path, file: Option<&File>) -> bool {
        if !self.builds.is_own(path) {
            return false;
        }
        let shown = shown_path(resolved(path));
        let kept = self.manifest.files.iter().find(|kept| kept.path == shown);
        !kept
            .zip(file)
            .is_some_and(|(kept, file)| is_file_of(file, kept))
    }
}

impl EarlierSources {
    /// The earliest run of a build knows best.
    fn add(&mut self, run: RunInfo) {
        if self.git_commit.is_empty() {
            self.git_commit = run.git_commit;
            self.git_dirty = run.git_dirty;
            self.git_branch = run.git_branch;
        }
        for source in run.sources {
            if !source.newer_than_binary && !source.differs_from_binary {
                self.texts.entry(source.path.clone()).or_insert(source);
            }
        }
    }

    /// The text that the build was made from; None: it is not known.
    pub(crate) fn text_of(&self, path: &str) -> Option<&Source> {
        self.texts.get(path)
    }
}

/// Whether the program and the libraries are what was kept.
fn is_present(manifest: &Manifest, program: &Path) -> bool {
    manifest.files.iter().enumerate().all(|(at, kept)| {
        let path = match at {
            0 => program,
            _ => Path::new(&kept.path),
        };
        let is_regular = path.is_file(); // opening a device may set it going
        is_regular && File::open(path).is_ok_and(|file| is_file_of(&file, kept))
    })
}

/// By what the file system says, or else by every byte.
fn is_file_of(file: &File, kept: &KeptFile) -> bool {
    let Ok(stamp) = Stamp::of(file) else {
        return false;
    };
    if stamp == kept.stamp {
        return true;
    }
    let digest = || digest_of(file, &Urgency::default());
    stamp.bytes == kept.stamp.bytes && digest().is_ok_and(|digest| digest == kept.sha256)
}

/// None: it is no ELF file.
fn elf_bytes(program: &Path) -> Option<u64> {
    let is_regular = program.is_file();
    let mut file = File::open(program).ok().filter(|_| is_regular)?;
    let mut magic = [0; 4];
    file.read_exact(&mut magic).ok()?;
    (magic == *b"\x7fELF").then(|| file.metadata().map_or(0, |metadata| metadata.len()))
}

impl NoEarlierBuild {
    /// One sentence about the program of this name.
    pub fn sentence(&self, name: &str) -> String {
        match self {
            Self::NoProgram => {
                format!("No build of {name} is kept, because it is not a native program (ELF).")
            }
            Self::TooLarge { bytes, bytes_max } => format!(
                "No build of {name} is kept: it has {} MiB, and the limit is {} MiB.",
                bytes >> 20,
                bytes_max >> 20
            ),
            Self::NeverKept => format!("There is no earlier build of {name} to compare with."),
            Self::Unchanged { .. } => format!(
                "The program {name} has not changed since it was last profiled, so there is nothing to compare."
            ),
            Self::Damaged => format!(
                "The kept copy of {name} in .lineheat/builds was modified, so it is not run."
            ),
        }
    }

    /// What the user can do.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::NoProgram => "Profile the program itself instead of a script that starts it.",
            Self::TooLarge { .. } => {
                "Copy the earlier build yourself, and compare both with `lineheat compare-commands`."
            }
            Self::NeverKept => {
                "Profile the program, change it, and compare again: each build that you profile is kept."
            }
            Self::Unchanged { .. } => "Change the program and compare again.",
            Self::Damaged => "Profile the present build, change the program, and compare again.",
        }
    }
}
