//! What a function costs itself while another one is on the stack: the cost that a call of it contains.

use std::collections::HashMap;

use crate::comparison::{ComparedSide, Comparison, both};
use crate::counts::{Columns, Counts};
use crate::tally::Amount;

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
        let rows_of_node = rows_of_nodes(side, pair_of, rows);
        let trie = side.analyzed.stacks();
        let (self_, _) = trie.amounts(&side.analyzed, side.measure);
        for (&node, of_node) in &rows_of_node {
            for &row in of_node {
                amounts[row as usize].add(self_[node as usize]);
            }
        }
        for (node, column, count) in columns.by_node(trie) {
            for &row in rows_of_node.get(&node).into_iter().flatten() {
                counts.add(row as usize, column as usize, &[count]);
            }
        }
    }
    let amounts = amounts.into_iter().map(|sum| side.per_unit(sum)).collect();
    (counts, amounts)
}

/// By call path, the rows that its own samples belong to.
fn rows_of_nodes(side: &ComparedSide, pair_of: &[u32], rows: &[Inside]) -> HashMap<u32, Vec<u32>> {
    let mut of_inner: HashMap<u32, Vec<(u32, u32)>> = HashMap::new();
    for (row, inside) in (0u32..).zip(rows) {
        let known = of_inner.entry(inside.inner).or_default();
        known.push((inside.outer, row));
    }
    let trie = side.analyzed.stacks();
    let pairs = pair_of.iter().max().map_or(0, |&last| last as usize + 1);
    let mut on_path = vec![0u32; pairs];
    let mut path: Vec<u32> = Vec::new();
    let mut found: HashMap<u32, Vec<u32>> = HashMap::new();
    let frames = |node: u32| {
        let chain = side.analyzed.chain(trie.chain[node as usize]);
        chain
            .iter()
            .map(|frame| pair_of[frame.function as usize] as usize)
    };
    for node in 1..trie.parent.len() as u32 {
        while let Some(&last) = path.last() {
            if last == trie.parent[node as usize] {
                break;
            }
            frames(last).for_each(|pair| on_path[pair] -= 1);
            path.pop();
        }
        path.push(node);
        frames(node).for_each(|pair| on_path[pair] += 1);
        let leaf = frames(node).next().map(|pair| pair as u32);
        for &(outer, row) in leaf
            .and_then(|leaf| of_inner.get(&leaf))
            .into_iter()
            .flatten()
        {
            if (on_path.get(outer as usize)).is_some_and(|&times| times > 0) {
                found.entry(node).or_default().push(row);
            }
        }
    }
    found
}
