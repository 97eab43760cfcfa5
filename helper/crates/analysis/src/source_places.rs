//! The source lines of profiles: each file, each of its lines, once.

use profile::{Profile, StringId};

use crate::frames::{FileId, NO_PLACE, Place, PlaceId, SourceFile};

pub(crate) struct SourcePlaces {
    /// By the id of their path.
    pub files: Vec<SourceFile>,
    /// By file, lines ascending.
    pub places: Vec<Place>,
    /// By profile and line of its locations, as they stand there.
    pub place_of_line: Vec<Vec<PlaceId>>,
}

const NO_FILE: FileId = FileId::MAX;

impl SourcePlaces {
    /// `same`: by profile and its own id, the id of a text in a table of `texts` texts.
    pub fn of(profiles: &[Profile], same: &[Vec<StringId>], texts: usize) -> SourcePlaces {
        let lines_of = |index: usize| {
            let (profile, same) = (&profiles[index], &same[index]);
            profile.locations.lines.iter().map(move |line| {
                let path = profile.functions[line.function as usize].filename;
                (same[path as usize], line.line)
            })
        };
        // Text 0 is empty: such a path is none.
        let is_place = |&(path, line): &(StringId, u32)| path != 0 && line != 0;
        let mut count_of_path = vec![0u32; texts];
        for index in 0..profiles.len() {
            for (path, _) in lines_of(index).filter(is_place) {
                count_of_path[path as usize] += 1;
            }
        }
        let mut file_of_path = vec![NO_FILE; texts];
        let mut paths: Vec<StringId> = Vec::new();
        let mut ends: Vec<usize> = Vec::new();
        let mut all = 0;
        for (path, &count) in count_of_path
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
        {
            file_of_path[path] = paths.len() as FileId;
            paths.push(path as StringId);
            ends.push(all);
            all += count as usize;
        }
        drop(count_of_path);

        // Line, and number of the entry through all profiles; by file.
        let mut entries: Vec<(u32, u32)> = vec![(0, 0); all];
        let mut number = 0;
        for index in 0..profiles.len() {
            for at in lines_of(index) {
                if is_place(&at) {
                    let end = &mut ends[file_of_path[at.0 as usize] as usize];
                    entries[*end] = (at.1, number);
                    *end += 1;
                }
                number += 1;
            }
        }
        let mut place_of_entry = vec![NO_PLACE; number as usize];
        let (mut files, mut places) = (Vec::with_capacity(paths.len()), Vec::new());
        let mut start = 0;
        for (file, (path, end)) in paths.into_iter().zip(ends).enumerate() {
            let of_file = &mut entries[start..end];
            of_file.sort_unstable();
            let first = places.len() as PlaceId;
            let mut last_line = 0;
            for &(line, entry) in of_file.iter() {
                if line != last_line {
                    places.push(Place {
                        file: file as FileId,
                        line,
                    });
                    last_line = line;
                }
                place_of_entry[entry as usize] = places.len() as PlaceId - 1;
            }
            files.push(SourceFile {
                path,
                places: first..places.len() as PlaceId,
            });
            start = end;
        }
        SourcePlaces {
            files,
            places,
            place_of_line: cut(place_of_entry, profiles),
        }
    }
}

fn cut(mut places: Vec<PlaceId>, profiles: &[Profile]) -> Vec<Vec<PlaceId>> {
    if let [_] = profiles {
        return vec![places];
    }
    let mut parts: Vec<Vec<PlaceId>> = (profiles.iter().rev())
        .map(|profile| places.split_off(places.len() - profile.locations.lines.len()))
        .collect();
    parts.reverse();
    parts
}
