//! Rows as the sampler's maps hold them: by page, four bytes a row, each rule once for all modules.

use std::collections::HashMap;

use records::layout::RULES_MAX;
use records::{PAGE_SHIFT, Rule, RuleKind};

use crate::Row;

/// Rules of all modules, numbered in order of appearance.
#[derive(Default)]
pub struct RuleSet {
    numbers: HashMap<Rule, u16>,
    rules: Vec<Rule>,
    /// What was asked for before, by a cheap hash: most rows have one of few rules.
    recent: Vec<Option<(Rule, u16)>>,
}

const RECENT_BITS: u32 = 10;

fn recent_slot(rule: &Rule) -> usize {
    let words = rule.to_bytes();
    let (low, high) = words.split_at(8);
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
    // Fibonacci hashing: the high bits of a product with 2^64 / φ.
    let mixed = (word(low) ^ word(high).rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (64 - RECENT_BITS)) as usize
}

impl RuleSet {
    /// The number of `rule`; that of [`RuleKind::Unsupported`] once all numbers are taken (real processes use some
    /// thousands of the 65,536).
    pub(crate) fn number(&mut self, rule: Rule) -> u16 {
        if self.recent.is_empty() {
            self.recent = vec![None; 1 << RECENT_BITS];
        }
        let slot = recent_slot(&rule);
        if let Some((_, number)) = self.recent[slot].filter(|(known, _)| *known == rule) {
            return number;
        }
        let number = self.searched_number(rule);
        self.recent[slot] = Some((rule, number));
        number
    }

    fn searched_number(&mut self, rule: Rule) -> u16 {
        if let Some(number) = self.numbers.get(&rule) {
            return *number;
        }
        if self.rules.len() + 1 >= RULES_MAX && rule.kind != RuleKind::Unsupported {
            return self.searched_number(Rule::of_kind(RuleKind::Unsupported));
        }
        let number = self.rules.len() as u16;
        self.numbers.insert(rule, number);
        self.rules.push(rule);
        number
    }

    /// These rules, each once; None: one of them is none, or there are too many.
    pub(crate) fn of(rules: impl Iterator<Item = Option<Rule>>) -> Option<RuleSet> {
        let mut set = RuleSet::default();
        for rule in rules {
            let rule = rule?;
            if set.rules.len() + 1 >= RULES_MAX {
                return None;
            }
            set.rules.push(rule);
        }
        Some(set)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    pub fn len(&self) -> usize {
        self.rules.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rules from number `first` on, as the maps hold them.
    pub fn bytes_from(&self, first: usize) -> Vec<[u8; Rule::BYTES]> {
        self.rules[first..].iter().map(|r| r.to_bytes()).collect()
    }
}

/// The rows of one module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackedPages {
    /// Number of the module's first page that has rows: vaddr >> PAGE_SHIFT.
    pub base_page: u32,
    /// Per page: index of its first row in `rows` and how many there are.
    pub pages: Vec<(u32, u32)>,
    /// Offset in the page (low 16 bits) and rule (high 16 bits). A page's first row has offset 0.
    pub rows: Vec<u32>,
}

/// More pages than any real module has (4 GiB of address space); beyond it a file is taken for hostile.
pub(crate) const PAGES_MAX: u64 = 1 << 20;

impl PackedPages {
    /// Packs sorted rows. Empty when there is no code, or when it spreads over an absurd range.
    pub fn new(rows: &[Row], rules: &mut RuleSet) -> PackedPages {
        // The first row is the gap from 0 to the first function.
        let Some(first) = rows.iter().find(|r| r.rule.kind != RuleKind::None) else {
            return PackedPages::default();
        };
        let last = rows.last().expect("a row was found").vaddr;
        let base_page = first.vaddr >> PAGE_SHIFT;
        let page_count = (last >> PAGE_SHIFT) - base_page + 1;
        if page_count > PAGES_MAX || base_page > u64::from(u32::MAX) {
            return PackedPages::default();
        }
        let mut packed = PackedPages {
            base_page: base_page as u32,
            ..Default::default()
        };
        let mut next = rows.iter().peekable();
        let mut current = rules.number(Rule::of_kind(RuleKind::None));
        for page in base_page..base_page + page_count {
            let start = page << PAGE_SHIFT;
            let first_row = packed.rows.len() as u32;
            while next.next_if(|r| r.vaddr <= start).is_some_and(|r| {
                current = rules.number(r.rule);
                true
            }) {}
            packed.rows.push(u32::from(current) << 16);
            while let Some(row) = next.next_if(|r| r.vaddr < start + (1 << PAGE_SHIFT)) {
                current = rules.number(row.rule);
                packed
                    .rows
                    .push((row.vaddr - start) as u32 | u32::from(current) << 16);
            }
            let count = packed.rows.len() as u32 - first_row;
            packed.pages.push((first_row, count));
        }
        packed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(cfa_offset: i32) -> Rule {
        Rule {
            register: 7,
            cfa_offset,
            ..Rule::of_kind(RuleKind::Register)
        }
    }

    /// The rule in force, found the way the BPF program does.
    fn look_up(packed: &PackedPages, rules: &RuleSet, vaddr: u64) -> Rule {
        let (first, count) =
            packed.pages[((vaddr >> PAGE_SHIFT) - u64::from(packed.base_page)) as usize];
        let rows = &packed.rows[first as usize..(first + count) as usize];
        let offset = vaddr & ((1 << PAGE_SHIFT) - 1);
        let at = rows.partition_point(|r| u64::from(r & 0xffff) <= offset) - 1;
        rules.rules[(rows[at] >> 16) as usize]
    }

    #[test]
    fn a_row_holds_until_the_next_also_across_pages() {
        let rows = [
            Row {
                vaddr: 0,
                rule: Rule::of_kind(RuleKind::None),
            },
            Row {
                vaddr: 0x1100,
                rule: rule(8),
            },
            Row {
                vaddr: 0x1104,
                rule: rule(16),
            },
            Row {
                vaddr: 0x3000,
                rule: Rule::of_kind(RuleKind::None),
            },
        ];
        let mut rules = RuleSet::default();
        let packed = PackedPages::new(&rows, &mut rules);
        assert_eq!((packed.base_page, packed.pages.len()), (1, 3));
        for (vaddr, expected) in [
            (0x10ff, Rule::of_kind(RuleKind::None)),
            (0x1100, rule(8)),
            (0x1104, rule(16)),
            (0x2000, rule(16)),
            (0x2fff, rule(16)),
            (0x3000, Rule::of_kind(RuleKind::None)),
        ] {
            assert_eq!(look_up(&packed, &rules, vaddr), expected, "{vaddr:#x}");
        }
    }

    #[test]
    fn rows_over_an_absurd_range_give_nothing() {
        let rows = [
            Row {
                vaddr: 0,
                rule: rule(8),
            },
            Row {
                vaddr: u64::MAX,
                rule: rule(16),
            },
        ];
        assert_eq!(
            PackedPages::new(&rows, &mut RuleSet::default()),
            PackedPages::default()
        );
    }
}
