//! What is kept of a target that changes while it is sampled, and what leaves the sampler at all.

use std::process::Command;
use std::time::Duration;

use profile::Profile;
use records::FromSampler;

use crate::client::Sampler;
use crate::cpu_time::wait_for_cpu_time;
use crate::installed::{Installed, Running, USER, as_user, told};

fn loss(profile: &Profile, cause: &str) -> u64 {
    let losses = &profile.run.as_ref().unwrap().losses;
    losses
        .iter()
        .filter(|l| l.cause == cause)
        .map(|l| l.count)
        .sum()
}

fn holds_secret(bytes: &[u8]) -> bool {
    bytes.windows(6).any(|w| w == b"S3CRET")
}

fn inflated(installed: &Installed) -> Vec<u8> {
    let mut gzip = Command::new("gzip");
    gzip.arg("-dc").arg(installed.path("run.pb.gz"));
    gzip.output().unwrap().stdout
}

#[test]
fn a_program_that_protects_itself_later_is_counted_from_there_on_and_shown_as_a_loss() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = installed.program("secrets");
    let (profile, output) = installed.record(&["--", program.to_str().unwrap(), "later", "2"]);
    let profile = profile.unwrap_or_else(|| panic!("{}", told(&output)));
    let run = profile.run.as_ref().unwrap();
    let not_allowed = loss(&profile, "not-allowed");
    let half = run.samples_taken as f64 / 2.0;
    assert!(
        (not_allowed as f64 - half).abs() < 0.2 * half,
        "{not_allowed} of {}",
        run.samples_taken
    );
    let lost: u64 = run.losses.iter().map(|l| l.count).sum();
    assert_eq!(run.samples_taken, run.samples_kept + lost);
    let words = "belong to programs that you may not inspect";
    assert!(
        run.problems.iter().any(|p| p.contains(words)),
        "{:?}",
        run.problems
    );
    let report = installed
        .lineheat(USER, &["report", "run.pb.gz"])
        .output()
        .unwrap();
    assert!(
        told(&report).contains(words) && told(&report).contains(" lost ("),
        "{}",
        told(&report)
    );
}

#[test]
fn a_setuid_program_that_the_target_becomes_gives_nothing_and_is_told() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = installed.program("secrets");
    let setuid = installed.setuid_program("secrets");
    let args = [
        "--",
        program.to_str().unwrap(),
        "exec",
        setuid.to_str().unwrap(),
    ];
    let (profile, output) = installed.record(&args);
    let profile = profile.unwrap_or_else(|| panic!("{}", told(&output)));
    let run = profile.run.as_ref().unwrap();
    let of_setuid = |l: &profile::Mapping| profile.text(l.filename).contains("secrets-setuid");
    let hot = profile.samples.len();
    assert!(hot > 0 && run.samples_kept > 100, "{}", run.samples_kept);
    assert!(
        !profile.mappings.iter().any(of_setuid),
        "nothing of it is kept"
    );
    assert!(
        run.problems
            .iter()
            .any(|p| p.contains("different rights than yours")),
        "{:?}",
        run.problems
    );
    let lost: u64 = run.losses.iter().map(|l| l.count).sum();
    assert_eq!(run.samples_taken, run.samples_kept + lost);
}

#[test]
fn root_records_what_an_ordinary_user_may_not() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = installed.program("secrets");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lineheat"));
    command
        .args(["record", "--output"])
        .arg(installed.path("run.pb.gz"))
        .arg("--");
    let output = command.arg(&program).args(["later", "1"]).output().unwrap();
    let profile = Profile::open(&installed.path("run.pb.gz"))
        .unwrap_or_else(|e| panic!("{e} {}", told(&output)));
    assert_eq!(loss(&profile, "not-allowed"), 0);
    assert_eq!(profile.run.as_ref().unwrap().way, "root");
    assert!(profile.run.as_ref().unwrap().samples_kept > 500);
}

#[test]
fn without_stack_copies_secrets_and_kernel_addresses_are_in_no_byte_that_leaves_the_sampler() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = installed.program("secrets");
    let mut target = as_user(USER, &program);
    let target = Running::start(target.args(["plain", "60"]).env("TOKEN", "S3CRET-S3CRET"));
    let mut sampler = Sampler::start(USER, &installed.sampler());
    sampler.attach(target.pid());
    assert!(sampler.is_ready());
    // 999 samples a second of the target's own time, however long it has to wait for that.
    wait_for_cpu_time(target.pid(), Duration::from_millis(1500));
    sampler.say(&records::ToSampler::Stop);
    let bytes = sampler.all_bytes();
    assert!(!holds_secret(&bytes));
    let mut samples = 0;
    for message in sampler.heard() {
        let values = match message {
            FromSampler::Sample(s) => {
                samples += 1;
                [s.user, vec![s.time_ns]].concat()
            }
            FromSampler::Mapped { mapping, .. } => {
                vec![mapping.start, mapping.length, mapping.file_offset]
            }
            FromSampler::Counts { counters, .. } => counters.to_vec(),
            _ => vec![],
        };
        assert!(values.iter().all(|v| *v < 1 << 63), "{values:x?}");
    }
    assert!(samples > 1000, "{samples}");
    let run = ["--", program.to_str().unwrap(), "plain", "1"];
    let (profile, output) = installed.record(&run);
    let profile = profile.unwrap_or_else(|| panic!("{}", told(&output)));
    assert!(profile.locations.address.iter().all(|a| *a < 1 << 63));
    // The source that the secret stands in is saved with the run; without that text nothing of it is there.
    let file = inflated(&installed);
    let source = std::fs::read(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/secrets.c"),
    )
    .unwrap();
    let of_source = source.windows(6).filter(|w| *w == b"S3CRET").count();
    let in_file = file.windows(6).filter(|w| *w == b"S3CRET").count();
    assert!(
        in_file == of_source || in_file == 0,
        "{in_file} {of_source}"
    );
}

/// Passes the secret to system calls and to memory that it touches for the first time, and waits.
const PASSES_ITS_SECRET: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	const char *token = getenv("TOKEN");
	int nowhere = open("/dev/null", O_WRONLY);
	puts("ready");
	fflush(stdout);
	for (;;) {
		char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		strcpy(page, token);
		if (open(page, O_RDONLY) >= 0 || write(nowhere, page, strlen(page)) < 0)
			return 1;
		munmap(page, 4096);
		usleep(500);
	}
}
"#;

#[test]
fn secrets_in_arguments_of_system_calls_and_in_touched_memory_are_in_no_byte_that_leaves_the_sampler()
 {
    let Some(installed) = Installed::new() else {
        return;
    };
    let (source, program) = (installed.path("passes.c"), installed.path("passes"));
    std::fs::write(&source, PASSES_ITS_SECRET).unwrap();
    let mut gcc = Command::new("gcc");
    gcc.args(["-O1", "-g", "-o"]).args([&program, &source]);
    assert!(gcc.status().unwrap().success());
    let mut target = as_user(USER, &program);
    let target = Running::start(target.env("TOKEN", "S3CRET-S3CRET"));
    let mut sampler = Sampler::start(USER, &installed.sampler());
    let mut hello = Sampler::hello();
    if let records::ToSampler::Hello {
        waits,
        faults,
        syscalls,
        wakeups,
        ..
    } = &mut hello
    {
        (*waits, *faults, *syscalls, *wakeups) = (true, true, true, true);
    }
    sampler.attach_after(&hello, target.pid());
    assert!(sampler.is_ready());
    wait_for_cpu_time(target.pid(), Duration::from_millis(300));
    sampler.say(&records::ToSampler::Stop);
    let bytes = sampler.all_bytes();
    assert!(!holds_secret(&bytes));
    let of = |kind| {
        let all = sampler.heard().into_iter();
        let of_kind = |m: &FromSampler| matches!(m, FromSampler::Sample(s) if s.worth.kind == kind);
        all.filter(of_kind).count()
    };
    use records::SampleKind::{Fault, Syscall, Wait, WakeUp};
    let seen = [Syscall, Fault, Wait, WakeUp].map(of);
    assert!(seen.iter().all(|samples| *samples > 10), "{seen:?}");
}
