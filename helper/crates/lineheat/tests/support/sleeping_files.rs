//! A file system of user space (FUSE) that stops answering, and never keeps this machine from going on.

use std::ffi::CString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::Program;

pub struct SleepingFiles {
    daemon: Child,
    mounted_on: PathBuf,
    sleep_switch: PathBuf,
    /// The one file in it.
    pub file: PathBuf,
    _program: Program,
}

impl SleepingFiles {
    /// Shows a copy of `original` under its own name. None where this machine lets us mount none; said then.
    pub fn with(original: &Path) -> Option<SleepingFiles> {
        let program = Program::compile("sleeping_files");
        let mounted_on = program.directory.path().join("mounted");
        fs::create_dir(&mounted_on).expect("a folder");
        let sleep_switch = program.directory.path().join("asleep");
        let name = original.file_name().expect("a file");
        let mut daemon = Command::new(&program.path)
            .arg(&mounted_on)
            .args([name, original.as_os_str(), sleep_switch.as_os_str()])
            .stdout(Stdio::piped())
            .spawn()
            .expect("it was just compiled");
        let mut said = String::new();
        let output = daemon.stdout.take().expect("piped");
        let _ = BufReader::new(output).read_line(&mut said);
        if said != "mounted\n" {
            let _ = daemon.wait();
            eprintln!("SKIPPED: no FUSE file system can be mounted here, so nothing was tested.");
            return None;
        }
        Some(SleepingFiles {
            daemon,
            file: mounted_on.join(name),
            mounted_on,
            sleep_switch,
            _program: program,
        })
    }

    /// From now on nothing is answered.
    pub fn fall_asleep(&self) {
        fs::write(&self.sleep_switch, "").expect("written");
    }
}

impl Drop for SleepingFiles {
    /// In this order: whoever waits for an answer gets an error, and nothing is left that nobody can end.
    fn drop(&mut self) {
        let folder = CString::new(self.mounted_on.as_os_str().as_bytes()).expect("no NUL");
        // SAFETY: the path is terminated; we mounted what lies there.
        unsafe { libc::umount2(folder.as_ptr(), libc::MNT_FORCE | libc::MNT_DETACH) };
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}
