//! What is known of the addresses of a module, resolved now or in an earlier run.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Frame;
use crate::build::Build;
use crate::text::Text;

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Known {
    /// Sorted, each once.
    pub(crate) vaddrs: Vec<u64>,
    /// One for each of `vaddrs`.
    pub(crate) addresses: Vec<Address>,
    pub(crate) source_sums: BTreeMap<Text, [u8; 16]>,
    pub(crate) has_lines: bool,
    /// The module has function symbols.
    pub(crate) has_symbols: bool,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Address {
    /// Innermost frame first.
    pub(crate) chain: Vec<Frame>,
    pub(crate) build: Option<Arc<Build>>,
    /// The functions that have this code, when they are several.
    pub(crate) folded: Vec<Text>,
}

impl Known {
    pub(crate) fn place(&self, vaddr: u64) -> Option<usize> {
        self.vaddrs.binary_search(&vaddr).ok()
    }

    /// Adds what is known of other addresses of the same module.
    pub(crate) fn add(&mut self, other: Known) {
        let mut all: Vec<(u64, Address)> = (self.vaddrs.drain(..))
            .zip(self.addresses.drain(..))
            .chain(other.vaddrs.into_iter().zip(other.addresses))
            .collect();
        all.sort_by_key(|(vaddr, _)| *vaddr);
        all.dedup_by_key(|(vaddr, _)| *vaddr);
        (self.vaddrs, self.addresses) = all.into_iter().unzip();
        self.source_sums.extend(other.source_sums);
        self.has_lines |= other.has_lines;
        self.has_symbols |= other.has_symbols;
    }
}
