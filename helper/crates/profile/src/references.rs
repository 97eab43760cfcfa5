//! From the ids that a file chose to indices of our tables.

use crate::error::ProfileError;

/// Dense ids are an array; others are sorted, so that no choice of ids can make the look-up slow.
pub enum References {
    Dense(Vec<u32>),
    Sorted(Vec<(u64, u32)>),
}

const ABSENT: u32 = u32::MAX;

impl References {
    /// `ids` in table order; `what` names an entry, for errors. Refuses id 0 and ids that stand twice.
    pub fn new(ids: &[u64], what: &str) -> Result<References, ProfileError> {
        if let Some(index) = ids.iter().position(|&id| id == 0) {
            return Err(ProfileError::damaged(format!(
                "The {what} number {} has the id 0, which means \"none\" in pprof.",
                index + 1
            )));
        }
        let twice = |id| ProfileError::damaged(format!("Two {what}s have the same id {id}."));
        let highest = ids.iter().copied().max().unwrap_or(0);
        if highest <= ids.len() as u64 * 4 + 1024 {
            let mut indices = vec![ABSENT; highest as usize + 1];
            for (index, &id) in ids.iter().enumerate() {
                if indices[id as usize] != ABSENT {
                    return Err(twice(id));
                }
                indices[id as usize] = index as u32;
            }
            return Ok(References::Dense(indices));
        }
        let mut sorted: Vec<(u64, u32)> = ids
            .iter()
            .enumerate()
            .map(|(i, &id)| (id, i as u32))
            .collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(twice(pair[0].0)),
            None => Ok(References::Sorted(sorted)),
        }
    }

    #[inline]
    pub fn index(&self, id: u64) -> Option<u32> {
        match self {
            References::Dense(indices) => {
                let index = *indices.get(usize::try_from(id).ok()?)?;
                (index != ABSENT).then_some(index)
            }
            References::Sorted(sorted) => {
                let at = sorted.binary_search_by_key(&id, |entry| entry.0).ok()?;
                Some(sorted[at].1)
            }
        }
    }
}
