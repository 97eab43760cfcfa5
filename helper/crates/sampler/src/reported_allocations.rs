//! Probes where a program says itself which of its allocations are samples (bpf/reported_allocations.h).

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;

use libbpf_rs::{Link, MapCore, MapFlags, UprobeMultiOpts};
use records::{ALLOCATION_PLACES_MAX, AllocationPlace, SamplerStep};

use crate::allocations::{is_open_for_reading, is_own};
use crate::bpf::Bpf;
use crate::end::{End, errno_of};

/// Processes that run files of others, each with probes of its own, which take some 20 ms to end.
const PROCESSES_MAX: usize = 64;

/// While it lives, the probes are there.
#[derive(Default)]
pub struct ReportProbes {
    links: Vec<Link>,
    files: Vec<PlacedFile>,
    /// Probes in one process each.
    of_processes: usize,
}

struct PlacedFile {
    /// Device and inode.
    id: (u64, u64),
    /// Number of the first place.
    first: usize,
    places: Vec<AllocationPlace>,
    /// Whatever process runs it has the probes.
    is_everywhere: bool,
}

impl ReportProbes {
    /// At these places of the file. A file that is not the invoker's own has them in the processes `pids` only: others that map it
    /// would pay for them. In one of his own they see children, too.
    ///
    /// # Errors
    /// `Protocol` for too many places, `ReportFile` where the file is none that can have them, `AttachReportProbes` as bpf(2).
    pub fn attach(
        &mut self,
        bpf: &Bpf,
        file: Option<File>,
        places: &[AllocationPlace],
        pids: &[u32],
        invoker: u32,
    ) -> Result<(), End> {
        if places.is_empty() || self.is_one_too_many(places) {
            return Err(End::Failed(SamplerStep::Protocol, 0, 0));
        }
        let refused = |errno| End::Failed(SamplerStep::ReportFile, errno, 0);
        let file = file.ok_or(refused(libc::EBADF))?;
        let found = is_open_for_reading(&file).map_err(refused)?;
        let not_attached = |errno| End::Failed(SamplerStep::AttachReportProbes, errno, 0);
        let is_everywhere = is_own(&found, invoker);
        let id = (found.dev(), found.ino());
        let placed = self.add(bpf, id, places, is_everywhere);
        let placed = placed.map_err(not_attached)?;
        let pids: Vec<i32> = match is_everywhere {
            true => vec![-1],
            false => pids.iter().map(|pid| *pid as i32).collect(),
        };
        for pid in pids {
            let link = attach_places(bpf, &file, &self.files[placed], pid);
            self.links.extend(link.map_err(not_attached)?);
        }
        Ok(())
    }

    /// The same of a program that a followed process has begun to run.
    ///
    /// # Errors
    /// As errno: `ENOSPC` for too many places, `EMFILE` for too many processes that run files of others.
    pub fn attach_to_program(
        &mut self,
        bpf: &Bpf,
        file: Option<File>,
        places: &[AllocationPlace],
        pid: u32,
        invoker: u32,
    ) -> Result<(), i32> {
        let file = file.ok_or(libc::EBADF)?;
        let found = is_open_for_reading(&file)?;
        let id = (found.dev(), found.ino());
        let is_same = |of: &PlacedFile| of.id == id && of.places == places;
        let (placed, is_new) = match self.files.iter().position(is_same) {
            Some(known) => (known, false),
            None if self.is_one_too_many(places) => return Err(libc::ENOSPC),
            None => (self.add(bpf, id, places, is_own(&found, invoker))?, true),
        };
        let is_everywhere = self.files[placed].is_everywhere;
        if is_everywhere && !is_new {
            return Ok(());
        }
        if !is_everywhere && self.of_processes >= PROCESSES_MAX {
            return Err(libc::EMFILE);
        }
        let of = if is_everywhere { -1 } else { pid as i32 };
        let link = attach_places(bpf, &file, &self.files[placed], of)?;
        self.of_processes += usize::from(!is_everywhere);
        self.links.extend(link);
        Ok(())
    }

    fn is_one_too_many(&self, places: &[AllocationPlace]) -> bool {
        let known: usize = self.files.iter().map(|file| file.places.len()).sum();
        known + places.len() > ALLOCATION_PLACES_MAX
    }

    /// Gives its index.
    fn add(
        &mut self,
        bpf: &Bpf,
        id: (u64, u64),
        places: &[AllocationPlace],
        is_everywhere: bool,
    ) -> Result<usize, i32> {
        let first = self.files.iter().map(|file| file.places.len()).sum();
        for (index, place) in (first..).zip(places) {
            let key = (index as u32).to_ne_bytes();
            (bpf.skeleton.maps.allocation_places)
                .update(&key, &place.bpf_bytes(), MapFlags::ANY)
                .map_err(|e| errno_of(&e))?;
        }
        self.files.push(PlacedFile {
            id,
            first,
            places: places.to_vec(),
            is_everywhere,
        });
        Ok(self.files.len() - 1)
    }

    /// Nothing is seen from now on.
    pub fn detach(&mut self) {
        self.links.clear();
    }
}

/// None: the process has ended.
fn attach_places(
    bpf: &Bpf,
    file: &File,
    placed: &PlacedFile,
    pid: i32,
) -> Result<Option<Link>, i32> {
    let places = &placed.places;
    let semaphores = places.iter().map(|place| place.semaphore as usize);
    let has_semaphores = places.iter().any(|place| place.semaphore != 0);
    let options = UprobeMultiOpts {
        offsets: places.iter().map(|place| place.offset as usize).collect(),
        cookies: (placed.first..)
            .take(places.len())
            .map(|i| i as u64)
            .collect(),
        ref_ctr_offsets: semaphores.filter(|_| has_semaphores).collect(),
        ..UprobeMultiOpts::default()
    };
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    match (bpf.skeleton.progs.take_report).attach_uprobe_multi_with_opts(pid, path, "", options) {
        Ok(link) => Ok(Some(link)),
        Err(e) if pid > 0 && errno_of(&e) == libc::ESRCH => Ok(None),
        Err(e) => Err(errno_of(&e)),
    }
}
