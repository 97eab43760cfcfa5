//! Names of a Callgrind file. `(12) main` gives a name a number, `(12)` stands for it from then on, and `main` has none. Objects,
//! files and functions are numbered apart.

use std::collections::HashMap;

use profile::{Limits, ProfileError, SeededHash};

/// Of a text; equal texts have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Name(u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Object,
    File,
    Function,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// A number that no name was given.
    Undefined(Kind, u64),
    TooMany,
    TooLong,
}

pub struct Names<'a> {
    /// The first is that of what has none.
    texts: Vec<&'a [u8]>,
    by_text: HashMap<&'a [u8], Name, SeededHash>,
    by_number: HashMap<(Kind, u64), Name, SeededHash>,
}

impl Default for Names<'_> {
    fn default() -> Self {
        Names {
            texts: vec![b""],
            by_text: HashMap::from_iter([(&b""[..], Name(0))]),
            by_number: HashMap::default(),
        }
    }
}

/// What Valgrind writes for a name that it does not know.
const UNKNOWN: &[u8] = b"???";

impl<'a> Names<'a> {
    /// # Errors
    /// Which limit does not hold, or which number has no name.
    pub fn of(&mut self, kind: Kind, value: &'a [u8], limits: &Limits) -> Result<Name, Problem> {
        let Some((number, text)) = numbered(value) else {
            return self.of_text(value, limits);
        };
        if text.is_empty() {
            let known = self.by_number.get(&(kind, number));
            return known.copied().ok_or(Problem::Undefined(kind, number));
        }
        let name = self.of_text(text, limits)?;
        self.by_number.insert((kind, number), name);
        match self.by_number.len() > limits.strings {
            true => Err(Problem::TooMany),
            false => Ok(name),
        }
    }

    fn of_text(&mut self, text: &'a [u8], limits: &Limits) -> Result<Name, Problem> {
        let text = if text == UNKNOWN { b"" } else { text };
        if let Some(&name) = self.by_text.get(text) {
            return Ok(name);
        }
        // One text of the profile is its own, and those of the events are few.
        if self.texts.len() + limits.sample_types >= limits.strings {
            return Err(Problem::TooMany);
        }
        // What is not UTF-8 grows threefold.
        if text.len() > limits.string_bytes / 3 {
            return Err(Problem::TooLong);
        }
        let name = Name(self.texts.len() as u32);
        self.texts.push(text);
        self.by_text.insert(text, name);
        Ok(name)
    }

    /// "": unknown.
    pub fn text(&self, name: Name) -> std::borrow::Cow<'a, str> {
        String::from_utf8_lossy(self.texts[name.0 as usize])
    }
}

/// The number of `(12) main` or `(12)`, and the text behind it. A name may begin with a parenthesis too, as `(below main)` does.
fn numbered(value: &[u8]) -> Option<(u64, &[u8])> {
    let rest = value.strip_prefix(b"(")?;
    let end = rest.iter().position(|byte| *byte == b')')?;
    let number = crate::valgrind_positions::number(&rest[..end])?;
    Some((number, rest[end + 1..].trim_ascii_start()))
}

impl Problem {
    pub fn of_line(self, tool: &str, line: usize) -> ProfileError {
        match self {
            Problem::Undefined(kind, number) => ProfileError::damaged(format!(
                "Line {line} of the {tool} file names the {} ({number}), but no line before it says which that is.",
                match kind {
                    Kind::Object => "object",
                    Kind::File => "file",
                    Kind::Function => "function",
                }
            )),
            Problem::TooMany => ProfileError::too_large(format!(
                "The {tool} file has more names up to line {line} than Lineheat reads."
            )),
            Problem::TooLong => ProfileError::too_large(format!(
                "The name in line {line} of the {tool} file is longer than Lineheat reads."
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_for_names_of_their_kind() {
        let limits = Limits::default();
        let mut names = Names::default();
        let mut of = |kind, value: &'static str| names.of(kind, value.as_bytes(), &limits);
        let main = of(Kind::Function, "(3) main").unwrap();
        assert_eq!(of(Kind::Function, "(3)"), Ok(main));
        assert_eq!(of(Kind::Function, "main"), Ok(main));
        assert_eq!(
            of(Kind::File, "(3)"),
            Err(Problem::Undefined(Kind::File, 3))
        );
        let below = of(Kind::Function, "(below main)").unwrap();
        assert_ne!(below, main);
        assert_eq!(of(Kind::File, "(1) ???"), Ok(Name::default()));
        assert_eq!(names.text(below), "(below main)");
        assert_eq!(names.text(Name::default()), "");
    }
}
