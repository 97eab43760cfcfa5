//! Tables of one page of code, whose rules a test says.

use records::Rule;
use walk::{Mapping, MappingTable, Tables};

/// Where the page is, in memory as in its file.
pub const CODE: u64 = 0x40_0000;

/// The rules begin at these addresses of the page, ascending.
pub fn one_page(rules: &[(u64, Rule)]) -> (MappingTable, Tables) {
    let mut tables = Tables::default();
    let bytes: Vec<_> = rules.iter().map(|(_, rule)| rule.to_bytes()).collect();
    tables.put_rules(0, &bytes);
    let row = |(number, (start, _)): (u64, &(u64, Rule))| (number << 16 | start & 0xffff) as u32;
    let rows: Vec<u32> = (0..).zip(rules).map(row).collect();
    tables.put_rows(0, &rows);
    tables.put_pages(0, &[(rows.len() as u64) << 32]);
    let mapping = Mapping {
        start: CODE,
        end: CODE + 0x1000,
        bias: CODE,
        first_page: 0,
        page_count: 1,
    };
    (MappingTable::new(1, &[mapping]), tables)
}
