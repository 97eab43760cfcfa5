//! How the privileged sampler is started, decided once a recording: with the rights that are there already, as the
//! installed file, or that file by sudo where it asks no password.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use machine::installation::{self, Problem};
use machine::rights::{self, Capabilities};
use machine::sampler_file::sampler_path;
use supervision::{Patience, Urgency, output_within};

use super::errors::{RecordError, RecordErrorKind};

/// sudo may have to ask a server of the network.
const SUDO_ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// A way to a sampler that may record; not yet tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// As runs say it.
    pub name: &'static str,
    pub program: PathBuf,
    pub args: Vec<PathBuf>,
}

pub const ROOT: &str = "root";
/// The kernel is asked all the same.
pub const NO_RIGHTS: &str = "no rights";
/// For a run in which nothing privileged took part.
pub const WITHOUT_PRIVILEGE: &str = "without privileges";

/// The first way that is open.
///
/// # Errors
/// When there is no sampler, or an installed one that is not to be used: why, and the command that helps.
pub fn choose(urgency: &Urgency) -> Result<Way, RecordError> {
    let beside = sampler_path()?;
    let direct = |name, program| Way {
        name,
        program,
        args: vec![],
    };
    if rights::is_root() {
        return Ok(direct(ROOT, beside));
    }
    let least = Capabilities::needed(false);
    if Capabilities::own().contains(least) {
        return Ok(direct("capabilities", beside));
    }
    // That of a package is for the members of its group alone.
    if !installation::is_from_package() && Capabilities::of_file(&beside).contains(least) {
        return match installation::silently_without_rights(&beside) {
            None => Ok(direct("capabilities", beside)),
            Some(problem) => Err(refusal(&problem)),
        };
    }
    match installation::usable(&beside) {
        Ok(installed) => Ok(direct("installed sampler", installed)),
        // The kernel has the last word, and the refusal its own.
        Err(Problem::NotInstalled) => Ok(direct(NO_RIGHTS, beside)),
        Err(Problem::NotInGroup { .. } | Problem::NoSuid) if sudo_asks_nothing(urgency) => {
            Ok(Way {
                name: "sudo",
                program: PathBuf::from("sudo"),
                args: vec!["-n".into(), "--".into(), installation::path()],
            })
        }
        Err(problem) => Err(refusal(&problem)),
    }
}

fn refusal(problem: &Problem) -> RecordError {
    RecordError {
        kind: RecordErrorKind::NoPermission,
        message: problem.text(),
        advice: problem.advice(),
    }
}

/// Whether sudo would run the installed sampler without a password; runs nothing.
fn sudo_asks_nothing(urgency: &Urgency) -> bool {
    let mut sudo = Command::new("sudo");
    sudo.args(["-n", "-l", "--"])
        .arg(installation::path())
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    let mut patience = Patience::new(SUDO_ANSWERS_WITHIN, urgency);
    output_within(&mut sudo, &mut patience).is_ok_and(|output| output.status.success())
}
