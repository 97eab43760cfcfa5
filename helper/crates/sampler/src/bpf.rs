//! The loaded BPF programs and their maps, some of them written through memory: that needs no capability later.

use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::ptr::NonNull;
use std::{io, slice};

use libbpf_rs::skel::{OpenSkel, SkelBuilder};
use libbpf_rs::{
    Link, MapCore, MapFlags, OpenObject, ProgramInput, ProgramMut, RingBuffer, RingBufferBuilder,
};
use perf_events::event;
use perf_events::page_bytes;
use records::FileId;
use records::layout::{Counter, MAPPINGS_MAX, PROCESSES_MAX, RULES_MAX};

use crate::address_keys::draw_keys;
use crate::mappings::{BpfFileRows, BpfMapping};

mod skeleton {
    #![allow(clippy::all, clippy::undocumented_unsafe_blocks, unused)]
    include!(concat!(env!("OUT_DIR"), "/bpf.skel.rs"));
}
use skeleton::{OpenSamplerSkel, SamplerSkel, SamplerSkelBuilder};

/// An array map as memory. Elements are plain numbers; the BPF program may read them at any time.
pub struct MappedArray<T> {
    base: NonNull<T>,
    count: usize,
}

impl<T: Copy> MappedArray<T> {
    pub fn new(map: &impl MapCore, count: usize) -> io::Result<MappedArray<T>> {
        // SAFETY: a fresh shared mapping of the whole map at an address of the kernel's choice.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                count * size_of::<T>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                map.as_fd().as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast()).expect("mmap does not give null");
        Ok(MappedArray { base, count })
    }

    /// All elements; the mapping stays until the process ends.
    pub fn elements(&mut self) -> &mut [T] {
        // SAFETY: the mapping holds `count` elements of plain numbers, and we are its only writer.
        unsafe { slice::from_raw_parts_mut(self.base.as_ptr(), self.count) }
    }
}

/// `struct mapping_table` of bpf/records.h.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MappingTable {
    /// Of no other table, earlier or later; not 0.
    pub generation: u64,
    pub count: u64,
    pub mappings: [BpfMapping; MAPPINGS_MAX],
}
const _: () = assert!(size_of::<MappingTable>() == 16 + 32 * MAPPINGS_MAX);

/// Sizes of the maps for unwind rows.
#[derive(Clone, Copy)]
pub struct Capacities {
    pub rows: u32,
    pub pages: u32,
}

/// Walks of probes at a time on a CPU: `ALLOCATION_STATES` of bpf/allocations.h.
const PROBE_STATES: u32 = 4;

/// What an event is for.
#[derive(Clone, Copy)]
pub enum Reports {
    Samples,
    Switches,
    MinorFaults,
    MajorFaults,
    /// Events of the counter with this number.
    Counted(usize),
}

/// What the programs are to do.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub capacities: Capacities,
    pub user_frames: u32,
    pub cpu_sample_ns: u64,
    pub stack_copies: bool,
    pub waits: bool,
    pub allocations: bool,
    pub calls: bool,
    pub latency: bool,
    pub faults: bool,
    pub syscalls: bool,
    pub counters: u32,
    /// Of each counter, in a second on a CPU.
    pub counted_walks: u32,
    pub allocation_places: bool,
    pub wakeups: bool,
}

pub struct Bpf {
    pub(super) skeleton: SamplerSkel<'static>,
    links: Vec<Link>,
    pub mapping_tables: MappedArray<MappingTable>,
    pub pages: MappedArray<u64>,
    pub rows: MappedArray<u32>,
    pub rules: MappedArray<[u8; 16]>,
}

impl Bpf {
    /// Loads the programs and attaches those that follow fork and exec.
    pub fn load(wanted: Wanted, invoker: u32) -> Result<Bpf, libbpf_rs::Error> {
        let Wanted {
            capacities,
            user_frames,
            cpu_sample_ns,
            stack_copies,
            waits,
            allocations,
            calls,
            latency,
            faults,
            syscalls,
            counters,
            counted_walks,
            allocation_places,
            wakeups,
        } = wanted;
        // One object for the life of the process: leaking it gives the skeleton the lifetime that it wants.
        let object: &'static mut MaybeUninit<OpenObject> =
            Box::leak(Box::new(MaybeUninit::uninit()));
        let mut open = SamplerSkelBuilder::default().open(object)?;
        if let Some(rodata) = open.maps.rodata_data.as_deref_mut() {
            rodata.user_frames_wanted = user_frames;
            rodata.cpu_sample_ns = cpu_sample_ns;
            rodata.invoker_uid = invoker;
            rodata.counted_walks_max = counted_walks / 8; // windows of an eighth of a second
            rodata.kernel_page_shift = page_bytes().trailing_zeros();
            rodata.stack_copies_wanted = stack_copies.into();
            rodata.latency_wanted = latency;
            rodata.probes_wanted = allocations || allocation_places || calls;
        }
        if stack_copies {
            let cpus = libbpf_rs::num_possible_cpus()?;
            open.maps.copy_rooms.set_max_entries(cpus as u32)?;
        }
        // Checking a program is most of what it costs to begin.
        if !waits {
            open.progs.take_switch.set_autoload(false);
            open.progs.end_wait_at_exit.set_autoload(false);
            open.progs.end_open_waits.set_autoload(false);
            open.progs.count_threads_not_run.set_autoload(false);
            open.maps.waiting_threads.set_autocreate(false)?;
            open.maps.walks_of_waits.set_autocreate(false)?;
            open.maps.wait_places.set_autocreate(false)?;
        }
        let probes = allocations || syscalls || allocation_places;
        prepare_walks(&mut open, probes, wakeups)?;
        prepare_reports(&mut open, allocation_places)?;
        if !allocations {
            open.progs.take_allocation.set_autoload(false);
            open.progs.take_free.set_autoload(false);
        }
        leave_out_sampled_events(&mut open, faults, syscalls)?;
        prepare_counters(&mut open, counters)?;
        if !calls {
            open.progs.count_call.set_autoload(false);
            open.progs.price_count.set_autoload(false);
            open.maps.calls_of_functions.set_autocreate(false)?;
            open.maps.calls_of_threads.set_autocreate(false)?;
        }
        if !latency {
            open.progs.end_call.set_autoload(false);
            open.progs.price_end.set_autoload(false);
            open.maps.times_of_calls.set_max_entries(1)?;
            if !calls {
                open.maps.times_of_calls.set_autocreate(false)?;
                open.maps.open_calls.set_autocreate(false)?;
            }
        }
        let row_pairs = capacities.rows.div_ceil(2).max(1);
        open.maps.rows.set_max_entries(row_pairs)?;
        open.maps.pages.set_max_entries(capacities.pages.max(1))?;
        let skeleton = open.load()?;
        // Pids are those of our own namespace from here on.
        let learn = &skeleton.progs.learn_own_namespace;
        learn.test_run(ProgramInput::default())?;
        let learn = &skeleton.progs.learn_engine;
        learn.test_run(ProgramInput::default())?;
        let mut links = vec![
            skeleton.progs.on_fork.attach()?,
            skeleton.progs.on_exec.attach()?,
            skeleton.progs.on_exit.attach()?,
            skeleton.progs.on_free.attach()?,
        ];
        if waits {
            links.push(skeleton.progs.end_wait_at_exit.attach()?);
        }
        if faults {
            links.push(skeleton.progs.send_faults_at_exit.attach()?);
        }
        if syscalls {
            links.push(skeleton.progs.send_syscalls_at_exit.attach()?);
        }
        let maps = &skeleton.maps;
        Ok(Bpf {
            mapping_tables: MappedArray::new(&maps.mapping_tables, PROCESSES_MAX)?,
            pages: MappedArray::new(&maps.pages, capacities.pages.max(1) as usize)?,
            rows: MappedArray::new(&maps.rows, row_pairs as usize * 2)?,
            rules: MappedArray::new(&maps.rules, RULES_MAX)?,
            links,
            skeleton,
        })
    }

    /// The event stays off until it is enabled.
    ///
    /// # Errors
    /// As bpf(2) and ioctl(2).
    pub fn attach(&mut self, event: &OwnedFd, reports: Reports) -> Result<(), libbpf_rs::Error> {
        let of_link = event.try_clone()?;
        let program = match reports {
            Reports::Samples => &self.skeleton.progs.take_sample,
            Reports::Switches => &self.skeleton.progs.take_switch,
            Reports::MinorFaults => &self.skeleton.progs.take_minor_fault,
            Reports::MajorFaults => &self.skeleton.progs.take_major_fault,
            Reports::Counted(number) => self.counter_program(number),
        };
        self.links
            .push(program.attach_perf_event(of_link.as_raw_fd())?);
        // libbpf closes it with the link.
        let _ = of_link.into_raw_fd();
        // libbpf enables it. On a busy machine it would take samples for seconds before the recording begins.
        event::disable(event)?;
        Ok(())
    }

    fn counter_program(&self, number: usize) -> &ProgramMut<'static> {
        let progs = &self.skeleton.progs;
        let all = [
            &progs.take_counted_0,
            &progs.take_counted_1,
            &progs.take_counted_2,
            &progs.take_counted_3,
            &progs.take_counted_4,
            &progs.take_counted_5,
            &progs.take_counted_6,
            &progs.take_counted_7,
        ];
        all[number]
    }

    /// The BPF program finds the rows of this file also where no mapping table tells of it.
    pub fn set_file_rows(&self, id: FileId, rows: &BpfFileRows) {
        let mut key = [0; 16];
        key[..4].copy_from_slice(&id.device_major.to_ne_bytes());
        key[4..8].copy_from_slice(&id.device_minor.to_ne_bytes());
        key[8..].copy_from_slice(&id.inode.to_ne_bytes());
        // A full map: the file is then unwound by way of mapping tables alone.
        let map = &self.skeleton.maps.files;
        let _ = map.update(&key, &rows.to_bytes(), MapFlags::ANY);
    }

    /// From now on the BPF program uses `slot` of the mapping tables for this process; None: it knows nothing of it.
    pub fn set_process_table(&self, pid: u32, slot: Option<u32>) {
        let map = &self.skeleton.maps.process_tables;
        // A full map or a missing key: the process is then unwound by frame pointers, and its stacks say so.
        let _ = match slot {
            Some(slot) => {
                let mut value = [0; 48]; // the rest of struct process_table: nothing is checked yet
                value[..4].copy_from_slice(&slot.to_ne_bytes());
                map.update(&pid.to_ne_bytes(), &value, MapFlags::ANY)
            }
            None => map.delete(&pid.to_ne_bytes()),
        };
    }

    /// The name of the kernel function that holds `address`, as the kernel prints it (`name` or `name [module]`).
    pub fn name_of_kernel_address(&mut self, address: u64) -> Option<String> {
        let bss = self.skeleton.maps.bss_data.as_mut()?;
        bss.address_to_name = address;
        let ran = self
            .skeleton
            .progs
            .name_address
            .test_run(ProgramInput::default());
        let printed = ran.ok()?.return_value; // with the final NUL
        let bss = self.skeleton.maps.bss_data.as_ref()?;
        let bytes: Vec<u8> = bss.name_of_address.iter().map(|c| *c as u8).collect();
        let length = (printed as usize).min(bytes.len()).checked_sub(1)?;
        String::from_utf8(bytes[..length].to_vec()).ok()
    }

    /// Totals over all CPUs, in the order of [`Counter::ALL`].
    pub fn counters(&self) -> [u64; Counter::ALL.len()] {
        let mut totals = [0; Counter::ALL.len()];
        for (which, total) in totals.iter_mut().enumerate() {
            let per_cpu = self
                .skeleton
                .maps
                .counters
                .lookup_percpu(&(which as u32).to_ne_bytes(), MapFlags::ANY);
            if let Ok(Some(values)) = per_cpu {
                let number = |v: &Vec<u8>| v[..8].try_into().map_or(0, u64::from_ne_bytes);
                *total = values.iter().map(number).sum();
            }
        }
        totals
    }

    /// The ring of samples; `on_sample` gets each one's bytes when the ring is consumed.
    pub fn sample_ring(
        &self,
        mut on_sample: impl FnMut(&[u8]) + 'static,
    ) -> Result<RingBuffer<'static>, libbpf_rs::Error> {
        let mut builder = RingBufferBuilder::new();
        builder.add(&self.skeleton.maps.samples, move |bytes| {
            on_sample(bytes);
            0
        })?;
        builder.build()
    }
}

/// What is not wanted of page faults and system calls. To be called before the programs are loaded.
fn leave_out_sampled_events(
    open: &mut OpenSamplerSkel,
    faults: bool,
    syscalls: bool,
) -> Result<(), libbpf_rs::Error> {
    if !faults {
        open.progs.take_minor_fault.set_autoload(false);
        open.progs.take_major_fault.set_autoload(false);
        open.progs.send_faults_at_exit.set_autoload(false);
        open.progs.send_rest_of_faults.set_autoload(false);
        open.maps.faulting_threads.set_autocreate(false)?;
    }
    if !syscalls {
        open.progs.enter_syscall.set_autoload(false);
        open.progs.exit_syscall.set_autoload(false);
        open.progs.send_syscalls_at_exit.set_autoload(false);
        open.progs.send_rest_of_syscalls.set_autoload(false);
        open.maps.calling_threads.set_autocreate(false)?;
    }
    if !faults && !syscalls {
        open.maps.samplings.set_autocreate(false)?;
    }
    Ok(())
}

/// A program for each counter. To be called before the programs are loaded.
fn prepare_counters(open: &mut OpenSamplerSkel, wanted: u32) -> Result<(), libbpf_rs::Error> {
    let progs = &mut open.progs;
    let all = [
        &mut progs.take_counted_0,
        &mut progs.take_counted_1,
        &mut progs.take_counted_2,
        &mut progs.take_counted_3,
        &mut progs.take_counted_4,
        &mut progs.take_counted_5,
        &mut progs.take_counted_6,
        &mut progs.take_counted_7,
    ];
    for program in all.into_iter().skip(wanted as usize) {
        program.set_autoload(false);
    }
    match wanted {
        0 => open.maps.counted_events.set_autocreate(false),
        _ => Ok(()),
    }
}

/// What sees allocations that a program reports itself. To be called before the programs are loaded.
fn prepare_reports(open: &mut OpenSamplerSkel, wanted: bool) -> Result<(), libbpf_rs::Error> {
    if !wanted {
        open.progs.take_report.set_autoload(false);
        open.maps.allocation_places.set_autocreate(false)?;
        return open.maps.blocks_freed.set_autocreate(false);
    }
    let keys = draw_keys().map_err(libbpf_rs::Error::from)?;
    if let Some(rodata) = open.maps.rodata_data.as_deref_mut() {
        rodata.address_keys = keys;
        rodata.execs_are_urgent = true;
    }
    Ok(())
}

/// States of walks beside that of events. To be called before the programs are loaded.
fn prepare_walks(
    open: &mut OpenSamplerSkel,
    probes: bool,
    wakeups: bool,
) -> Result<(), libbpf_rs::Error> {
    let states = match (probes, wakeups) {
        (_, true) => 1 + PROBE_STATES + 1,
        (true, false) => 1 + PROBE_STATES,
        (false, false) => 1,
    };
    open.maps.walks.set_max_entries(states)?;
    open.maps.user_registers.set_max_entries(states)?;
    open.maps.area_searches.set_max_entries(states)?;
    if !wakeups {
        open.progs.note_waker.set_autoload(false);
        open.maps.waker_walks.set_autocreate(false)?;
    }
    if !probes {
        return open.maps.states_in_use.set_autocreate(false);
    }
    let cpus = libbpf_rs::num_possible_cpus()? as u32;
    let states_in_use = &mut open.maps.states_in_use;
    states_in_use.set_max_entries(cpus * PROBE_STATES)
}
