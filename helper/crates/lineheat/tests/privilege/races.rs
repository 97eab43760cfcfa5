//! A user changes files all the time while root installs the sampler, and while the engine checks and starts it.
//!
//! `LINEHEAT_RACES` says how often each is tried; `npm run bench -- hostile/races` tries 1,000 times.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::Command;

use crate::executables::{write_executable, write_script};
use crate::installed::{BASE, Installed, Running, USER, as_user, told, uid_of};

/// How often to try what depends on chance: as often as is asked for, else `short`.
pub fn tries(short: u32) -> u32 {
    let asked = std::env::var("LINEHEAT_RACES").ok();
    asked.map_or(short, |count| count.parse().expect("a number of tries"))
}

/// [`USER`], who swaps the sampler beside the engine, and tries to at the installed one.
struct Swapper<'a> {
    installed: &'a Installed,
    _running: Running,
}

/// What a swapper has done, as `swap.c` counts it.
struct Counts {
    swaps: u64,
    /// To change something at the installed sampler's place.
    attempts: u64,
    successes: u64,
}

impl Swapper<'_> {
    fn start(installed: &Installed) -> Swapper<'_> {
        let program = installed.program("swap");
        let own = installed.path("lineheat-sampler");
        let mut changed = fs::read(&own).unwrap();
        *changed.last_mut().unwrap() ^= 1;
        write_executable(&installed.path("changed"), &changed);
        let foreign = format!("id -u >> {}", installed.path("ran").display());
        write_script(&installed.path("foreign"), &foreign);
        symlink("foreign", installed.path("link")).unwrap();
        for file in ["lineheat-sampler", "changed", "foreign"] {
            chown(installed.path(file), Some(uid_of(USER)), None).unwrap();
            fs::set_permissions(installed.path(file), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let mut swap = as_user(USER, &program);
        swap.args([installed.directory.path(), &installed.sampler()]);
        Swapper {
            installed,
            _running: Running::start(&mut swap),
        }
    }

    fn counts(&self) -> Counts {
        let bytes = fs::read(self.installed.path("counts")).unwrap();
        let number = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap());
        Counts {
            swaps: number(0),
            attempts: number(8),
            successes: number(16),
        }
    }

    /// That there was a race, and it was lost: ten swaps a try at the least, and nothing of the user's at root's place.
    fn assert_lost(&self, tries: u32) -> Counts {
        let counts = self.counts();
        assert!(counts.swaps >= 10 * u64::from(tries), "{}", counts.swaps);
        assert!(counts.attempts >= u64::from(tries), "{}", counts.attempts);
        assert_eq!(counts.successes, 0, "of {} attempts", counts.attempts);
        let ran = fs::read_to_string(self.installed.path("ran")).unwrap_or_default();
        assert!(ran.is_empty(), "foreign code ran, as {ran}");
        counts
    }
}

#[test]
fn a_sampler_that_is_swapped_while_it_is_installed_is_refused_or_the_one_that_was_shown() {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    let tries = tries(50);
    let shown = installed
        .lineheat(USER, &["doctor", "--install", "--print"])
        .output()
        .unwrap();
    let command = String::from_utf8_lossy(&shown.stdout).replacen("sudo ", "", 1);
    let good = fs::read(installed.path("lineheat-sampler")).unwrap();
    let swapper = Swapper::start(&installed);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..tries {
        // The folders are made anew, too: they are part of the race.
        let _ = fs::remove_dir_all(BASE);
        let ran = Command::new("sh").args(["-c", &command]).output().unwrap();
        if ran.status.success() {
            let file = fs::symlink_metadata(installed.sampler()).unwrap();
            assert!(file.is_file() && (file.uid(), file.mode() & 0o7777) == (0, 0o750));
            let is_good = fs::read(installed.sampler()).unwrap() == good;
            assert!(is_good, "foreign bytes were installed");
            taken += 1;
        } else {
            assert!(
                told(&ran).contains("its checksum differs"),
                "{}",
                told(&ran)
            );
            let version = Path::new(BASE).join(env!("CARGO_PKG_VERSION"));
            assert_eq!(fs::read_dir(version).unwrap().count(), 0);
            refused += 1;
        }
    }
    let Counts {
        swaps, attempts, ..
    } = swapper.assert_lost(tries);
    assert!(taken > 0 && refused > 0, "{taken} and {refused}: no race");
    println!(
        "{{\"tries\":{tries},\"installed\":{taken},\"refused\":{refused},\"swaps\":{swaps},\"attempts\":{attempts}}}"
    );
}

#[test]
fn a_sampler_that_is_swapped_while_the_engine_checks_it_runs_never_and_the_installed_one_stays() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let tries = tries(50);
    let good = fs::read(installed.sampler()).unwrap();
    let swapper = Swapper::start(&installed);
    let (mut recorded, mut refused) = (0, 0);
    for _ in 0..tries {
        let (run, output) = installed.record(&["--", "/bin/true"]);
        let told = told(&output);
        if let Some(run) = run {
            assert_eq!(run.run.unwrap().way, "installed sampler", "{told}");
            recorded += 1;
        } else {
            // Only because the file beside the engine was another: the installed one was always as it is to be.
            assert_eq!(output.status.code(), Some(3), "{told}");
            assert!(told.contains("does not match this Lineheat"), "{told}");
            refused += 1;
        }
    }
    let Counts {
        swaps, attempts, ..
    } = swapper.assert_lost(tries);
    let is_good = fs::read(installed.sampler()).unwrap() == good;
    assert!(is_good, "the installed sampler is another one");
    assert!(
        recorded > 0 && refused > 0,
        "{recorded} and {refused}: no race"
    );
    println!(
        "{{\"tries\":{tries},\"recorded\":{recorded},\"refused\":{refused},\"swaps\":{swaps},\"attempts\":{attempts}}}"
    );
}
