//! Recordings of small programs with a known answer, under real BPF.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::cpu_time::{descendant_named, duration_for, wait_for_cpu_time};
use crate::support::{Program, can_record, lineheat, samples, share};
use profile::Profile;

#[test]
fn the_hot_line_and_the_call_that_leads_to_it_are_found() {
    if !can_record() {
        return;
    }
    let program = Program::compile("hot_line");
    let (profile, output) = program.record(&[]);
    let work = [program.line_of("the work"), program.line_of("the work") - 1]; // the loop's own line shares it
    let hot = program.line_of("hot call");
    assert!(share(&profile, |f| f[0].0 == "spend" && work.contains(&f[0].1)) > 0.97);
    let below_hot = share(&profile, |f| f.contains(&("hot", hot)));
    assert!((0.85..0.95).contains(&below_hot), "{below_hot}");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "done 1\n",
        "the program's own output passes through"
    );
    let run = profile.run.as_ref().unwrap();
    assert_eq!(run.exit.as_ref().unwrap().code, 3);
    assert_eq!(
        run.samples_taken,
        run.samples_kept + run.losses.iter().map(|l| l.count).sum::<u64>()
    );
    assert!(
        run.sources
            .iter()
            .any(|s| s.text.contains("/* the work */")),
        "the hot source is kept"
    );
    assert_eq!(run.time_sample.len() as u64, run.samples_kept);
}

#[test]
fn stacks_reach_the_threads_start() {
    if !can_record() {
        return;
    }
    let (profile, _) = Program::compile("recursion").record(&[]);
    let run = profile.run.as_ref().unwrap();
    let whole: u64 = run
        .stack_ends
        .iter()
        .filter(|e| e.cause == "root")
        .map(|e| e.count)
        .sum();
    assert!(
        whole as f64 >= 0.98 * run.samples_kept as f64,
        "{whole} of {}",
        run.samples_kept
    );
    assert!(
        share(&profile, |f| f
            .iter()
            .filter(|(name, _)| *name == "descend")
            .count()
            == 41)
            > 0.95
    );
}

#[test]
fn a_stack_that_is_too_deep_says_so_and_is_whole_with_more_frames() {
    if !can_record() {
        return;
    }
    let program = Program::compile("deep_recursion");
    let deep = |profile: &Profile| {
        let depth = |f: &[(&str, u32)]| f.iter().filter(|(name, _)| *name == "descend").count();
        let whole = |f: &[(&str, u32)]| depth(f) == 1501 && f.iter().any(|(n, _)| *n == "main");
        let problems = profile.run.as_ref().unwrap().problems.join(" ");
        (share(profile, whole), problems)
    };
    let (cut, _) = program.record(&[]);
    let (share_whole, problems) = deep(&cut);
    assert_eq!(share_whole, 0.0);
    assert!(problems.contains("--max-frames"), "{problems}");
    let (whole, _) = program.record(&["--max-frames", "2048"]);
    let (share_whole, problems) = deep(&whole);
    assert!(share_whole > 0.95, "{share_whole}");
    assert!(!problems.contains("--max-frames"), "{problems}");
}

#[test]
fn signal_handlers_and_realigned_frames_are_left_to_the_threads_start() {
    if !can_record() {
        return;
    }
    let (profile, _) = Program::compile("signals").record(&[]);
    let run = profile.run.as_ref().unwrap();
    let root = run.stack_ends.iter().find(|e| e.cause == "root");
    let whole = root.map_or(0, |e| e.count);
    assert!(
        whole as f64 >= 0.99 * run.samples_kept as f64,
        "{:?} of {}",
        run.stack_ends,
        run.samples_kept
    );
    let has = |f: &[(&str, u32)], name: &str| f.iter().any(|(n, _)| *n == name);
    let in_handler = share(&profile, |f| has(f, "on_signal"));
    assert!(in_handler > 0.05, "{in_handler}");
    let below_main = share(&profile, |f| has(f, "on_signal") && has(f, "main"));
    assert!(
        below_main >= 0.99 * in_handler,
        "{below_main} of {in_handler}"
    );
    assert!(
        share(&profile, |f| has(f, "compare")
            && has(f, "realigned")
            && has(f, "main"))
            > 0.1
    );
}

#[test]
fn two_threads_are_told_apart() {
    if !can_record() {
        return;
    }
    let (profile, _) = Program::compile("threads").record(&[]);
    let of_thread = |name: &str| -> u64 {
        let with_name = samples(&profile)
            .into_iter()
            .filter(|(_, _, labels)| labels.contains(&("thread", name.to_owned())));
        with_name.map(|(n, ..)| n).sum()
    };
    let (left, right) = (of_thread("left"), of_thread("right"));
    assert!(left > 100 && right > 100, "{left} {right}");
    assert!(
        (0.7..1.43).contains(&(left as f64 / right as f64)),
        "{left} {right}"
    );
}

#[test]
fn a_forked_child_is_sampled_with_whole_stacks() {
    if !can_record() {
        return;
    }
    let program = Program::compile("fork");
    let (profile, _) = program.record(&[]);
    let work = share(&profile, |f| {
        f[0].0 == "child_work" && f.iter().any(|(name, _)| *name == "main")
    });
    assert!(work > 0.95, "{work}");
    let pids: std::collections::HashSet<_> = samples(&profile)
        .into_iter()
        .filter(|(_, f, _)| f[0].0 == "child_work")
        .flat_map(|(_, _, labels)| labels)
        .filter(|(key, _)| *key == "pid")
        .collect();
    assert_eq!(pids.len(), 1);
}

#[test]
fn kernel_time_is_charged_to_the_calling_line() {
    if !can_record() {
        return;
    }
    let program = Program::compile("syscalls");
    let (profile, _) = program.record(&[]);
    let line = program.line_of("the syscall");
    let below_call = share(&profile, |f| f.contains(&("main", line)));
    assert!(below_call > 0.95, "{below_call}");
    let in_kernel = share(&profile, |f| {
        f[0].0 != "main" && f[0].1 == 0 && f.contains(&("main", line))
    });
    assert!(in_kernel > 0.8, "{in_kernel}");
    let mappings: Vec<_> = profile
        .mappings
        .iter()
        .map(|m| profile.text(m.filename))
        .collect();
    assert!(mappings.contains(&"[kernel]"), "{mappings:?}");
    assert!(
        profile.locations.address.iter().all(|a| *a < 1 << 63),
        "no kernel address in the file"
    );
}

#[test]
fn inlined_work_is_charged_to_itself_and_to_its_call_site() {
    if !can_record() {
        return;
    }
    let program = Program::compile("inlined");
    let (profile, _) = program.record(&[]);
    let call_site = program.line_of("the call site");
    let chain = share(&profile, |f| {
        f[0].0 == "inlined_work" && f.get(1) == Some(&("main", call_site))
    });
    assert!(chain > 0.95, "{chain}");
}

/// Records a program that would go on, and interrupts the recorder alone or, as a terminal does for Ctrl+C, its whole
/// process group.
fn interrupted(whole_group: bool) {
    if !can_record() {
        return;
    }
    let program = Program::compile("spin");
    let mut recording = lineheat(&["record", "--output"])
        .arg(program.run_path())
        .arg("--")
        .arg(&program.path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(recording.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let target = descendant_named(recording.id(), "spin");
    wait_for_cpu_time(target, Duration::from_millis(300));
    let pid = recording.id() as i32;
    // SAFETY: kill has no memory preconditions; the child was not waited for yet.
    unsafe { libc::kill(if whole_group { -pid } else { pid }, libc::SIGINT) };
    assert!(recording.wait().unwrap().success());
    let profile = Profile::open(&program.run_path()).unwrap();
    let run = profile.run.as_ref().unwrap();
    assert!(run.samples_kept > 200, "{}", run.samples_kept);
    assert_eq!(run.end_reason(), profile::run::EndReason::Stopped);
    let said = |p: &String| p.contains("sampler exited");
    assert!(!run.problems.iter().any(said), "{:?}", run.problems);
}

#[test]
fn an_interrupt_ends_the_recording_and_keeps_it() {
    interrupted(false);
}

#[test]
fn an_interrupt_of_the_whole_group_ends_the_recording_and_keeps_it() {
    interrupted(true);
}

#[test]
fn the_duration_ends_a_program_that_would_go_on() {
    if !can_record() {
        return;
    }
    let program = Program::compile("spin");
    let began = Instant::now();
    let (profile, output) = program.record(&["--duration", "0.5"]);
    let ended = began.elapsed();
    assert!(output.status.success());
    let run = profile.run.as_ref().unwrap();
    assert_eq!(run.end_reason(), profile::run::EndReason::Duration);
    let wall = Duration::from_nanos(run.wall_ns);
    assert!(
        Duration::from_millis(400) < wall && wall < ended,
        "{wall:?} of {ended:?}"
    );
}

#[test]
fn a_running_process_is_attached_to_and_left_running() {
    if !can_record() {
        return;
    }
    let program = Program::compile("spin");
    let mut target = Command::new(&program.path)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let pid = target.id().to_string();
    let duration = duration_for(target.id(), Duration::from_millis(300));
    let output = lineheat(&["record", "--duration", &duration, "--pid", &pid, "--output"])
        .arg(program.run_path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(target.try_wait().unwrap().is_none(), "the process goes on");
    target.kill().unwrap();
    target.wait().unwrap();
    let profile = Profile::open(&program.run_path()).unwrap();
    assert!(share(&profile, |f| f[0].0 == "main") > 0.9);
}

#[test]
fn a_program_that_ends_at_once_gives_a_run_and_a_sentence() {
    if !can_record() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let run = directory.path().join("run.pb.gz");
    let output = lineheat(&["record", "--output"])
        .arg(&run)
        .args(["--", "/bin/true"])
        .output()
        .unwrap();
    assert!(output.status.success());
    let profile = Profile::open(&run).unwrap();
    assert_eq!(profile.run.as_ref().unwrap().exit.as_ref().unwrap().code, 0);
}

#[test]
fn a_crash_is_named_and_its_profile_kept() {
    if !can_record() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let run = directory.path().join("run.pb.gz");
    let crash = ["--exit-status", "--", "/bin/sh", "-c", "kill -SEGV $$"];
    let output = lineheat(&["record", "--output"])
        .arg(&run)
        .args(crash)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(128 + libc::SIGSEGV));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("killed by signal 11"), "{told}");
    assert_eq!(
        Profile::open(&run)
            .unwrap()
            .run
            .unwrap()
            .exit
            .unwrap()
            .signal,
        libc::SIGSEGV
    );
}

#[test]
fn what_cannot_be_recorded_is_named_and_exits_with_3() {
    let directory = tempfile::tempdir().unwrap();
    let text_file = directory.path().join("notes.txt");
    std::fs::write(&text_file, "no program").unwrap();
    let text_file = text_file.to_str().unwrap();
    for (args, wanted) in [
        (vec!["--", "/no/such/program"], "no such program"),
        (vec!["--", text_file], "not marked executable"),
        (vec!["--pid", "4000000"], "there is no process 4000000"),
        (vec!["--pid", "2"], "is a kernel thread"),
        (
            vec!["--output", "/proc/x/run.pb.gz", "--", "/bin/true"],
            "cannot be saved as /proc/x/run.pb.gz",
        ),
    ] {
        let output = lineheat(&["record"])
            .args(&args)
            .current_dir(directory.path())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {told}");
        assert!(told.contains(wanted), "{args:?}: {told}");
    }
}
