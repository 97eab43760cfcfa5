//! `lineheat open-worker`: the engine's own process for opening files that may lie on a file system that does not answer,
//! started by the engine only (`opener.rs`).

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use records::FileId;
use rustix::fs::MemfdFlags;

use crate::fd_passing::{receive, send};
use crate::open_messages::{Answer, Asked, Identity, decode};
use crate::own_program::own_program;

const NAME: &str = "open-worker";
/// linux/magic.h. Behind it stands a process, which may stop answering at any time.
const FUSE_SUPER_MAGIC: i64 = 0x6573_5546;
/// Of a file that is copied: the copy is held in memory.
const COPY_BYTES_MAX: u64 = 1 << 30;
const CHUNK_BYTES: usize = 256 << 10;
const TELL_EVERY: Duration = Duration::from_millis(200);
/// No file keeps the engine longer, however its file system answers.
const COPY_TIME_MAX: Duration = Duration::from_secs(20);

pub(crate) fn command() -> Command {
    own_program(NAME)
}

/// Answers on the socket that is its standard input until nobody asks any more.
pub fn run() -> ExitCode {
    let stdin = io::stdin();
    let socket = stdin.as_fd();
    loop {
        let Ok((request, _)) = receive(socket) else {
            return ExitCode::SUCCESS;
        };
        let Some((identity, paths, bytes_max)) = decode(&request) else {
            return ExitCode::from(3);
        };
        let asked = Asked {
            identity,
            paths: &paths,
            bytes_max,
        };
        let mut sleepers = Sleepers(Vec::new());
        let opened = open_first(&asked, socket, &mut sleepers);
        let is_last = !sleepers.0.is_empty();
        let sent = match &opened {
            Ok((file, id)) => {
                let id = *id;
                send(
                    socket,
                    &Answer::Opened { id, is_last }.encode(),
                    Some(file.as_fd()),
                )
            }
            Err(why) => {
                let why = why.clone();
                send(socket, &Answer::Failed { why, is_last }.encode(), None)
            }
        };
        if sent.is_err() {
            return ExitCode::from(3);
        }
    }
}

/// Files on FUSE. To close one means to ask it, too, so that is left to the end of this process, which nobody awaits.
struct Sleepers(Vec<File>);

type Found = (File, Option<FileId>);

/// The first of the paths that still is the wanted file, as one that never sleeps.
fn open_first(asked: &Asked, socket: BorrowedFd, sleepers: &mut Sleepers) -> Result<Found, String> {
    let mut problem = "its file has no path".to_owned();
    for path in asked.paths {
        let opened = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC)
            .open(path);
        let opened = opened.map_err(|e| format!("could not be opened: {e}"));
        let found = opened.and_then(|file| {
            if !may_sleep(&file) {
                return examine(&file, asked).map(|(id, _)| (file, id));
            }
            let copy = examine(&file, asked)
                .and_then(|(id, metadata)| Ok((copy_of(&file, &metadata, socket)?, id)));
            sleepers.0.push(file);
            copy
        });
        match found {
            Ok(found) => return Ok(found),
            Err(why) => problem = why,
        }
    }
    Err(problem)
}

/// Whether it lies on FUSE. The process behind it may refuse to say anything of its file system; local ones never do.
fn may_sleep(file: &File) -> bool {
    rustix::fs::fstatfs(file).map_or(true, |found| found.f_type == FUSE_SUPER_MAGIC)
}

fn examine(file: &File, asked: &Asked) -> Result<(Option<FileId>, Metadata), String> {
    let metadata = file.metadata();
    let metadata = metadata.map_err(|e| format!("could not be opened: {e}"))?;
    if !metadata.is_file() {
        return Err("is not a regular file".to_owned());
    }
    let id = match asked.identity {
        Identity::Is(id) if !is_mapped_file(id, &metadata, file) => {
            return Err("was replaced while it ran".to_owned());
        }
        Identity::Is(id) => Some(id),
        Identity::Wanted => id_of_mapping(file),
        Identity::Any => None,
    };
    if metadata.len() > asked.bytes_max {
        return Err(format!("is too large ({} bytes)", metadata.len()));
    }
    Ok((id, metadata))
}

/// Whether this is the file that the kernel calls `id` in its mapping records. Where stat(2) says otherwise, as it does
/// on overlayfs and btrfs, a mapping of our own is asked: there the kernel uses the same numbers.
fn is_mapped_file(id: FileId, metadata: &Metadata, file: &File) -> bool {
    let device = metadata.dev();
    let by_stat = FileId {
        device_major: libc::major(device),
        device_minor: libc::minor(device),
        inode: metadata.ino(),
    };
    by_stat == id || id_of_mapping(file) == Some(id)
}

fn id_of_mapping(file: &File) -> Option<FileId> {
    // SAFETY: one page that is never read.
    let page = unsafe { memmap2::MmapOptions::new().len(1).map(file) }.ok()?;
    let entry = target::own_mapping_at(page.as_ptr() as u64)?;
    Some(FileId {
        device_major: entry.device_major,
        device_minor: entry.device_minor,
        inode: entry.inode,
    })
}

/// The file's bytes and time of change, in memory. As long as it is read and answers, that is told.
fn copy_of(mut file: &File, metadata: &Metadata, socket: BorrowedFd) -> Result<File, String> {
    if metadata.len() > COPY_BYTES_MAX {
        return Err(format!(
            "is too large to copy from FUSE ({} bytes)",
            metadata.len()
        ));
    }
    let failed = |e: io::Error| format!("could not be copied from FUSE: {e}");
    let fd = rustix::fs::memfd_create(c"module", MemfdFlags::CLOEXEC);
    let mut copy = File::from(fd.map_err(|e| failed(e.into()))?);
    let (started, mut told) = (Instant::now(), Instant::now());
    let mut left = metadata.len();
    let mut chunk = vec![0; CHUNK_BYTES];
    while left > 0 {
        let most = chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let count = file.read(&mut chunk[..most]).map_err(failed)?;
        if count == 0 {
            break;
        }
        copy.write_all(&chunk[..count]).map_err(failed)?;
        left -= count as u64;
        if started.elapsed() > COPY_TIME_MAX {
            return Err(format!(
                "could not be copied from FUSE within {} s",
                COPY_TIME_MAX.as_secs()
            ));
        }
        if told.elapsed() > TELL_EVERY {
            told = Instant::now();
            send(socket, &Answer::StillReading.encode(), None).map_err(failed)?;
        }
    }
    let modified = metadata.modified().map_err(failed)?;
    copy.set_modified(modified).map_err(failed)?;
    Ok(copy)
}
