//! Paths of source files as one spelling each, without touching the disk.

/// Removes `.`, empty and `..` parts: `/b/../a//./x.c` → `/a/x.c`. A relative path stays relative.
///
/// Lexical on purpose: the file may not exist here, and a recorded path is a name first of all.
pub(crate) fn normalized(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if absolute {
        format!("/{joined}")
    } else {
        joined
    }
}

/// `part` below `directory`, or `part` alone when it is absolute.
pub(crate) fn joined(directory: &str, part: &str) -> String {
    if part.starts_with('/') || directory.is_empty() {
        return part.to_owned();
    }
    format!("{}/{part}", directory.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: &str) {
        assert_eq!(normalized(path), expected, "{path}");
    }

    #[test]
    fn a_path_has_one_spelling() {
        check("/a/b/../c/./d//e.c", "/a/c/d/e.c");
        check("/../a.c", "/a.c");
        check("../x/../y.c", "../y.c");
        check("../../y.c", "../../y.c");
        check("a/./b.rs", "a/b.rs");
        check("/", "/");
        check("", "");
    }
}
