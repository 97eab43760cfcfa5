//! The call paths of a profile, each once: what tables and trees are summed over, instead of all samples.
//!
//! A node is a chain (an address with its inlined calls) below its caller's node. Most samples repeat a path, so a
//! path is looked up whole, by a hash of all its chains, from the leaf towards the root until one is known.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};

use crate::analyzed::{Analyzed, Measure};
use crate::seeded_hash::SeededHash;
use crate::tally::Amount;

/// Depth first: children follow their parent. Node 0 is the root, of samples without a stack.
pub(crate) struct StackTrie {
    pub parent: Vec<u32>,
    /// Of no meaning for the root.
    pub chain: Vec<u32>,
    node_of_sample: Vec<u32>,
    /// Samples whose path was cut because there were too many.
    pub cut_samples: u64,
}

/// An hour of a busy server has a tenth of this; a hostile file would take gigabytes.
const NODES_MAX: usize = 8_000_000;

impl StackTrie {
    /// `chains` gives the chains of a sample, leaf first.
    pub fn of<I>(samples: usize, chains: impl Fn(usize) -> I) -> StackTrie
    where
        I: Iterator<Item = u32>,
    {
        let mut growing = Growing {
            nodes: HashMap::default(),
            hash: SeededHash::default(),
            parent: vec![0],
            chain: vec![u32::MAX],
            cut_samples: 0,
        };
        let mut path: Vec<(u32, u64)> = Vec::new();
        let made: Vec<u32> = (0..samples)
            .map(|sample| {
                path.clear();
                path.extend(chains(sample).map(|chain| (chain, 0)));
                growing.add(&mut path)
            })
            .collect();
        growing.depth_first(made)
    }

    /// What the samples of each node itself, and of all below it, add up to.
    pub fn amounts(&self, analyzed: &Analyzed, measure: Measure) -> (Vec<Amount>, Vec<Amount>) {
        let mut self_ = vec![Amount::default(); self.parent.len()];
        for (sample, &node) in self.node_of_sample.iter().enumerate() {
            self_[node as usize].add(analyzed.amount(sample, measure));
        }
        let mut total = self_.clone();
        for node in (1..total.len()).rev() {
            let below = total[node];
            total[self.parent[node] as usize].add(below);
        }
        (self_, total)
    }
}

struct Growing {
    /// By the hash of a path: its last node.
    nodes: HashMap<u64, u32, BuildHasherDefault<AlreadyHashed>>,
    hash: SeededHash,
    parent: Vec<u32>,
    chain: Vec<u32>,
    cut_samples: u64,
}

impl Growing {
    fn add(&mut self, path: &mut [(u32, u64)]) -> u32 {
        let mut hasher = self.hash.build_hasher();
        for (chain, hash) in path.iter_mut().rev() {
            hasher.write_u32(*chain);
            *hash = hasher.finish();
        }
        let known = (path.iter().enumerate()).find_map(|(index, (chain, hash))| {
            let node = *self.nodes.get(hash)?;
            (self.chain[node as usize] == *chain).then_some((index, node))
        });
        let (missing, mut node) = known.unwrap_or((path.len(), 0));
        for &(chain, hash) in path[..missing].iter().rev() {
            if self.parent.len() >= NODES_MAX {
                self.cut_samples += 1;
                return node;
            }
            let next = self.parent.len() as u32;
            self.parent.push(node);
            self.chain.push(chain);
            self.nodes.insert(hash, next);
            node = next;
        }
        node
    }

    fn depth_first(self, made: Vec<u32>) -> StackTrie {
        drop(self.nodes);
        let count = self.parent.len();
        let mut starts = vec![0u32; count + 1];
        self.parent[1..]
            .iter()
            .for_each(|&parent| starts[parent as usize + 1] += 1);
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut children = vec![0u32; count - 1];
        let mut next = starts.clone();
        for node in 1..count {
            let slot = &mut next[self.parent[node] as usize];
            children[*slot as usize] = node as u32;
            *slot += 1;
        }
        drop(next);

        let mut place = vec![0u32; count];
        let (mut parent, mut chain) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut stack = vec![0u32];
        while let Some(node) = stack.pop() {
            let index = node as usize;
            place[index] = parent.len() as u32;
            parent.push(place[self.parent[index] as usize]);
            chain.push(self.chain[index]);
            stack.extend(&children[starts[index] as usize..starts[index + 1] as usize]);
        }
        StackTrie {
            parent,
            chain,
            node_of_sample: made.into_iter().map(|node| place[node as usize]).collect(),
            cut_samples: self.cut_samples,
        }
    }
}

#[derive(Default)]
struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are 64-bit hashes");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_paths_share_their_nodes_and_children_follow_parents() {
        let stacks: [&[u32]; 5] = [&[7, 5], &[5], &[8, 7, 5], &[], &[7, 5]];
        let trie = StackTrie::of(stacks.len(), |sample| stacks[sample].iter().copied());
        assert_eq!(trie.parent, [0, 0, 1, 2]);
        assert_eq!(trie.chain[1..], [5, 7, 8]);
        assert_eq!(trie.node_of_sample, [2, 1, 3, 0, 2]);
    }
}
