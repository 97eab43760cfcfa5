//! Recordings inside and outside of namespaces, as containers are made of them: every frame has its module, or the
//! recording is refused with the cause.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::executables::copy_executable;
use crate::support::{Program, can_record, share};
use profile::Profile;

const LINEHEAT: &str = env!("CARGO_BIN_EXE_lineheat");
/// A PID namespace with a /proc of its own.
const CONTAINER: [&str; 4] = ["unshare", "-pm", "--fork", "--mount-proc"];

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]);
    command
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs `within … lineheat record … arguments`.
fn record(program: &Program, within: &[&str], arguments: &[&str]) -> (Option<Profile>, String) {
    let run = program.run_path();
    let _ = std::fs::remove_file(&run);
    let record = [LINEHEAT, "record", "--output", run.to_str().unwrap()];
    let words = [within, &record, arguments].concat();
    let output = command(&words).output().unwrap();
    (Profile::open(&run).ok(), told(&output))
}

/// Every frame has a module, and the program's own work is what took the time.
fn assert_all_named(case: &str, recorded: (Option<Profile>, String)) {
    let (profile, told) = recorded;
    let profile = profile.unwrap_or_else(|| panic!("{case}: {told}"));
    let unknown = share(&profile, |frames| frames.iter().any(|f| f.0 == "[unknown]"));
    let work = share(&profile, |frames| frames.iter().any(|f| f.0 == "work"));
    assert_eq!(unknown, 0.0, "{case}: frames without a module; {told}");
    assert!(work > 0.9, "{case}: {work} of the samples are work; {told}");
}

/// A folder that a program can be confined to, with a static copy of it inside.
fn root_folder(program: &Program) -> PathBuf {
    let root = program.directory.path().join("root");
    std::fs::create_dir_all(root.join("app")).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/mapper.c");
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-g", "-static", "-o"]);
    gcc.arg(root.join("app/mapper")).arg(source);
    assert!(gcc.status().unwrap().success());
    root
}

#[test]
fn every_frame_is_named_whichever_namespaces_engine_and_target_are_in() {
    if !can_record() {
        return;
    }
    let program = Program::compile("mapper");
    let path = program.path.to_str().unwrap();
    let root = root_folder(&program);
    let root = root.to_str().unwrap();
    let work = ["--", path, "work", "300"];
    let in_shell = format!("{path} work 100; {path} work 100 & {path} work 100; wait");
    let twice = [CONTAINER, CONTAINER].concat();
    let confined = ["--", "chroot", root, "/app/mapper", "work", "300"];
    let in_container = [&["--"], &CONTAINER[..], &work[1..]].concat();
    let as_own_root = ["--", "unshare", "-Ur", path, "work", "300"];
    let unprivileged = [&["--unprivileged"], &work[..]].concat();
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("no namespace", &["env"], &work),
        ("engine in a PID namespace", &CONTAINER, &work),
        ("engine in a nested PID namespace", &twice, &work),
        ("engine in a network namespace", &["unshare", "-n"], &work),
        ("engine in a mount namespace", &["unshare", "-m"], &work),
        ("engine in a user namespace", &["unshare", "-Ur"], &work),
        (
            "shell in a PID namespace",
            &CONTAINER,
            &["--", "sh", "-c", &in_shell],
        ),
        (
            "repeated in a PID namespace",
            &CONTAINER,
            &["--repeat", "3", "--", path, "work", "100"],
        ),
        (
            "without privilege in a PID namespace",
            &CONTAINER,
            &unprivileged,
        ),
        ("target in a PID namespace", &["env"], &in_container),
        (
            "target in a PID namespace below the engine's",
            &CONTAINER,
            &in_container,
        ),
        ("target in a user namespace", &["env"], &as_own_root),
        ("target in a chroot", &["env"], &confined),
        (
            "target in a chroot in a PID namespace",
            &CONTAINER,
            &confined,
        ),
    ];
    for (case, within, arguments) in cases {
        assert_all_named(case, record(&program, within, arguments));
    }
}

#[test]
fn every_frame_is_named_on_an_overlay_as_a_containers_root_is() {
    if !can_record() {
        return;
    }
    let program = Program::compile("mapper");
    let root = root_folder(&program);
    let (folder, root) = (
        program.directory.path().to_str().unwrap(),
        root.to_str().unwrap(),
    );
    for name in ["upper", "work", "merged"] {
        std::fs::create_dir(program.directory.path().join(name)).unwrap();
    }
    // overlayfs takes no layer that lies on another overlayfs: one in memory always works.
    let script = format!(
        "mount -t tmpfs tmpfs {folder}/upper && mkdir {folder}/upper/u {folder}/upper/w && mount -t overlay overlay -o lowerdir={root},upperdir={folder}/upper/u,workdir={folder}/upper/w {folder}/merged && exec \"$0\" \"$@\""
    );
    let within = ["unshare", "-m", "sh", "-c", &script, "env"];
    let merged = format!("{folder}/merged");
    let confined = ["--", "chroot", &merged, "/app/mapper", "work", "300"];
    assert_all_named("overlay", record(&program, &within, &confined));
    let copied_up =
        format!("echo >> {merged}/app/mapper; exec chroot {merged} /app/mapper work 300");
    let confined = ["--", "sh", "-c", &copied_up];
    assert_all_named("overlay, copied up", record(&program, &within, &confined));
}

/// `unshare` with a program in a PID namespace below it.
struct Container(Child);

impl Container {
    fn start(program: &Path) -> Container {
        let mut unshare = command(&CONTAINER);
        unshare.args(["--kill-child", "--"]).arg(program);
        unshare.args(["ready", "work", "600000"]);
        let mut child = unshare.stdout(Stdio::piped()).spawn().unwrap();
        let mut ready = [0; 6];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut ready).unwrap();
        Container(child)
    }

    /// The program's number out here.
    fn target(&self) -> u32 {
        let of = format!("/proc/{0}/task/{0}/children", self.0.id());
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let children = std::fs::read_to_string(&of).unwrap();
            if let Some(child) = children.split_whitespace().next() {
                return child.parse().unwrap();
            }
            assert!(Instant::now() < deadline, "unshare starts its program");
        }
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_container_is_attached_to_from_outside_by_number_name_and_tree() {
    if !can_record() {
        return;
    }
    let program = Program::compile("mapper");
    let name = format!("nstarget{}", std::process::id() % 100_000);
    let path = program.directory.path().join(&name);
    copy_executable(&program.path, &path);
    let container = Container::start(&path);
    let (pid, tree) = (container.target().to_string(), container.0.id().to_string());
    for how in [["--pid", &pid], ["--process", &name], ["--tree", &tree]] {
        let arguments = [&["--duration", "1"], &how[..]].concat();
        let case = format!("from outside by {}", how[0]);
        assert_all_named(&case, record(&program, &["env"], &arguments));
    }
    let inside = [&CONTAINER[..], &["env"]].concat();
    let (profile, told) = record(&program, &inside, &["--pid", &pid]);
    assert!(
        profile.is_none(),
        "it is not to be seen from another container"
    );
    assert!(
        told.contains("there is no process") && told.contains("outside this container"),
        "{told}"
    );
}

#[test]
fn a_process_is_attached_to_from_within_its_container_by_number_name_and_tree() {
    if !can_record() {
        return;
    }
    let program = Program::compile("mapper");
    let path = program.path.to_str().unwrap();
    // Number 1 is the shell, 2 the program.
    let script = format!("{path} work 600000 & \"$0\" \"$@\"; status=$?; kill $!; exit $status");
    let within = [&CONTAINER[..], &["sh", "-c", &script]].concat();
    for how in [["--pid", "2"], ["--process", "mapper"], ["--tree", "1"]] {
        let arguments = [&["--duration", "1"], &how[..]].concat();
        let case = format!("from within by {}", how[0]);
        assert_all_named(&case, record(&program, &within, &arguments));
    }
}

#[test]
fn a_proc_of_another_namespace_is_refused_with_the_remedy() {
    if !can_record() {
        return;
    }
    let program = Program::compile("mapper");
    let path = program.path.to_str().unwrap();
    let (profile, told) = record(
        &program,
        &["unshare", "-p", "--fork"],
        &["--", path, "work", "100"],
    );
    assert!(profile.is_none(), "{told}");
    assert!(
        told.contains("/proc belongs to another PID namespace") && told.contains("--mount-proc"),
        "{told}"
    );
}
