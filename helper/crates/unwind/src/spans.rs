//! Ranges of code with one rule each, from several sources, put together to rows.

use std::ops::Range;

use records::{Rule, RuleKind};

/// From `vaddr` on, callers are found by `rule`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    pub vaddr: u64,
    pub rule: Rule,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub start: u64,
    /// Exclusive.
    pub end: u64,
    pub rule: Rule,
}

/// Puts a span behind the others; one that goes on with the last one's rule lengthens that.
pub(crate) fn push_joined(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if last.end == span.start && last.rule == span.rule => last.end = span.end,
        _ => spans.push(span),
    }
}

/// Sorted by address; of spans that overlap, the first keeps the common part.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Spans(Vec<Span>);

/// So many spans are put in one by one.
const FEW: usize = 16;

impl Spans {
    pub fn new(mut spans: Vec<Span>) -> Spans {
        let in_order = |s: &[Span]| s[0].end <= s[1].start;
        if !spans.windows(2).all(in_order) || spans.iter().any(|s| s.start >= s.end) {
            spans.sort_by_key(|s| s.start); // stable: an earlier description goes first
            let mut covered_until = 0;
            spans.retain_mut(|s| {
                s.start = s.start.max(covered_until);
                let stays = s.start < s.end;
                if stays {
                    covered_until = s.end;
                }
                stays
            });
        }
        Spans(spans)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The span that covers the address.
    pub fn at(&self, address: u64) -> Option<&Span> {
        let after = self.0.partition_point(|s| s.start <= address);
        let found = &self.0[after.checked_sub(1)?];
        (address < found.end).then_some(found)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Span> {
        self.0.iter_mut()
    }

    /// Where the next span after this address begins.
    pub fn next_start(&self, address: u64) -> Option<u64> {
        let after = self.0.partition_point(|s| s.start <= address);
        self.0.get(after).map(|s| s.start)
    }

    /// The parts of a range that no span covers.
    pub fn gaps(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let first = self.0.partition_point(|s| s.end <= range.start);
        let mut gaps = Vec::new();
        let mut at = range.start;
        for span in &self.0[first..] {
            if span.start >= range.end {
                break;
            }
            if at < span.start {
                gaps.push(at..span.start);
            }
            at = at.max(span.end);
        }
        if at < range.end {
            gaps.push(at..range.end);
        }
        gaps
    }

    /// These spans, and those parts of `below` that they leave free.
    pub fn over(self, below: Spans) -> Spans {
        if below.is_empty() {
            return self;
        }
        if self.is_empty() {
            return below;
        }
        // A library has a million spans: a copy of them costs more than moving their tail a few times.
        if self.0.len() <= FEW {
            return self.few_over(below);
        }
        if below.0.len() <= FEW {
            return self.over_few(below);
        }
        self.merged_over(below)
    }

    fn few_over(self, mut below: Spans) -> Spans {
        for high in self.0 {
            let first = below.0.partition_point(|s| s.end <= high.start);
            let after = below.0.partition_point(|s| s.start < high.end).max(first);
            let covered = &below.0[first..after];
            let left = covered.first().filter(|s| s.start < high.start);
            let right = covered.last().filter(|s| s.end > high.end);
            let left = left.map(|s| Span {
                end: high.start,
                ..*s
            });
            let right = right.map(|s| Span {
                start: high.end,
                ..*s
            });
            let parts = left.into_iter().chain([high]).chain(right);
            below.0.splice(first..after, parts.collect::<Vec<_>>());
        }
        below
    }

    fn over_few(mut self, below: Spans) -> Spans {
        for low in below.0 {
            let mut at = self.0.partition_point(|s| s.end <= low.start);
            let mut start = low.start;
            while start < low.end {
                let next = self.0.get(at).filter(|s| s.start < low.end).copied();
                let end = next.map_or(low.end, |s| s.start);
                if start < end {
                    self.0.insert(at, Span { start, end, ..low });
                    at += 1;
                }
                at += 1;
                start = next.map_or(low.end, |s| s.end);
            }
        }
        self
    }

    fn merged_over(self, below: Spans) -> Spans {
        let mut all = Vec::with_capacity(self.0.len() + below.0.len());
        let mut top = self.0.into_iter().peekable();
        for mut low in below.0 {
            while low.start < low.end {
                match top.peek() {
                    Some(high) if high.end <= low.start => all.extend(top.next()),
                    Some(high) if high.start < low.end => {
                        if low.start < high.start {
                            all.push(Span {
                                end: high.start,
                                ..low
                            });
                        }
                        low.start = high.end;
                    }
                    _ => {
                        all.push(low);
                        break;
                    }
                }
            }
        }
        all.extend(top);
        Spans(all)
    }

    /// Rows with explicit gaps, equal neighbours merged.
    pub fn rows(self) -> Vec<Row> {
        let none = Rule::of_kind(RuleKind::None);
        let mut rows: Vec<Row> = Vec::with_capacity(self.0.len() + self.0.len() / 8 + 2);
        let mut push = |vaddr: u64, rule: Rule| {
            if rows.last().is_none_or(|last| last.rule != rule) {
                rows.push(Row { vaddr, rule });
            }
        };
        let mut covered_until = 0;
        for span in self.0 {
            if span.start > covered_until {
                push(covered_until, none);
            }
            push(span.start, span.rule);
            covered_until = span.end;
        }
        push(covered_until, none);
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u64, end: u64, cfa_offset: i32) -> Span {
        let rule = Rule {
            cfa_offset,
            ..Rule::of_kind(RuleKind::Register)
        };
        Span { start, end, rule }
    }

    /// Start, end, mark.
    fn shape(spans: &Spans) -> Vec<(u64, u64, i32)> {
        let of = |s: &Span| (s.start, s.end, s.rule.cfa_offset);
        spans.0.iter().map(of).collect()
    }

    #[test]
    fn spans_are_sorted_and_the_first_of_two_keeps_what_both_cover() {
        let spans = Spans::new(vec![
            span(20, 30, 1),
            span(5, 10, 2),
            span(5, 25, 3),
            span(7, 7, 4),
        ]);
        assert_eq!(shape(&spans), [(5, 10, 2), (10, 25, 3), (25, 30, 1)]);
        assert_eq!(spans.at(24).unwrap().rule.cfa_offset, 3);
        assert_eq!((spans.at(4), spans.at(30)), (None, None));
        assert_eq!(
            (spans.next_start(5), spans.next_start(25)),
            (Some(10), None)
        );
    }

    #[test]
    fn what_lies_below_shows_in_the_gaps() {
        let top = Spans::new(vec![span(10, 20, 1), span(30, 40, 1), span(90, 99, 1)]);
        let below = Spans::new(vec![
            span(0, 12, 2),
            span(15, 18, 2),
            span(19, 50, 2),
            span(60, 70, 2),
        ]);
        let wanted = [
            (0, 10, 2),
            (10, 20, 1),
            (20, 30, 2),
            (30, 40, 1),
            (40, 50, 2),
            (60, 70, 2),
            (90, 99, 1),
        ];
        for over in [Spans::few_over, Spans::over_few, Spans::merged_over] {
            let copy = |spans: &Spans| Spans(spans.0.clone());
            assert_eq!(shape(&over(copy(&top), copy(&below))), wanted);
        }
    }

    #[test]
    fn gaps_are_rows_and_equal_neighbours_are_one() {
        let rows = Spans::new(vec![span(4, 6, 1), span(6, 9, 1), span(12, 13, 2)]).rows();
        let marks: Vec<_> = rows
            .iter()
            .map(|r| (r.vaddr, r.rule.kind == RuleKind::None, r.rule.cfa_offset))
            .collect();
        let wanted = [
            (0, true, 0),
            (4, false, 1),
            (9, true, 0),
            (12, false, 2),
            (13, true, 0),
        ];
        assert_eq!(marks, wanted);
    }
}
