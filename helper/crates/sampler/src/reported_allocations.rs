//! Probes where a program says itself which of its allocations are samples (bpf/reported_allocations.h).

use std::fs::File;
use std::os::fd::AsRawFd;

use libbpf_rs::{Link, MapCore, MapFlags, ProgramMut, UprobeMultiOpts};
use records::{ALLOCATION_PLACES_MAX, AllocationPlace, SamplerStep};

use crate::allocations::{is_open_for_reading, is_own};
use crate::bpf::Bpf;
use crate::end::{End, errno_of};

/// While it lives, the probes are there.
#[derive(Default)]
pub struct ReportProbes {
    links: Vec<Link>,
    places: usize,
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
        let first = self.places;
        self.places += places.len();
        if places.is_empty() || self.places > ALLOCATION_PLACES_MAX {
            return Err(End::Failed(SamplerStep::Protocol, 0, 0));
        }
        let refused = |errno| End::Failed(SamplerStep::ReportFile, errno, 0);
        let file = file.ok_or(refused(libc::EBADF))?;
        let found = is_open_for_reading(&file).map_err(refused)?;
        let pids: Vec<i32> = match is_own(&found, invoker) {
            true => vec![-1],
            false => pids.iter().map(|pid| *pid as i32).collect(),
        };
        let not_attached = |errno| End::Failed(SamplerStep::AttachReportProbes, errno, 0);
        let numbered: Vec<(usize, AllocationPlace)> =
            (first..).zip(places.iter().copied()).collect();
        for (index, place) in &numbered {
            let key = (*index as u32).to_ne_bytes();
            (bpf.skeleton.maps.allocation_places)
                .update(&key, &place.bpf_bytes(), MapFlags::ANY)
                .map_err(|e| not_attached(errno_of(&e)))?;
        }
        let (allocations, frees): (Vec<_>, Vec<_>) = numbered
            .into_iter()
            .partition(|(_, place)| place.role.is_allocation());
        let programs = &bpf.skeleton.progs;
        for pid in pids {
            for (program, places) in [
                (&programs.take_reported_allocation, &allocations),
                (&programs.take_reported_free, &frees),
            ] {
                let link = attach_places(program, &file, places, pid).map_err(not_attached)?;
                self.links.extend(link);
            }
        }
        Ok(())
    }

    /// Nothing is seen from now on.
    pub fn detach(&mut self) {
        self.links.clear();
    }
}

/// None: there are none, or the process has ended.
fn attach_places(
    program: &ProgramMut,
    file: &File,
    places: &[(usize, AllocationPlace)],
    pid: i32,
) -> Result<Option<Link>, i32> {
    if places.is_empty() {
        return Ok(None);
    }
    let semaphores = places.iter().map(|(_, place)| place.semaphore as usize);
    let has_semaphores = places.iter().any(|(_, place)| place.semaphore != 0);
    let options = UprobeMultiOpts {
        offsets: places
            .iter()
            .map(|(_, place)| place.offset as usize)
            .collect(),
        cookies: places.iter().map(|(index, _)| *index as u64).collect(),
        ref_ctr_offsets: semaphores.filter(|_| has_semaphores).collect(),
        ..UprobeMultiOpts::default()
    };
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    match program.attach_uprobe_multi_with_opts(pid, path, "", options) {
        Ok(link) => Ok(Some(link)),
        Err(e) if pid > 0 && errno_of(&e) == libc::ESRCH => Ok(None),
        Err(e) => Err(errno_of(&e)),
    }
}
