//! Whom an ordinary user may attach to: the sampler's own answer, whatever its client says, and the engine's words.

use std::time::Duration;

use records::layout::Timers;
use records::{FromSampler, SamplerStep, ThreadId, ToSampler};
use rustix::time::{ClockId, clock_gettime};

use crate::client::Sampler;
use crate::cpu_time::duration_for;
use crate::executables::copy_executable;
use crate::installed::{Installed, OTHER, Running, USER, as_user, told};
use crate::races::tries;

/// Each checks in its own way.
const TIMERS: [Timers; 2] = [Timers::PerCpu, Timers::PerThread];

/// What the sampler answers to being told to attach.
fn refuses(installed: &Installed, pid: u32) -> bool {
    let mut sampler = Sampler::start(USER, &installed.sampler());
    sampler.attach(pid);
    let refused = |m: &FromSampler| matches!(m, FromSampler::Failed(e) if e.step == SamplerStep::NotAllowed && e.pid == pid);
    let ready = |m: &FromSampler| matches!(m, FromSampler::Ready { .. });
    assert!(sampler.says(|m| refused(m) || ready(m)), "it answers");
    let heard = sampler.heard();
    let (refused, ready) = (heard.iter().any(refused), heard.iter().any(ready));
    assert!(!(refused && ready));
    refused && sampler.end().1 == Some(3)
}

#[test]
fn ones_own_program_is_recorded_with_time_in_the_kernel_and_the_run_says_by_which_way() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = installed.program("crew");
    let (profile, output) = installed.record(&["--", program.to_str().unwrap()]);
    let profile = profile.unwrap_or_else(|| panic!("{}", told(&output)));
    let run = profile.run.as_ref().unwrap();
    assert_eq!(run.way, "installed sampler");
    assert!(run.kernel_stacks && run.samples_kept > 100, "{run:?}");
    assert!(run.losses.is_empty(), "{:?}", run.losses);
    assert_eq!(run.samples_taken, run.samples_kept);
    let in_kernel =
        |f: &&profile::Function| profile.text(f.name) == "entry_SYSCALL_64_after_hwframe";
    assert!(
        profile.functions.iter().any(|f| in_kernel(&f)),
        "kernel functions have names"
    );
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
}

#[test]
fn ones_own_running_process_may_be_attached_to_and_those_of_others_not() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = installed.program("secrets");
    let setuid = installed.setuid_program("secrets");
    let start = |user, program, how: &str| Running::start(as_user(user, program).args([how, "60"]));
    let own = start(USER, &program, "plain");
    assert!(!refuses(&installed, own.pid()));
    let other = start(OTHER, &program, "plain").stopped();
    let of_root = Running::start(std::process::Command::new(&program).args(["plain", "60"]));
    let of_root = of_root.stopped();
    let private = start(USER, &program, "private").stopped();
    let privileged = start(USER, &setuid, "plain").stopped();
    for pid in [
        other.pid(),
        of_root.pid(),
        private.pid(),
        privileged.pid(),
        1,
    ] {
        assert!(refuses(&installed, pid), "process {pid}");
    }
    for (process, words) in [
        (&other, format!("belongs to {OTHER}")),
        (&of_root, "belongs to root".to_owned()),
        (&private, "protects its memory".to_owned()),
        (&privileged, "rights of root (a setuid program)".to_owned()),
    ] {
        let pid = process.pid().to_string();
        let (run, output) = installed.record(&["--duration", "1", "--pid", &pid]);
        let told = told(&output);
        assert!(run.is_none() && output.status.code() == Some(3), "{told}");
        assert!(told.contains(&words) && told.contains(&pid), "{told}");
    }
    let pid = own.pid().to_string();
    let duration = duration_for(own.pid(), Duration::from_millis(300));
    let (run, output) = installed.record(&["--duration", &duration, "--pid", &pid]);
    assert!(
        run.unwrap().run.unwrap().samples_kept > 50,
        "{}",
        told(&output)
    );
}

#[test]
fn a_thread_is_taken_for_one_of_a_process_only_if_it_is() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = installed.program("secrets");
    let own = Running::start(as_user(USER, &program).args(["plain", "60"]));
    let other = Running::start(as_user(OTHER, &program).args(["plain", "60"]));
    for timers in TIMERS {
        let mut sampler = Sampler::start(USER, &installed.sampler());
        sampler.say(&Sampler::hello_with(false, timers));
        let pretended = ThreadId {
            pid: own.pid(),
            tid: other.pid(),
        };
        sampler.say(&ToSampler::Attach {
            threads: vec![pretended],
        });
        sampler.say(&ToSampler::Start);
        let nobody =
            |m: &FromSampler| matches!(m, FromSampler::Failed(e) if e.errno == libc::ESRCH);
        let count = sampler.heard().len();
        assert!(sampler.says(nobody), "{timers:?}: {count} messages");
    }
}

/// While the sampler checks a process, that one ends and another user's gets its number.
#[test]
fn a_number_that_is_taken_over_meanwhile_gives_nothing_of_the_other() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let tries = tries(60);
    let program = installed.program("secrets");
    let program_of_other = installed.path("program-of-other");
    copy_executable(&program, &program_of_other);
    let (mut taken_over, mut samples, mut events) = (0, 0, 0);
    for attempt in 0..tries {
        let mut own = Running::start(as_user(USER, &program).args(["plain", "60"]));
        let pid = own.pid();
        let mut sampler = Sampler::start(USER, &installed.sampler());
        let timers = TIMERS[attempt as usize % TIMERS.len()];
        sampler.say(&Sampler::hello_with(false, timers));
        std::thread::sleep(Duration::from_millis(u64::from(attempt % 60)));
        sampler.say(&ToSampler::Attach {
            threads: vec![ThreadId { pid, tid: pid }],
        });
        own.0.kill().unwrap();
        own.0.wait().unwrap();
        // The kernel gives the next process the number after this one.
        std::fs::write("/proc/sys/kernel/ns_last_pid", (pid - 1).to_string()).unwrap();
        let other = Running::start(as_user(OTHER, &program_of_other).args(["plain", "60"]));
        sampler.say(&ToSampler::Start);
        if sampler.is_ready() {
            std::thread::sleep(Duration::from_millis(20));
        }
        sampler.say(&ToSampler::Stop);
        sampler.end();
        taken_over += u32::from(other.pid() == pid);
        let heard = sampler.heard();
        samples += heard.iter().filter(|m| matches!(m, FromSampler::Sample(s) if &s.comm[..7] == b"program" && s.pid == other.pid() && other.pid() == pid)).count();
        events += heard.iter().filter(|m| matches!(m, FromSampler::Mapped { path, .. } if path.ends_with(b"program-of-other"))).count();
    }
    assert!(taken_over > tries / 4, "{taken_over}");
    assert_eq!((samples, events), (0, 0));
    println!(
        "{{\"tries\":{tries},\"takenOver\":{taken_over},\"samples\":{samples},\"events\":{events}}}"
    );
}

#[test]
fn nothing_is_sampled_between_attaching_and_the_start() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = installed.program("mapper");
    for timers in TIMERS {
        let busy = Running::start(as_user(USER, &program).args(["ready", "work", "60000"]));
        let pid = busy.pid();
        let mut sampler = Sampler::start(USER, &installed.sampler());
        sampler.say(&Sampler::hello_with(false, timers));
        let threads = vec![ThreadId { pid, tid: pid }];
        sampler.say(&ToSampler::Attach { threads });
        sampler.say(&ToSampler::Sync);
        assert!(sampler.says(|m| *m == FromSampler::Synced), "{timers:?}");
        std::thread::sleep(Duration::from_millis(100));
        let begin_ns = monotonic_ns();
        sampler.say(&ToSampler::Start);
        assert!(sampler.says(|m| matches!(m, FromSampler::Sample(_))));
        let is_early =
            |m: &FromSampler| matches!(m, FromSampler::Sample(s) if s.time_ns < begin_ns);
        let early = sampler.heard().iter().filter(|m| is_early(m)).count();
        assert_eq!(early, 0, "{timers:?}");
    }
}

/// The clock of samples.
fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
