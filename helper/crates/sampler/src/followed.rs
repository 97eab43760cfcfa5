//! The processes that are followed, as the BPF program keeps them (bpf/followed.h): whether the invoker was allowed to
//! look into each when something happened to it.

use std::io::{self, Read};

use libbpf_rs::{Iter, MapCore, MapFlags, ProgramInput};

use crate::bpf::Bpf;

/// What the BPF program found of a followed process. Times are CLOCK_MONOTONIC, in ns; 0: never.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// What happened to a process of this number before that happened to another one.
    pub since_ns: u64,
    /// The last exec of a program that may be looked into.
    pub executed_ns: u64,
    /// The first exec of a program that may not.
    pub refused_ns: u64,
    /// When a sample first found that it may not be looked into, since it was last looked at.
    pub hidden_ns: u64,
    /// It may not be looked into now.
    pub is_hidden: bool,
}

/// `struct followed_process` of bpf/followed.h.
const FOLLOWED_BYTES: usize = 56;

// Values of look_at_process.
const STANDING_SEEN: u32 = 1;
const STANDING_HIDDEN: u32 = 2;

impl Bpf {
    /// The process, and all that it starts, is followed from now on. To be done before it is attached to.
    pub fn follow(&self, pid: u32) {
        // A full map: nothing is passed on of this process.
        let map = &self.skeleton.maps.followed_processes;
        let _ = map.update(&pid.to_ne_bytes(), &[0; FOLLOWED_BYTES], MapFlags::ANY);
    }

    pub fn unfollow(&self, pid: u32) {
        let map = &self.skeleton.maps.followed_processes;
        let _ = map.delete(&pid.to_ne_bytes());
    }

    /// To be done once processes were attached to: the BPF program then knows them again.
    ///
    /// # Errors
    /// As bpf(2) and read(2).
    pub fn identify_followed(&self) -> io::Result<()> {
        let link = self.skeleton.progs.identify_followed.attach();
        let mut tasks = Iter::new(&link.map_err(io::Error::other)?).map_err(io::Error::other)?;
        tasks.read_to_end(&mut Vec::new())?;
        Ok(())
    }

    /// None: no process of this number is followed.
    pub fn look_at(&mut self, pid: u32) -> Option<Standing> {
        self.skeleton.maps.bss_data.as_mut()?.process_to_look_at = pid;
        let look = &self.skeleton.progs.look_at_process;
        let found = look.test_run(ProgramInput::default()).ok()?.return_value;
        let standing = &self.skeleton.maps.bss_data.as_ref()?.standing_of_process;
        let is_hidden = match found {
            STANDING_SEEN => false,
            STANDING_HIDDEN => true,
            _ => return None,
        };
        Some(Standing {
            since_ns: standing.since_ns,
            executed_ns: standing.executed_ns,
            refused_ns: standing.refused_ns,
            hidden_ns: standing.hidden_ns,
            is_hidden,
        })
    }
}
