//! Allocations that a program reports by probes of its own.

use std::process::Command;

use crate::support::memory::{at_line, problems_of, samples_of};
use crate::support::{Program, can_record};

#[test]
fn a_static_program_with_probes_is_counted_exactly() {
    if !can_record() {
        return;
    }
    for arguments in [&["-static"][..], &["-static-pie"], &["-pie"]] {
        let mut compiler = Command::new("gcc");
        compiler.args(["-O2", "-g", "-fomit-frame-pointer"]);
        compiler.args(arguments).arg("-o");
        let program = Program::compile_by(compiler, "reports", "c");
        let (profile, output) = program.record(&["--alloc"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("exited with 0"), "listened to: {said}");
        let samples = samples_of(&profile);
        let kept = at_line(&samples, program.line_of("/* kept */"));
        assert_eq!(kept, ((30_000, 100), (30_000, 100)), "{arguments:?}");
        let brief = at_line(&samples, program.line_of("/* brief */"));
        assert_eq!(brief, ((7000, 100), (0, 0)), "{arguments:?}");
        let problems = problems_of(&profile);
        assert!(
            problems.contains("reports its allocations itself (otel_memory)"),
            "{problems}"
        );
    }
}
