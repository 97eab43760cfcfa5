//! Two users, one of whom may record with the sampler that is installed; all of it gone at the end of a test.

use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use profile::Profile;

use crate::executables::copy_executable;

pub const BASE: &str = "/usr/local/libexec/lineheat";
/// In the group lineheat.
pub const USER: &str = "lineheat-test-a";
/// Beside the engine, as the user's own.
pub const LIBRARY: &str = "liblineheat_alloc.so";
pub const OTHER: &str = "lineheat-test-b";

pub struct Installed {
    pub directory: tempfile::TempDir,
    libexec_was_there: bool,
    /// One test at a time, of all programs of this machine.
    _lock: fs::File,
}

impl Installed {
    /// None where this cannot be tried; the reason is printed.
    pub fn new() -> Option<Installed> {
        Installed::begin(true)
    }

    /// The users alone.
    pub fn not_yet() -> Option<Installed> {
        Installed::begin(false)
    }

    fn begin(install: bool) -> Option<Installed> {
        // SAFETY: geteuid has no preconditions.
        if unsafe { libc::geteuid() } != 0 {
            eprintln!("SKIPPED: only root can make users and install a sampler for them.");
            return None;
        }
        let lock = fs::File::create("/tmp/lineheat-privilege-tests.lock").unwrap();
        // SAFETY: the descriptor is live.
        assert_eq!(unsafe { libc::flock(lock.as_raw_fd(), libc::LOCK_EX) }, 0);
        if Path::new(BASE).exists() {
            eprintln!("SKIPPED: a sampler is installed here, and stays as it is.");
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let installed = Installed {
            directory,
            libexec_was_there: Path::new("/usr/local/libexec").exists(),
            _lock: lock,
        };
        for user in [USER, OTHER] {
            // Of a test before, one may be left until its last process has ended.
            let is_made = (0..50).any(|_| {
                let _ = Command::new("userdel").arg(user).output();
                let mut useradd = Command::new("useradd");
                let made = useradd.args(["--no-create-home", user]).output();
                let is_made = made.unwrap().status.success();
                if !is_made {
                    std::thread::sleep(Duration::from_millis(100));
                }
                is_made
            });
            assert!(is_made, "{user} cannot be made");
        }
        let own = Path::new(env!("CARGO_BIN_EXE_lineheat"));
        for file in [
            own,
            &own.with_file_name("lineheat-sampler"),
            &own.with_file_name(LIBRARY),
        ] {
            let name = file.file_name().unwrap().to_str().unwrap();
            copy_executable(file, &installed.path(name));
        }
        let library = installed.path(LIBRARY);
        chown(&library, Some(uid_of(USER)), None).unwrap();
        fs::set_permissions(&library, fs::Permissions::from_mode(0o644)).unwrap();
        if install {
            let output = installed.install();
            assert!(output.status.success(), "{}", told(&output));
        }
        Some(installed)
    }

    /// As root, for [`USER`], as sudo would run it.
    pub fn install(&self) -> Output {
        let mut command = Command::new(self.path("lineheat"));
        command.args(["doctor", "--install", "--yes"]);
        command
            .env("SUDO_UID", uid_of(USER).to_string())
            .env("SUDO_GID", uid_of(USER).to_string());
        command.output().unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn sampler(&self) -> PathBuf {
        Path::new(BASE)
            .join(env!("CARGO_PKG_VERSION"))
            .join("lineheat-sampler")
    }

    /// gcc -O2, frame pointers as usual; readable for everybody.
    pub fn program(&self, name: &str) -> PathBuf {
        let source =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/programs/{name}.c"));
        let path = self.path(name);
        let mut gcc = Command::new("gcc");
        gcc.args(["-O2", "-g", "-pthread", "-o"])
            .args([&path, &source]);
        assert!(gcc.status().unwrap().success());
        path
    }

    /// The same program, owned by root and setuid.
    pub fn setuid_program(&self, name: &str) -> PathBuf {
        let path = self.path(&format!("{name}-setuid"));
        copy_executable(&self.program(name), &path);
        chown(&path, Some(0), Some(0)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o4755)).unwrap();
        path
    }

    pub fn lineheat(&self, user: &str, args: &[&str]) -> Command {
        let mut command = as_user(user, &self.path("lineheat"));
        command.args(args).current_dir(self.directory.path());
        command
    }

    /// Records with the installed sampler, as [`USER`].
    pub fn record(&self, args: &[&str]) -> (Option<Profile>, Output) {
        let run = self.path("run.pb.gz");
        let _ = fs::remove_file(&run);
        let mut command = self.lineheat(USER, &["record", "--privileged", "--output", "run.pb.gz"]);
        let output = command.args(args).output().unwrap();
        (Profile::open(&run).ok(), output)
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        let own = env!("CARGO_BIN_EXE_lineheat");
        let _ = Command::new(own)
            .args(["doctor", "--uninstall", "--yes"])
            .output();
        for user in [USER, OTHER] {
            let _ = Command::new("userdel").arg(user).output();
        }
        if !self.libexec_was_there {
            let _ = fs::remove_dir("/usr/local/libexec");
        }
    }
}

/// With the user's groups, as after a login.
pub fn as_user(user: &str, program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--reuid", user, "--regid", user, "--init-groups", "--"]);
    command.arg(program);
    command
}

pub fn uid_of(user: &str) -> u32 {
    let output = Command::new("id").args(["-u", user]).output().unwrap();
    String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .unwrap()
}

pub fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

/// A process of the test, ended with it.
pub struct Running(pub Child);

impl Running {
    /// Waits until the program has said that it is ready.
    pub fn start(command: &mut Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut ready = [0; 6];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut ready).unwrap();
        Running(child)
    }

    /// Takes no CPU time from now on: for whoever is only to be there.
    pub fn stopped(self) -> Running {
        // SAFETY: kill has no memory preconditions; the child was not waited for yet.
        unsafe { libc::kill(self.pid() as i32, libc::SIGSTOP) };
        self
    }

    pub fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
