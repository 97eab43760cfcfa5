//! How often parts of one run that do the same seem to differ: `parts_of_a_run SPLITS RUN.pb.gz…`
//!
//! The first tenth and the last twentieth of a run are left out: programs start and end there. Of the rest, chance takes
//! - halves: a range, cut in the middle;
//! - ranges: two of the same length anywhere;
//! - rest: a range against all else;
//! - slices: 40 slices of a range, half of them taken by chance.

use std::ops::Range;
use std::sync::Arc;

use analysis::{Analyzed, Comparison, Selection, Side, Verdict, compared_functions};

#[derive(Default, Clone, Copy)]
struct Found {
    comparisons: u32,
    untested: u32,
    different: u32,
    rows: u32,
    rejected: u32,
    with_marked: u32,
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % limit.max(1)
    }
}

const KINDS: [&str; 4] = ["halves", "ranges", "rest", "slices"];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let splits: u32 = arguments
        .next()
        .and_then(|text| text.parse().ok())
        .expect("how many splits of each kind");
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let mut all = [Found::default(); KINDS.len()];
    println!(
        "{:24} {:8} {:>5} {:>8} {:>9} {:>6} {:>8} {:>7}",
        "run", "split", "count", "untested", "different", "rows", "p < .05", "marked"
    );
    for path in arguments {
        let profile = profile::Opener::default()
            .open(path.as_ref())
            .expect("a run");
        let wall = profile.run.as_ref().map_or(0, |run| run.wall_ns);
        let steady = wall / 10..wall / 20 * 19;
        let run = Analyzed::new(profile);
        let name = path
            .rsplit('/')
            .next()
            .unwrap_or(&path)
            .trim_end_matches(".pb.gz");
        for (kind, sum) in KINDS.iter().zip(&mut all) {
            let mut found = Found::default();
            for _ in 0..splits {
                let [base, new] = split(kind, &steady, &mut chance);
                compare(&run, base, new, &mut found);
            }
            print(name, kind, &found);
            add(sum, &found);
        }
    }
    for (kind, found) in KINDS.iter().zip(&all) {
        print("all", kind, found);
    }
}

fn during(times: Vec<Range<u64>>) -> Selection {
    Selection {
        times,
        ..Selection::default()
    }
}

fn once(range: Range<u64>) -> Selection {
    during(vec![range])
}

fn split(kind: &str, steady: &Range<u64>, chance: &mut Chance) -> [Selection; 2] {
    let all = steady.end - steady.start;
    let length = all / 10 + chance.below(all * 9 / 10);
    let start = steady.start + chance.below(all - length);
    let half = start + length / 2;
    match kind {
        "halves" => [once(start..half), once(half..start + length)],
        "ranges" => {
            let length = length / 2;
            let gap = chance.below(all - 2 * length);
            let first = steady.start + chance.below(all - 2 * length - gap);
            let second = first + length + gap;
            let ranges = [once(first..first + length), once(second..second + length)];
            match chance.below(2) {
                0 => ranges,
                _ => {
                    let [a, b] = ranges;
                    [b, a]
                }
            }
        }
        "rest" => {
            // Start and end of the program are of neither.
            let range = start..start + length / 2;
            let before = steady.start..range.start;
            let after = range.end..steady.end;
            [during(vec![before, after]), during(vec![range])]
        }
        _ => {
            let mut sides = [Vec::new(), Vec::new()];
            let mut taken: Vec<usize> = (0..40).map(|slice| slice % 2).collect();
            for last in (1..40).rev() {
                taken.swap(last, chance.below(last as u64 + 1) as usize);
            }
            for (slice, side) in (0..).zip(taken) {
                sides[side].push(start + length * slice / 40..start + length * (slice + 1) / 40);
            }
            sides.map(during)
        }
    }
}

fn compare(run: &Analyzed, base: Selection, new: Selection, found: &mut Found) {
    let side = |selection| Side::of_run(Arc::new(run.selected(&selection).expect("a selection")));
    let comparison = Comparison::new(side(base), side(new), None).expect("parts");
    found.comparisons += 1;
    match comparison.whole().verdict {
        Verdict::Slower | Verdict::Faster => found.different += 1,
        Verdict::TooFew => found.untested += 1,
        _ => {}
    }
    let rows = compared_functions(&comparison);
    let p = rows
        .iter()
        .flat_map(|row| [row.effects.self_.p, row.effects.total.p]);
    for p in p.filter(|p| !p.is_nan()) {
        found.rows += 1;
        found.rejected += u32::from(p < 0.05);
    }
    found.with_marked += u32::from(rows.iter().any(|row| row.verdict.has_direction()));
}

fn add(sum: &mut Found, found: &Found) {
    sum.comparisons += found.comparisons;
    sum.untested += found.untested;
    sum.different += found.different;
    sum.rows += found.rows;
    sum.rejected += found.rejected;
    sum.with_marked += found.with_marked;
}

fn print(name: &str, kind: &str, found: &Found) {
    let percent =
        |part: u32, of: u32| format!("{:.1} %", 100.0 * f64::from(part) / f64::from(of.max(1)));
    println!(
        "{name:24} {kind:8} {:5} {:>8} {:>9} {:6} {:>8} {:>7}",
        found.comparisons,
        percent(found.untested, found.comparisons),
        percent(found.different, found.comparisons - found.untested),
        found.rows,
        percent(found.rejected, found.rows),
        percent(found.with_marked, found.comparisons),
    );
}
