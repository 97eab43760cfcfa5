//! The texts of several profiles in one table, and which of them are equal.

use std::hash::{BuildHasher, Hasher};

use profile::{Profile, SeededHash, StringId, Strings};

use crate::id_table::IdTable;

pub(crate) struct Texts {
    /// The table of the first profile as it was, then what only the others have.
    pub strings: Strings,
    /// By profile and its own id: the first id in `strings` that has the text.
    pub same: Vec<Vec<StringId>>,
}

impl Texts {
    /// Takes the tables out of the profiles. Panics past 4 GiB of different texts.
    pub fn of(profiles: &mut [Profile]) -> Texts {
        let mut strings = match profiles.first_mut() {
            Some(first) => std::mem::take(&mut first.strings),
            None => Strings::default(),
        };
        let seed = SeededHash::default();
        let hash_of = |text: &str| {
            let mut hasher = seed.build_hasher();
            hasher.write_usize(text.len());
            hasher.write(text.as_bytes());
            hasher.finish()
        };
        let mut table = IdTable::with_capacity(strings.len());
        let mut same: Vec<Vec<StringId>> = Vec::with_capacity(profiles.len());
        let own = (0..strings.len() as StringId).map(|id| {
            let text = strings.get(id);
            table.find_or_insert(hash_of(text), id, |known| strings.get(known) == text)
        });
        same.push(own.collect());
        for profile in profiles.iter_mut().skip(1) {
            let of_profile = std::mem::take(&mut profile.strings);
            let ids = of_profile.iter().map(|text| {
                let next = strings.len() as StringId;
                let hash = hash_of(text);
                let id = table.find_or_insert(hash, next, |known| strings.get(known) == text);
                if id == next {
                    strings.push(text).expect("less than 4 GiB of texts");
                }
                id
            });
            same.push(ids.collect());
        }
        Texts { strings, same }
    }
}

/// The table of a read profile is at most 256 MiB; what is added to it is small beside its 4 GiB.
pub(crate) fn push_text(strings: &mut Strings, text: &str) -> StringId {
    strings.push(text).unwrap_or(0)
}
