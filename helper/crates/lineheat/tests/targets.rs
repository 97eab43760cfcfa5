//! Targets that are hard to follow: short, many, forking, vanishing. Under real BPF.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::cpu_time::slowed;
use crate::support::{Program, can_record, lineheat, samples, share};
use profile::Profile;

/// Shares of the samples by how their stack ended.
fn rooted_share(profile: &Profile) -> f64 {
    let run = profile.run.as_ref().unwrap();
    let rooted = run.stack_ends.iter().filter(|e| e.cause == "root");
    rooted.map(|e| e.count).sum::<u64>() as f64 / run.samples_kept as f64
}

fn label_values(profile: &Profile, key: &str) -> HashSet<String> {
    let labels = samples(profile).into_iter().flat_map(|(_, _, l)| l);
    labels.filter(|(k, _)| *k == key).map(|(_, v)| v).collect()
}

/// Records this command line instead of the program alone, with no unwind rows kept from before.
fn record_command(program: &Program, options: &[&str], command: &[&str]) -> (Profile, String) {
    let cache = tempfile::tempdir().unwrap();
    let run = program.run_path();
    let output = lineheat(&["record", "--output"])
        .arg(&run)
        .args(options)
        .env("XDG_CACHE_HOME", cache.path())
        .arg("--")
        .args(command)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let profile = Profile::open(&run).unwrap_or_else(|e| panic!("{e}\n{told}"));
    (profile, told)
}

#[test]
fn a_short_program_run_many_times_gives_one_run_that_covers_all_of_it() {
    if !can_record() {
        return;
    }
    let program = Program::compile("short");
    let (profile, output) = program.record(&["--repeat", "60"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("from 60 executions"), "{told}");
    let run = profile.run.as_ref().unwrap();
    assert_eq!((run.repetitions.len(), run.repeat), (60, 60));
    assert_eq!(
        run.user_ns,
        run.repetitions.iter().map(|r| r.user_ns).sum::<u64>()
    );
    assert_eq!(label_values(&profile, "pid").len(), 60);
    let part = |name: &str| share(&profile, |f| f.iter().any(|(n, _)| *n == name));
    let parts = [part("first_part"), part("second_part"), part("third_part")];
    assert!(parts.iter().all(|p| (0.2..0.45).contains(p)), "{parts:?}");
    assert!(part("main") > 0.8, "{}", part("main"));
    assert!(
        label_values(&profile, "thread").len() == 1,
        "nothing of the launcher is in the run: {:?}",
        label_values(&profile, "thread")
    );
    assert_eq!(
        run.samples_taken,
        run.samples_kept + run.losses.iter().map(|l| l.count).sum::<u64>()
    );
}

#[test]
fn a_repetition_that_fails_is_the_last_and_what_there_is_is_kept() {
    if !can_record() {
        return;
    }
    let program = Program::compile("short");
    let mark = program.directory.path().join("mark");
    let path = program.path.to_str().unwrap();
    let command = [path, mark.to_str().unwrap()];
    let (profile, told) = record_command(&program, &["--repeat", "5"], &command);
    let run = profile.run.as_ref().unwrap();
    let codes: Vec<_> = run
        .repetitions
        .iter()
        .map(|r| r.exit.as_ref().unwrap().code)
        .collect();
    assert_eq!(codes, [0, 3]);
    let sentence = "Execution 2 of 5 exited with 3";
    assert!(told.contains(sentence), "{told}");
    assert!(run.problems.iter().any(|p| p.starts_with(sentence)));
}

#[test]
fn stacks_deeper_than_any_limit_are_cut_at_the_root_marked_and_counted() {
    if !can_record() {
        return;
    }
    let program = Program::compile("deep_recursion");
    let path = program.path.to_str().unwrap();
    for frames in [1024, 2048] {
        let options = ["--max-frames", &frames.to_string()];
        let (profile, _) = record_command(&program, &options, &[path, "5000"]);
        let cut_at_the_root = |f: &[(&str, u32)]| {
            let descended = f.iter().filter(|(name, _)| *name == "descend").count();
            let is_kept = |name: &str| f.iter().any(|(n, _)| *n == name);
            descended == frames && !is_kept("main") && !is_kept("_start")
        };
        let share_cut = share(&profile, cut_at_the_root);
        let mut other = samples(&profile).into_iter();
        let other = other
            .find(|(_, f, _)| !cut_at_the_root(f))
            .map(|(n, f, _)| {
                let descended = f.iter().filter(|(name, _)| *name == "descend").count();
                (n, descended, f.len(), f[0].0.to_owned())
            });
        assert!(
            share_cut > 0.95,
            "{share_cut} of {frames}, other: {other:?}"
        );
        let run = profile.run.as_ref().unwrap();
        let ends = run.stack_ends.iter().filter(|e| e.cause == "cut");
        let share_counted = ends.map(|e| e.count).sum::<u64>() as f64 / run.samples_kept as f64;
        assert!(
            (share_counted - share_cut).abs() < 0.1,
            "{share_counted} {share_cut}"
        );
        let lost: u64 = run.losses.iter().map(|l| l.count).sum();
        assert_eq!(run.samples_taken, run.samples_kept + lost);
        let told = run.problems.join(" ");
        let sentence = "of the stacks are deeper than the kept frames";
        assert!(told.contains(sentence), "{told}");
    }
}

/// Ended when dropped, with what it has started.
struct Server(Child);

impl Server {
    fn start(program: &Program) -> Server {
        let mut child = Command::new(&program.path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        Server(child)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// For so long that a target gets its turns beside the other tests.
fn attach(program: &Program, options: &[&str]) -> Profile {
    let duration = slowed(Duration::from_millis(1500));
    let output = lineheat(&["record", "--duration", &duration, "--output"])
        .arg(program.run_path())
        .args(options)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    Profile::open(&program.run_path()).unwrap()
}

#[test]
fn a_tree_is_followed_while_its_workers_come_and_go() {
    if !can_record() {
        return;
    }
    let program = Program::compile("server");
    let server = Server::start(&program);
    let profile = attach(&program, &["--tree", &server.0.id().to_string()]);
    assert!(
        label_values(&profile, "pid").len() >= 3,
        "workers that connected meanwhile"
    );
    assert!(label_values(&profile, "thread").contains("worker"));
    assert!(share(&profile, |f| f.iter().any(|(n, _)| *n == "serve_client")) > 0.9);
    assert!(rooted_share(&profile) > 0.98, "{}", rooted_share(&profile));
    let run = profile.run.as_ref().unwrap();
    assert_eq!(
        run.attached_to,
        format!("process {} and its descendants", server.0.id())
    );
}

#[test]
fn processes_of_a_name_are_recorded_together_and_told_apart() {
    if !can_record() {
        return;
    }
    let mut program = Program::compile("spin");
    let named = program.directory.path().join("lineheat-spin1");
    std::fs::rename(&program.path, &named).unwrap();
    program.path = named;
    let (one, other) = (Server::start(&program), Server::start(&program));
    let pids = HashSet::from([one.0.id().to_string(), other.0.id().to_string()]);
    let profile = attach(&program, &["--process", "lineheat-spin1"]);
    assert_eq!(label_values(&profile, "pid"), pids);
    let args: Vec<&str> = pids.iter().flat_map(|p| ["--pid", p.as_str()]).collect();
    assert_eq!(label_values(&attach(&program, &args), "pid"), pids);
}

#[test]
fn hundreds_of_threads_and_children_are_sampled_with_names_and_whole_stacks() {
    if !can_record() {
        return;
    }
    let program = Program::compile("crowd");
    let path = program.path.to_str().unwrap();
    let (profile, _) = record_command(&program, &[], &[path, "200", "200", "5"]);
    let work = |f: &[(&str, u32)]| f[0].0 == "work_a_little";
    let mut by_process = HashMap::<&str, u64>::new();
    let main_pid = profile.run.as_ref().unwrap();
    assert_eq!(main_pid.exit.as_ref().unwrap().code, 0);
    let all = samples(&profile);
    for (n, _, labels) in all.iter().filter(|(_, f, _)| work(f)) {
        let thread = labels.iter().find(|(k, _)| *k == "thread").unwrap();
        let kind = if thread.1.starts_with("crowd-") {
            "threads"
        } else {
            "children"
        };
        *by_process.entry(kind).or_default() += n;
    }
    let (threads, children) = (by_process["threads"], by_process["children"]);
    assert!(threads > 50 && children > 50, "{threads} {children}");
    let whole = |f: &[(&str, u32)]| work(f) && f.iter().any(|(n, _)| *n == "main" || *n == "run");
    assert!(share(&profile, whole) / share(&profile, work) > 0.99);
}

#[test]
fn a_storm_of_forks_and_execs_has_whole_stacks() {
    if !can_record() {
        return;
    }
    let program = Program::compile("storm");
    let path = program.path.to_str().unwrap();
    let (profile, told) = record_command(&program, &[], &[path, "300"]);
    let rooted = rooted_share(&profile);
    assert!(rooted > 0.96, "{rooted}\n{told}"); // 0.99 on a machine that is not busy
    let work = |f: &[(&str, u32)]| f[0].0 == "short_work";
    let whole = |f: &[(&str, u32)]| work(f) && f.len() > 3 && f[1].0 == "main";
    assert!(share(&profile, work) > 0.5, "{}", share(&profile, work));
    assert!(share(&profile, whole) / share(&profile, work) > 0.99);
}

#[test]
fn a_stack_that_makecontext_has_prepared_begins_where_its_function_was_entered() {
    if !can_record() {
        return;
    }
    let program = Program::compile("contexts");
    let (profile, output) = program.record(&[]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(rooted_share(&profile) > 0.99, "{told}");
    let on_own_stack = share(&profile, |f| {
        f.iter().any(|(n, _)| *n == "on_its_own_stack")
    });
    assert!(on_own_stack > 0.9, "{on_own_stack}\n{told}");
    let problems = &profile.run.as_ref().unwrap().problems;
    assert!(
        problems.iter().all(|p| !p.contains("thread's start")),
        "{problems:?}"
    );
}

/// What a shell, make or a test runner starts runs before its unwind rows are made: those of a compiler take long.
#[test]
fn what_a_shell_starts_has_whole_stacks_from_its_first_sample() {
    if !can_record() {
        return;
    }
    let program = Program::compile("spin");
    let source = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/programs/templates.cpp"
    );
    let script = format!("g++ -O1 -c -o /dev/null '{source}'; true");
    let command = ["/bin/sh", "-c", &script];
    let (copied, told) = record_command(&program, &[], &command);
    let (without, _) = record_command(&program, &["--no-stack-copies"], &command);
    let whole = rooted_share(&copied);
    assert!(
        whole > 0.99,
        "{whole}, {} without copies\n{told}",
        rooted_share(&without)
    );
}

/// A library whose function `work` spends its time in one of this name. Each has another frame size, so that rows of
/// another library would lead astray.
fn compile_plugin(program: &Program, number: usize) -> String {
    let source = program.directory.path().join(format!("plugin{number}.c"));
    let library = source.with_extension("so");
    let code = format!(
        "static volatile unsigned long sink[{size}];\n\
         __attribute__((noinline)) static void work_of_{number}(void) {{\n\
         volatile unsigned long local[{size}]; local[0] = 0;\n\
         for (long i = 0; i < 1000000; i++) local[i % {size}] += i;\n\
         sink[0] = local[0];\n}}\n\
         void work(void) {{ work_of_{number}(); sink[0]++; }}\n",
        size = 40 * number + 3,
    );
    std::fs::write(&source, code).unwrap();
    let compiled = Command::new("gcc")
        .args([
            "-O2",
            "-g",
            "-fomit-frame-pointer",
            "-shared",
            "-fPIC",
            "-o",
        ])
        .args([&library, &source])
        .status()
        .unwrap();
    assert!(compiled.success());
    library.to_str().unwrap().to_owned()
}

/// As many as a process may have (vm.max_map_count), mapped as fast as it can.
#[test]
fn of_65_000_mappings_none_is_lost_and_every_frame_is_named() {
    if !can_record() {
        return;
    }
    let program = Program::compile("mapper");
    let path = program.path.to_str().unwrap();
    let command = [path, "spread", "65000", path, "work", "300"];
    let (profile, told) = record_command(&program, &[], &command);
    let problems = &profile.run.as_ref().unwrap().problems;
    assert!(
        !problems.iter().any(|p| p.contains("were lost")),
        "{problems:?}"
    );
    let unknown = share(&profile, |frames| frames.iter().any(|f| f.0 == "[unknown]"));
    assert_eq!(unknown, 0.0, "{told}");
}

#[test]
fn libraries_that_come_and_go_are_told_apart_and_have_whole_stacks() {
    if !can_record() {
        return;
    }
    let program = Program::compile("plugins");
    let libraries: Vec<String> = (1..=6).map(|n| compile_plugin(&program, n)).collect();
    let mut command = vec![program.path.to_str().unwrap(), "150"];
    command.extend(libraries.iter().map(String::as_str));
    let (profile, told) = record_command(&program, &[], &command);
    let rooted = rooted_share(&profile);
    // What is missing is each library's first load, until its rows are there: longer on a busy machine.
    assert!(rooted > 0.9, "{rooted}\n{told}");
    for number in 1..=6 {
        let name = format!("work_of_{number}");
        let of_it = share(&profile, |f| f[0].0 == name);
        assert!((0.08..0.25).contains(&of_it), "{name}: {of_it}");
        let chained = share(&profile, |f| {
            let named = |at: usize, name: &str| f.get(at).is_some_and(|f| f.0 == name);
            named(0, &name) && named(1, "work") && named(2, "main")
        });
        assert!(chained / of_it > 0.85, "{name}: {chained} of {of_it}");
    }
    // No frame is named by a library that was not called.
    let strays = share(&profile, |f| {
        f.iter().filter(|(n, _)| n.starts_with("work_of_")).count() > 1
    });
    assert_eq!(strays, 0.0);
}

#[test]
fn a_program_that_deletes_or_replaces_its_own_file_keeps_its_names() {
    if !can_record() {
        return;
    }
    for way in ["delete", "replace"] {
        let program = Program::compile("vanish");
        let other = Program::compile("spin");
        let path = program.path.to_str().unwrap();
        let command = [path, way, other.path.to_str().unwrap()];
        let (profile, told) = record_command(&program, &[], &command);
        let line = program.line_of("the work");
        let lines = [line, line - 1];
        let named = share(&profile, |f| {
            f[0].0 == "work_without_a_file" && lines.contains(&f[0].1)
        });
        assert!(named > 0.95, "{way}: {named}\n{told}");
    }
}

#[test]
fn a_library_that_is_rewritten_in_place_gets_no_names_and_a_reason() {
    if !can_record() {
        return;
    }
    let program = Program::compile("vanish");
    let library = program.directory.path().join("libwork.so");
    let source = program.directory.path().join("work.c");
    let other = program.directory.path().join("other.so");
    for (name, path) in [("work_in_library", &library), ("other_work", &other)] {
        let code = format!(
            "static volatile unsigned long sink; void {name}(void) {{ for (long i = 0; i < 200000000; i++) sink += i; }}\n"
        );
        std::fs::write(&source, code).unwrap();
        let compiled = Command::new("gcc")
            .args(["-O2", "-g", "-shared", "-fPIC", "-o"])
            .args([path, &source])
            .status()
            .unwrap();
        assert!(compiled.success());
    }
    let path = program.path.to_str().unwrap();
    let command = [path, "load", library.to_str().unwrap()];
    let (profile, _) = record_command(&program, &[], &command);
    assert!(share(&profile, |f| f[0].0 == "work_in_library") > 0.9);
    let rewritten = [command[0], command[1], command[2], other.to_str().unwrap()];
    let (profile, _) = record_command(&program, &[], &rewritten);
    let of_library = ["work_in_library", "other_work"]; // the kernel has functions of work, too
    let named = share(&profile, |f| f.iter().any(|(n, _)| of_library.contains(n)));
    assert_eq!(named, 0.0);
    let problems = &profile.run.as_ref().unwrap().problems;
    let told = |p: &String| p.starts_with("libwork.so (") && p.contains("was rewritten");
    assert!(problems.iter().any(told), "{problems:?}");
}
