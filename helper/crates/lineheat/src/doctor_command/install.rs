//! `lineheat doctor --install` and `--uninstall`: a few commands for root, shown in full and run after one yes.

use std::fs::File;
use std::io::{self, BufRead, IsTerminal, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use machine::installation::{self, BASE, FILE, GROUP, Problem, VERSION};
use machine::kernel_support;
use machine::rights::{self, Capabilities};
use machine::sampler_file::{PACKAGED, sampler_path};
use recorder::RecordError;
use sha2::{Digest, Sha256};

/// How far to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// Show the commands, no more.
    PrintOnly,
    Ask,
    Given,
}

fn sha256_hex(bytes: &[u8]) -> String {
    let sum = Sha256::digest(bytes);
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The part for root, as a script for sh. Takes the sampler from its input: the file that was opened and summed by the
/// user is the one that is copied, whatever happens to its path.
fn install_script(sum: &str, needed: Capabilities, user: Option<&str>) -> String {
    let capabilities = needed.names();
    let join = join_command(user);
    format!(
        r#"set -eu
umask 077
PATH=/usr/sbin:/usr/bin:/sbin:/bin
folder={BASE}/{VERSION}
for tool in groupadd usermod setcap sha256sum; do
	command -v $tool >/dev/null || {{ echo "$tool is missing (Debian: passwd, libcap2-bin, coreutils)" >&2; exit 1; }}
done
refuse() {{ echo "$1: nothing was installed. To fix this: $2" >&2; exit 1; }}
# Only root may be able to change any folder in the path.
for part in / /usr /usr/local /usr/local/libexec {BASE} $folder; do
	[ -e $part ] || mkdir --mode=0755 $part
	[ ! -L $part ] || refuse "$part is a symbolic link" "replace it with a folder owned by root"
	[ "$(stat --format=%u $part)" = 0 ] || refuse "$part does not belong to root" "chown root $part"
	[ -z "$(find $part -maxdepth 0 -perm /022)" ] || refuse "users other than root can write to $part" "chmod go-w $part"
done
getent group {GROUP} >/dev/null || groupadd --system {GROUP}
new=$folder/.new
trap "rm -f $new" EXIT
rm -f $new
cat > $new
if ! echo "{sum}  $new" | sha256sum --check --status; then
	echo "the sampler is not the file that was shown (its checksum differs): nothing was installed" >&2
	exit 1
fi
chown root:{GROUP} $new
chmod 0750 $new
setcap {capabilities}=ep $new
mv --force $new $folder/{FILE}
# Samplers of other versions are no longer needed.
find {BASE} -mindepth 1 -maxdepth 1 ! -name {VERSION} -exec rm -rf "{{}}" +
{join}"#
    )
}

/// The same for the sampler of a package, which is there already: its rights, and who may run it.
fn package_script(needed: Capabilities, user: Option<&str>) -> String {
    let capabilities = needed.names();
    let join = join_command(user);
    format!(
        r#"set -eu
PATH=/usr/sbin:/usr/bin:/sbin:/bin
getent group {GROUP} >/dev/null || groupadd --system {GROUP}
chown root:{GROUP} {PACKAGED}
chmod 0750 {PACKAGED}
setcap {capabilities}=ep {PACKAGED}
{join}"#
    )
}

fn join_command(user: Option<&str>) -> String {
    user.map_or(String::new(), |user| {
        format!("usermod --append --groups {GROUP} {user}\n")
    })
}

/// The group stays where a package has it, too.
fn uninstall_script() -> String {
    format!(
        r#"set -eu
PATH=/usr/sbin:/usr/bin:/sbin:/bin
rm -rf {BASE}
if [ ! -e {PACKAGED} ] && getent group {GROUP} >/dev/null; then groupdel {GROUP}; fi
"#
    )
}

/// The scripts hold no single quote, so they can stand between two.
fn as_command(script: &str, input: Option<&Path>) -> String {
    let sudo = if rights::is_root() { "" } else { "sudo " };
    let input = input.map_or(String::new(), |path| {
        let path = path.to_string_lossy().replace('\'', r"'\''");
        format!(" < '{path}'")
    });
    format!("{sudo}sh -c '\n{script}'{input}\n")
}

pub fn install(consent: Consent) -> ExitCode {
    // The commands look again. This tells more, and before anything is asked.
    if let Some(weakness) = installation::weak_folder().filter(|_| consent != Consent::PrintOnly) {
        let remedy = weakness.remedy.map_or(String::new(), |command| {
            let command = match rights::is_root() {
                true => command.trim_start_matches("sudo ").to_owned(),
                false => command,
            };
            format!(". Fix that, then try again:\n  {command}")
        });
        let cause = weakness.cause;
        return fail(&format!(
            "nothing was installed, because anyone who can change a folder above the sampler can replace it: {cause}{remedy}"
        ));
    }
    match prepare() {
        Ok((path, file, script)) => {
            explain_install();
            let input = file.is_some().then_some(path.as_path());
            let ran = carry_out(&as_command(&script, input), &script, file, consent);
            ran.unwrap_or_else(|| verify(&path))
        }
        Err(e) => fail(&e),
    }
}

/// The sampler of this engine, opened if it has to be copied, and the script.
fn prepare() -> Result<(PathBuf, Option<File>, String), String> {
    let path = sampler_path().map_err(|e| RecordError::from(e).to_string())?;
    let needed = Capabilities::needed(kernel_support::perf_events_for_admin_only().is_some());
    let user = user_to_add();
    if installation::is_from_package() {
        return Ok((path, None, package_script(needed, user.as_deref())));
    }
    let unreadable = |e: io::Error| format!("{} cannot be read: {e}", path.display());
    let mut file = File::open(&path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    file.rewind().map_err(unreadable)?;
    let script = install_script(&sha256_hex(&bytes), needed, user.as_deref());
    Ok((path, Some(file), script))
}

/// The user who is to record: the one who runs this, under sudo the one behind it. None: root alone, or a name that has
/// no place in a command.
fn user_to_add() -> Option<String> {
    let uid = target::invoker().map_or(target::own_uid(), |invoker| invoker.uid);
    let name = target::user_name(uid);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_name = name.chars().all(plain) && !name.starts_with('-');
    (uid != 0 && is_name).then_some(name)
}

fn explain_install() {
    let what = match installation::is_from_package() {
        true => "This gives the sampler of the package its rights, and you the right to run it",
        false => "This installs the sampler",
    };
    eprintln!(
        "{what}. It is the only part of Lineheat that needs privileges, and it lets you record without sudo. These commands run as root:\n"
    );
    if let Some(level) = kernel_support::perf_events_for_admin_only() {
        eprintln!(
            "(The capabilities include cap_sys_admin because this kernel requires it: perf_event_paranoid is {level}, the default of Debian and Ubuntu. The sampler drops all capabilities once it is attached, before it reads a sample.)\n"
        );
    }
}

pub fn uninstall(consent: Consent) -> ExitCode {
    if installation::is_from_package() && !Path::new(BASE).exists() {
        return fail(&format!(
            "{PACKAGED} belongs to the package lineheat. Remove it with the package manager (apt remove lineheat, dnf remove lineheat)"
        ));
    }
    let script = uninstall_script();
    eprintln!("This uninstalls the sampler. These commands run as root:\n");
    let ran = carry_out(&as_command(&script, None), &script, None, consent);
    ran.unwrap_or_else(|| {
        if Path::new(BASE).exists() {
            return fail(&format!("{BASE} still exists"));
        }
        let group = match Path::new(PACKAGED).exists() {
            true => format!("The group {GROUP} stays, because the installed package uses it"),
            false => format!("The group {GROUP} is gone, too"),
        };
        eprintln!("Removed the sampler and its folder {BASE}. {group}.");
        ExitCode::SUCCESS
    })
}

/// Shows the command and, with consent, runs it. None: it has run and succeeded.
fn carry_out(
    command: &str,
    script: &str,
    input: Option<File>,
    consent: Consent,
) -> Option<ExitCode> {
    print!("{command}");
    let _ = io::stdout().flush();
    match consent {
        Consent::PrintOnly => return Some(ExitCode::SUCCESS),
        Consent::Ask if !io::stdin().is_terminal() => {
            eprintln!(
                "\nlineheat: cannot ask, because there is no terminal. --yes runs the commands without asking; --print only shows them."
            );
            return Some(ExitCode::from(2));
        }
        Consent::Ask if !is_agreed() => {
            eprintln!("Nothing was changed.");
            return Some(ExitCode::from(3));
        }
        Consent::Ask | Consent::Given => {}
    }
    let mut run = match rights::is_root() {
        true => Command::new("sh"),
        false => {
            let mut sudo = Command::new("sudo");
            sudo.arg("sh");
            sudo
        }
    };
    let input = input.map_or(Stdio::null(), Stdio::from);
    match run.args(["-c", script]).stdin(input).status() {
        Ok(status) if status.success() => None,
        Ok(status) => Some(fail(&format!("the commands failed ({status})"))),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Some(fail(
            "sudo is not installed: run the commands above as root",
        )),
        Err(e) => Some(fail(&format!("cannot run the commands: {e}"))),
    }
}

fn is_agreed() -> bool {
    eprint!("\nRun them? [y/N] ");
    let mut answer = String::new();
    let _ = io::stdin().lock().read_line(&mut answer);
    matches!(answer.trim(), "y" | "Y" | "yes")
}

/// Looks whether what was installed is what was wanted.
fn verify(beside: &Path) -> ExitCode {
    let path = installation::path();
    match installation::usable(beside) {
        Ok(_) if rights::is_root() => {
            let user = user_to_add();
            let who = user.map_or(format!("members of the group {GROUP}"), |u| {
                format!("{u}, after the next login,")
            });
            eprintln!(
                "\nInstalled {}: {who} can record without sudo.",
                path.display()
            );
            ExitCode::SUCCESS
        }
        Ok(_) => {
            eprintln!(
                "\nInstalled {}: you can record without sudo.",
                path.display()
            );
            ExitCode::SUCCESS
        }
        Err(problem @ Problem::NotInGroup { listed: true }) => {
            eprintln!("\nInstalled {}. {}", path.display(), problem.advice());
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!(
                "\nlineheat: the sampler was installed but cannot be used: {}",
                problem.text()
            );
            eprintln!("lineheat: {}", problem.advice());
            ExitCode::from(3)
        }
    }
}

fn fail(why: &str) -> ExitCode {
    eprintln!("lineheat: {why}");
    ExitCode::from(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_for_root_is_short_and_may_stand_between_quotes() {
        let script = install_script("00", Capabilities::needed(true), Some("me"));
        assert!(script.lines().count() <= 50, "{}", script.lines().count());
        assert!(script.contains("setcap cap_bpf,cap_perfmon,cap_sys_admin=ep"));
        assert!(script.ends_with("usermod --append --groups lineheat me\n"));
        let of_package = package_script(Capabilities::needed(true), Some("me"));
        for script in [script, of_package, uninstall_script()] {
            assert!(!script.contains('\''), "{script}");
            assert!(!script.contains("sysctl"));
        }
        let least = install_script("00", Capabilities::needed(false), None);
        assert!(!least.contains("cap_sys_admin") && !least.contains("usermod --append"));
    }

    #[test]
    fn a_path_with_quotes_stays_one_word() {
        let command = as_command("true\n", Some(Path::new("/home/o'neil/x y")));
        assert!(
            command.ends_with("' < '/home/o'\\''neil/x y'\n"),
            "{command}"
        );
    }
}
