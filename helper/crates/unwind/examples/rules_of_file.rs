//! What a file's code is unwound by: `rules_of_file FILE…` counts its rows by kind and CFA register, and what rules
//! there are.

use std::collections::BTreeMap;
use std::time::Instant;

use unwind::{PackedPages, RuleSet, rows_of_elf};

fn main() {
    for path in std::env::args_os().skip(1) {
        let bytes = std::fs::read(&path).expect("a readable file");
        let started = Instant::now();
        let rows = match rows_of_elf(&bytes) {
            Ok(rows) => rows,
            Err(e) => {
                println!("{}: {e}", path.display());
                continue;
            }
        };
        let read = started.elapsed();
        let mut rules = RuleSet::default();
        let packed = PackedPages::new(&rows, &mut rules);
        println!(
            "{}: {} rows, {} rules, {} pages; {} ms to read, {} ms to pack",
            path.display(),
            packed.rows.len(),
            rules.len(),
            packed.pages.len(),
            read.as_millis(),
            (started.elapsed() - read).as_millis(),
        );
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for row in &rows {
            let kind = format!(
                "{:?} by r{}, frame pointer {:?}",
                row.rule.kind, row.rule.register, row.rule.fp
            );
            *kinds.entry(kind).or_default() += 1;
        }
        for (kind, count) in kinds {
            println!("  {count:8} {kind}");
        }
    }
}
