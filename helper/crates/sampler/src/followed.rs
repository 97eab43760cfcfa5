//! The processes that are followed, as the BPF program keeps them (bpf/followed.h): whether the invoker was allowed to
//! look into each when something happened to it.

use std::io::{self, Read};

use libbpf_rs::{Iter, MapCore, MapFlags, ProgramInput, ProgramMut};

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

/// CPU time that is being counted (bpf/cpu_time.h): the last look at all tasks, opened while that was allowed.
pub struct CpuTime {
    at_end: Iter,
}

/// An iterator's program runs while it is read.
pub fn run_over_tasks(tasks: &mut Iter) -> io::Result<()> {
    tasks.read_to_end(&mut Vec::new()).map(drop)
}

impl Bpf {
    /// The process, and all that it starts, is followed from now on; or one thread of it alone. To be done before it is
    /// attached to.
    pub fn follow(&self, pid: u32, only_thread: Option<u32>) {
        let mut followed = [0; FOLLOWED_BYTES];
        followed[FOLLOWED_BYTES - 4..].copy_from_slice(&only_thread.unwrap_or(0).to_ne_bytes());
        // A full map: nothing is passed on of this process.
        let map = &self.skeleton.maps.followed_processes;
        let _ = map.update(&pid.to_ne_bytes(), &followed, MapFlags::ANY);
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
        run_over_tasks(&mut self.tasks(&self.skeleton.progs.identify_followed)?)
    }

    /// A look at all tasks by this program. To be opened with the rights that iterators take.
    ///
    /// # Errors
    /// As bpf(2).
    pub fn tasks(&self, program: &ProgramMut<'_>) -> io::Result<Iter> {
        let link = program.attach().map_err(io::Error::other)?;
        Iter::new(&link).map_err(io::Error::other)
    }

    /// From now on CPU time counts. To be done with the rights that iterators take.
    ///
    /// # Errors
    /// As bpf(2) and read(2).
    pub fn begin_cpu_time(&mut self) -> io::Result<CpuTime> {
        let program = &self.skeleton.progs.add_cpu_times;
        let (mut at_start, at_end) = (self.tasks(program)?, self.tasks(program)?);
        self.set_cpu_time_sign(-1);
        run_over_tasks(&mut at_start)?;
        Ok(CpuTime { at_end })
    }

    /// The CPU time that the followed processes have used since it began to count, in ns. To be asked once.
    ///
    /// # Errors
    /// As bpf(2) and read(2).
    pub fn end_cpu_time(&mut self, mut time: CpuTime) -> io::Result<u64> {
        self.set_cpu_time_sign(1);
        run_over_tasks(&mut time.at_end)?;
        let add_ended = &self.skeleton.progs.add_ended_cpu_times;
        add_ended
            .test_run(ProgramInput::default())
            .map_err(io::Error::other)?;
        let bss = self.skeleton.maps.bss_data.as_ref();
        let total = bss.map_or(0, |bss| bss.followed_cpu_ns);
        Ok(u64::try_from(total).unwrap_or(0))
    }

    fn set_cpu_time_sign(&mut self, sign: i64) {
        if let Some(bss) = self.skeleton.maps.bss_data.as_mut() {
            bss.cpu_time_sign = sign;
        }
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
