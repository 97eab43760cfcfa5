//! Finds the number of an entry of some other table by its content, of which only the hash is held here.
//!
//! Half the memory of a `HashMap` and one cache line for most questions, which is what counts with millions of entries.

/// Hash and number; a slot of an empty place has the number [`EMPTY`].
type Slot = (u32, u32);

const EMPTY: u32 = u32::MAX;

/// Open addressing, one place after the other. Hashes must be seeded: then nobody can choose entries that collide.
pub(crate) struct IdTable {
    /// A power of two, at least twice the number of entries.
    slots: Vec<Slot>,
    len: usize,
}

impl Default for IdTable {
    fn default() -> Self {
        IdTable::with_capacity(0)
    }
}

impl IdTable {
    pub fn with_capacity(entries: usize) -> IdTable {
        IdTable {
            slots: vec![(0, EMPTY); (2 * entries).next_power_of_two().max(16)],
            len: 0,
        }
    }

    /// The number of an entry that probably has the hash, if one has. To ask for many of these before they are used lets
    /// the memory of all come at once; one after the other, most of the time is waiting for it.
    #[inline]
    pub fn likely(&self, hash: u64) -> Option<u32> {
        let (place, tag) = place_and_tag(hash, self.slots.len() - 1);
        let (known, number) = self.slots[place];
        (known == tag && number != EMPTY).then_some(number)
    }

    /// The number of the entry that `is_equal`, else `next`, which is entered for the hash. `next` is below [`u32::MAX`].
    #[inline]
    pub fn find_or_insert(&mut self, hash: u64, next: u32, is_equal: impl Fn(u32) -> bool) -> u32 {
        if 2 * (self.len + 1) > self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let (mut place, tag) = place_and_tag(hash, mask);
        loop {
            let (known, number) = self.slots[place];
            if number == EMPTY {
                self.slots[place] = (tag, next);
                self.len += 1;
                return next;
            }
            if known == tag && is_equal(number) {
                return number;
            }
            place = (place + 1) & mask;
        }
    }

    /// The tag of an entry is the part of its hash that its place comes from, so no entry is hashed again.
    fn grow(&mut self) {
        let mut slots = vec![(0, EMPTY); 2 * self.slots.len()];
        let mask = slots.len() - 1;
        for &(tag, number) in self.slots.iter().filter(|slot| slot.1 != EMPTY) {
            let mut place = tag as usize & mask;
            while slots[place].1 != EMPTY {
                place = (place + 1) & mask;
            }
            slots[place] = (tag, number);
        }
        self.slots = slots;
    }
}

fn place_and_tag(hash: u64, mask: usize) -> (usize, u32) {
    let tag = (hash >> 32) as u32 ^ hash as u32;
    (tag as usize & mask, tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_entries_have_one_number_also_where_hashes_are_equal() {
        let texts: Vec<u64> = (0..5000).map(|n| n % 1777).collect();
        for spread in [1u64, 0] {
            let mut table = IdTable::default();
            let mut kept: Vec<u64> = Vec::new();
            for &text in &texts[..if spread == 0 { 600 } else { 5000 }] {
                let next = kept.len() as u32;
                let hash = text.wrapping_mul(0x9e37_79b9_7f4a_7c15) * spread;
                let number = table.find_or_insert(hash, next, |id| kept[id as usize] == text);
                if number == next {
                    kept.push(text);
                }
                assert_eq!(kept[number as usize], text);
            }
            assert_eq!(kept.len(), if spread == 0 { 600 } else { 1777 });
        }
    }
}
