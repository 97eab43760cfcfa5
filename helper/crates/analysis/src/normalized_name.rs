//! Function names without what changes from one build to the next.

use std::borrow::Cow;

/// Marks that compilers put behind a name, each followed by nothing or by digits, hexadecimal or dots.
const CLONE_MARKS: [&str; 9] = [
    ".llvm.",
    ".part.",
    ".cold.",
    ".cold",
    ".constprop.",
    ".isra.",
    ".lto_priv.",
    ".localalias",
    ".clone.",
];

/// Takes clone marks (`.part.0`, `.cold`, `.llvm.123`, ` [clone .isra.0]` …) and Rust's hash (`::h0123456789abcdef`)
/// off the end, as often as they stand there.
pub fn normalized_name(name: &str) -> Cow<'_, str> {
    let mut rest = name;
    while let Some(shorter) = without_mark(rest) {
        rest = shorter;
    }
    // A name that is nothing but marks is itself.
    Cow::Borrowed(if rest.is_empty() { name } else { rest })
}

/// Looks at the end first: nearly all names have no mark, and there may be millions.
fn without_mark(name: &str) -> Option<&str> {
    if name.ends_with(']')
        && let Some((rest, _)) = name.rsplit_once(" [clone ")
    {
        return Some(rest);
    }
    if let Some((rest, hash)) = name
        .len()
        .checked_sub(16)
        .and_then(|at| name.split_at_checked(at))
        && let Some(rest) = rest.strip_suffix("::h")
        && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        return Some(rest);
    }
    if !name.as_bytes().contains(&b'.') {
        return None;
    }
    CLONE_MARKS.iter().find_map(|mark| {
        let (rest, tail) = name.rsplit_once(mark)?;
        let is_number = tail
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b'.');
        is_number.then_some(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_compilers_go_and_the_name_stays() {
        let cases = [
            ("work", "work"),
            ("work.part.0", "work"),
            ("work.part.0.cold", "work"),
            ("work.cold.3", "work"),
            ("work.llvm.1234567890", "work"),
            ("work.constprop.0.isra.0", "work"),
            (
                "ns::work(int) [clone .part.0] [clone .cold]",
                "ns::work(int)",
            ),
            ("krate::work::h0123456789abcdef", "krate::work"),
            ("krate::work::h0123", "krate::work::h0123"),
            ("krate::hash::helper", "krate::hash::helper"),
            (".cold", ".cold"),
            ("a.partner", "a.partner"),
            ("", ""),
        ];
        for (name, wanted) in cases {
            assert_eq!(normalized_name(name), wanted, "{name}");
        }
    }
}
