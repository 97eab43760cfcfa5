//! Which line of one text became which line of another.

use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// Past this time the rest of two very different texts is paired roughly instead of minimally.
const TIME_LIMIT: Duration = Duration::from_millis(300);

/// Where a line of the old text stands in the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlignedLine {
    pub line: u32,
    /// Its text is another one: the line was edited, or replaced by one at the same place.
    pub changed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alignment {
    /// By old line − 1. `None`: every line stays where it is.
    new_of_old: Option<Vec<Option<AlignedLine>>>,
}

impl Alignment {
    /// Every line stays where it is: the texts are equal, or one of them is not known.
    pub fn identity() -> Alignment {
        Alignment { new_of_old: None }
    }

    /// Compares line by line; ends of lines (`\n` or `\r\n`) do not count. In a replaced block, old and new lines
    /// are paired in order, as changed; what has no partner is gone.
    pub fn of(old: &str, new: &str) -> Alignment {
        if old == new {
            return Alignment::identity();
        }
        let old: Vec<&str> = old.lines().collect();
        let new: Vec<&str> = new.lines().collect();
        let mut new_of_old = vec![None; old.len()];
        let deadline = Instant::now() + TIME_LIMIT;
        for op in capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(deadline)) {
            let (pairs, old_index, new_index, changed) = match op {
                DiffOp::Equal {
                    old_index,
                    new_index,
                    len,
                } => (len, old_index, new_index, false),
                DiffOp::Replace {
                    old_index,
                    old_len,
                    new_index,
                    new_len,
                } => (old_len.min(new_len), old_index, new_index, true),
                DiffOp::Delete { .. } | DiffOp::Insert { .. } => continue,
            };
            for offset in 0..pairs {
                new_of_old[old_index + offset] = Some(AlignedLine {
                    line: (new_index + offset + 1) as u32,
                    changed,
                });
            }
        }
        Alignment {
            new_of_old: Some(new_of_old),
        }
    }

    /// `None`: the line was deleted, or the old text has no such line.
    pub fn to_new(&self, old_line: u32) -> Option<AlignedLine> {
        match &self.new_of_old {
            None => Some(AlignedLine {
                line: old_line,
                changed: false,
            }),
            Some(lines) => *lines.get((old_line as usize).checked_sub(1)?)?,
        }
    }

    /// `None`: the line is new.
    pub fn to_old(&self, new_line: u32) -> Option<AlignedLine> {
        let Some(lines) = &self.new_of_old else {
            return Some(AlignedLine {
                line: new_line,
                changed: false,
            });
        };
        lines
            .iter()
            .enumerate()
            .find_map(|(index, aligned)| match aligned {
                Some(aligned) if aligned.line == new_line => Some(AlignedLine {
                    line: index as u32 + 1,
                    changed: aligned.changed,
                }),
                _ => None,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(line: u32) -> Option<AlignedLine> {
        Some(AlignedLine {
            line,
            changed: false,
        })
    }

    fn changed(line: u32) -> Option<AlignedLine> {
        Some(AlignedLine {
            line,
            changed: true,
        })
    }

    #[test]
    fn an_inserted_line_moves_what_follows() {
        let alignment = Alignment::of("a\nb\nc\n", "a\nnew\nb\nc\n");
        assert_eq!(
            [1, 2, 3].map(|l| alignment.to_new(l)),
            [line(1), line(3), line(4)]
        );
        assert_eq!(
            [1, 2, 3, 4].map(|l| alignment.to_old(l)),
            [line(1), None, line(2), line(3)]
        );
    }

    #[test]
    fn an_edited_line_is_changed_and_a_deleted_one_gone() {
        let alignment = Alignment::of("a\nb\nc\nd\n", "a\nB\nc\n");
        assert_eq!(
            [1, 2, 3, 4].map(|l| alignment.to_new(l)),
            [line(1), changed(2), line(3), None]
        );
    }

    #[test]
    fn ends_of_lines_do_not_count_and_no_text_is_no_lines() {
        let alignment = Alignment::of("a\r\nb\r\n", "a\nb\n");
        assert_eq!(alignment.to_new(2), line(2));
        assert_eq!(Alignment::of("a\n", "").to_new(1), None);
        assert_eq!(Alignment::of("a\n", "b\n").to_new(0), None);
        assert_eq!(Alignment::identity().to_new(7), line(7));
    }

    #[test]
    fn hopelessly_different_texts_end_in_time() {
        let old: String = (0..60_000).map(|n| format!("{}\n", n * 7 % 1009)).collect();
        let new: String = (0..60_000)
            .map(|n| format!("{}\n", n * 11 % 1013))
            .collect();
        let started = Instant::now();
        Alignment::of(&old, &new);
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}
