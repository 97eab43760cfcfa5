//! Whose stacks are copied, and how much of them: only where the engine asks for it, and only those of programs that it has
//! started itself.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use records::layout::COPY_BYTES_MAX;
use records::layout::Timers;
use records::{CopiedPiece, CopyRecord, FromSampler, ToSampler};

use crate::client::Sampler;
use crate::cpu_time::wait_for_cpu_time;
use crate::installed::{Installed, Running, USER, as_user};

/// DWARF number.
const SP: usize = 7;

/// What an engine that gives no rows gets: how many stacks were unwound by the kernel, and what was copied.
fn sampled(sampler: &mut Sampler, target: &Running, copies: bool) -> (usize, Vec<CopyRecord>) {
    sampler.attach_after(&Sampler::hello_with(copies, Timers::Best), target.pid());
    assert!(sampler.is_ready(), "{:?}", sampler.heard());
    wait_for_cpu_time(target.pid(), Duration::from_millis(500));
    sampler.say(&ToSampler::Stop);
    sampler.all_bytes();
    let heard = sampler.heard();
    let copies = heard.iter().filter_map(|m| match m {
        FromSampler::Copy(copy) => Some(copy.clone()),
        _ => None,
    });
    let copies: Vec<CopyRecord> = copies.collect();
    let is_stack = |m: &&FromSampler| matches!(m, FromSampler::Sample(_));
    (heard.iter().filter(is_stack).count(), copies)
}

fn target(program: &Path) -> Running {
    let mut command = as_user(USER, program);
    Running::start(command.args(["plain", "60"]))
}

/// Where the process's stack lies.
fn stack_of(pid: u32) -> (u64, u64) {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let line = maps.lines().find(|l| l.ends_with("[stack]")).unwrap();
    let (start, end) = line.split_once(' ').unwrap().0.split_once('-').unwrap();
    let number = |text| u64::from_str_radix(text, 16).unwrap();
    (number(start), number(end))
}

#[test]
fn of_what_the_engine_has_started_the_stack_is_copied_where_rows_are_missing_and_nothing_beyond_it()
{
    let Some(installed) = Installed::new() else {
        return;
    };
    let target = target(&installed.program("secrets"));
    let mut sampler = Sampler::start(USER, &installed.sampler());
    let (start, end) = stack_of(target.pid());
    let (_, copies) = sampled(&mut sampler, &target, true);
    assert!(copies.len() > 100, "{}", copies.len());
    for copy in copies {
        let sp = copy.registers[SP];
        let length = copy.stack.len() as u64;
        assert_eq!(copy.pid, target.pid());
        assert!(start <= sp && sp + length <= end, "{sp:x} {length} {end:x}");
        assert!(copy.stack.len() <= COPY_BYTES_MAX);
        assert_eq!(copy.other, CopiedPiece::default());
        assert!(
            copy.kernel.iter().all(|id| *id < 10_000),
            "ids, no addresses"
        );
    }
}

/// The second piece begins where frame pointers lead to and ends with that stack, or as far as copies reach.
#[test]
fn of_the_stack_below_a_stack_of_the_programs_own_a_piece_is_copied_too() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let mut command = as_user(USER, &installed.program("two_stacks"));
    let target = Running::start(command.arg("60"));
    let mut sampler = Sampler::start(USER, &installed.sampler());
    let (start, end) = stack_of(target.pid());
    let (_, mut copies) = sampled(&mut sampler, &target, true);
    // Where the clock is read, frame pointers may not be kept.
    copies.retain(|copy| !(start..end).contains(&copy.registers[SP]) && copy.other.start != 0);
    assert!(copies.len() > 100, "{}", copies.len());
    for CopyRecord { stack, other, .. } in copies {
        let length = other.bytes.len() as u64;
        assert!((start..end).contains(&other.start), "{:x}", other.start);
        assert_eq!(length, (end - other.start).min(32 << 10));
        assert!(
            !stack.is_empty() && stack.len() <= 64 << 10,
            "{}",
            stack.len()
        );
    }
}

#[test]
fn of_what_others_have_started_and_unasked_no_stack_is_copied() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let target = target(&installed.program("secrets"));
    // The sampler's engine is this shell, which has started nothing else; the user may look into the target nevertheless.
    let mut engine = as_user(USER, Path::new("/bin/sh"));
    engine
        .args(["-c", "\"$0\"; exit 0"])
        .arg(installed.sampler());
    let mut of_other = Sampler::spawn(&mut engine);
    let (samples, copies) = sampled(&mut of_other, &target, true);
    assert!(samples > 100, "{samples}");
    assert_eq!(copies, []);
    let mut sampler = Sampler::start(USER, &installed.sampler());
    let (samples, copies) = sampled(&mut sampler, &target, false);
    assert!(samples > 100, "{samples}");
    assert_eq!(copies, []);
}

/// A program that gains rights is not looked into, whoever has started it.
#[test]
fn of_a_setuid_program_no_stack_is_copied() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let setuid = installed.setuid_program("secrets");
    let mut command: Command = as_user(USER, Path::new("/bin/sh"));
    command.args([
        "-c",
        "echo ready; read go; \"$0\" plain 1 > /dev/null; echo ready; read go",
    ]);
    let mut shell = Running::start(command.arg(&setuid).stdin(Stdio::piped()));
    let mut sampler = Sampler::start(USER, &installed.sampler());
    sampler.attach_after(&Sampler::hello_with(true, Timers::Best), shell.pid());
    assert!(sampler.is_ready(), "{:?}", sampler.heard());
    let Running(child) = &mut shell;
    child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    let mut ready = [0; 6];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut ready)
        .unwrap();
    sampler.say(&ToSampler::Stop);
    sampler.all_bytes();
    // In the kernel's exec, the process has the new program's name a moment before it has that program's rights.
    let of_setuid = |m: &&FromSampler| matches!(m, FromSampler::Copy(c) if c.comm.starts_with(b"secrets") && c.kernel.is_empty());
    assert_eq!(sampler.heard().iter().filter(of_setuid).count(), 0);
}
