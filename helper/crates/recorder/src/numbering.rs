//! Numbers for equal values, in order of appearance.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

use profile::SeededHash;

/// Gives equal values one number, in order of appearance.
pub struct Numbering<T> {
    numbers: HashMap<T, u32, SeededHash>,
    values: Vec<T>,
}

impl<T> Default for Numbering<T> {
    fn default() -> Self {
        Self {
            numbers: HashMap::default(),
            values: Vec::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> Numbering<T> {
    pub fn number(&mut self, value: T) -> u32 {
        if let Some(number) = self.find(&value) {
            return number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        number
    }

    pub fn find(&self, value: &T) -> Option<u32> {
        self.numbers.get(value).copied()
    }

    pub fn values(&self) -> &[T] {
        &self.values
    }
}

/// The same for stacks of place numbers, which lie one after the other and nowhere twice.
#[derive(Default)]
pub struct StackNumbering {
    /// By hash; of stacks with the same hash, the later ones stand at the next free hashes.
    numbers: HashMap<u64, u32, SeededHash>,
    frames: Vec<u32>,
    ends: Vec<usize>,
    hash: SeededHash,
}

impl StackNumbering {
    pub fn number(&mut self, stack: &[u32]) -> u32 {
        match self.look_up(stack) {
            Ok(number) => number,
            Err(free) => {
                let number = self.ends.len() as u32;
                self.frames.extend_from_slice(stack);
                self.ends.push(self.frames.len());
                self.numbers.insert(free, number);
                number
            }
        }
    }

    pub fn find(&self, stack: &[u32]) -> Option<u32> {
        self.look_up(stack).ok()
    }

    pub fn stack(&self, number: u32) -> &[u32] {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |n| self.ends[n]);
        &self.frames[start..self.ends[number]]
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Of all stacks together.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// The number, or the hash under which it would stand.
    fn look_up(&self, stack: &[u32]) -> Result<u32, u64> {
        let mut hash = self.hash.hash_one(stack);
        while let Some(number) = self.numbers.get(&hash) {
            if self.stack(*number) == stack {
                return Ok(*number);
            }
            hash = hash.wrapping_add(1);
        }
        Err(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stacks_have_one_number_and_all_are_found_again() {
        let mut stacks = StackNumbering::default();
        let all: Vec<Vec<u32>> = (0..1000)
            .map(|n| (0..n % 7).map(|i| n * i).collect())
            .collect();
        let numbers: Vec<u32> = all.iter().map(|s| stacks.number(s)).collect();
        for (stack, number) in all.iter().zip(numbers) {
            assert_eq!(stacks.number(stack), number);
            assert_eq!(stacks.stack(number), &stack[..]);
        }
    }
}
