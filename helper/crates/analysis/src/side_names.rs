//! What the sides of a comparison are called in sentences and columns.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SideNames {
    /// Of base and new, without an article.
    words: [&'static str; 2],
    are_parts: bool,
}

impl SideNames {
    pub const RUNS: SideNames = SideNames {
        words: ["base", "new"],
        are_parts: false,
    };

    /// Of one run.
    pub(crate) const fn parts(words: [&'static str; 2]) -> SideNames {
        SideNames {
            words,
            are_parts: true,
        }
    }

    /// Whether both sides are of one run.
    pub fn are_parts(&self) -> bool {
        self.are_parts
    }

    /// "base", "rest", "first range" …, of base and new.
    pub fn words(&self) -> [&'static str; 2] {
        self.words
    }

    /// The new side, at the beginning of a sentence.
    pub(crate) fn subject(&self) -> String {
        match self.are_parts {
            true => format!("The {}", self.words[1]),
            false => "New".to_owned(),
        }
    }

    /// The base, after "than".
    pub(crate) fn object(&self) -> String {
        match self.are_parts {
            true => format!("the {}", self.words[0]),
            false => "base".to_owned(),
        }
    }
}
