//! `/proc/PID/maps` (proc(5)): which files a process has mapped as code.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapsEntry {
    pub start: u64,
    pub end: u64,
    pub file_offset: u64,
    pub device_major: u32,
    pub device_minor: u32,
    pub inode: u64,
    /// The bytes of the file's path, or a name of the kernel's; empty for anonymous memory. " (deleted)" follows that of
    /// a file that has no name any more.
    pub path: PathBuf,
}

/// The executable mappings of a process, in ascending order.
///
/// # Errors
/// As opening the file: no such process, or not ours to look at.
pub fn executable_mappings(pid: u32) -> io::Result<Vec<MapsEntry>> {
    Ok(parse_maps(&std::fs::read(format!("/proc/{pid}/maps"))?))
}

/// Has the kernel map every page of the stack of a process that has just been started and waits. Copies of a stack end at
/// the first page that is not there, and a large frame can leave one out, as the dynamic loader's does. A page that is
/// read is the kernel's own page of zeros until it is written: nothing is allocated.
///
/// # Errors
/// No such process, or not ours to look at.
pub fn map_whole_stack(pid: u32) -> io::Result<()> {
    let text = std::fs::read(format!("/proc/{pid}/maps"))?;
    let mut entries = lines(&text).filter_map(parse_line).map(|(entry, _)| entry);
    let Some(stack) = entries.find(|entry| entry.path.as_os_str() == "[stack]") else {
        return Ok(());
    };
    let memory = File::open(format!("/proc/{pid}/mem"))?;
    let mut bytes = vec![0; usize::try_from(stack.end - stack.start).unwrap_or(0)];
    memory.read_exact_at(&mut bytes, stack.start)
}

/// What this process has mapped at `address`: the kernel's own name for a file, which stat(2) does not give on
/// overlayfs and btrfs.
pub fn own_mapping_at(address: u64) -> Option<MapsEntry> {
    let text = std::fs::read("/proc/self/maps").ok()?;
    let mut entries = lines(&text).filter_map(parse_line).map(|(entry, _)| entry);
    entries.find(|e| (e.start..e.end).contains(&address))
}

/// The executable ones of the lines; `[vsyscall]`, which lies in the kernel's half, is left out.
pub fn parse_maps(text: &[u8]) -> Vec<MapsEntry> {
    let entries = lines(text).filter_map(parse_line);
    let code =
        entries.filter(|(e, permissions)| permissions.get(2) == Some(&b'x') && e.start < 1 << 63);
    code.map(|(entry, _)| entry).collect()
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n')
}

/// The entry and its permissions.
fn parse_line(line: &[u8]) -> Option<(MapsEntry, &[u8])> {
    // start-end perms offset major:minor inode   path
    let mut rest = line;
    let mut word = || {
        let trimmed = rest.trim_ascii_start();
        let end = (trimmed.iter().position(|byte| *byte == b' ')).unwrap_or(trimmed.len());
        rest = &trimmed[end..];
        std::str::from_utf8(&trimmed[..end])
            .ok()
            .filter(|word| !word.is_empty())
    };
    let (start, end) = word()?.split_once('-')?;
    let permissions = word()?.as_bytes();
    let file_offset = word()?;
    let (major, minor) = word()?.split_once(':')?;
    let inode = word()?;
    // Columns are padded with spaces; a path begins with a slash, and a name of the kernel's with a bracket.
    let path = rest.trim_ascii_start();
    let hex = |s| u64::from_str_radix(s, 16).ok();
    let start = hex(start)?;
    let entry = MapsEntry {
        start,
        end: hex(end)?,
        file_offset: hex(file_offset)?,
        device_major: hex(major)? as u32,
        device_minor: hex(minor)? as u32,
        inode: inode.parse().ok()?,
        path: unescaped(path).into(),
    };
    Some((entry, permissions))
}

/// The kernel writes a line break in a path as `\012`, and nothing else so, not even the backslash.
fn unescaped(path: &[u8]) -> OsString {
    const ESCAPED: &[u8] = b"\\012";
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((first, after)) = rest.split_first() {
        match rest.strip_prefix(ESCAPED) {
            Some(after) => {
                bytes.push(b'\n');
                rest = after;
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    OsString::from_vec(bytes)
}

/// What the kernel lists for a file whose path has this text in it: the name that has a line break there is meant, or
/// the one that really has a backslash and digits. None: there is no doubt.
pub fn other_reading(path: &OsStr) -> Option<PathBuf> {
    let bytes = path.as_bytes();
    let escape = |byte: &u8| match byte {
        b'\n' => b"\\012".to_vec(),
        other => vec![*other],
    };
    (bytes.contains(&b'\n'))
        .then(|| OsString::from_vec(bytes.iter().flat_map(escape).collect()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executable_lines_are_read_and_others_left_out() {
        let text = "\
55d0c0a00000-55d0c0a28000 r--p 00000000 fe:01 1234                       /usr/bin/my prog
55d0c0a28000-55d0c0b00000 r-xp 00028000 fe:01 1234                       /usr/bin/my prog (deleted)
7ffd4f9f2000-7ffd4f9f4000 r-xp 00000000 00:00 0                          [vdso]
7f0000000000-7f0000001000 rwxp 00000000 00:00 0 
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
garbage
";
        let entries = parse_maps(text.as_bytes());
        let paths: Vec<_> = entries.iter().map(|e| e.path.to_str().unwrap()).collect();
        assert_eq!(paths, ["/usr/bin/my prog (deleted)", "[vdso]", ""]);
        let first = &entries[0];
        assert_eq!(
            (first.start, first.file_offset),
            (0x55d0_c0a2_8000, 0x28000)
        );
        assert_eq!(
            (first.device_major, first.device_minor, first.inode),
            (0xfe, 1, 1234)
        );
    }

    #[test]
    fn a_path_is_bytes_and_may_hold_line_breaks() {
        let text = b"1000-2000 r-xp 00000000 fe:01 7      /a\xff b/two\\012lines\\x\n";
        let path = parse_maps(text).remove(0).path;
        assert_eq!(path.as_os_str().as_bytes(), b"/a\xff b/two\nlines\\x");
        let other = other_reading(path.as_os_str()).unwrap();
        assert_eq!(other.as_os_str().as_bytes(), b"/a\xff b/two\\012lines\\x");
        assert_eq!(other_reading(OsStr::new("/plain")), None);
    }
}
