//! Users and groups by the system's lists: its own files first, then `getent` for those that are kept elsewhere (a
//! directory server, systemd). Not by libc: its lookups load the host's libraries, which a static program cannot do.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use supervision::{Patience, Urgency, output_within};

const USERS: &str = "/etc/passwd";
const GROUPS: &str = "/etc/group";

/// A server of the network may be asked.
const LISTS_WITHIN: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub name: String,
    pub home: PathBuf,
}

/// None: no list has this number.
pub fn account(uid: u32) -> Option<Account> {
    let number = uid.to_string();
    let listed = listed(USERS, |fields| fields.get(2) == Some(&number.as_str()));
    account_of(&listed.or_else(|| asked("passwd", &number))?)
}

fn account_of(line: &str) -> Option<Account> {
    let fields = fields(line);
    Some(Account {
        name: (*fields.first()?).to_owned(),
        home: PathBuf::from(fields.get(5)?),
    })
}

/// The numbers of all groups that name the user a member, ascending; with `gid`, the user's own.
pub fn groups_of(user: &str, gid: u32) -> Vec<u32> {
    let mut numbers = vec![gid];
    numbers.extend(groups_naming(user, &read(GROUPS)));
    // The user's name and numbers; musl's getent does not know the question.
    let asked = asked("initgroups", user).unwrap_or_default();
    numbers
        .extend((asked.split_whitespace().skip(1)).filter_map(|number| number.parse::<u32>().ok()));
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

fn groups_naming(user: &str, list: &str) -> Vec<u32> {
    let of_line = |line| {
        let fields = fields(line);
        let members = fields.get(3)?;
        let number = fields.get(2)?.parse().ok();
        number.filter(|_| members.split(',').any(|member| member == user))
    };
    list.lines().filter_map(of_line).collect()
}

/// None: no list has this number.
pub fn group_name(gid: u32) -> Option<String> {
    let number = gid.to_string();
    let listed = listed(GROUPS, |fields| fields.get(2) == Some(&number.as_str()));
    let line = listed.or_else(|| asked("group", &number))?;
    (fields(&line).first()).map(|name| (*name).to_owned())
}

/// Whether a list names the user a member of this group, as the next login will.
pub fn is_listed_in(group: &str, user: &str) -> bool {
    let listed = listed(GROUPS, |fields| fields.first() == Some(&group));
    let named = |line: String| !groups_naming(user, &line).is_empty();
    listed.is_some_and(named) || asked("group", group).is_some_and(named)
}

/// The first line of a file whose fields fit.
fn listed(file: &str, fits: impl Fn(&[&str]) -> bool) -> Option<String> {
    let lists = read(file);
    let mut lines = lists.lines();
    lines.find(|line| fits(&fields(line))).map(str::to_owned)
}

fn fields(line: &str) -> Vec<&str> {
    line.trim_end().split(':').collect()
}

/// A name that is no UTF-8 changes nothing for the others.
fn read(file: &str) -> String {
    String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).into_owned()
}

fn asked(database: &str, key: impl AsRef<OsStr>) -> Option<String> {
    let mut getent = Command::new("getent");
    getent.arg(database).arg(key);
    getent.stdin(Stdio::null()).stderr(Stdio::null());
    let mut patience = Patience::new(LISTS_WITHIN, &Urgency::default());
    let answer = output_within(&mut getent, &mut patience).ok()?;
    let text = String::from_utf8_lossy(&answer.stdout);
    let line = text.lines().next().filter(|_| answer.status.success())?;
    Some(line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_found_by_each_of_its_members() {
        let list =
            "root:x:0:\nvideo:x:44:ann,bob\nbroken\nstaff:x:fifty:ann\nlast:x:1000:bob,ann\n";
        assert_eq!(groups_naming("ann", list), [44, 1000]);
        assert_eq!(groups_naming("an", list), [0; 0]);
    }

    #[test]
    fn users_and_groups_are_those_of_the_system() {
        let root = account(0).unwrap();
        assert_eq!((root.name.as_str(), root.home), ("root", "/root".into()));
        assert_eq!(account(4_000_000_000), None);
        assert_eq!(group_name(0).as_deref(), Some("root"));
        assert_eq!(group_name(4_000_000_000), None);
        assert!(!is_listed_in("root", "nobody"));
        assert!(!is_listed_in("there is no such group", "root"));
        let id = Command::new("id").args(["-G", "daemon"]).output().unwrap();
        let ids = String::from_utf8(id.stdout).unwrap();
        let mut wanted: Vec<u32> = ids.split_whitespace().map(|n| n.parse().unwrap()).collect();
        wanted.sort_unstable();
        assert_eq!(groups_of("daemon", 1), wanted);
    }
}
