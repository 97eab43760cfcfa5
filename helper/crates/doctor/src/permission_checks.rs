//! What stands between this user and recording, each cause by its own name and with its own way out.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use machine::container::{self, Obstacle};
use machine::installation::{self, GROUP, Problem};
use machine::kernel_support;
use machine::rights::{self, Capabilities};
use machine::sampler_file::sampler_path;
use supervision::{NoOutput, Patience, Urgency, output_within};

use super::check::{Check, State, check, command_in};

const ANSWERS_WITHIN: Duration = Duration::from_secs(5);

pub fn checks() -> Vec<Check> {
    let already = has_rights();
    let obstacle = container::obstacle();
    let beside = sampler_path();
    let installed = match &beside {
        Ok(beside) => installation::usable(beside),
        Err(_) => installation::usable(Path::new("/nonexistent")),
    };
    let place = installed_parent();
    vec![
        no_new_privileges(rights::may_gain_nothing()),
        container(obstacle.as_ref(), container::name()),
        lockdown(rights::lockdown().as_deref(), rights::lockdown_is_told()),
        perf_events(kernel_support::perf_events_for_admin_only(), already),
        capabilities(already),
        installed_sampler(installed.as_ref().err(), already, obstacle.as_ref()),
        nosuid(&place, rights::is_nosuid(&place)),
        group(already, installed.as_ref().err()),
        sudo(
            sudo_is_there(),
            already || installed.is_ok() || obstacle.is_some(),
        ),
    ]
}

/// Whether this process may record without further ado.
pub fn has_rights() -> bool {
    let needed = Capabilities::needed(kernel_support::perf_events_for_admin_only().is_some());
    needed.missing_in(Capabilities::own()) == Capabilities(0) && !rights::is_in_user_namespace()
}

/// The folder of the installed sampler, or the one in which it would be made.
fn installed_parent() -> PathBuf {
    let path = installation::path();
    let mut folders = path.ancestors().skip(1);
    let there = folders.find(|folder| folder.exists());
    there.unwrap_or(Path::new("/")).to_owned()
}

fn no_new_privileges(set: bool) -> Check {
    let title = "Gaining rights";
    if set {
        let detail = "this process tree cannot gain rights (NoNewPrivs is set, as in a snap or some sandboxes), so sudo and file capabilities have no effect here. Start the editor in another way";
        return check("no-new-privs", title, State::Warning, detail.to_owned());
    }
    let detail = "sudo and file capabilities can work here".to_owned();
    check("no-new-privs", title, State::Ok, detail)
}

/// What comes from the container alone; no installation in it helps.
fn container(obstacle: Option<&Obstacle>, name: Option<&str>) -> Check {
    let title = "Container";
    let Some(obstacle) = obstacle else {
        let detail = match name {
            Some(name) => format!("this is {name}, and it allows recording"),
            None => "no container and no user namespace".to_owned(),
        };
        return check("container", title, State::Ok, detail);
    };
    let advice = obstacle.advice();
    let (before, after) = (advice.lines().next(), advice.lines().nth(2));
    let mut detail = obstacle.text();
    for sentence in before.into_iter().chain(after) {
        let sentence = sentence.trim_end_matches(':').trim_end_matches('.');
        detail = format!("{detail}. {sentence}");
    }
    let state = match obstacle {
        Obstacle::UserNamespace => State::Warning,
        Obstacle::Lacks(_) | Obstacle::Filter(_) => State::Missing,
    };
    Check {
        command: command_in(&advice),
        ..check("container", title, state, detail)
    }
}

fn lockdown(mode: Option<&str>, is_told: bool) -> Check {
    let (state, detail) = match mode {
        Some("confidentiality") => (
            State::Missing,
            "the kernel is in lockdown mode (confidentiality): BPF programs cannot read memory, so only recording without privileges is possible. To record kernel time, boot with lockdown=integrity".to_owned(),
        ),
        Some(mode) => (State::Ok, format!("{mode}: recording is not affected")),
        None if is_told => (State::Ok, "none".to_owned()),
        None => (
            State::Ok,
            "unknown, because securityfs is not mounted on /sys/kernel/security. The test recordings below show what works".to_owned(),
        ),
    };
    check("lockdown", "Kernel lockdown", state, detail)
}

fn perf_events(admin_only: Option<i32>, already: bool) -> Check {
    let (state, detail) = match admin_only {
        None => (
            State::Ok,
            "kernel.perf_event_paranoid is at most 2: cap_perfmon is enough, and you can record your own programs without privileges".to_owned(),
        ),
        Some(level) => (
            if already { State::Ok } else { State::Warning },
            format!(
                "kernel.perf_event_paranoid is {level}, the default of Debian and Ubuntu: the kernel also requires cap_sys_admin (the installed sampler gets it, and drops it with the others once it is attached), and nothing can be recorded without privileges"
            ),
        ),
    };
    check("perf-event-paranoid", "Perf events", state, detail)
}

fn capabilities(already: bool) -> Check {
    let title = "Rights of this process";
    if already {
        let detail = "root, or the capabilities that recording requires".to_owned();
        return check("capabilities", title, State::Ok, detail);
    }
    let detail = "none, as usual: the sampler must have them (see below)".to_owned();
    check("capabilities", title, State::Ok, detail)
}

fn installed_sampler(
    problem: Option<&Problem>,
    already: bool,
    obstacle: Option<&Obstacle>,
) -> Check {
    let title = "Installed sampler";
    if let Some(obstacle) = obstacle {
        let (state, detail) = match obstacle {
            Obstacle::UserNamespace => (State::Warning, Problem::UserNamespace.text()),
            Obstacle::Lacks(_) | Obstacle::Filter(_) => (
                State::Ok,
                "an installed sampler would get no rights in this container (see Container)"
                    .to_owned(),
            ),
        };
        return check("installed-sampler", title, state, detail);
    }
    let Some(problem) = problem else {
        let path = installation::path().display().to_string();
        return check("installed-sampler", title, State::Ok, path);
    };
    if already && *problem == Problem::NotInstalled {
        let detail = "none; not needed with the rights of this process".to_owned();
        return check("installed-sampler", title, State::Ok, detail);
    }
    let advice = problem.advice();
    let command = advice.lines().find_map(|line| line.strip_prefix("  "));
    let cost = ", so kernel time cannot be recorded";
    let detail = match command {
        Some(_) => format!("{}{cost}", problem.text()),
        None => format!("{}{cost}. {advice}", problem.text()),
    };
    let state = if already {
        State::Warning
    } else {
        State::Missing
    };
    Check {
        command: command.unwrap_or_default().to_owned(),
        ..check("installed-sampler", title, state, detail)
    }
}

fn nosuid(place: &Path, set: bool) -> Check {
    let title = "File capabilities";
    let place = place.display();
    let (state, detail) = if set {
        (
            State::Warning,
            format!(
                "{place} is on a file system mounted with nosuid: a sampler there gets no rights"
            ),
        )
    } else {
        (
            State::Ok,
            format!("{place} is not mounted with nosuid: a sampler there gets its rights"),
        )
    };
    check("nosuid", title, state, detail)
}

fn group(already: bool, problem: Option<&Problem>) -> Check {
    let title = "Group";
    let (state, detail) = match problem {
        _ if already => (
            State::Ok,
            "not needed with the rights of this process".to_owned(),
        ),
        Some(p @ Problem::NotInGroup { .. }) => (State::Missing, p.text()),
        Some(Problem::NotInstalled) => (
            State::Ok,
            format!("the group {GROUP} is created with the installed sampler"),
        ),
        _ => (State::Ok, format!("this user is a member of {GROUP}")),
    };
    let advice = match problem {
        Some(p @ Problem::NotInGroup { .. }) if !already => p.advice(),
        _ => String::new(),
    };
    let command = advice.lines().find_map(|line| line.strip_prefix("  "));
    Check {
        command: command.unwrap_or_default().to_owned(),
        ..check("group", title, state, detail)
    }
}

fn sudo(there: bool, already: bool) -> Check {
    let (state, detail) = match (there, already) {
        (true, _) => (State::Ok, "sudo is available to install the sampler"),
        (false, true) => (State::Ok, "sudo is not available, and not needed now"),
        (false, false) => (
            State::Warning,
            "sudo is not available: root must install the sampler with the commands that `lineheat doctor --install --print` shows",
        ),
    };
    check("sudo", "sudo", state, detail.to_owned())
}

fn sudo_is_there() -> bool {
    let mut sudo = Command::new("sudo");
    sudo.arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    let mut patience = Patience::new(ANSWERS_WITHIN, &Urgency::default());
    !matches!(
        output_within(&mut sudo, &mut patience),
        Err(NoOutput::NotStarted(_))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::installation::Weakness;

    #[test]
    fn each_environment_has_its_own_cause() {
        let told = |c: Check| (c.id, c.state, c.detail);
        let environments = [
            told(no_new_privileges(true)),
            told(container(Some(&Obstacle::UserNamespace), None)),
            told(container(
                Some(&Obstacle::Lacks(Capabilities::needed(false))),
                Some("a Docker container"),
            )),
            told(container(Some(&Obstacle::Filter(vec!["bpf"])), None)),
            told(lockdown(Some("confidentiality"), true)),
            told(perf_events(Some(3), false)),
            told(installed_sampler(Some(&Problem::NotInstalled), false, None)),
            told(installed_sampler(Some(&Problem::Different), false, None)),
            told(installed_sampler(
                Some(&Problem::Unsafe(Weakness::new("/x is a link"))),
                false,
                None,
            )),
            told(installed_sampler(
                Some(&Problem::OtherVersion(vec!["0.0.1".to_owned()])),
                false,
                None,
            )),
            told(nosuid(Path::new("/usr/local"), true)),
            told(group(false, Some(&Problem::NotInGroup { listed: true }))),
            told(group(false, Some(&Problem::NotInGroup { listed: false }))),
            told(sudo(false, false)),
        ];
        for (at, environment) in environments.iter().enumerate() {
            assert_ne!(environment.1, State::Ok, "{environment:?}");
            assert!(!environment.2.contains("sysctl "), "{environment:?}");
            let others = environments.iter().skip(at + 1);
            assert!(
                others.into_iter().all(|o| o.2 != environment.2),
                "{environment:?}"
            );
        }
    }

    #[test]
    fn whoever_has_rights_already_needs_nothing_installed() {
        let check = installed_sampler(Some(&Problem::NotInstalled), true, None);
        assert_eq!((check.state, check.command.as_str()), (State::Ok, ""));
        assert_eq!(perf_events(Some(4), true).state, State::Ok);
    }
}
