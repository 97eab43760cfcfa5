//! Counts of the calls of chosen functions (bpf/calls.h): where the probes go, and what they have counted.

use std::fs::File;
use std::os::fd::AsRawFd;

use libbpf_rs::{Link, MapCore, MapFlags, UprobeMultiOpts};
use records::layout::CALLED_FUNCTIONS_MAX;
use records::{CallPlace, CallsOfThread, SamplerStep};

use crate::allocations::{is_open_for_reading, is_own};
use crate::bpf::{Bpf, MappedArray};
use crate::end::{End, errno_of};

/// While it lives, the probes are there.
#[derive(Default)]
pub struct CallProbes {
    links: Vec<Link>,
    places: usize,
    /// By function, as it was told last; None: nothing is to be counted.
    counts: Option<Counts>,
}

struct Counts {
    now: MappedArray<u64>,
    told: Vec<u64>,
}

impl CallProbes {
    /// At these places of the file. A file that is not the invoker's own has them in the processes `pids` only: others that map it
    /// would pay for them. In one of his own they count children, too; what others execute of it he could change anyway.
    ///
    /// # Errors
    /// `Protocol` for too many places, `CallFile` where the file is none that can have them, `AttachCallProbes` as bpf(2).
    pub fn attach(
        &mut self,
        bpf: &Bpf,
        file: Option<File>,
        places: &[CallPlace],
        pids: &[u32],
        invoker: u32,
    ) -> Result<(), End> {
        self.places += places.len();
        let in_bounds = |place: &CallPlace| (place.function as usize) < CALLED_FUNCTIONS_MAX;
        if places.is_empty() || self.places > CALLED_FUNCTIONS_MAX || !places.iter().all(in_bounds)
        {
            return Err(End::Failed(SamplerStep::Protocol, 0, 0));
        }
        let refused = |errno| End::Failed(SamplerStep::CallFile, errno, 0);
        let file = file.ok_or(refused(libc::EBADF))?;
        let found = is_open_for_reading(&file).map_err(refused)?;
        if self.counts.is_none() {
            self.counts = Some(bpf.counts_of_calls()?);
        }
        let pids: Vec<i32> = match is_own(&found, invoker) {
            true => vec![-1],
            false => pids.iter().map(|pid| *pid as i32).collect(),
        };
        for pid in pids {
            let options = UprobeMultiOpts {
                offsets: places.iter().map(|place| place.offset as usize).collect(),
                cookies: places.iter().map(|place| place.function.into()).collect(),
                ..UprobeMultiOpts::default()
            };
            let path = format!("/proc/self/fd/{}", file.as_raw_fd());
            let program = &bpf.skeleton.progs.count_call;
            match program.attach_uprobe_multi_with_opts(pid, path, "", options) {
                Ok(link) => self.links.push(link),
                // It has ended.
                Err(e) if pid > 0 && errno_of(&e) == libc::ESRCH => {}
                Err(e) => {
                    return Err(End::Failed(SamplerStep::AttachCallProbes, errno_of(&e), 0));
                }
            }
        }
        Ok(())
    }

    pub fn is_wanted(&self) -> bool {
        self.counts.is_some()
    }

    /// What was counted before sampling begins is of no interest.
    pub fn begin(&mut self) {
        if let Some(counts) = &mut self.counts {
            counts.now.elements().fill(0);
        }
    }

    /// Nothing is counted from now on.
    pub fn detach(&mut self) {
        self.links.clear();
    }

    /// The functions with more calls than when this was asked last, and how many these are.
    pub fn news(&mut self) -> Vec<(u32, u64)> {
        let Some(Counts { now, told }) = &mut self.counts else {
            return Vec::new();
        };
        let mut news = Vec::new();
        for ((function, now), told) in (0..).zip(now.elements()).zip(told) {
            if *now != *told {
                *told = *now;
                news.push((function, *now));
            }
        }
        news
    }
}

impl Bpf {
    fn counts_of_calls(&self) -> Result<Counts, End> {
        let map = &self.skeleton.maps.calls_of_functions;
        let now = MappedArray::new(map, CALLED_FUNCTIONS_MAX);
        Ok(Counts {
            now: now.map_err(|e| crate::end::failed(SamplerStep::MapRing, &e))?,
            told: vec![0; CALLED_FUNCTIONS_MAX],
        })
    }

    /// Of the threads for which there was room.
    pub fn calls_of_threads(&self) -> Vec<CallsOfThread> {
        let map = &self.skeleton.maps.calls_of_threads;
        let number = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_ne_bytes);
        let of_key = |key: Vec<u8>| {
            let value = map.lookup(&key, MapFlags::ANY).ok()??;
            Some(CallsOfThread {
                function: number(key.get(..4)?),
                pid: number(key.get(4..8)?),
                tid: number(key.get(8..12)?),
                calls: u64::from_ne_bytes(value.try_into().ok()?),
            })
        };
        map.keys().filter_map(of_key).collect()
    }
}
