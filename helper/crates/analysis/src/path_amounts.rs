//! Sums over samples by call path.

use crate::amounts::{Amount, AmountsOfPaths};
use crate::analyzed::Analyzed;
use crate::frames::Measure;
use crate::stack_trie::StackTrie;

impl StackTrie {
    /// What the samples of each node itself, and of all below it, add up to.
    pub fn amounts(&self, analyzed: &Analyzed, measure: Measure) -> AmountsOfPaths {
        let mut self_ = vec![Amount::default(); self.parent.len()];
        for (sample, amount) in analyzed.amounts(measure) {
            self_[self.node_of_sample[sample] as usize].add(amount);
        }
        let mut total = self_.clone();
        for node in (1..total.len()).rev() {
            let below = total[node];
            total[self.parent[node] as usize].add(below);
        }
        (self_, total)
    }

    /// By node, the value of its samples and of all below it.
    pub fn total_values(&self, analyzed: &Analyzed, measure: Measure) -> Vec<u64> {
        let mut total = vec![0u64; self.parent.len()];
        for (sample, amount) in analyzed.amounts(measure) {
            let sum = &mut total[self.node_of_sample[sample] as usize];
            *sum = sum.saturating_add(amount.value);
        }
        for node in (1..total.len()).rev() {
            let sum = total[self.parent[node] as usize].saturating_add(total[node]);
            total[self.parent[node] as usize] = sum;
        }
        total
    }
}
