//! Which line of the base is which line of the new run, through the two saved texts.

use std::collections::HashMap;

use crate::analyzed::Analyzed;
use crate::frames::{FileId, PlaceId};
use crate::matching_files::FilePair;

/// A line with samples on either side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinePair {
    /// Index of the pair of files.
    pub files: u32,
    pub base: Option<PlaceId>,
    pub new: Option<PlaceId>,
    /// In the new text; when gone, in the base text.
    pub line: u32,
    /// In the base text; 0: none.
    pub base_line: u32,
    /// The new text has it, sampled or not.
    pub in_new_text: bool,
}

pub(crate) struct LineMatch {
    pub pairs: Vec<LinePair>,
    /// By place: index of its pair.
    pub base_pair: Vec<u32>,
    pub new_pair: Vec<u32>,
}

/// A line that both texts have is one pair, also where it moved; an edited one too.
pub(crate) fn match_lines(base: &Analyzed, new: &Analyzed, files: &[FilePair]) -> LineMatch {
    let mut matched = LineMatch {
        pairs: Vec::new(),
        base_pair: vec![0; base.places().len()],
        new_pair: vec![0; new.places().len()],
    };
    for (index, pair) in files.iter().enumerate() {
        let index = index as u32;
        let mut pair_of_line: HashMap<u32, u32> = HashMap::new();
        for place in places(base, pair.files.base) {
            let base_line = base.places()[place as usize].line;
            let now = (pair.files.new).and_then(|_| pair.alignment.to_new(base_line));
            let id = matched.pairs.len() as u32;
            matched.base_pair[place as usize] = id;
            if let Some(now) = now {
                pair_of_line.insert(now.line, id);
            }
            matched.pairs.push(LinePair {
                files: index,
                base: Some(place),
                new: None,
                line: now.map_or(base_line, |now| now.line),
                base_line,
                in_new_text: now.is_some(),
            });
        }
        for place in places(new, pair.files.new) {
            let line = new.places()[place as usize].line;
            let id = *pair_of_line.entry(line).or_insert_with(|| {
                matched.pairs.push(LinePair {
                    files: index,
                    base: None,
                    new: None,
                    line,
                    base_line: 0,
                    in_new_text: true,
                });
                matched.pairs.len() as u32 - 1
            });
            matched.new_pair[place as usize] = id;
            matched.pairs[id as usize].new = Some(place);
        }
    }
    matched
}

fn places(side: &Analyzed, file: Option<FileId>) -> std::ops::Range<PlaceId> {
    file.map_or(0..0, |file| side.places_of(file))
}
