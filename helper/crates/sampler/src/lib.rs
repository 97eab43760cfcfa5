//! `lineheat-sampler`: the privileged part. Started by `lineheat` with nothing but a socket and a pipe; loads the BPF program,
//! attaches it to the threads that it is told, gives up its capabilities and drains samples until its input ends.
//! Opens no file of the target and takes no path from anybody.

mod access;
mod address_keys;
mod allocations;
mod attaching;
mod attachment;
mod bpf;
mod call_price;
mod call_times;
mod calls;
mod catch_up;
mod counter_groups;
mod counters;
mod end;
mod followed;
mod follower;
mod inbox;
mod input;
mod kernel_symbols;
mod looks;
mod mappings;
mod outbox;
mod own_image;
mod privilege;
mod recordings;
mod reported_allocations;
mod sampled_events;
mod samples;
mod seccomp;
mod session;
mod start_up;
mod tables;
mod uprobes;
mod waits;
mod wakers;

use std::io::{IsTerminal, stdin, stdout};
use std::os::fd::AsFd;
use std::process::ExitCode;

use records::{FromSampler, SamplerError};

/// The whole program; gives its exit status.
pub fn run() -> ExitCode {
    recordings::take_name();
    if std::env::args_os().count() != 1 || stdin().is_terminal() {
        eprintln!(
            "lineheat-sampler is started by lineheat and takes no arguments. Run lineheat instead"
        );
        return ExitCode::from(2);
    }
    if let Err(e) = start_up::isolate() {
        eprintln!("lineheat-sampler cannot drop its unneeded rights: {e}");
        return ExitCode::from(3);
    }
    let (input, output) = (stdin(), stdout());
    let Ok(mut out) = outbox::Outbox::new(output.as_fd()) else {
        return ExitCode::from(3);
    };
    let result = session::run(&mut out);
    let failed = result.is_err();
    if let Err(end::End::Failed(step, errno, pid)) = result {
        // The engine turns this into a sentence; if it is gone, nobody is left to tell.
        let _ = FromSampler::Failed(SamplerError { step, errno, pid }).write(&mut out);
    }
    let _ = out.finish(input.as_fd());
    if failed {
        ExitCode::from(3)
    } else {
        ExitCode::SUCCESS
    }
}
