//! Who ends the waits of an ordinary user's program: processes of others do it too, and stay without a name.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use profile::{Profile, WAIT, Waker};

use crate::installed::{Installed, OTHER, USER, as_user, told};

/// By whom reads of a pipe were ended: kind, name and number, with how many waits.
fn readers_woken_by(profile: &Profile) -> Vec<((&str, &str, u32), u64)> {
    let waits = profile.find_sample_type("waits", "count").expect("waits");
    let is_read = |sample: &usize| {
        let mut labels = profile.samples.labels_of(*sample).iter();
        labels.any(|label| profile.text(label.key) == WAIT && profile.text(label.text) == "pipe")
    };
    let reads = (0..profile.samples.len()).filter(is_read);
    let woken = reads.filter_map(|sample| {
        let by = Waker::of_sample(profile, sample)?;
        assert_eq!(
            (by.function, by.file, by.line),
            ("", "", 0),
            "no stack of it"
        );
        Some(((by.kind, by.thread, by.tid), profile.value(sample, waits)))
    });
    woken.collect()
}

#[test]
fn a_process_that_may_not_be_inspected_ends_waits_without_a_name() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let fifo = installed.path("fifo");
    let made = Command::new("mkfifo").arg(&fifo).status();
    assert!(made.expect("mkfifo is there").success());
    fs::set_permissions(&fifo, fs::Permissions::from_mode(0o666)).unwrap();
    for (user, name) in [(USER, "sh"), (OTHER, ""), ("root", "")] {
        let script = "i=0; while [ $i -lt 30 ]; do sleep 0.02; echo x; i=$((i+1)); done > \"$0\"";
        let mut writer = as_user(user, Path::new("/bin/sh"));
        let mut writer = writer.args(["-c", script]).arg(&fifo).spawn().unwrap();
        let fifo = fifo.to_str().unwrap();
        let (profile, output) = installed.record(&["--wakeups", "--", "/bin/cat", fifo]);
        writer.wait().unwrap();
        let profile = profile.unwrap_or_else(|| panic!("{}", told(&output)));
        let all = readers_woken_by(&profile);
        let by_process = all.iter().filter(|(by, _)| by.0 == "process");
        let waits: u64 = by_process.clone().map(|(_, waits)| waits).sum();
        assert!(waits >= 25, "{user}: {all:?}");
        for ((_, thread, tid), _) in by_process {
            assert_eq!(
                (*thread, *tid != 0),
                (name, !name.is_empty()),
                "{user}: {all:?}"
            );
        }
        let others = all.iter().filter(|(by, _)| by.0 != "process");
        assert!(others.clone().all(|(by, _)| by.1.is_empty()), "{all:?}");
    }
}
