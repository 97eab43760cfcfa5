//! What counting and timing a call costs on this machine: measured with a function of the sampler's own, before anything else is
//! counted. Its probes stay until the recording ends, since taking one off waits for the kernel; nobody calls the function any more.

use std::fs::File;
use std::hint::black_box;
use std::time::Instant;

use libbpf_rs::{Link, MapCore, MapFlags};
use records::{CallPlace, CallPrice, PlaceKind};

use crate::bpf::Bpf;
use crate::own_image::offset_in_file;
use crate::uprobes::attach_to;

/// The nop is counted: the kernel emulates it, as it does the instructions where calls are counted. The return is its end.
#[unsafe(naked)]
extern "C" fn priced() {
    core::arch::naked_asm!("nop", "ret")
}

/// Bytes of the nop.
const RETURN_AFTER: u64 = if cfg!(target_arch = "x86_64") { 1 } else { 4 };
/// The median of so many batches counts: some are disturbed by others.
const BATCHES: usize = 15;
const CALLS_OF_BATCH: u32 = 16;

/// With the probes that it was measured with. None: it cannot be measured here, and the recording goes on without it.
pub fn measure(bpf: &Bpf, is_latency_wanted: bool) -> Option<(CallPrice, Vec<Link>)> {
    let start = offset_in_file(priced as *const () as u64)?;
    let file = File::open("/proc/self/exe").ok()?;
    let own = std::process::id() as i32;
    let place = |offset, kind| CallPlace {
        offset,
        function: 0,
        kind,
    };
    let programs = &bpf.skeleton.progs;
    let bare_ns = ns_of_call();
    let counted = match is_latency_wanted {
        true => PlaceKind::Timed { depth: 0 },
        false => PlaceKind::Counted,
    };
    let mut links = Vec::new();
    let at_start = [place(start, counted)];
    links.push(attach_to(&programs.price_count, &file, own, &at_start).ok()??);
    let counted_ns = ns_of_call();
    let mut timed_ns = counted_ns;
    if is_latency_wanted {
        let at_end = [place(start + RETURN_AFTER, PlaceKind::Left)];
        links.push(attach_to(&programs.price_end, &file, own, &at_end).ok()??);
        timed_ns = ns_of_call();
    }
    forget(bpf, is_latency_wanted);
    let more = |than: u64, ns: u64| ns.saturating_sub(than).min(u64::from(u32::MAX)) as u32;
    let price = CallPrice {
        counted_ns: more(bare_ns, counted_ns),
        timed_ns: more(counted_ns, timed_ns),
    };
    Some((price, links))
}

/// What was counted here is of interest to nobody.
fn forget(bpf: &Bpf, is_latency_wanted: bool) {
    let maps = &bpf.skeleton.maps;
    for thread in maps.calls_of_threads.keys() {
        let _ = maps.calls_of_threads.delete(&thread);
    }
    let zero = |map: &libbpf_rs::MapMut| {
        let none = vec![0; map.value_size() as usize];
        let _ = map.update(&0_u32.to_ne_bytes(), &none, MapFlags::ANY);
    };
    zero(&maps.calls_of_functions);
    if is_latency_wanted {
        zero(&maps.times_of_calls);
    }
}

fn ns_of_call() -> u64 {
    let mut batches: Vec<u64> = (0..BATCHES)
        .map(|_| {
            let began = Instant::now();
            for _ in 0..CALLS_OF_BATCH {
                black_box(priced as extern "C" fn())();
            }
            began.elapsed().as_nanos() as u64 / u64::from(CALLS_OF_BATCH)
        })
        .collect();
    batches.sort_unstable();
    batches[BATCHES / 2]
}
