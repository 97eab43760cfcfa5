//! Where executions of a command lie in memory: whether the kernel gives each a layout of its own, and what moves the
//! stack even if it does not.
//!
//! Code runs slower or faster by some percent depending on its addresses (Mytkowicz et al., "Producing Wrong Data Without
//! Doing Anything Obviously Wrong!", ASPLOS 2009). What differs from execution to execution is part of their variation.

use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};

/// The environment lies above the stack: its size decides where the stack begins.
const VARIABLE: &str = "LINEHEAT_LAYOUT_PADDING";
/// A page: beyond it, places in a cache and aliases of addresses repeat.
const PADDING_BYTES_MAX: u64 = 4095;
/// `ADDR_NO_RANDOMIZE` (personality(2)), which `setarch -R` sets and children inherit.
const NO_RANDOMIZE: u32 = 0x0004_0000;

/// Environments of drawn sizes, the same for all recordings that share it.
#[derive(Debug, Clone, Copy)]
pub struct DrawnLayouts(u64);

impl DrawnLayouts {
    /// Another series each time.
    pub fn draw() -> DrawnLayouts {
        DrawnLayouts(RandomState::new().hash_one(VARIABLE))
    }

    /// What is added to the environment of an execution, numbered from 0.
    pub(crate) fn variable(self, execution: usize) -> (OsString, OsString) {
        let bytes = mixed(self.0.wrapping_add(execution as u64)) % (PADDING_BYTES_MAX + 1);
        (VARIABLE.into(), "x".repeat(bytes as usize).into())
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014): neighbouring numbers give unrelated ones.
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Whether what we launch has the same addresses each time. What cannot be read is taken to be as usual.
pub fn are_fixed() -> bool {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let own = u32::from_str_radix(read("/proc/self/personality").trim(), 16).unwrap_or(0);
    own & NO_RANDOMIZE != 0 || read("/proc/sys/kernel/randomize_va_space").trim() == "0"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_commands_of_a_turn_draw_the_same_and_turns_differ() {
        let layouts = DrawnLayouts(7);
        let sizes: Vec<usize> = (0..200).map(|at| layouts.variable(at).1.len()).collect();
        let again = sizes.iter().enumerate();
        assert!(
            again
                .clone()
                .all(|(at, &size)| layouts.variable(at).1.len() == size)
        );
        assert!(sizes.iter().all(|&size| size < 4096));
        let quarter = |from: usize| sizes.iter().filter(|&&size| size / 1024 == from).count();
        for from in 0..4 {
            assert!((25..=75).contains(&quarter(from)), "{sizes:?}");
        }
    }
}
