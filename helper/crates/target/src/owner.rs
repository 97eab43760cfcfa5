//! Whose a process is, and why the kernel keeps it from being looked into: for the sentence that refuses it.

use std::fs;

use user_files::accounts::account;

/// The name of a user, or its number where it has none.
pub fn user_name(uid: u32) -> String {
    if uid == 0 {
        return "root".to_owned();
    }
    match account(uid) {
        Some(account) => account.name.to_string_lossy().into_owned(),
        None => format!("user {uid}"),
    }
}

/// The name that the kernel shows for it; empty when it is gone.
pub fn process_name(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    name.trim_end().to_owned()
}

/// The user that this process runs for.
pub fn own_uid() -> u32 {
    rustix::process::getuid().as_raw()
}

/// In words, why `asking` may not look into process `pid`; as far as `/proc` tells it to everybody.
pub fn why_not_allowed(pid: u32, asking: u32) -> String {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let name = process_name(pid);
    let process = match name.as_str() {
        "" => format!("process {pid}"),
        name => format!("process {pid} ({name})"),
    };
    format!("{process} {}", reason(&status, asking, user_name))
}

fn reason(status: &str, asking: u32, name_of: impl Fn(u32) -> String) -> String {
    let field = |name: &str| status.lines().find_map(|l| l.strip_prefix(name));
    let uids: Vec<u32> = field("Uid:")
        .map(|l| {
            l.split_whitespace()
                .filter_map(|n| n.parse().ok())
                .collect()
        })
        .unwrap_or_default();
    let privileged = field("CapPrm:").is_some_and(|set| set.trim().bytes().any(|b| b != b'0'));
    match uids[..] {
        [real, ..] if real != asking => format!(
            "belongs to {}: you can record only your own programs",
            name_of(real)
        ),
        [_, effective, saved, _] if effective != asking || saved != asking => {
            let other = if effective != asking { effective } else { saved };
            format!(
                "was started by you and runs with the rights of {} (a setuid program): you may not inspect it",
                name_of(other)
            )
        }
        [_, ..] if privileged => {
            "has privileges (capabilities) that you do not have: you may not inspect it".to_owned()
        }
        [_, ..] => {
            "is yours, but protects its memory, like programs that keep keys and those without read permission"
                .to_owned()
        }
        [] => "cannot be found: it has exited or is hidden".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(uids: &str, capabilities: &str) -> String {
        let status = format!("Name:\tx\nUid:\t{uids}\nCapPrm:\t{capabilities}\n");
        reason(&status, 1000, |uid| format!("user {uid}"))
    }

    #[test]
    fn each_cause_has_its_own_sentence() {
        const NONE: &str = "0000000000000000";
        assert!(told("0 0 0 0", "000001ffffffffff").starts_with("belongs to user 0: "));
        assert!(told("1000 0 0 0", NONE).contains("rights of user 0 (a setuid program)"));
        assert!(told("1000 1000 0 1000", NONE).contains("rights of user 0"));
        assert!(told("1000 1000 1000 1000", "0000000000000400").contains("capabilities"));
        assert!(told("1000 1000 1000 1000", NONE).contains("protects its memory"));
        assert!(reason("", 1000, user_name).contains("hidden"));
        assert_eq!(user_name(0), "root");
        assert_eq!(user_name(4_000_000_001), "user 4000000001");
    }
}
