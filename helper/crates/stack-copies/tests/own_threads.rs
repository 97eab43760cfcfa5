//! Real events on threads of this process.

use std::hint::black_box;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use perf_events::map_event::MapEventKind;
use stack_copies::{Collector, Options, STACK_BYTES, StackCopy, Taken};

const OPTIONS: Options = Options {
    sample_hz: 999,
    hardware_cycles: true,
    chain: false,
};

fn own_tid() -> u32 {
    // SAFETY: gettid has no preconditions.
    unsafe { libc::gettid() as u32 }
}

/// Uses so much CPU time, however busy the machine is.
fn spin(time: Duration) {
    let end = cpu_time() + time;
    while cpu_time() < end {
        (0..10_000).for_each(|n| {
            black_box(n);
        });
    }
}

fn cpu_time() -> Duration {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: now is a valid place for the result.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) };
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Runs `work` on a thread of the given name while it is sampled.
fn collect(
    name: &str,
    options: Options,
    work: impl FnOnce() + Send + 'static,
) -> (Vec<Taken>, u64) {
    let (tell_tid, tid) = channel();
    let (go, wait) = channel();
    let worker = thread::Builder::new().name(name.to_owned()).spawn(move || {
        tell_tid.send(own_tid()).unwrap();
        wait.recv().unwrap();
        work();
    });
    let mut collector = Collector::open(&[tid.recv().unwrap()], options).unwrap();
    collector.enable().unwrap();
    go.send(()).unwrap();
    let worker = worker.unwrap();
    let mut taken = Vec::new();
    while !worker.is_finished() {
        collector.wait(Duration::from_millis(20));
        collector.drain(0, |_| panic!("nothing is as old as that"));
    }
    collector.disable();
    collector.drain(u64::MAX, |t| taken.push(t));
    (taken, collector.lost_samples())
}

fn samples(taken: &[Taken]) -> Vec<&StackCopy> {
    let mut samples = Vec::new();
    for one in taken {
        if let Taken::Sample(sample) = one {
            samples.push(sample);
        }
    }
    samples
}

#[test]
fn a_busy_thread_gives_registers_and_stack() {
    let (taken, lost) = collect("busy one", OPTIONS, || spin(Duration::from_millis(300)));
    let samples = samples(&taken);
    assert!(samples.len() > 200, "{} and {lost} lost", samples.len());
    for sample in &samples {
        assert_eq!(sample.pid, std::process::id());
        assert_eq!(&sample.thread_name[..9], b"busy one\0");
        let registers = sample.registers.unwrap();
        assert!(registers.is_64_bit && registers.ip != 0);
        assert!(!sample.stack.is_empty() && sample.stack.len() <= STACK_BYTES as usize);
    }
    assert!(samples.is_sorted_by_key(|s| s.time_ns));
}

#[test]
fn a_chain_begins_where_the_thread_was_interrupted() {
    let options = Options {
        chain: true,
        ..OPTIONS
    };
    let (taken, _) = collect("chained", options, || spin(Duration::from_millis(100)));
    let samples = samples(&taken);
    assert!(samples.len() > 50, "{}", samples.len());
    for sample in &samples {
        let ip = sample.registers.unwrap().ip;
        assert_eq!(sample.chain.first(), Some(&ip));
        assert!(!sample.stack.is_empty());
    }
}

#[test]
fn threads_and_names_are_followed() {
    let (taken, _) = collect("parent", OPTIONS, || {
        let child = thread::Builder::new().name("offspring".to_owned());
        let child = child.spawn(|| spin(Duration::from_millis(200))).unwrap();
        child.join().unwrap();
    });
    let of_child = |s: &&StackCopy| s.thread_name.starts_with(b"offspring\0");
    assert!(samples(&taken).into_iter().filter(of_child).count() > 100);
    let forked = |t: &Taken| matches!(t, Taken::Happened(e) if matches!(e.kind, MapEventKind::Forked { .. }));
    assert!(taken.iter().any(forked));
}

#[test]
fn samples_that_find_no_room_are_counted() {
    // Nobody drains for longer than the largest ring holds at this rate.
    let (tell_tid, tid) = channel();
    let worker = thread::spawn(move || {
        tell_tid.send(own_tid()).unwrap();
        spin(Duration::from_millis(2000));
    });
    let options = Options {
        sample_hz: 4999,
        hardware_cycles: false,
        chain: false,
    };
    let mut collector = Collector::open(&[tid.recv().unwrap()], options).unwrap();
    collector.enable().unwrap();
    worker.join().unwrap();
    collector.disable();
    let mut kept = 0;
    collector.drain(u64::MAX, |t| {
        kept += u64::from(matches!(t, Taken::Sample(_)))
    });
    let lost = collector.lost_samples();
    assert!(kept > 0 && lost > kept, "{kept} kept, {lost} lost");
}

#[test]
fn a_thread_that_is_gone_is_said_to_be() {
    let error = Collector::open(&[4_000_000], OPTIONS).err().unwrap();
    assert_eq!(error.cause.raw_os_error(), Some(libc::ESRCH));
}
