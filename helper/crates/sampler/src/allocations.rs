//! Probes at the functions of the preloaded library (bpf/allocations.h): in a file that the engine has opened, and only where
//! whoever maps it has nobody but itself, or us, to blame.

use std::fs::{File, Metadata};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use libbpf_rs::{Link, UprobeMultiOpts};
use records::SamplerStep;

use crate::bpf::Bpf;
use crate::end::{End, errno_of};

/// The name of the library in the folder of the sampler, where a package has it.
const BESIDE: &str = "liblineheat_alloc.so";

/// While they live, the probes are there.
pub struct Probes {
    _links: [Link; 2],
}

impl Bpf {
    /// At these offsets of the file: of an allocation and of a free.
    ///
    /// # Errors
    /// `ProbeFile` where the file must not have probes, `AttachProbes` as bpf(2).
    pub fn attach_probes(
        &mut self,
        file: Option<OwnedFd>,
        [allocated, freed]: [u64; 2],
        invoker: u32,
    ) -> Result<Probes, End> {
        let refused = |errno| End::Failed(SamplerStep::ProbeFile, errno, 0);
        let file = File::from(file.ok_or(refused(libc::EBADF))?);
        may_have_probes(&file, invoker).map_err(refused)?;
        let attach = |program: &libbpf_rs::ProgramMut, offset: u64| {
            let options = UprobeMultiOpts {
                offsets: vec![offset as usize],
                ..UprobeMultiOpts::default()
            };
            // Of every process: children are counted, too. The programs ask whose they are.
            let path = format!("/proc/self/fd/{}", file.as_raw_fd());
            (program.attach_uprobe_multi_with_opts(-1, path, "", options))
                .map_err(|e| End::Failed(SamplerStep::AttachProbes, errno_of(&e), 0))
        };
        let programs = &self.skeleton.progs;
        Ok(Probes {
            _links: [
                attach(&programs.take_allocation, allocated)?,
                attach(&programs.take_free, freed)?,
            ],
        })
    }
}

/// A probe is seen, and paid for, by every process that maps the file. So it has to be the invoker's own, who could change
/// what it does anyway, or the one that root has put beside this program.
fn may_have_probes(file: &File, invoker: u32) -> Result<(), i32> {
    let found = is_open_for_reading(file)?;
    match is_own(&found, invoker) || is_beside_us(&found) {
        true => Ok(()),
        false => Err(libc::EPERM),
    }
}

/// Who owns a file can change what is executed of it.
pub fn is_own(found: &Metadata, invoker: u32) -> bool {
    invoker == 0 || found.uid() == invoker
}

/// What the file is, if it is a regular one.
///
/// # Errors
/// As errno.
pub fn is_open_for_reading(file: &File) -> Result<Metadata, i32> {
    // SAFETY: fcntl with F_GETFL takes plain numbers.
    let flags = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) };
    let is_readable = flags >= 0
        && flags & libc::O_PATH == 0
        && matches!(flags & libc::O_ACCMODE, libc::O_RDONLY | libc::O_RDWR);
    let found = file.metadata().map_err(|e| e.raw_os_error().unwrap_or(0))?;
    match is_readable && found.is_file() {
        true => Ok(found),
        false => Err(libc::EBADF),
    }
}

fn is_beside_us(found: &Metadata) -> bool {
    let own = std::fs::read_link("/proc/self/exe").ok();
    let beside = own
        .as_deref()
        .and_then(Path::parent)
        .map(|folder| folder.join(BESIDE));
    let beside = beside.and_then(|path| std::fs::symlink_metadata(path).ok());
    let is_roots = found.uid() == 0 && found.mode() & 0o022 == 0;
    is_roots && beside.is_some_and(|b| (b.dev(), b.ino()) == (found.dev(), found.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: u32 = 65534;

    #[test]
    fn a_file_of_somebody_else_has_no_probes() {
        let libc = File::open("/etc/passwd").unwrap();
        assert_eq!(may_have_probes(&libc, NOBODY), Err(libc::EPERM));
        assert_eq!(may_have_probes(&libc, 0), Ok(()), "root's recording");
    }

    #[test]
    fn what_is_not_open_for_reading_or_no_regular_file_has_none() {
        let folder = File::open("/").unwrap();
        assert_eq!(may_have_probes(&folder, 0), Err(libc::EBADF));
        let mut only_path = std::fs::OpenOptions::new();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut only_path, libc::O_PATH);
        let file = only_path.read(true).open("/etc/passwd").unwrap();
        assert_eq!(may_have_probes(&file, 0), Err(libc::EBADF));
    }
}
