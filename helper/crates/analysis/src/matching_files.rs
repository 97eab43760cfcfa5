//! Which files of two profiles are the same.

use std::collections::{HashMap, HashSet};

use crate::alignment::Alignment;
use crate::analyzed::Analyzed;
use crate::frames::FileId;
use crate::function_text::text_likeness;
use crate::pair::Pair;

/// Each file without a partner is compared with each of the other side.
const RENAMED_FILES_MAX: usize = 20;
const FILE_LINES_MAX: usize = 2000;
/// Part of the lines that two texts of one file have in common.
const LEAST_LIKENESS: f64 = 0.6;

pub(crate) struct FilePair {
    pub files: Pair<FileId>,
    /// From the base's text to the new run's.
    pub alignment: Alignment,
    /// The runs saved both texts, or need none of them because they cannot differ.
    pub texts_known: bool,
}

/// By path; else by path below each run's working directory; else by the last two components where that is unique; else
/// by their texts.
pub(crate) fn match_files(base: &Analyzed, new: &Analyzed) -> Vec<FilePair> {
    let names: [fn(&Analyzed, &str) -> String; 3] = [
        |_, path| path.to_owned(),
        |side, path| below_working_directory(side, path).to_owned(),
        |_, path| last_two_components(path).to_owned(),
    ];
    let mut partner: HashMap<FileId, FileId> = HashMap::new();
    let mut taken: HashSet<FileId> = HashSet::new();
    for name in names {
        let of_base = unique_names(base, &name, |file| partner.contains_key(&file));
        let of_new = unique_names(new, &name, |file| taken.contains(&file));
        for (name, base_file) in of_base {
            if let Some(&new_file) = of_new.get(&name) {
                partner.insert(base_file, new_file);
                taken.insert(new_file);
            }
        }
    }
    for (base_file, new_file) in renamed_files(base, new, &partner, &taken) {
        partner.insert(base_file, new_file);
        taken.insert(new_file);
    }
    let of_base = (0..base.files().len() as FileId).map(|file| Pair {
        base: Some(file),
        new: partner.get(&file).copied(),
    });
    let of_new = (0..new.files().len() as FileId)
        .filter(|file| !taken.contains(file))
        .map(|file| Pair {
            base: None,
            new: Some(file),
        });
    (of_base.chain(of_new))
        .map(|files| aligned(base, new, files))
        .collect()
}

/// Files without a partner of which both texts are known, those most alike first.
fn renamed_files(
    base: &Analyzed,
    new: &Analyzed,
    partner: &HashMap<FileId, FileId>,
    taken: &HashSet<FileId>,
) -> Vec<(FileId, FileId)> {
    let left = |side: &Analyzed, is_matched: &dyn Fn(FileId) -> bool| {
        (0..side.files().len() as FileId)
            .filter(|&file| !is_matched(file))
            .filter(|&file| side.saved_text(side.file_path(file)).is_some())
            .take(RENAMED_FILES_MAX)
            .collect::<Vec<FileId>>()
    };
    let lines = |side: &'_ Analyzed, file: FileId| -> Vec<String> {
        let text = side
            .saved_text(side.file_path(file))
            .map_or("", |source| &source.text);
        (text.lines().map(str::trim))
            .filter(|line| !line.is_empty())
            .take(FILE_LINES_MAX)
            .map(str::to_owned)
            .collect()
    };
    let of_new: Vec<(FileId, Vec<String>)> = (left(new, &|file| taken.contains(&file)).into_iter())
        .map(|file| (file, lines(new, file)))
        .collect();
    let mut alike: Vec<(f64, FileId, FileId)> = Vec::new();
    for base_file in left(base, &|file| partner.contains_key(&file)) {
        let of_base = lines(base, base_file);
        for (new_file, of_new) in &of_new {
            let likeness = text_likeness(&of_base, of_new);
            if likeness >= LEAST_LIKENESS {
                alike.push((likeness, base_file, *new_file));
            }
        }
    }
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut from, mut to) = (HashSet::new(), HashSet::new());
    (alike.into_iter())
        .filter(|&(_, base, new)| {
            let is_free = !from.contains(&base) && !to.contains(&new);
            if is_free {
                from.insert(base);
                to.insert(new);
            }
            is_free
        })
        .map(|(_, base, new)| (base, new))
        .collect()
}

fn aligned(base: &Analyzed, new: &Analyzed, files: Pair<FileId>) -> FilePair {
    let text = |side: &'_ Analyzed, file: Option<FileId>| {
        side.saved_text(side.file_path(file?))
            .map(|source| source.text.clone())
    };
    let texts = (text(base, files.base), text(new, files.new));
    FilePair {
        files,
        texts_known: matches!(texts, (Some(_), Some(_))),
        alignment: match texts {
            (Some(old), Some(now)) => Alignment::of(&old, &now),
            _ => Alignment::identity(),
        },
    }
}

/// Files by name, without those whose name another file shares.
fn unique_names(
    side: &Analyzed,
    name: &dyn Fn(&Analyzed, &str) -> String,
    is_matched: impl Fn(FileId) -> bool,
) -> HashMap<String, FileId> {
    let mut files: HashMap<String, Option<FileId>> = HashMap::new();
    for (file, path) in (0..)
        .zip(side.files())
        .filter(|&(file, _)| !is_matched(file))
    {
        (files.entry(name(side, path)))
            .and_modify(|known| *known = None)
            .or_insert(Some(file));
    }
    files
        .into_iter()
        .filter_map(|(name, file)| Some((name, file?)))
        .collect()
}

fn last_two_components(path: &str) -> &str {
    let mut slashes = path.rmatch_indices('/').map(|(index, _)| index);
    match (slashes.next(), slashes.next()) {
        (Some(_), Some(second)) => &path[second + 1..],
        _ => path,
    }
}

pub(crate) fn below_working_directory<'a>(side: &Analyzed, path: &'a str) -> &'a str {
    let cwd = side
        .profile()
        .run
        .as_ref()
        .map_or("", |run| run.cwd.as_str());
    match path
        .strip_prefix(cwd)
        .and_then(|rest| rest.strip_prefix('/'))
    {
        Some(below) if !cwd.is_empty() => below,
        _ => path,
    }
}
