//! The files one after the other, and what came of them.

use std::collections::BTreeMap;

use crate::command_line::{self, Worst};
use crate::files::hostile_file;
use crate::pprof::{Answer, Pprof};
use crate::served;

/// The seed is in [`hostile_file`]; file 17 is the same in every run.
fn files_wanted() -> u64 {
    let asked = std::env::var("LINEHEAT_HOSTILE_FILES").ok();
    asked.map_or(160, |count| count.parse().expect("a number of files"))
}

#[test]
fn each_file_is_shown_or_refused_with_its_cause_and_pprof_agrees() {
    let pprof = Pprof::installed();
    let ask_each = std::env::var_os("LINEHEAT_HOSTILE_PPROF").is_some();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("file.pb.gz");
    let mut worst = Worst::default();
    let (mut shown, mut refused, mut pprof_over_1_gb) = (0, 0, 0);
    let mut of_pprof: BTreeMap<Answer, u64> = BTreeMap::new();
    for index in 0..files_wanted() {
        let file = hostile_file(index);
        let what = format!("file {index} ({})", file.kind);
        std::fs::write(&path, &file.bytes).expect("written");
        let refusal = command_line::refusal(&path, &what, &mut worst);
        let served = served::refusal(&path, &what, &mut worst);
        assert_eq!(
            refusal, served,
            "{what}: command line and editor do not agree"
        );
        // A bomb costs pprof minutes and gigabytes: only when all are asked.
        let is_bomb = file.kind.starts_with("bomb");
        let asked = ask_each || (refusal.is_none() && !is_bomb);
        if let Some(pprof) = pprof.as_ref().filter(|_| asked) {
            let (answer, peak) = pprof.answers(&path);
            *of_pprof.entry(answer).or_default() += 1;
            pprof_over_1_gb += u64::from(peak > 1 << 30);
            let agrees = refusal.is_some() || answer != Answer::Refused;
            assert!(agrees, "{what}: shown, and `go tool pprof` refuses it");
        }
        match &refusal {
            None => shown += 1,
            Some(_) => refused += 1,
        }
        if std::env::var_os("LINEHEAT_HOSTILE_TELL").is_some() {
            println!("{what}: {}", refusal.unwrap_or_else(|| "shown".to_owned()));
        }
    }
    assert!(
        shown > 0 && refused > 9 * shown / 10,
        "{shown} shown, {refused} refused"
    );
    let asked = |answer| of_pprof.get(&answer).copied().unwrap_or(0);
    println!(
        "{{\"files\":{},\"shown\":{shown},\"refused\":{refused},\"cpuMs\":{},\"peakBytes\":{},\"pprofShown\":{},\"pprofRefused\":{},\"pprofHung\":{},\"pprofOver1GB\":{pprof_over_1_gb}}}",
        shown + refused,
        worst.cpu_time.as_millis(),
        worst.peak_bytes,
        asked(Answer::Accepted),
        asked(Answer::Refused),
        asked(Answer::Hung),
    );
}

#[test]
fn what_is_no_regular_file_or_too_large_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let fifo = std::ffi::CString::new(path("fifo").to_str().expect("UTF-8")).expect("no 0");
    // SAFETY: the name is a C string that lives over the call.
    assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
    std::os::unix::fs::symlink(path("one"), path("other")).expect("made");
    std::os::unix::fs::symlink(path("other"), path("one")).expect("made");
    std::os::unix::fs::symlink("/dev/zero", path("device")).expect("made");
    let sparse = std::fs::File::create(path("sparse")).expect("made");
    sparse.set_len(1 << 40).expect("a hole");
    let mut worst = Worst::default();
    for (name, cause) in [
        ("fifo", "not a regular file"),
        ("device", "not a regular file"),
        (".", "not a regular file"),
        ("one", "symbolic links"),
        ("sparse", "larger than 256 MiB"),
        ("none", "No such file"),
    ] {
        let refusal = command_line::refusal(&path(name), name, &mut worst);
        let refusal = refusal.expect("it is no profile");
        assert!(refusal.contains(cause), "{name}: {refusal}");
        assert_eq!(
            Some(refusal),
            served::refusal(&path(name), name, &mut worst)
        );
    }
    assert!(worst.cpu_time < std::time::Duration::from_secs(1));
    assert!(worst.peak_bytes < 100 << 20);
}
