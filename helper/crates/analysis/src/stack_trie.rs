//! The call paths of a profile, each once: what tables and trees are summed over, instead of all samples.
//!
//! A node is a chain (an address with its inlined calls) below its caller's node. Most samples repeat a path, so a
//! path is looked up whole, by a hash of all its chains, from the leaf towards the root until one is known.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::hint::black_box;
use std::ops::BitXor;

use profile::{AlreadyHashed, SeededHash, Stacks};

use crate::texts::AT_ONCE;

/// Depth first: children follow their parent. Node 0 is the root, of samples without a stack.
pub(crate) struct StackTrie {
    pub parent: Vec<u32>,
    /// Of no meaning for the root.
    pub chain: Vec<u32>,
    pub node_of_sample: Vec<u32>,
    /// Samples whose path was cut because there were too many.
    pub cut_samples: u64,
}

/// An hour of a busy server has a tenth of this; a hostile file would take gigabytes.
const NODES_MAX: usize = 8_000_000;

impl StackTrie {
    /// All nodes but the root, in their order, which is depth first.
    pub fn paths(&self) -> impl Iterator<Item = Path> {
        let mut end: Vec<u32> = (1..=self.parent.len() as u32).collect();
        for node in (1..end.len()).rev() {
            let above = self.parent[node] as usize;
            end[above] = end[above].max(end[node]);
        }
        let nodes = end.into_iter().enumerate().skip(1);
        nodes.map(|(node, end)| Path {
            node: node as u32,
            end,
        })
    }
}

/// A node of the trie, and the first that is not below it.
#[derive(Clone, Copy)]
pub(crate) struct Path {
    pub node: u32,
    pub end: u32,
}

/// A trie to which the samples of one profile after the other are added.
pub(crate) struct GrowingTrie {
    /// By chain: the first node of it, and the hash of its path; node 0: none so far. Of very many chains most stand on
    /// one path only, and a list is found in faster than a table.
    first: Vec<(u64, u32)>,
    /// By the hash of a path: its last node, where that is not the first of its chain.
    others: HashMap<u64, u32, AlreadyHashed>,
    hash: SeededHash,
    parent: Vec<u32>,
    chain: Vec<u32>,
    /// By sample.
    made: Vec<u32>,
    cut_samples: u64,
}

impl GrowingTrie {
    pub fn new(chain_count: usize) -> GrowingTrie {
        GrowingTrie {
            first: vec![(0, 0); chain_count],
            // Not reserved: samples repeat few paths, and a table that fits a cache is found in twice as fast.
            others: HashMap::default(),
            hash: SeededHash::default(),
            parent: vec![0],
            chain: vec![u32::MAX],
            made: Vec::new(),
            cut_samples: 0,
        }
    }

    /// Of the samples that `is_kept`; `chains` gives the chains of a stack, leaf first.
    pub fn add_samples<'a, I>(
        &mut self,
        stacks: &'a Stacks,
        is_kept: impl Fn(usize) -> bool,
        chains: impl Fn(&'a [u32]) -> I,
    ) where
        I: Iterator<Item = u32>,
    {
        let mut path: Vec<(u32, u64)> = Vec::new();
        let mut found: Vec<Option<(u32, bool)>> = vec![None; stacks.kept()];
        self.made.reserve_exact(stacks.len());
        for (sample, &number) in stacks.numbers().iter().enumerate() {
            if sample.is_multiple_of(AT_ONCE) {
                let last = stacks.len().min(sample + AT_ONCE);
                let leaves = stacks.numbers()[sample..last].iter().map(|&number| {
                    let leaf = chains(stacks.numbered(number)).next();
                    leaf.map_or(0, |leaf| self.first[leaf as usize].1)
                });
                black_box(leaves.fold(0, BitXor::bitxor));
            }
            if !is_kept(sample) {
                continue;
            }
            let (node, is_cut) = *found[number as usize].get_or_insert_with(|| {
                path.clear();
                path.extend(chains(stacks.numbered(number)).map(|chain| (chain, 0)));
                self.add(&mut path)
            });
            self.cut_samples += u64::from(is_cut);
            self.made.push(node);
        }
    }

    /// The last node of a path, and whether the path was cut there.
    fn add(&mut self, path: &mut [(u32, u64)]) -> (u32, bool) {
        let mut hasher = self.hash.build_hasher();
        for (chain, hash) in path.iter_mut().rev() {
            hasher.write_u32(*chain);
            *hash = hasher.finish();
        }
        let (missing, mut node) = self.deepest_known(path);
        for &(chain, hash) in path[..missing].iter().rev() {
            if self.parent.len() >= NODES_MAX {
                return (node, true);
            }
            let next = self.parent.len() as u32;
            self.parent.push(node);
            self.chain.push(chain);
            match &mut self.first[chain as usize] {
                none @ (_, 0) => *none = (hash, next),
                _ => {
                    self.others.insert(hash, next);
                }
            }
            node = next;
        }
        (node, false)
    }

    /// How many chains of a path, from the leaf, have no node, and the node of the rest. What is below a known node may
    /// be unknown, what is above it never is: steps that double, then halve, find the border.
    fn deepest_known(&self, path: &[(u32, u64)]) -> (usize, u32) {
        let node_at = |index: usize| {
            let (chain, hash) = path[index];
            match self.first[chain as usize] {
                (_, 0) => None,
                (of_first, node) if of_first == hash => Some(node),
                _ => {
                    let node = *self.others.get(&hash)?;
                    (self.chain[node as usize] == chain).then_some(node)
                }
            }
        };
        // Everything before `missing` is unknown; `known` is, and leads to `node`.
        let (mut missing, mut known, mut node) = (0, path.len(), 0);
        let mut step = 1;
        while missing < known {
            let index = (missing + step - 1).min(known - 1);
            match node_at(index) {
                Some(found) => {
                    (known, node) = (index, found);
                    step = ((known - missing) / 2).max(1);
                }
                None => {
                    missing = index + 1;
                    step = (step * 2).min((known - missing).div_ceil(2)).max(1);
                }
            }
        }
        (missing, node)
    }

    /// Puts the nodes in their order.
    pub fn finish(self) -> StackTrie {
        drop(self.first);
        drop(self.others);
        let (parent, chain, place) = depth_first(&self.parent, &self.chain);
        StackTrie {
            parent,
            chain,
            node_of_sample: (self.made.into_iter())
                .map(|node| place[node as usize])
                .collect(),
            cut_samples: self.cut_samples,
        }
    }
}

/// Nodes, each behind its parent, as a trie has them: parents, chains, and by former number the new one.
pub(crate) fn depth_first(former: &[u32], former_chain: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let count = former.len();
    let mut starts = vec![0u32; count + 1];
    former[1..]
        .iter()
        .for_each(|&parent| starts[parent as usize + 1] += 1);
    for index in 0..count {
        starts[index + 1] += starts[index];
    }
    let mut children = vec![0u32; count - 1];
    let mut next = starts.clone();
    for node in 1..count {
        let slot = &mut next[former[node] as usize];
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
        parent.push(place[former[index] as usize]);
        chain.push(former_chain[index]);
        stack.extend(&children[starts[index] as usize..starts[index + 1] as usize]);
    }
    (parent, chain, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of stacks of chains, which are numbers below 1000.
    fn trie_of(stacks: &Stacks) -> StackTrie {
        let mut growing = GrowingTrie::new(1000);
        growing.add_samples(stacks, |_| true, |stack| stack.iter().copied());
        growing.finish()
    }

    #[test]
    fn equal_paths_share_their_nodes_and_children_follow_parents() {
        let stacks: [&[u32]; 5] = [&[7, 5], &[5], &[8, 7, 5], &[], &[7, 5]];
        let kept = stacks.iter().copied().collect();
        let trie = trie_of(&kept);
        assert_eq!(trie.parent, [0, 0, 1, 2]);
        assert_eq!(trie.chain[1..], [5, 7, 8]);
        assert_eq!(trie.node_of_sample, [2, 1, 3, 0, 2]);
    }

    #[test]
    fn every_path_leads_back_to_its_sample() {
        // Paths of all depths that part at all depths, by a generator that is the same each time.
        let mut state = 7u64;
        let stacks: Vec<Vec<u32>> = (0..3000)
            .map(|sample| {
                let mut at = 0;
                let mut root_first: Vec<u32> = (0..sample % 40)
                    .map(|_| {
                        state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
                        at = (at * 3 + u32::from(state >> 62 == 0)) % 1000;
                        at
                    })
                    .collect();
                root_first.reverse();
                root_first
            })
            .collect();
        let kept = stacks.iter().map(Vec::as_slice).collect();
        let trie = trie_of(&kept);
        for (sample, stack) in stacks.iter().enumerate() {
            let mut node = trie.node_of_sample[sample];
            for &chain in stack {
                assert_eq!(trie.chain[node as usize], chain);
                node = trie.parent[node as usize];
            }
            assert_eq!(node, 0);
        }
        let mut paths: Vec<&[u32]> = (stacks.iter())
            .flat_map(|stack| (0..stack.len()).map(|from| &stack[from..]))
            .collect();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(trie.parent.len(), paths.len() + 1);
    }
}
