//! What a function costs itself while another one is on the stack: the cost that a call of it contains.

use std::collections::HashMap;

use crate::amounts::Amount;
use crate::both::both;
use crate::comparison::{ComparedSide, Comparison};
use crate::counts::{Columns, Counts};

/// Self of `inner` in the stacks that contain `outer`; both are pairs of functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Inside {
    pub outer: u32,
    pub inner: u32,
}

/// Of base and new: see [`count_on_side`].
pub(crate) fn count_inside(
    comparison: &Comparison,
    columns: &[Columns; 2],
    rows: &[Inside],
) -> [(Counts, Vec<Amount>); 2] {
    let Comparison {
        base,
        new,
        functions,
        ..
    } = comparison;
    both(
        || count_on_side(base, &functions.base_pair, &columns[0], rows),
        || count_on_side(new, &functions.new_pair, &columns[1], rows),
    )
}

/// Samples of each row by column, and their amount, value per unit. One walk over all call paths. A stack that contains
/// the outer function several times counts once.
fn count_on_side(
    side: &ComparedSide,
    pair_of: &[u32],
    columns: &Columns,
    rows: &[Inside],
) -> (Counts, Vec<Amount>) {
    let mut counts = Counts::new(rows.len(), columns.count);
    let mut amounts = vec![Amount::default(); rows.len()];
    if side.measure < side.analyzed.profile().sample_types.len() {
        let rows_of_node = RowsOfNodes::new(side, pair_of, rows);
        let trie = side.analyzed.stacks();
        for (sample, amount) in side.analyzed.amounts(side.measure) {
            for &row in rows_of_node.of(trie.node_of_sample[sample]) {
                amounts[row as usize].add(amount);
            }
        }
        for (node, column, count) in columns.by_node(trie) {
            for &row in rows_of_node.of(node) {
                counts.add(row as usize, column as usize, &[count]);
            }
        }
    }
    let amounts = amounts.into_iter().map(|sum| side.per_unit(sum)).collect();
    (counts, amounts)
}

/// By call path, the rows that its own samples belong to.
struct RowsOfNodes {
    /// By node, where its rows end.
    ends: Vec<u32>,
    rows: Vec<u32>,
}

impl RowsOfNodes {
    fn new(side: &ComparedSide, pair_of: &[u32], rows: &[Inside]) -> RowsOfNodes {
        let mut of_inner: HashMap<u32, Vec<(u32, u32)>> = HashMap::new();
        let pairs = rows.iter().flat_map(|row| [&row.outer, &row.inner]);
        let last = pairs.chain(pair_of).max();
        let mut role_of_pair = vec![Role::default(); last.map_or(0, |&last| last as usize + 1)];
        for (row, inside) in (0u32..).zip(rows) {
            let known = of_inner.entry(inside.inner).or_default();
            known.push((inside.outer, row));
            role_of_pair[inside.outer as usize].is_outer = true;
            role_of_pair[inside.inner as usize].is_inner = true;
        }
        let roles: Vec<Role> = (pair_of.iter())
            .map(|&pair| role_of_pair[pair as usize])
            .collect();
        // By pair: the first node that is not below the last outermost one of it.
        let mut until = vec![0u32; role_of_pair.len()];
        let trie = side.analyzed.stacks();
        let mut found = RowsOfNodes {
            ends: Vec::with_capacity(trie.parent.len()),
            rows: Vec::new(),
        };
        found.ends.push(0);
        for path in trie.paths() {
            let chain = side.analyzed.chain(trie.chain[path.node as usize]);
            for frame in chain {
                if roles[frame.function as usize].is_outer {
                    let until = &mut until[pair_of[frame.function as usize] as usize];
                    *until = (*until).max(path.end);
                }
            }
            let leaf = chain[0].function as usize;
            if roles[leaf].is_inner {
                for &(outer, row) in &of_inner[&pair_of[leaf]] {
                    if until[outer as usize] > path.node {
                        found.rows.push(row);
                    }
                }
            }
            found.ends.push(found.rows.len() as u32);
        }
        found
    }

    #[inline]
    fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        let start = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.rows[start as usize..self.ends[node] as usize]
    }
}

#[derive(Default, Clone, Copy)]
struct Role {
    is_outer: bool,
    is_inner: bool,
}
