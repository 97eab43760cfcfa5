//! Which shared libraries a program will load at its start, so that they are known before its first instruction.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use supervision::{Patience, Urgency, output_within};

use crate::LaunchOptions;

/// The loader reads a few small files.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// Asks the program's own dynamic loader, with the program's own environment: only it knows its search path.
/// Empty when the loader does not answer; the libraries are then learned of while the program runs.
pub fn needed_libraries(
    interpreter: &Path,
    program: &Path,
    options: &LaunchOptions,
    urgency: &Urgency,
) -> Vec<PathBuf> {
    let mut command = Command::new(interpreter);
    command
        .arg("--list")
        .arg(program)
        .envs(options.env.iter().cloned());
    if let Some(cwd) = &options.cwd {
        command.current_dir(cwd);
    }
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let output = output_within(&mut command, &mut Patience::new(ANSWER_WITHIN, urgency));
    output.map_or_else(|_| Vec::new(), |o| parse_list(&o.stdout))
}

/// Lines are `name => path (address)` or `path (address)`.
fn parse_list(text: &[u8]) -> Vec<PathBuf> {
    let path_of = |line: &[u8]| {
        let line = line.trim_ascii();
        let end = line.windows(4).rposition(|w| w == b" (0x")?;
        let start = line
            .windows(4)
            .position(|w| w == b" => ")
            .map_or(0, |at| at + 4);
        let path = line.get(start..end)?;
        path.starts_with(b"/")
            .then(|| PathBuf::from(OsString::from_vec(path.to_vec())))
    };
    // A path may hold line breaks; each entry begins with a tab.
    let mut entries = Vec::new();
    for line in text.split_inclusive(|b| *b == b'\n') {
        match entries.last_mut() {
            Some(last) if !line.starts_with(b"\t") => Vec::extend_from_slice(last, line),
            _ => entries.push(line.to_vec()),
        }
    }
    entries.iter().filter_map(|entry| path_of(entry)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_from_the_loaders_list() {
        let text = b"\tlinux-vdso.so.1 (0x00007ffc)\n\tlibc.so.6 => /lib/libc.so.6 (0x00007f12)\n\
            \tlibgone.so => not found\n\tliba.so => /two\nlines/liba.so (0x00007f13)\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f34)\n";
        let paths = parse_list(text);
        assert_eq!(
            paths,
            [
                Path::new("/lib/libc.so.6"),
                Path::new("/two\nlines/liba.so"),
                Path::new("/lib64/ld-linux-x86-64.so.2")
            ]
        );
    }
}
