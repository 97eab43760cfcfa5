//! Users and groups by the system's lists: its own files first, then `getent` for those that are kept elsewhere (a
//! directory server, systemd). Not by libc: its lookups load the host's libraries, which a static program cannot do.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use supervision::{Patience, Urgency, output_within};

const USERS: &str = "/etc/passwd";
const GROUPS: &str = "/etc/group";

/// Not looked for in PATH: under sudo it runs as root.
const GETENT: [&str; 3] = [
    "/usr/bin/getent",
    "/bin/getent",
    "/run/current-system/sw/bin/getent", // NixOS
];

/// A server of the network may be asked.
const LISTS_WITHIN: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub name: OsString,
    pub home: OsString,
}

/// None: no list has this number.
pub fn account(uid: u32) -> Option<Account> {
    let number = uid.to_string();
    let line = numbered(USERS, &number).or_else(|| asked("passwd", OsStr::new(&number)))?;
    let fields = fields(&line);
    Some(Account {
        name: text(fields.first()?),
        home: text(fields.get(5)?),
    })
}

/// The names of the users in the system's own file.
pub fn user_names() -> HashMap<u32, String> {
    let list = read(USERS);
    let of_line = |line| {
        let fields = fields(line);
        let name = String::from_utf8_lossy(fields.first()?).into_owned();
        Some((number(fields.get(2)?)?, name))
    };
    lines(&list).filter_map(of_line).collect()
}

/// The numbers of all groups that name the user a member, ascending; with `gid`, the user's own.
pub fn groups_of(user: &OsStr, gid: u32) -> Vec<u32> {
    let mut numbers = vec![gid];
    numbers.extend(groups_naming(user, &read(GROUPS)));
    // The user's name and numbers; musl's getent does not know the question.
    let asked = asked("initgroups", user).unwrap_or_default();
    let words = asked.split(u8::is_ascii_whitespace);
    numbers.extend(words.skip(1).filter_map(number));
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

fn groups_naming(user: &OsStr, list: &[u8]) -> Vec<u32> {
    let of_line = |line| {
        let fields = fields(line);
        let mut members = fields.get(3)?.split(|&byte| byte == b',');
        let number = number(fields.get(2)?);
        number.filter(|_| members.any(|member| member == user.as_bytes()))
    };
    lines(list).filter_map(of_line).collect()
}

/// None: no list has this number.
pub fn group_name(gid: u32) -> Option<String> {
    let number = gid.to_string();
    let line = numbered(GROUPS, &number).or_else(|| asked("group", OsStr::new(&number)))?;
    let name = fields(&line).first().copied()?;
    Some(String::from_utf8_lossy(name).into_owned())
}

/// Whether a list names the user a member of this group, as the next login will.
pub fn is_listed_in(group: &str, user: &OsStr) -> bool {
    let list = read(GROUPS);
    let mut of_group = lines(&list).filter(|line| fields(line).first() == Some(&group.as_bytes()));
    let names = |line: &[u8]| !groups_naming(user, line).is_empty();
    of_group.any(names) || asked("group", OsStr::new(group)).is_some_and(|line| names(&line))
}

/// The line of a file whose third field is this number.
fn numbered(file: &str, number: &str) -> Option<Vec<u8>> {
    let list = read(file);
    let mut lines = lines(&list);
    let line = lines.find(|line| fields(line).get(2) == Some(&number.as_bytes()))?;
    Some(line.to_vec())
}

fn lines(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|&byte| byte == b'\n')
}

fn fields(line: &[u8]) -> Vec<&[u8]> {
    line.split(|&byte| byte == b':').collect()
}

fn number(digits: &[u8]) -> Option<u32> {
    str::from_utf8(digits).ok()?.parse().ok()
}

fn text(bytes: &[u8]) -> OsString {
    OsString::from_vec(bytes.to_vec())
}

fn read(file: &str) -> Vec<u8> {
    fs::read(file).unwrap_or_default()
}

/// The first line of the answer.
fn asked(database: &str, key: &OsStr) -> Option<Vec<u8>> {
    let getent = GETENT.iter().find(|path| Path::new(path).exists())?;
    let mut getent = Command::new(getent);
    getent.arg(database).arg(key);
    getent.stdin(Stdio::null()).stderr(Stdio::null());
    let mut patience = Patience::new(LISTS_WITHIN, &Urgency::default());
    let answer = output_within(&mut getent, &mut patience).ok()?;
    let line = lines(&answer.stdout).next()?;
    (answer.status.success() && !line.is_empty()).then(|| line.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_found_by_each_of_its_members() {
        let list =
            b"root:x:0:\nvideo:x:44:ann,bob\nbroken\n\xff:x:45:ann\nstaff:x:fifty:ann\nlast:x:1000:bob,ann";
        assert_eq!(groups_naming(OsStr::new("ann"), list), [44, 45, 1000]);
        assert_eq!(groups_naming(OsStr::new("an"), list), [0; 0]);
    }

    #[test]
    fn users_and_groups_are_those_of_the_system() {
        let root = account(0).unwrap();
        assert_eq!((root.name, root.home), ("root".into(), "/root".into()));
        assert_eq!(account(4_000_000_000), None);
        assert_eq!(user_names().get(&0).map(String::as_str), Some("root"));
        assert_eq!(group_name(0).as_deref(), Some("root"));
        assert_eq!(group_name(4_000_000_000), None);
        assert!(!is_listed_in("root", OsStr::new("nobody")));
        assert!(!is_listed_in("there is no such group", OsStr::new("root")));
        let id = Command::new("id").args(["-G", "daemon"]).output().unwrap();
        let ids = String::from_utf8(id.stdout).unwrap();
        let mut wanted: Vec<u32> = ids.split_whitespace().map(|n| n.parse().unwrap()).collect();
        wanted.sort_unstable();
        assert_eq!(groups_of(OsStr::new("daemon"), 1), wanted);
    }
}
