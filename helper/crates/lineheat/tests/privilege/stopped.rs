//! A sampler with file capabilities that its own user stops: he may end it, too, so nothing is left of it.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use profile::Profile;

use crate::held_parts::{child, children, lives};
use crate::installed::{Installed, USER, as_user};

/// The promise of two seconds, and one for a machine that does other things, too.
const AT_ONCE: Duration = Duration::from_secs(3);
/// Its deadline is 5 s.
const LAST_WORDS_WITHIN: Duration = Duration::from_secs(20);

#[test]
fn a_user_who_stops_his_sampler_keeps_his_recording() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = installed.program("spin");
    for (twice, limit) in [(false, LAST_WORDS_WITHIN), (true, AT_ONCE)] {
        let run = installed.path("stopped.pb.gz");
        let mut record = installed.lineheat(USER, &["record", "--privileged", "--output"]);
        record.arg(&run).arg("--").arg(&program).arg("600");
        let mut engine = (record.stdin(Stdio::null()).stdout(Stdio::null()))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // setpriv has become the engine.
        let sampler = child(engine.id(), "lineheat-sample");
        let started = Instant::now();
        while !profile::journal_path(&run).exists() {
            assert!(started.elapsed() < Duration::from_secs(30), "no journal");
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(500));
        let mut stop = as_user(USER, "kill".as_ref());
        let stopped = stop.args(["-STOP", &sampler.to_string()]).status();
        assert!(stopped.unwrap().success());
        let target = children(engine.id(), program.to_str().unwrap());
        let interrupt = || {
            let mut kill = Command::new("kill");
            assert!(
                kill.args(["-INT", &engine.id().to_string()])
                    .status()
                    .unwrap()
                    .success()
            );
        };
        interrupt();
        if twice {
            std::thread::sleep(Duration::from_millis(200));
            interrupt();
        }
        let asked = Instant::now();
        while engine.try_wait().unwrap().is_none() {
            assert!(asked.elapsed() < limit, "it goes on after {limit:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
        let profile = Profile::open(&run).unwrap();
        let info = profile.run.as_ref().unwrap();
        assert!(info.samples_kept > 20 && info.partial);
        let problems = info.problems.join("\n");
        assert!(
            problems.contains("The sampler did not respond for"),
            "{problems}"
        );
        assert!(
            problems.contains("it was stopped by a signal"),
            "{problems}"
        );
        assert!(!lives(sampler) && !target.iter().any(|pid| lives(*pid)));
        std::fs::remove_file(run).unwrap();
    }
}
