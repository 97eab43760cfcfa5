//! `/proc/PID/maps` (proc(5)): which files a process has mapped as code.

use std::io;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapsEntry {
    pub start: u64,
    pub end: u64,
    pub file_offset: u64,
    pub device_major: u32,
    pub device_minor: u32,
    pub inode: u64,
    /// As the kernel shows it; empty for anonymous memory.
    pub path: String,
}

/// The executable mappings of a process, in ascending order.
///
/// # Errors
/// As opening the file: no such process, or not ours to look at.
pub fn executable_mappings(pid: u32) -> io::Result<Vec<MapsEntry>> {
    let text = std::fs::read(format!("/proc/{pid}/maps"))?;
    Ok(parse_maps(&String::from_utf8_lossy(&text)))
}

/// What this process has mapped at `address`: the kernel's own name for a file, which stat(2) does not give on
/// overlayfs and btrfs.
pub fn own_mapping_at(address: u64) -> Option<MapsEntry> {
    let text = std::fs::read("/proc/self/maps").ok()?;
    let text = String::from_utf8_lossy(&text);
    let mut entries = text.lines().filter_map(parse_line).map(|(entry, _)| entry);
    entries.find(|e| (e.start..e.end).contains(&address))
}

/// The executable ones of the lines; `[vsyscall]`, which lies in the kernel's half, is left out.
pub fn parse_maps(text: &str) -> Vec<MapsEntry> {
    let entries = text.lines().filter_map(parse_line);
    let code = entries.filter(|(e, permissions)| {
        permissions.as_bytes().get(2) == Some(&b'x') && e.start < 1 << 63
    });
    code.map(|(entry, _)| entry).collect()
}

/// The entry and its permissions.
fn parse_line(line: &str) -> Option<(MapsEntry, &str)> {
    // start-end perms offset major:minor inode   path
    let mut rest = line;
    let mut word = || {
        let trimmed = rest.trim_start();
        let end = trimmed.find(' ').unwrap_or(trimmed.len());
        rest = &trimmed[end..];
        (!trimmed.is_empty()).then_some(&trimmed[..end])
    };
    let (start, end) = word()?.split_once('-')?;
    let permissions = word()?;
    let file_offset = word()?;
    let (major, minor) = word()?.split_once(':')?;
    let inode = word()?;
    let path = rest.trim_start();
    let hex = |s| u64::from_str_radix(s, 16).ok();
    let start = hex(start)?;
    let entry = MapsEntry {
        start,
        end: hex(end)?,
        file_offset: hex(file_offset)?,
        device_major: hex(major)? as u32,
        device_minor: hex(minor)? as u32,
        inode: inode.parse().ok()?,
        path: path.strip_suffix(" (deleted)").unwrap_or(path).to_owned(),
    };
    Some((entry, permissions))
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
        let entries = parse_maps(text);
        let paths: Vec<_> = entries.iter().map(|e| e.path.as_str()).collect();
        assert_eq!(paths, ["/usr/bin/my prog", "[vdso]", ""]);
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
}
