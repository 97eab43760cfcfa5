//! The string table: one arena of text and the ends of its entries.

/// Index into [`Strings`]; 0 is the empty string.
pub type StringId = u32;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strings {
    text: String,
    ends: Vec<u32>,
}

impl Default for Strings {
    /// A table that holds only the empty string.
    fn default() -> Self {
        Strings {
            text: String::new(),
            ends: vec![0],
        }
    }
}

impl Strings {
    /// The text of `id`. Panics when `id` is not of this table.
    #[inline]
    pub fn get(&self, id: StringId) -> &str {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.text[start as usize..self.ends[id] as usize]
    }

    /// Entries, the empty string included.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Never: entry 0 always stands.
    pub fn is_empty(&self) -> bool {
        false
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|id| self.get(id))
    }

    /// Appends without looking for an equal entry. `None` when the table would pass 4 GiB or 2^32 entries.
    pub fn push(&mut self, text: &str) -> Option<StringId> {
        let end = u32::try_from(self.text.len() + text.len()).ok()?;
        let id = u32::try_from(self.ends.len()).ok()?;
        self.text.push_str(text);
        self.ends.push(end);
        Some(id)
    }
}
