//! An ELF file's packed rows as bytes that can be kept from one recording to the next, and what they are kept by.
//!
//! Bytes that come back are foreign input: they pass the bounds that packing keeps to, or they are refused as a whole.

use object::Object;
use records::{PAGE_SHIFT, Rule};

use crate::machine::Elf;
use crate::pages::{PAGES_MAX, PackedPages, RuleSet};

/// The digest of this crate's sources and of the layout of rules (`build.rs`). Other code may make other rows of the same
/// file or lay out these bytes differently, so kept rows hold for the code alone that has made them.
pub const ROWS_MADE_BY: &str = env!("ROWS_MADE_BY");

/// Rows of one file with the rules that they use: numbers are those of `rules` alone.
#[derive(Default)]
pub struct FileRows {
    pages: PackedPages,
    rules: RuleSet,
}

/// base_page, number of pages, of rules and of rows.
const HEAD_BYTES: usize = 16;
const OFFSETS: u32 = 1 << PAGE_SHIFT;

impl FileRows {
    pub fn new(rows: &[crate::Row]) -> FileRows {
        let mut rules = RuleSet::default();
        FileRows {
            pages: PackedPages::new(rows, &mut rules),
            rules,
        }
    }

    /// The pages with the numbers that the rules have among those of all modules.
    pub fn numbered_in(self, all: &mut RuleSet) -> PackedPages {
        let mut pages = self.pages;
        let numbers: Vec<u32> = (self.rules.iter())
            .map(|rule| u32::from(all.number(*rule)) << 16)
            .collect();
        for row in &mut pages.rows {
            *row = *row & 0xffff | numbers[(*row >> 16) as usize];
        }
        pages
    }

    /// Little-endian: the head, the number of rows of each page, the rules, the rows.
    pub fn to_bytes(&self) -> Vec<u8> {
        let PackedPages {
            base_page,
            pages,
            rows,
        } = &self.pages;
        let rules = self.rules.bytes_from(0);
        let length = HEAD_BYTES + 4 * (pages.len() + rows.len()) + Rule::BYTES * rules.len();
        let mut bytes = Vec::with_capacity(length);
        let counts = [pages.len(), rules.len(), rows.len()];
        let counts = counts.map(|count| count as u32);
        let rows_of_pages = pages.iter().map(|(_, count)| count);
        for number in [base_page].into_iter().chain(&counts).chain(rows_of_pages) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend(rules.into_iter().flatten());
        for row in rows {
            bytes.extend_from_slice(&row.to_le_bytes());
        }
        bytes
    }

    /// None: the bytes are not what [`FileRows::to_bytes`] gives.
    pub fn from_bytes(bytes: &[u8]) -> Option<FileRows> {
        let (head, rest) = bytes.split_at_checked(HEAD_BYTES)?;
        let mut head = numbers(head);
        let base_page = head.next()?;
        let [page_count, rule_count, row_count] = [head.next()?, head.next()?, head.next()?];
        let last_page = u64::from(base_page) + u64::from(page_count);
        if u64::from(page_count) > PAGES_MAX || last_page > 1 << 32 {
            return None;
        }
        let (page_bytes, rest) = rest.split_at_checked(4 * page_count as usize)?;
        let (rule_bytes, row_bytes) =
            rest.split_at_checked((rule_count as usize).checked_mul(Rule::BYTES)?)?;
        if row_bytes.len() as u64 != 4 * u64::from(row_count) {
            return None;
        }
        let rules = rule_bytes.chunks_exact(Rule::BYTES);
        let rules =
            RuleSet::of(rules.map(|rule| Rule::from_bytes(rule.try_into().expect("a rule"))))?;
        let rows: Vec<u32> = numbers(row_bytes).collect();
        let mut pages = Vec::with_capacity(page_count as usize);
        let mut first = 0u32;
        for count in numbers(page_bytes) {
            let of_page = rows.get(first as usize..first.checked_add(count)? as usize)?;
            if !is_page(of_page, rules.len() as u32) {
                return None;
            }
            pages.push((first, count));
            first += count;
        }
        (first == row_count).then_some(FileRows {
            pages: PackedPages {
                base_page,
                pages,
                rows,
            },
            rules,
        })
    }
}

/// Begins with the page, in ascending order, within it, and of rules that there are.
fn is_page(rows: &[u32], rule_count: u32) -> bool {
    let Some(first) = rows.first() else {
        return false;
    };
    let mut before = first & 0xffff;
    let mut is_right = before == 0 && first >> 16 < rule_count;
    for row in &rows[1..] {
        let offset = row & 0xffff;
        is_right &= offset > before && offset < OFFSETS && row >> 16 < rule_count;
        before = offset;
    }
    is_right
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
}

/// The build-id of an ELF file; None: it has none, or cannot be read.
pub fn build_id_of_elf(bytes: &[u8]) -> Option<&[u8]> {
    Elf::parse(bytes).ok()?.build_id().ok()?
}

#[cfg(test)]
mod tests {
    use records::RuleKind;

    use super::*;
    use crate::{Row, rows_of_elf};

    fn rows() -> Vec<Row> {
        let rule = |cfa_offset| Rule {
            register: 7,
            cfa_offset,
            ..Rule::of_kind(RuleKind::Register)
        };
        let row = |vaddr, rule| Row { vaddr, rule };
        vec![
            row(0, Rule::of_kind(RuleKind::None)),
            row(0x1100, rule(8)),
            row(0x1104, rule(16)),
            row(0x3008, rule(8)),
            row(0x3010, Rule::of_kind(RuleKind::None)),
        ]
    }

    #[test]
    fn kept_rows_are_those_that_were_packed_whatever_rules_others_have() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        for rows in [rows(), rows_of_elf(&own).unwrap()] {
            let mut fresh_rules = RuleSet::default();
            PackedPages::new(&self::rows(), &mut fresh_rules);
            let fresh = PackedPages::new(&rows, &mut fresh_rules);
            let mut rules = RuleSet::default();
            PackedPages::new(&self::rows(), &mut rules);
            let kept = FileRows::from_bytes(&FileRows::new(&rows).to_bytes()).unwrap();
            assert_eq!(kept.numbered_in(&mut rules), fresh);
            assert_eq!(rules.bytes_from(0), fresh_rules.bytes_from(0));
        }
        let empty = FileRows::from_bytes(&FileRows::default().to_bytes()).unwrap();
        let pages = empty.numbered_in(&mut RuleSet::default());
        assert_eq!(pages, PackedPages::default());
    }

    #[test]
    fn bytes_that_break_a_bound_are_refused_as_a_whole() {
        let whole = FileRows::new(&rows()).to_bytes();
        for length in 0..whole.len() {
            assert!(FileRows::from_bytes(&whole[..length]).is_none());
        }
        let longer = [&whole[..], &[0; 4]].concat();
        assert!(FileRows::from_bytes(&longer).is_none());
        let (rules, rows) = (HEAD_BYTES + 3 * 4, whole.len() - 4 * 7);
        let with = |at: usize, word: u32| {
            let mut bytes = whole.clone();
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
            FileRows::from_bytes(&bytes)
        };
        assert!(with(rows + 4, 0x100).is_some(), "the place is right");
        for (at, word, what) in [
            (0, u32::MAX, "a last page beyond all addresses"),
            (4, u32::MAX, "more pages than there are"),
            (8, u32::MAX, "more rules"),
            (12, u32::MAX, "more rows"),
            (HEAD_BYTES, u32::MAX, "a page of more rows than there are"),
            (HEAD_BYTES, 0, "a page without rows"),
            (HEAD_BYTES, 2, "rows that are on no page"),
            (rules, 0xff, "a rule of an unknown kind"),
            (rows, 1, "a page that begins later"),
            (rows + 4, 0, "rows out of order"),
            (rows + 8, OFFSETS, "an offset beyond the page"),
            (rows + 4, 0x100 | 999 << 16, "a rule that is not there"),
        ] {
            assert!(with(at, word).is_none(), "{what}");
        }
    }
}
