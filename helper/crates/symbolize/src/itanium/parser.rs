//! The text of a mangled name, read from left to right, with what it has said so far (substitutions).

use super::limits::{DEPTH_MAX, STEPS_MAX};
use super::tree::{List, Node, NodeId, Qualifiers, Tree};

pub struct Parser<'a> {
    text: &'a str,
    at: usize,
    pub tree: Tree<'a>,
    /// What `S_`, `S0_`, … refer to.
    substitutions: Vec<NodeId>,
    /// Reading the type of a conversion operator, whose template arguments may follow.
    pub in_conversion: bool,
    pub scopes: ScopesOfExpressions,
    depth: usize,
    steps: usize,
}

/// How the scope of a name in an expression (`sr`) was mangled: compilers and their versions differ, and the symbol does
/// not say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ScopesOfExpressions {
    /// Simple names up to `E`, or a type whose parts are candidates for substitution (GCC).
    NamesOrType,
    /// Always a type (before GCC 4.5).
    Type,
    /// Simple names up to `E`, also after a type (Clang).
    Names,
}

/// Where the parser was before it tried something.
pub struct Place {
    at: usize,
    substitutions: usize,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, scopes: ScopesOfExpressions) -> Parser<'a> {
        Parser {
            text,
            at: 0,
            tree: Tree::default(),
            substitutions: Vec::new(),
            in_conversion: false,
            scopes,
            depth: 0,
            steps: 0,
        }
    }

    /// All of the text: `_Z` and an encoding.
    pub fn mangled_name(&mut self) -> Option<NodeId> {
        self.wanted("_Z")?;
        let root = self.encoding()?;
        (self.at == self.text.len()).then_some(root)
    }

    /// Reads a part that may hold parts of its own kind.
    pub fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.steps += 1;
        if self.depth >= DEPTH_MAX || self.steps > STEPS_MAX {
            return None;
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    pub fn peek(&self) -> u8 {
        self.peek_after(0)
    }

    /// 0 beyond the end.
    pub fn peek_after(&self, count: usize) -> u8 {
        self.text
            .as_bytes()
            .get(self.at + count)
            .copied()
            .unwrap_or(0)
    }

    pub fn starts_with(&self, word: &str) -> bool {
        self.text.as_bytes()[self.at..].starts_with(word.as_bytes())
    }

    /// Whether `word` comes next, which then is read.
    pub fn accepted(&mut self, word: &str) -> bool {
        let found = self.starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    pub fn wanted(&mut self, word: &str) -> Option<()> {
        self.accepted(word).then_some(())
    }

    pub fn place(&self) -> Place {
        Place {
            at: self.at,
            substitutions: self.substitutions.len(),
        }
    }

    pub fn back_to(&mut self, place: &Place) {
        self.at = place.at;
        self.substitutions.truncate(place.substitutions);
    }

    /// The text since `place`.
    pub fn since(&self, place: &Place) -> Option<&'a str> {
        self.text.get(place.at..self.at)
    }

    /// The next `length` bytes.
    pub fn taken(&mut self, length: usize) -> Option<&'a str> {
        let end = self.at.checked_add(length)?;
        let taken = self.text.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    /// Everything up to `end`, which is read too.
    pub fn taken_until(&mut self, end: char) -> Option<&'a str> {
        let length = self.text.get(self.at..)?.find(end)?;
        let taken = self.taken(length)?;
        self.at += end.len_utf8();
        Some(taken)
    }

    /// Decimal digits; None when there are none, or too many.
    pub fn number(&mut self) -> Option<usize> {
        let digits = self.text.as_bytes()[self.at..].iter();
        let length = digits.take_while(|byte| byte.is_ascii_digit()).count();
        self.taken(length)?.parse().ok()
    }

    /// `_` is 0, `0_` is 1, `1_` is 2 …
    pub fn sequence_number(&mut self) -> Option<usize> {
        if self.accepted("_") {
            return Some(0);
        }
        let number = self.number()?;
        self.wanted("_")?;
        number.checked_add(1)
    }

    pub fn add(&mut self, node: Node<'a>) -> NodeId {
        self.tree.add(node)
    }

    /// Later parts may refer to `id`.
    pub fn remember(&mut self, id: NodeId) {
        self.substitutions.push(id);
    }

    pub fn substitution(&mut self) -> Option<NodeId> {
        let mut number = 0usize;
        if !self.accepted("_") {
            loop {
                let digit = match self.peek() {
                    digit @ b'0'..=b'9' => digit - b'0',
                    letter @ b'A'..=b'Z' => letter - b'A' + 10,
                    b'_' => break,
                    _ => return None,
                };
                self.at += 1;
                number = number.checked_mul(36)?.checked_add(usize::from(digit))?;
            }
            self.at += 1;
            number = number.checked_add(1)?;
        }
        self.substitutions.get(number).copied()
    }

    /// What `read` finds up to `E`.
    pub fn until_end(&mut self, mut read: impl FnMut(&mut Self) -> Option<NodeId>) -> Option<List> {
        let mut found = Vec::new();
        while !self.accepted("E") {
            found.push(read(self)?);
        }
        Some(self.tree.add_list(&found))
    }

    /// `r`, `V`, `K` in this order.
    pub fn cv_qualifiers(&mut self) -> Qualifiers {
        Qualifiers {
            is_restrict: self.accepted("r"),
            is_volatile: self.accepted("V"),
            is_const: self.accepted("K"),
            reference: None,
        }
    }
}
