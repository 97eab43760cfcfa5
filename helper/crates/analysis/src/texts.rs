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
        let hash = TextHash::default();
        let mut table = IdTable::with_capacity(strings.len());
        let mut same: Vec<Vec<StringId>> = Vec::with_capacity(profiles.len());
        let mut own = Vec::with_capacity(strings.len());
        let mut hashes = Vec::with_capacity(AT_ONCE);
        for first in (0..strings.len()).step_by(AT_ONCE) {
            let ids = first as StringId..(first + AT_ONCE).min(strings.len()) as StringId;
            hashes.clear();
            hashes.extend(ids.clone().map(|id| hash.of(strings.get(id))));
            touch(&table, &hashes, |id| strings.get(id));
            for (id, &hash) in ids.zip(&hashes) {
                let is_it = |known: StringId| strings.get(known) == strings.get(id);
                own.push(table.find_or_insert(hash, id, is_it));
            }
        }
        same.push(own);
        for profile in profiles.iter_mut().skip(1) {
            let of_profile = std::mem::take(&mut profile.strings);
            let mut ids = Vec::with_capacity(of_profile.len());
            for first in (0..of_profile.len()).step_by(AT_ONCE) {
                let last = (first + AT_ONCE).min(of_profile.len());
                let texts = (first..last).map(|id| of_profile.get(id as StringId));
                hashes.clear();
                hashes.extend(texts.clone().map(|text| hash.of(text)));
                touch(&table, &hashes, |id| strings.get(id));
                for (text, &hash) in texts.zip(&hashes) {
                    let next = strings.len() as StringId;
                    let is_it = |known: StringId| strings.get(known) == text;
                    let id = table.find_or_insert(hash, next, is_it);
                    if id == next {
                        strings.push(text).expect("less than 4 GiB of texts");
                    }
                    ids.push(id);
                }
            }
            same.push(ids);
        }
        Texts { strings, same }
    }
}

/// Texts that are looked up together.
pub(crate) const AT_ONCE: usize = 16;

/// Fetches the texts that are likely to be asked for with these hashes.
pub(crate) fn touch<'a>(table: &IdTable, hashes: &[u64], text: impl Fn(u32) -> &'a str) {
    let mut likely = [0; AT_ONCE];
    for (id, &hash) in likely.iter_mut().zip(hashes) {
        *id = table.likely(hash).unwrap_or(0);
    }
    let first_bytes = likely.map(|id| text(id).as_bytes().first().copied());
    std::hint::black_box(first_bytes);
}

#[derive(Default)]
pub(crate) struct TextHash(SeededHash);

impl TextHash {
    pub fn of(&self, text: &str) -> u64 {
        let mut hasher = self.0.build_hasher();
        hasher.write_usize(text.len());
        hasher.write(text.as_bytes());
        hasher.finish()
    }
}

/// The table of a read profile is at most 256 MiB; what is added to it is small beside its 4 GiB.
pub(crate) fn push_text(strings: &mut Strings, text: &str) -> StringId {
    strings.push(text).unwrap_or(0)
}
