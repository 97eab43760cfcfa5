//! A path as text. Paths are bytes, and what a run holds is UTF-8.

use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// `path` with the bytes that are not UTF-8 as `\xff`. Only for being shown: files are opened by their bytes.
pub fn shown_path(path: impl AsRef<OsStr>) -> String {
    let mut shown = String::new();
    for chunk in path.as_ref().as_bytes().utf8_chunks() {
        shown.push_str(chunk.valid());
        for byte in chunk.invalid() {
            write!(shown, "\\x{byte:02x}").expect("a string takes all");
        }
    }
    shown
}

/// The name by which a module or target is known: its file name.
pub fn module_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, shown_path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_utf8_are_escaped_and_others_stay() {
        let path = OsStr::from_bytes(b"/a\xff\xfe/n\xc3\xa4me\n");
        assert_eq!(shown_path(path), "/a\\xff\\xfe/näme\n");
    }
}
