//! Frames as text: a name with what tools append to it.

/// What a frame's text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrameText<'a> {
    pub name: &'a str,
    /// "": not said.
    pub file: &'a str,
    /// 0: not said.
    pub line: u32,
    pub is_kernel: bool,
}

/// How a file writes the place of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceStyle {
    /// Names only.
    None,
    /// `name (file:line)`
    Behind,
    /// `file:name:line`
    Around,
}

/// Of flamegraph.pl (`k` kernel, `i` inlined, `j` compiled at run time) and async-profiler (`0` interpreted, `1` compiled by C1).
const MARKS: [(&str, char); 5] = [
    ("_[k]", 'k'),
    ("_[i]", 'i'),
    ("_[j]", 'j'),
    ("_[0]", '0'),
    ("_[1]", '1'),
];

impl<'a> FrameText<'a> {
    pub fn of(text: &'a str, style: PlaceStyle) -> FrameText<'a> {
        let marked =
            (MARKS.iter()).find_map(|(suffix, mark)| Some((text.strip_suffix(suffix)?, *mark)));
        let (text, mark) = marked.unwrap_or((text, ' '));
        let (name, file, line) = match style {
            PlaceStyle::None => None,
            PlaceStyle::Behind => place_behind(text),
            PlaceStyle::Around => place_around(text),
        }
        .unwrap_or((text, "", 0));
        FrameText {
            name,
            file,
            line,
            is_kernel: mark == 'k',
        }
    }
}

/// Into the frame before it.
pub fn is_inlined(text: &str) -> bool {
    text.ends_with("_[i]")
}

/// `name (file:line)`; the file may hold colons and parentheses.
pub fn place_behind(text: &str) -> Option<(&str, &str, u32)> {
    let (rest, line) = text.strip_suffix(')')?.rsplit_once(':')?;
    let (name, file) = rest.split_once(" (")?;
    (!file.is_empty()).then_some(())?;
    Some((name, file, number(line)?))
}

/// `file:name:line`; the file may hold colons, the name does not.
fn place_around(text: &str) -> Option<(&str, &str, u32)> {
    let (rest, line) = text.rsplit_once(':')?;
    let (file, name) = rest.rsplit_once(':')?;
    Some((name, file, number(line)?))
}

fn number(text: &str) -> Option<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_places_are_taken_from_the_name() {
        let of = |name, file, line| FrameText {
            name,
            file,
            line,
            ..FrameText::default()
        };
        for (text, style, expected) in [
            (
                "turn (churn.py:6)",
                PlaceStyle::Behind,
                of("turn", "churn.py", 6),
            ),
            (
                "main (<frozen site>:603)",
                PlaceStyle::Behind,
                of("main", "<frozen site>", 603),
            ),
            (
                "run (a:b (c).py:7)",
                PlaceStyle::Behind,
                of("run", "a:b (c).py", 7),
            ),
            (
                "f(int, std::less<>)",
                PlaceStyle::Behind,
                of("f(int, std::less<>)", "", 0),
            ),
            (
                "turn (churn.py:6)",
                PlaceStyle::None,
                of("turn (churn.py:6)", "", 0),
            ),
            (
                "a/b.py:Shop.<lambda>:12",
                PlaceStyle::Around,
                of("Shop.<lambda>", "a/b.py", 12),
            ),
            ("a/b.py:f:", PlaceStyle::Around, of("a/b.py:f:", "", 0)),
            (
                "java/lang/Thread.run_[j]",
                PlaceStyle::None,
                of("java/lang/Thread.run", "", 0),
            ),
        ] {
            assert_eq!(FrameText::of(text, style), expected, "{text}");
        }
        assert!(FrameText::of("tick_[k]", PlaceStyle::None).is_kernel);
        assert!(is_inlined("add_[i]") && !is_inlined("add"));
    }
}
