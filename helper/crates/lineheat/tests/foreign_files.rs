//! Files of other profilers in the terminal: the process that reads symbols names their addresses.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use flate2::read::GzDecoder;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/exchange")
        .join(name)
}

fn lineheat(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lineheat"))
        .args(arguments)
        .current_dir(folder)
        .env("XDG_CACHE_HOME", folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

#[test]
fn addresses_are_named_by_the_program_beside_the_profile() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("cpu.prof");
    std::fs::copy(fixture("mill.gperf-cpu.prof"), &profile).unwrap();
    let shown = |arguments: &[&str]| {
        let output = lineheat(folder.path(), arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let text = shown(&["report", "cpu.prof"]);
    assert!(
        text.contains(
            "addresses only, and these programs or libraries are not found here: /src/mill/mill"
        ),
        "{text}"
    );
    assert!(text.contains("164"), "{text}");

    let mut program = Vec::new();
    let compressed = std::fs::read(fixture("mill.elf.gz")).unwrap();
    (GzDecoder::new(&compressed[..]).read_to_end(&mut program)).unwrap();
    std::fs::write(folder.path().join("mill"), program).unwrap();
    let text = shown(&["report", "cpu.prof", "--lines"]);
    let row = |place: &str, share: &str, samples: &str| {
        let row = text.lines().find(|line| line.contains(place));
        let row = row.unwrap_or_else(|| panic!("{place}: {text}"));
        assert!(row.contains(share) && row.contains(samples), "{row}");
    };
    row("mill.c:29", "53.0", "87");
    row("mill.c:30", "27.4", "45");
    assert!(
        text.contains("no build-ids to compare: /src/mill/mill (as "),
        "{text}"
    );
}

#[test]
fn what_is_not_read_is_refused_with_its_converter() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("perf.data"), b"PERFILE2\x68\0\0\0").unwrap();
    let output = lineheat(folder.path(), &["report", "perf.data"]);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("perf script -F +srcline -i FILE"), "{said}");
}
