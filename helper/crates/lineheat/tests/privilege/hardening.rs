//! The sampler's process once it has attached: without rights, closed to its own user, and never alone.

use std::fs;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use records::{FromSampler, SamplerStep};

use crate::client::Sampler;
use crate::cpu_time::{OwnTime, cpu_time};
use crate::installed::{Installed, Running, USER, as_user, told};

fn status(pid: u32, field: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|l| l.strip_prefix(field)).unwrap();
    line.trim().to_owned()
}

fn target(installed: &Installed) -> Running {
    Running::start(as_user(USER, &installed.program("secrets")).args(["plain", "60"]))
}

#[test]
fn after_attaching_it_has_no_right_and_can_gain_none() {
    const NONE: &str = "0000000000000000";
    let Some(installed) = Installed::new() else {
        return;
    };
    let target = target(&installed);
    // As the setcap file of a user, and as sudo would start it: then it has the right to empty the bounding set, too.
    let mut sudo = Command::new(installed.sampler());
    let uid = crate::installed::uid_of(USER).to_string();
    sudo.env("SUDO_UID", &uid).env("SUDO_GID", &uid);
    for (mut sampler, bounding) in [
        (Sampler::start(USER, &installed.sampler()), false),
        (Sampler::spawn(&mut sudo), true),
        (Sampler::spawn(&mut Command::new(installed.sampler())), true),
    ] {
        sampler.attach(target.pid());
        assert!(sampler.is_ready(), "{:?}", sampler.heard());
        let pid = sampler.child.id();
        for set in ["CapInh:", "CapPrm:", "CapEff:", "CapAmb:"] {
            assert_eq!(status(pid, set), NONE, "{set}");
        }
        assert!(!bounding || status(pid, "CapBnd:") == NONE);
        assert_eq!(status(pid, "NoNewPrivs:"), "1");
        assert_eq!(status(pid, "Seccomp:"), "2");
        let folder = fs::read_link(format!("/proc/{pid}/cwd")).unwrap();
        assert_eq!(folder.to_str(), Some("/"));
        assert_eq!(status(pid, "Umask:"), "0077");
        let taken = |s: &Sampler| {
            s.heard()
                .iter()
                .filter(|m| matches!(m, FromSampler::Sample(_)))
                .count()
        };
        // 200 samples are 0.2 s of the target's own time.
        let before = cpu_time(target.pid());
        while taken(&sampler) < 200 {
            let used = cpu_time(target.pid()) - before;
            assert!(used < Duration::from_secs(2), "it goes on sampling");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn sudo_alone_makes_nobody_elses_programs_visible() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let uid = crate::installed::uid_of(USER).to_string();
    let mut of_root = Command::new(installed.program("secrets"));
    let of_root = Running::start(of_root.args(["plain", "60"]));
    let mut sudo = Command::new(installed.sampler());
    sudo.env("SUDO_UID", &uid).env("SUDO_GID", &uid);
    let mut sampler = Sampler::spawn(&mut sudo);
    sampler.attach(of_root.pid());
    let refused =
        |m: &FromSampler| matches!(m, FromSampler::Failed(e) if e.step == SamplerStep::NotAllowed);
    assert!(sampler.says(refused), "{:?}", sampler.heard());
}

#[test]
fn its_own_user_can_neither_trace_it_nor_take_its_descriptors() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let target = target(&installed);
    let mut sampler = Sampler::start(USER, &installed.sampler());
    sampler.attach(target.pid());
    assert!(sampler.is_ready());
    let pid = sampler.child.id();
    let mut pry = as_user(USER, &installed.program("pry"));
    let output = pry.arg(pid.to_string()).output().unwrap();
    assert_eq!(told(&output), "0 of 5 ways, pidfd open\n");
    // The same program finds its way into an ordinary process of the user.
    let mut pry = as_user(USER, &installed.path("pry"));
    let output = pry.arg(target.pid().to_string()).output().unwrap();
    assert!(output.status.code().unwrap() >= 3, "{}", told(&output));
}

#[test]
fn what_its_starter_gives_it_changes_nothing() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let target = target(&installed);
    let mut plain = as_user(USER, &installed.sampler());
    let mut loud = as_user(USER, &installed.sampler());
    loud.env("LD_PRELOAD", installed.path("no-such.so"))
        .env("LD_LIBRARY_PATH", installed.directory.path())
        .env("LD_DEBUG", "all")
        .env("RUST_LOG", "trace")
        .env("RUST_BACKTRACE", "full")
        .env("LIBBPF_LOG_LEVEL", "debug")
        .current_dir(installed.directory.path());
    let mut many = as_user(USER, &installed.sampler());
    many.envs((0..10_000).map(|i| (format!("VARIABLE_{i}"), "x")));
    // A descriptor too many, as of a careless starter.
    let null = fs::File::open("/dev/null").unwrap();
    // SAFETY: dup gives a descriptor of ours, without close-on-exec.
    let inherited = unsafe { OwnedFd::from_raw_fd(libc::dup(null.as_raw_fd())) };
    for command in [&mut plain, &mut loud, &mut many] {
        let mut sampler = Sampler::spawn(command);
        sampler.attach(target.pid());
        assert!(sampler.is_ready(), "{:?}", sampler.heard());
        let pid = sampler.child.id();
        let held = fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
        let links = held.filter_map(|e| fs::read_link(e.unwrap().path()).ok());
        assert!(
            !links.skip(3).any(|l| l.to_str() == Some("/dev/null")),
            "closed"
        );
        sampler.close_input();
        assert_eq!(sampler.end().1, Some(0));
    }
    drop(inherited);
}

#[test]
fn arguments_a_terminal_and_closed_descriptors_end_it_at_once() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let mut with_argument = as_user(USER, &installed.sampler());
    let output = with_argument
        .arg("--help")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let mut shell = as_user(USER, std::path::Path::new("sh"));
    let closed = format!("{} <&- >&- 2>&-; echo $?", installed.sampler().display());
    let output = shell.args(["-c", &closed]).output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "0",
        "end of input"
    );
    let mut without_name = as_user(USER, &installed.program("pry"));
    let output = without_name
        .arg(installed.sampler())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    // From Linux 5.18 on the kernel gives an empty first argument.
    assert!(matches!(output.status.code(), Some(0 | 2)), "{output:?}");
}

#[test]
fn it_ends_within_a_second_of_its_input_and_of_its_engine_and_leaves_nothing_loaded() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let target = target(&installed);
    let mut sampler = Sampler::start(USER, &installed.sampler());
    sampler.attach(target.pid());
    assert!(sampler.is_ready());
    sampler.close_input();
    let (after, code) = sampler.end();
    assert!(
        after < Duration::from_secs(1) && code == Some(0),
        "{after:?} {code:?}"
    );
    for attempt in 0..5 {
        let mut record = installed.lineheat(
            USER,
            &["record", "--privileged", "--output", "run.pb.gz", "--pid"],
        );
        let record = record
            .arg(target.pid().to_string())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut engine = Running(record);
        std::thread::sleep(Duration::from_millis(100 + 150 * attempt));
        let samplers = children_named(engine.pid(), "lineheat-sample");
        engine.0.kill().unwrap();
        engine.0.wait().unwrap();
        let since = OwnTime::of(&samplers);
        let alive = |pid: &u32| {
            fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|s| !s.contains(") Z "))
        };
        while samplers.iter().any(alive) {
            assert!(
                since.elapsed() < Duration::from_secs(1),
                "a sampler goes on"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    // The kernel frees them once no CPU can be in one.
    let since = Instant::now();
    while loaded() > 0 {
        assert!(
            since.elapsed() < Duration::from_secs(60),
            "BPF programs are left"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Its pipe is full, and nobody empties it.
#[test]
fn it_ends_within_a_second_also_if_nobody_reads_what_it_says() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = installed.program("mapper");
    let mut target = as_user(USER, &program);
    target.args(["ready", "map", "1000000000"]).arg(&program);
    let target = Running::start(&mut target);
    let mut command = as_user(USER, &installed.sampler());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut sampler = Running(command.spawn().unwrap());
    let mut bytes = Vec::new();
    let threads = vec![records::ThreadId {
        pid: target.pid(),
        tid: target.pid(),
    }];
    for message in [
        Sampler::hello(),
        records::ToSampler::Attach { threads },
        records::ToSampler::Start,
    ] {
        message.write(&mut bytes).unwrap();
    }
    let input = sampler.0.stdin.as_mut().unwrap();
    std::io::Write::write_all(input, &bytes).unwrap();
    // Until the pipe takes no more: FIONREAD says what lies in it.
    let in_pipe = |sampler: &Running| {
        let mut count: i32 = 0;
        let output = sampler.0.stdout.as_ref().unwrap().as_raw_fd();
        // SAFETY: FIONREAD writes an int to where the pointer says.
        unsafe { libc::ioctl(output, libc::FIONREAD, &mut count) };
        count
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut before = -1;
    while in_pipe(&sampler) > before || before < 60_000 {
        assert!(Instant::now() < deadline, "{before} bytes");
        before = in_pipe(&sampler);
        std::thread::sleep(Duration::from_millis(500));
    }
    drop(sampler.0.stdin.take());
    let since = Instant::now();
    while sampler.0.try_wait().unwrap().is_none() {
        assert!(since.elapsed() < Duration::from_secs(1), "it goes on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn children_named(parent: u32, name: &str) -> Vec<u32> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let is_child = stat
            .rsplit_once(") ")
            .is_some_and(|(_, rest)| rest.split(' ').nth(1) == Some(&parent.to_string()));
        is_child && stat.contains(&format!("({name})"))
    })
    .collect()
}

/// BPF programs that the user has in the kernel.
fn loaded() -> usize {
    let uid = crate::installed::uid_of(USER);
    let programs = crate::loaded_programs::loaded_programs().unwrap();
    programs.iter().filter(|program| program.uid == uid).count()
}

#[test]
fn a_user_has_two_recordings_at_a_time_and_the_third_is_told_so() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let target = target(&installed);
    let start = || {
        let mut sampler = Sampler::start(USER, &installed.sampler());
        sampler.attach(target.pid());
        sampler
    };
    let (mut first, mut second) = (start(), start());
    assert!(first.is_ready() && second.is_ready());
    let pid = target.pid().to_string();
    let (run, output) = installed.record(&["--duration", "1", "--pid", &pid]);
    assert!(
        run.is_none() && told(&output).contains("two recordings of this user are already running"),
        "{}",
        told(&output)
    );
    first.close_input();
    first.end();
    let (run, output) = installed.record(&["--duration", "0.3", "--pid", &pid]);
    assert!(run.is_some(), "{}", told(&output));
}

/// As where the first process of a container waits for nobody.
#[test]
fn samplers_that_have_ended_and_that_nobody_waits_for_are_no_recordings() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let target = target(&installed);
    let mut zombies: Vec<Running> = (0..2)
        .map(|_| {
            Running(
                as_user(USER, &installed.sampler())
                    .stdin(Stdio::piped())
                    .spawn()
                    .unwrap(),
            )
        })
        .collect();
    for zombie in &mut zombies {
        let status = format!("/proc/{}/status", zombie.pid());
        drop(zombie.0.stdin.take());
        let state = || fs::read_to_string(&status).unwrap();
        let deadline = Instant::now() + Duration::from_secs(10);
        while !(state().contains("lineheat-sample") && state().contains("State:\tZ")) {
            assert!(Instant::now() < deadline, "{}", state());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let pid = target.pid().to_string();
    let (run, output) = installed.record(&["--duration", "0.3", "--pid", &pid]);
    assert!(run.is_some(), "{}", told(&output));
}
