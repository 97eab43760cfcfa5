//! The library that is preloaded into the command to sample what it allocates: found beside the engine, and looked at before
//! anything is told to load it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use machine::sampler_file::beside_engine;
use preload::{ALLOCATED, FILE, FREED, INTERVAL, INTERVAL_VARIABLE};
use records::ToSampler;

use super::errors::{RecordError, RecordErrorKind};
use super::options::{Privilege, RecordOptions, Target};

pub const VARIABLE: &str = "LD_PRELOAD";

/// A nop, which the kernel need not single-step: the first instruction of the functions where the probes are.
#[cfg(target_arch = "x86_64")]
const FIRST_INSTRUCTION: &[u8] = &[0x90];
#[cfg(target_arch = "aarch64")]
const FIRST_INSTRUCTION: &[u8] = &[0x1f, 0x20, 0x03, 0xd5];

/// What the sampler gets to know of it.
pub struct Library {
    pub path: PathBuf,
    pub file: File,
    pub probes: ToSampler,
}

/// Where it belongs. The loader takes it from there, so nobody else may be able to change it.
fn path() -> Result<PathBuf, RecordError> {
    beside_engine(FILE).map_err(|_| RecordError {
        kind: RecordErrorKind::NotFound,
        message: format!("cannot record allocations: {FILE} is missing beside lineheat"),
        advice: "Reinstall Lineheat.".to_owned(),
    })
}

/// Bytes that a sample stands for on average, for a command with this environment.
pub fn interval(env: &[(OsString, OsString)]) -> u64 {
    let text = of_environment(env, INTERVAL_VARIABLE);
    let number = text.and_then(|text| text.to_str()?.parse().ok());
    number.filter(|n| *n > 0).unwrap_or(INTERVAL)
}

/// The variable with which the command loads it, before what it loads otherwise. None: it is not wanted.
pub fn variable(
    options: &RecordOptions,
    env: &[(OsString, OsString)],
) -> Option<(OsString, OsString)> {
    let path = options.chosen.allocations.then(path)?.ok()?;
    let mut value = path.into_os_string();
    if let Some(more) = of_environment(env, VARIABLE).filter(|more| !more.is_empty()) {
        value.push(":");
        value.push(more);
    }
    Some((VARIABLE.into(), value))
}

fn of_environment(env: &[(OsString, OsString)], name: &str) -> Option<OsString> {
    let added = env.iter().rev().find(|(added, _)| added == name);
    added.map_or_else(|| std::env::var_os(name), |(_, value)| Some(value.clone()))
}

/// The library, if allocations are to be recorded.
///
/// # Errors
/// When they cannot be recorded of this target, or the library is not to be used.
pub fn wanted(options: &RecordOptions) -> Result<Option<Library>, RecordError> {
    if !options.chosen.allocations {
        return Ok(None);
    }
    if matches!(options.target, Target::Attach(_)) {
        return Err(RecordError {
            kind: RecordErrorKind::Unsupported,
            message: "cannot record allocations of a running process: the library that samples them must be loaded when a program starts".to_owned(),
            advice: "Let Lineheat start the program:\n  lineheat record --alloc -- COMMAND".to_owned(),
        });
    }
    if options.privilege == Privilege::None {
        return Err(RecordError {
            kind: RecordErrorKind::Unsupported,
            message: "cannot record allocations without privileges: their stacks are found by a BPF program".to_owned(),
            advice: "Record without --unprivileged.".to_owned(),
        });
    }
    library_at(&path()?).map(Some)
}

fn library_at(path: &Path) -> Result<Library, RecordError> {
    let unusable = |why: &str| RecordError {
        kind: RecordErrorKind::Unsupported,
        message: format!("cannot record allocations: {}: {why}", path.display()),
        advice: "Reinstall Lineheat in a folder that only you and root can change.".to_owned(),
    };
    if path
        .as_os_str()
        .as_bytes()
        .iter()
        .any(|byte| b": \t\n".contains(byte))
    {
        let why = "the loader takes no path with a space or a colon in LD_PRELOAD";
        return Err(RecordError {
            advice: "Install Lineheat in a folder without spaces and colons in its path."
                .to_owned(),
            ..unusable(why)
        });
    }
    let found = fs::symlink_metadata(path).map_err(|e| unusable(&e.to_string()))?;
    if !found.is_file() {
        return Err(unusable("it is no regular file"));
    }
    if found.uid() != 0 && found.uid() != target::own_uid() {
        let owner = target::user_name(found.uid());
        return Err(unusable(&format!(
            "it belongs to {owner}, expected you or root"
        )));
    }
    if found.mode() & 0o022 != 0 {
        let mode = found.mode() & 0o7777;
        return Err(unusable(&format!(
            "others can write to it (mode {mode:04o}, expected 0644)"
        )));
    }
    let file = File::open(path).map_err(|e| unusable(&e.to_string()))?;
    let same = |opened: fs::Metadata| (opened.dev(), opened.ino()) == (found.dev(), found.ino());
    if !file.metadata().is_ok_and(same) {
        return Err(unusable("it was replaced just now"));
    }
    let offset_of = |name: &str| {
        let offset = symbolize::offset_of_export(&file, name);
        let offset = offset.ok_or_else(|| unusable(&format!("it has no function {name}")))?;
        let mut code = [0; FIRST_INSTRUCTION.len()];
        match file.read_exact_at(&mut code, offset) {
            Ok(()) if code == *FIRST_INSTRUCTION => Ok(offset),
            _ => Err(unusable(&format!("{name} does not begin as expected"))),
        }
    };
    let (allocated, freed) = (offset_of(ALLOCATED)?, offset_of(FREED)?);
    Ok(Library {
        path: path.to_owned(),
        file,
        probes: ToSampler::Allocations { allocated, freed },
    })
}

/// Whether this is the library, wherever it is.
pub fn is_library(path: &Path) -> bool {
    path.file_name() == Some(OsStr::new(FILE))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn refusal(path: &Path) -> String {
        library_at(path).err().expect("refused").to_string()
    }

    #[test]
    fn a_library_that_others_can_write_to_or_that_is_another_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        assert!(refusal(&path).contains("No such file"));
        fs::write(&path, "no library").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(refusal(&path).contains("mode 0666, expected 0644"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(refusal(&path).contains("no function lineheat_allocated"));
        let link = folder.path().join("link.so");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(refusal(&link).contains("no regular file"));
        let spaced = folder.path().join("a folder").join(FILE);
        assert!(refusal(&spaced).contains("with a space or a colon"));
    }

    #[test]
    fn the_interval_is_that_of_the_commands_environment() {
        assert_eq!(interval(&[]), 512 << 10);
        let set = |value: &str| vec![(INTERVAL_VARIABLE.into(), value.into())];
        assert_eq!(interval(&set("1")), 1);
        assert_eq!(interval(&set("none")), 512 << 10);
    }
}
