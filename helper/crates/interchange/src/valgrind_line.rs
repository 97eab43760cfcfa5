//! One line of a Callgrind or Cachegrind file: what kind it is, before what it says is looked at.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    /// Empty, or a comment.
    Nothing,
    /// `events: Ir`
    Header(&'a str, &'a [u8]),
    /// `fn=(12) main`
    Position(Key, &'a [u8]),
    /// `+3 400`
    Costs(&'a [u8]),
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Object,
    /// Also of inlined code: its cost is that of its own lines.
    File,
    Function,
    CalledObject,
    CalledFile,
    CalledFunction,
    JumpFile,
    JumpFunction,
    Calls,
    Jump,
}

const KEYS: [(&[u8], Key); 14] = [
    (b"fl", Key::File),
    (b"fi", Key::File),
    (b"fe", Key::File),
    (b"fn", Key::Function),
    (b"ob", Key::Object),
    (b"cfn", Key::CalledFunction),
    (b"cfi", Key::CalledFile),
    (b"cfl", Key::CalledFile),
    (b"cob", Key::CalledObject),
    (b"calls", Key::Calls),
    (b"jfi", Key::JumpFile),
    (b"jfn", Key::JumpFunction),
    (b"jump", Key::Jump),
    (b"jcnd", Key::Jump),
];

impl Line<'_> {
    /// `line` without its end.
    pub fn of(line: &[u8]) -> Line<'_> {
        let line = line.trim_ascii_start();
        match line.first() {
            None | Some(b'#') => return Line::Nothing,
            Some(b'0'..=b'9' | b'+' | b'-' | b'*') => return Line::Costs(line),
            _ => {}
        }
        let letters = (line.iter().take_while(|byte| byte.is_ascii_lowercase())).count();
        let (key, rest) = line.split_at(letters);
        let value = rest.get(1..).unwrap_or_default().trim_ascii_start();
        match rest.first() {
            Some(b'=') => (KEYS.iter().find(|(name, _)| *name == key))
                .map_or(Line::Other, |(_, of)| Line::Position(*of, value)),
            Some(b':') if letters > 0 => {
                std::str::from_utf8(key).map_or(Line::Other, |key| Line::Header(key, value))
            }
            _ => Line::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_of_one_kind_each() {
        for (line, kind) in [
            ("", Line::Nothing),
            ("# callgrind format", Line::Nothing),
            ("events: Ir  Dr", Line::Header("events", b"Ir  Dr")),
            ("fn=(12) main", Line::Position(Key::Function, b"(12) main")),
            ("fe=a.h", Line::Position(Key::File, b"a.h")),
            (" cob= x", Line::Position(Key::CalledObject, b"x")),
            ("calls=1 +4", Line::Position(Key::Calls, b"1 +4")),
            ("* 3", Line::Costs(b"* 3")),
            ("0x12 4 5", Line::Costs(b"0x12 4 5")),
            ("fx=3", Line::Other),
            (": a", Line::Other),
            ("main", Line::Other),
        ] {
            assert_eq!(Line::of(line.as_bytes()), kind, "{line}");
        }
    }
}
