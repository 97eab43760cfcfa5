//! The sampling of the library is unbiased, in a simulation with its own functions.

use std::path::Path;
use std::process::Command;

#[test]
fn estimates_of_many_threads_are_the_truth_on_average() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let built = tempfile::tempdir().expect("a temporary folder");
    let program = built.path().join("estimates");
    let compiled = Command::new("gcc")
        .args(["-O2", "-std=gnu11", "-Wno-address", "-fno-builtin"])
        .args(["-ftls-model=initial-exec", "-o"])
        .args([&program, &folder.join("estimates.c")])
        .arg("-lm")
        .output()
        .expect("gcc");
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
    let output = Command::new(&program).output().expect("it runs");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(printed.lines().count(), 7, "{printed}");
    for line in printed.lines() {
        let (name, figures) = line.split_once(": ").expect("a name");
        let (mean, error) = figures.split_once(' ').expect("two figures");
        let [mean, error]: [f64; 2] = [mean, error].map(|of| of.parse().expect("a number"));
        assert!(error > 0.0 && error < 0.01, "{name}: {error}");
        assert!(
            (mean - 1.0).abs() <= 4.0 * error,
            "{name}: {mean} ± {error}"
        );
    }
}
