//! Which functions and files of two profiles are the same. Never by address.

use std::collections::{HashMap, HashSet, VecDeque};

use profile::{SeededHash, StringId};

use crate::alignment::Alignment;
use crate::analyzed::{Analyzed, FileId, FunctionId, FunctionKind, file_name};
use crate::function_text::text_likeness;
use crate::normalized_name::normalized_name;
use crate::numbered_names::without_numbers;

/// One thing of the base, of the new run or of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pair<T> {
    pub base: Option<T>,
    pub new: Option<T>,
}

/// Clones of one function are one pair, named by the first of them.
pub(crate) struct FunctionMatch {
    pub pairs: Vec<Pair<FunctionId>>,
    /// By function: index of its pair.
    pub base_pair: Vec<u32>,
    pub new_pair: Vec<u32>,
}

#[derive(Debug, PartialEq, Eq, Hash, Clone)]
struct FunctionKey {
    module: String,
    name: String,
    /// Empty unless several files of a module have a function of this name.
    file: String,
    /// Of functions that the compiler numbered, the line in the new text, or the number where that is not known. 0: it is
    /// not numbered.
    line: u32,
}

/// By module file name and normalized name. The two programs themselves match whatever their files are called;
/// functions of which only addresses are known are one function for each module. Of functions that the compiler
/// numbered (lambdas, closures), those on the same line match, then the others in their order.
pub(crate) fn match_functions(
    base: &Analyzed,
    new: &Analyzed,
    files: &[FilePair],
) -> FunctionMatch {
    let mut base_keys = keys(base);
    let mut new_keys = keys(new);
    if let Some((from, to)) = renamed_program(base, new) {
        let (from, to) = (stable_module(from), stable_module(to).to_owned());
        for key in base_keys.iter_mut().filter(|key| key.module == from) {
            key.module.clone_from(&to);
        }
    }
    number_by_line(base, new, files, [&mut base_keys, &mut new_keys]);
    let several_files: HashSet<(String, String)> = in_several_files(&base_keys)
        .chain(in_several_files(&new_keys))
        .collect();
    let below = |side: &Analyzed, key: &mut FunctionKey| {
        key.file = if several_files.contains(&(key.module.clone(), key.name.clone())) {
            below_working_directory(side, &key.file).to_owned()
        } else {
            String::new()
        };
    };
    base_keys.iter_mut().for_each(|key| below(base, key));
    new_keys.iter_mut().for_each(|key| below(new, key));
    pairs_of_keys(base_keys, new_keys)
}

fn pairs_of_keys(base_keys: Vec<FunctionKey>, new_keys: Vec<FunctionKey>) -> FunctionMatch {
    let mut pairs: Vec<Pair<FunctionId>> = Vec::new();
    let mut ids: HashMap<FunctionKey, u32, SeededHash> = HashMap::default();
    let mut pairs_of =
        |keys: Vec<FunctionKey>, side: fn(&mut Pair<FunctionId>) -> &mut Option<FunctionId>| {
            (keys.into_iter().enumerate())
                .map(|(function, key)| {
                    let id = *ids.entry(key).or_insert_with(|| {
                        pairs.push(Pair {
                            base: None,
                            new: None,
                        });
                        pairs.len() as u32 - 1
                    });
                    side(&mut pairs[id as usize]).get_or_insert(function as FunctionId);
                    id
                })
                .collect()
        };
    let base_pair = pairs_of(base_keys, |pair| &mut pair.base);
    let new_pair = pairs_of(new_keys, |pair| &mut pair.new);
    FunctionMatch {
        pairs,
        base_pair,
        new_pair,
    }
}

/// Line in the new text, and index of a function.
type Numbered = (u32, usize);

/// Gives numbered functions the name without numbers, and a line by which they match.
fn number_by_line(
    base: &Analyzed,
    new: &Analyzed,
    files: &[FilePair],
    keys: [&mut Vec<FunctionKey>; 2],
) {
    let lines = [base.first_lines(), new.first_lines()];
    let alignments: HashMap<StringId, &Alignment> = (files.iter())
        .filter_map(|pair| Some((base.file_id(pair.files.base?), &pair.alignment)))
        .collect();
    let mut groups: HashMap<(String, String), [Vec<Numbered>; 2]> = HashMap::new();
    for (side, keys) in keys.iter().enumerate() {
        for (function, key) in keys.iter().enumerate() {
            let Some(name) = without_numbers(&key.name) else {
                continue;
            };
            let mut line = lines[side][function];
            if side == 0 {
                let file = base.function(function as FunctionId).file;
                let aligned = alignments
                    .get(&file)
                    .map(|alignment| alignment.to_new(line));
                // A line that is gone stands after all that are there.
                line = aligned.map_or(line, |to| to.map_or(u32::MAX, |to| to.line));
            }
            groups.entry((key.module.clone(), name)).or_default()[side].push((line, function));
        }
    }
    let [base_keys, new_keys] = keys;
    for ((_, name), [mut of_base, mut of_new]) in groups {
        of_base.sort_unstable();
        of_new.sort_unstable();
        for (ordinal, &(_, function)) in of_new.iter().enumerate() {
            let key = &mut new_keys[function];
            (key.name, key.line) = (name.clone(), ordinal as u32 + 1);
        }
        let mut taken = vec![false; of_new.len()];
        let mut on_line: HashMap<u32, VecDeque<usize>> = HashMap::new();
        for (index, &(line, _)) in of_new.iter().enumerate().filter(|(_, at)| at.0 != 0) {
            on_line.entry(line).or_default().push_back(index);
        }
        let place_of_base: Vec<Option<usize>> = (of_base.iter())
            .map(|(line, _)| {
                let place = on_line.get_mut(line)?.pop_front()?;
                taken[place] = true;
                Some(place)
            })
            .collect();
        // Where some came or went, the order of the others says nothing.
        let in_order = of_base.len() == of_new.len();
        let mut left = (0..of_new.len()).filter(|&index| in_order && !taken[index]);
        for (ordinal, &(_, function)) in of_base.iter().enumerate() {
            let place = place_of_base[ordinal].or_else(|| left.next());
            let key = &mut base_keys[function];
            key.name.clone_from(&name);
            key.line = place.unwrap_or(of_new.len() + ordinal) as u32 + 1;
        }
    }
}

fn keys(analyzed: &Analyzed) -> Vec<FunctionKey> {
    (analyzed.functions().iter())
        .map(|function| FunctionKey {
            module: stable_module(analyzed.text(function.module)).to_owned(),
            name: match function.kind {
                FunctionKind::Unknown => String::new(),
                _ => normalized_name(analyzed.text(function.name)).into_owned(),
            },
            file: analyzed.text(function.file).to_owned(),
            line: 0,
        })
        .collect()
}

/// A module's file name without what changes from build to build: the version of a shared library, the hash of Cargo.
fn stable_module(module: &str) -> &str {
    if let Some(end) = module.find(".so.") {
        return &module[..end + 3];
    }
    match module.rsplit_once('-') {
        Some((name, hash))
            if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
        {
            name
        }
        _ => module,
    }
}

fn in_several_files(keys: &[FunctionKey]) -> impl Iterator<Item = (String, String)> {
    let mut files: HashMap<(&str, &str), &str> = HashMap::new();
    let mut several = HashSet::new();
    for key in keys {
        let first = *files.entry((&key.module, &key.name)).or_insert(&key.file);
        if first != key.file {
            several.insert((key.module.clone(), key.name.clone()));
        }
    }
    several.into_iter()
}

/// The program's module in base and new when each side knows only its own name for it.
fn renamed_program<'a>(base: &'a Analyzed, new: &'a Analyzed) -> Option<(&'a str, &'a str)> {
    let (from, to) = (program(base)?, program(new)?);
    let has = |side: &Analyzed, module: &str| {
        side.functions()
            .iter()
            .any(|f| side.text(f.module) == module)
    };
    (from != to && !has(base, to) && !has(new, from)).then_some((from, to))
}

/// By convention the first mapping is the program.
fn program(analyzed: &Analyzed) -> Option<&str> {
    let profile = analyzed.profile();
    let path = profile.text(profile.mappings.first()?.filename);
    (!path.is_empty() && !path.starts_with('[')).then(|| file_name(path))
}

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

fn below_working_directory<'a>(side: &Analyzed, path: &'a str) -> &'a str {
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

fn last_two_components(path: &str) -> &str {
    let mut slashes = path.rmatch_indices('/').map(|(index, _)| index);
    match (slashes.next(), slashes.next()) {
        (Some(_), Some(second)) => &path[second + 1..],
        _ => path,
    }
}
