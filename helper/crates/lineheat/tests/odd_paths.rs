//! Programs and libraries whose paths are not UTF-8 or hold a line break are recorded like any other: names, lines and
//! callers, started and attached to, with libraries loaded while they run, with and without privilege.

use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::executables::copy_executable;
use crate::support::{can_record, lineheat, samples};
use profile::Profile;

const PROGRAM: &str = "\
#include <dlfcn.h>
#include <stdlib.h>
__attribute__((noinline)) double in_program(double x, int n) {
  for (int i = 0; i < n; i++) x = x * 1.0000001 + 0.5; /* hot: 4 */
  return x;
}
int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) return 3;
  double (*in_library)(double, int) = dlsym(library, \"in_library\");
  double x = 0;
  for (int i = 0; i < atoi(argv[2]); i++) x = in_library(in_program(x, 100000), 100000);
  return x < 0;
}
";
const LIBRARY: &str = "\
__attribute__((noinline)) static double deeper(double x, int n) {
  for (int i = 0; i < n; i++) x = x * 1.0000002 + 0.5; /* hot: 2 */
  return x;
}
double in_library(double x, int n) { return deeper(x, n) + 1; }
";

/// Names of the folder, the program and the library.
const NAMES: [[&[u8]; 3]; 4] = [
    [b"plain", b"program", b"library.so"],
    [b"not\xff\xfeutf8", b"pro\xffgram", b"lib\xe4.so"],
    [b"line\nbreak", b"two\nlines", b"li\nb.so"],
    [
        b"back\\012slash \\",
        b"pro\\012gram (deleted)",
        b"a => b.so",
    ],
];

struct Odd {
    _place: tempfile::TempDir,
    program: PathBuf,
    library: PathBuf,
}

impl Odd {
    fn compile([folder, program, library]: [&[u8]; 3]) -> Odd {
        let place = tempfile::tempdir().expect("a temporary folder");
        std::fs::set_permissions(place.path(), Permissions::from_mode(0o777)).expect("ours");
        let folder = place.path().join(OsStr::from_bytes(folder));
        std::fs::create_dir(&folder).expect("a folder");
        let [program, library] = [program, library].map(|n| folder.join(OsStr::from_bytes(n)));
        gcc(place.path(), PROGRAM, &program, &["-ldl"]);
        gcc(place.path(), LIBRARY, &library, &["-shared", "-fPIC"]);
        Odd {
            _place: place,
            program,
            library,
        }
    }

    fn start(&self, user: Option<u32>) -> Child {
        as_user(&mut Command::new(&self.program), user)
            .arg(&self.library)
            .arg("1000000")
            .stdout(Stdio::null())
            .spawn()
            .expect("started")
    }
}

/// Compiles elsewhere and moves the result: compilers are not what is tested.
fn gcc(place: &Path, source: &str, output: &Path, options: &[&str]) {
    let plain = place.join("source.c");
    std::fs::write(&plain, source).expect("written");
    let compiled = Command::new("gcc")
        .args(["-O2", "-g", "-fomit-frame-pointer", "-o"])
        .arg(place.join("made"))
        .arg(&plain)
        .args(options)
        .output()
        .expect("gcc is installed");
    assert!(compiled.status.success(), "{compiled:?}");
    std::fs::rename(place.join("made"), output).expect("moved");
}

#[test]
fn started_programs_have_names_lines_and_callers() {
    if can_record() {
        each(&["--privileged"], None, start);
    }
}

#[test]
fn processes_that_are_attached_to_have_them_too() {
    if can_record() {
        each(&["--privileged"], None, attach);
    }
}

#[test]
fn and_so_without_privilege() {
    if can_record() {
        each(&["--unprivileged"], USER, start);
        each(&["--unprivileged"], USER, attach);
    }
}

/// An ordinary one: root opens what a process has mapped whatever its path says.
const USER: Option<u32> = Some(65534);

fn as_user(command: &mut Command, user: Option<u32>) -> &mut Command {
    if let Some(id) = user {
        command
            .uid(id)
            .gid(id)
            .env_remove("HOME")
            .env_remove("XDG_CACHE_HOME");
    }
    command
}

fn start(odd: &Odd, _: Option<u32>, command: &mut Command) -> Option<Child> {
    command
        .arg("--")
        .args([&odd.program, &odd.library])
        .arg("1500");
    None
}

fn attach(odd: &Odd, user: Option<u32>, command: &mut Command) -> Option<Child> {
    let child = odd.start(user);
    // Until it has loaded its library, maybe; it goes on for as long as it is recorded.
    std::thread::sleep(Duration::from_millis(200));
    command.args(["--duration", "1", "--pid", &child.id().to_string()]);
    Some(child)
}

fn each(
    options: &[&str],
    user: Option<u32>,
    target: fn(&Odd, Option<u32>, &mut Command) -> Option<Child>,
) {
    for names in NAMES {
        let odd = Odd::compile(names);
        let run = odd._place.path().join("run.pb.gz");
        // The build's folder may be closed to ordinary users.
        let engine = odd._place.path().join("lineheat");
        let mut command = match user {
            Some(_) => {
                copy_executable(Path::new(env!("CARGO_BIN_EXE_lineheat")), &engine);
                Command::new(engine)
            }
            None => lineheat(&[]),
        };
        command.args(["record", "--output"]);
        as_user(&mut command, user).arg(&run).args(options);
        command.current_dir("/");
        let child = target(&odd, user, &mut command);
        let output = command.output().expect("lineheat runs");
        if let Some(mut child) = child {
            child.kill().expect("killed");
            child.wait().expect("waited for");
        }
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let what = format!("{:?} {options:?}\n{told}", odd.program);
        let profile = Profile::open(&run).unwrap_or_else(|e| panic!("{e}\n{what}"));
        check(&profile, &what);
        check_shown(&run, &odd, &what);
    }
}

fn check(profile: &Profile, what: &str) {
    let (mut all, mut named, mut in_program, mut in_library) = (0, 0, 0, 0);
    for (count, frames, _) in samples(profile) {
        all += count;
        // The kernel's part of a stack lies at the leaf.
        let has = |wanted: &[(&str, u32)]| {
            let at = frames.windows(wanted.len()).position(|part| part == wanted);
            at.is_some_and(|at| {
                frames[at..]
                    .iter()
                    .any(|(name, line)| *name == "main" && *line > 0)
            })
        };
        let library = has(&[("deeper", 2), ("in_library", 5)]) || has(&[("in_library", 5)]);
        let program = has(&[("in_program", 4)]);
        in_library += if library { count } else { 0 };
        in_program += if program { count } else { 0 };
        named += if library || program { count } else { 0 };
    }
    assert!(all > 50, "{all} samples\n{what}");
    assert!(named * 100 > all * 80, "{named} of {all} samples\n{what}");
    assert!(
        in_program > 10 && in_library > 10,
        "{in_program}, {in_library} of {all}\n{what}"
    );
}

/// In the terminal nothing of a name is left raw.
fn check_shown(run: &Path, odd: &Odd, what: &str) {
    let output = lineheat(&["report"])
        .arg(run)
        .output()
        .expect("lineheat runs");
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    let name = odd.library.file_name().expect("a name").as_bytes();
    let wanted: String = (name.utf8_chunks())
        .map(|chunk| {
            let invalid = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"));
            chunk.valid().replace('\n', "\\n") + &invalid.collect::<String>()
        })
        .collect();
    assert!(shown.contains(&wanted), "{wanted}\n{shown}\n{what}");
}
