//! Which functions of two profiles are the same. Never by address.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

use profile::{SeededHash, StringId};

use crate::alignment::Alignment;
use crate::analyzed::Analyzed;
use crate::frames::{FunctionId, FunctionKind, FunctionOf};
use crate::id_table::IdTable;
use crate::matching_files::{FilePair, below_working_directory};
use crate::normalized_name::normalized_name;
use crate::numbered_names::without_numbers;
use crate::pair::Pair;
use crate::path_parts::file_name;
use crate::texts::{AT_ONCE, TextHash, touch};

/// Clones of one function are one pair, named by the first of them.
pub(crate) struct FunctionMatch {
    pub pairs: Vec<Pair<FunctionId>>,
    /// By function: index of its pair.
    pub base_pair: Vec<u32>,
    pub new_pair: Vec<u32>,
}

/// Of texts, each by its number among [`Names`].
#[derive(Debug, PartialEq, Eq, Hash, Clone, Copy)]
struct FunctionKey {
    module: u32,
    name: u32,
    /// [`NO_TEXT`] unless several files of a module have a function of this name.
    file: u32,
    /// Of functions that the compiler numbered, the line in the new text, or the number where that is not known. 0: it is
    /// not numbered.
    line: u32,
}

/// The texts of both sides, so that keys are compared by numbers: there may be millions.
#[derive(Default)]
struct Names<'a> {
    texts: Vec<Cow<'a, str>>,
    table: IdTable,
    hash: TextHash,
}

/// The number of the empty text.
const NO_TEXT: u32 = 0;

impl<'a> Names<'a> {
    fn new() -> Names<'a> {
        let mut names = Names::default();
        names.number(Cow::Borrowed(""));
        names
    }

    fn number(&mut self, text: Cow<'a, str>) -> u32 {
        let hash = self.hash.of(&text);
        self.number_of_hashed(text, hash)
    }

    fn number_of_hashed(&mut self, text: Cow<'a, str>, hash: u64) -> u32 {
        let next = self.texts.len() as u32;
        let texts = &self.texts;
        let number = (self.table).find_or_insert(hash, next, |id| texts[id as usize] == text);
        if number == next {
            self.texts.push(text);
        }
        number
    }
}

/// By module file name and normalized name. The two programs themselves match whatever their files are called;
/// functions of which only addresses are known are one function for each module. Of functions that the compiler
/// numbered (lambdas, closures), those on the same line match, then the others in their order.
pub(crate) fn match_functions(
    base: &Analyzed,
    new: &Analyzed,
    files: &[FilePair],
) -> FunctionMatch {
    let mut names = Names::new();
    let mut base_keys = keys(base, &mut names);
    let mut new_keys = keys(new, &mut names);
    if let Some((from, to)) = renamed_program(base, new) {
        let [from, to] = [from, to].map(|name| names.number(Cow::Borrowed(stable_module(name))));
        for key in base_keys.iter_mut().filter(|key| key.module == from) {
            key.module = to;
        }
    }
    number_by_line(
        base,
        new,
        files,
        &mut names,
        [&mut base_keys, &mut new_keys],
    );
    let mut several_files = SeveralFiles::new(names.texts.len());
    several_files.add(&base_keys);
    several_files.add(&new_keys);
    for (side, keys) in [(base, &mut base_keys), (new, &mut new_keys)] {
        for key in keys.iter_mut() {
            if !several_files.has(key) {
                key.file = NO_TEXT;
                continue;
            }
            let file = names.texts[key.file as usize].clone();
            key.file = names.number(match file {
                Cow::Borrowed(path) => Cow::Borrowed(below_working_directory(side, path)),
                Cow::Owned(path) => Cow::Owned(below_working_directory(side, &path).to_owned()),
            });
        }
    }
    pairs_of_keys(&base_keys, &new_keys, names.texts.len())
}

fn pairs_of_keys(
    base_keys: &[FunctionKey],
    new_keys: &[FunctionKey],
    texts: usize,
) -> FunctionMatch {
    const NONE: u32 = u32::MAX;
    let mut pairs: Vec<Pair<FunctionId>> = Vec::with_capacity(base_keys.len());
    // Most names are of one pair, the first that has it.
    let mut first_of_name = vec![NONE; texts];
    let mut key_of_pair: Vec<FunctionKey> = Vec::with_capacity(base_keys.len());
    let mut others: HashMap<FunctionKey, u32, SeededHash> = HashMap::default();
    let mut pairs_of =
        |keys: &[FunctionKey], side: fn(&mut Pair<FunctionId>) -> &mut Option<FunctionId>| {
            (keys.iter().enumerate())
                .map(|(function, key)| {
                    let next = pairs.len() as u32;
                    let first = &mut first_of_name[key.name as usize];
                    let id = match *first {
                        NONE => {
                            *first = next;
                            next
                        }
                        first if key_of_pair[first as usize] == *key => first,
                        _ => *others.entry(*key).or_insert(next),
                    };
                    if id == next {
                        key_of_pair.push(*key);
                        pairs.push(Pair {
                            base: None,
                            new: None,
                        });
                    }
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
    names: &mut Names,
    keys: [&mut Vec<FunctionKey>; 2],
) {
    let without: Vec<Option<String>> = (names.texts.iter())
        .map(|name| without_numbers(name))
        .collect();
    if without.iter().all(Option::is_none) {
        return;
    }
    let lines = [base.first_lines(), new.first_lines()];
    let same_builds = same_builds(base, new, names);
    let alignments: HashMap<StringId, &Alignment> = (files.iter())
        .filter_map(|pair| Some((base.file_id(pair.files.base?), &pair.alignment)))
        .collect();
    let mut groups: HashMap<(u32, &str), [Vec<Numbered>; 2]> = HashMap::new();
    for (side, keys) in keys.iter().enumerate() {
        for (function, key) in keys.iter().enumerate() {
            let Some(name) = &without[key.name as usize] else {
                continue;
            };
            if same_builds.contains(&key.module) {
                continue;
            }
            let mut line = lines[side][function];
            if side == 0 {
                let file = base.function(function as FunctionId).file;
                let aligned = alignments
                    .get(&file)
                    .map(|alignment| alignment.to_new(line));
                // A line that is gone stands after all that are there.
                line = aligned.map_or(line, |to| to.map_or(u32::MAX, |to| to.line));
            }
            groups.entry((key.module, name)).or_default()[side].push((line, function));
        }
    }
    let [base_keys, new_keys] = keys;
    for ((_, name), [mut of_base, mut of_new]) in groups {
        let name = names.number(Cow::Owned(name.to_owned()));
        of_base.sort_unstable();
        of_new.sort_unstable();
        for (ordinal, &(_, function)) in of_new.iter().enumerate() {
            let key = &mut new_keys[function];
            (key.name, key.line) = (name, ordinal as u32 + 1);
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
            key.name = name;
            key.line = place.unwrap_or(of_new.len() + ordinal) as u32 + 1;
        }
    }
}

/// Modules of which both sides have the same build: numbers are the same there.
fn same_builds(base: &Analyzed, new: &Analyzed, names: &mut Names) -> HashSet<u32> {
    let builds = |side: &Analyzed| -> HashSet<(String, String)> {
        let profile = side.profile();
        (profile.mappings.iter())
            .map(|mapping| {
                [mapping.filename, mapping.build_id].map(|id| profile.text(id).to_owned())
            })
            .filter(|[_, build_id]| !build_id.is_empty())
            .map(|[path, build_id]| (file_name(&path).to_owned(), build_id))
            .collect()
    };
    (builds(base).intersection(&builds(new)))
        .map(|(module, _)| names.number(Cow::Owned(stable_module(module).to_owned())))
        .collect()
}

fn keys<'a>(analyzed: &'a Analyzed, names: &mut Names<'a>) -> Vec<FunctionKey> {
    // Modules and files are few: each is looked up once.
    let mut known: HashMap<StringId, u32, SeededHash> = HashMap::default();
    let mut file_of = |id: StringId, names: &mut Names<'a>| {
        *(known.entry(id)).or_insert_with(|| names.number(Cow::Borrowed(analyzed.text(id))))
    };
    let mut last_module = (0, NO_TEXT);
    let mut keys = Vec::with_capacity(analyzed.functions().len());
    for functions in analyzed.functions().chunks(AT_ONCE) {
        let of_functions: Vec<Cow<str>> = (functions.iter())
            .map(|function| match function.kind {
                FunctionKind::Unknown => Cow::Borrowed(""),
                _ => normalized_name(analyzed.text(function.name)),
            })
            .collect();
        let hashes: Vec<u64> = of_functions
            .iter()
            .map(|name| names.hash.of(name))
            .collect();
        touch(&names.table, &hashes, |id| &names.texts[id as usize]);
        for ((function, name), hash) in functions.iter().zip(of_functions).zip(hashes) {
            if last_module.0 != function.module {
                let module = stable_module(analyzed.text(function.module));
                last_module = (function.module, names.number(Cow::Borrowed(module)));
            }
            keys.push(FunctionKey {
                module: last_module.1,
                name: names.number_of_hashed(name, hash),
                file: match has_known_file(analyzed, function) {
                    true => file_of(function.file, names),
                    false => NO_TEXT,
                },
                line: 0,
            });
        }
    }
    keys
}

/// Whether its file is where it is defined. Where the line of the definition is unknown, the file is that of one of its lines, which
/// may have come from anywhere. Other tools' profiles often have no such lines at all.
pub(crate) fn has_known_file(analyzed: &Analyzed, function: &FunctionOf) -> bool {
    function.line > 0 || analyzed.profile().run.is_none()
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

/// Names that functions of one module in several files have, on the same side.
struct SeveralFiles {
    /// By name: whether some module has it so.
    is_name: Vec<bool>,
    /// Module and name.
    of_module: HashSet<(u32, u32)>,
}

impl SeveralFiles {
    fn new(texts: usize) -> SeveralFiles {
        SeveralFiles {
            is_name: vec![false; texts],
            of_module: HashSet::new(),
        }
    }

    fn add(&mut self, keys: &[FunctionKey]) {
        // Most names are those of one module, the first that has it; of the others the table has the file.
        let mut first: Vec<Option<(u32, u32)>> = vec![None; self.is_name.len()];
        let mut others: HashMap<(u32, u32), u32, SeededHash> = HashMap::default();
        for key in keys.iter().filter(|key| key.file != NO_TEXT) {
            let (module, file) = *first[key.name as usize].get_or_insert((key.module, key.file));
            let file = match module == key.module {
                true => file,
                false => *others.entry((key.module, key.name)).or_insert(key.file),
            };
            if file != key.file {
                self.is_name[key.name as usize] = true;
                self.of_module.insert((key.module, key.name));
            }
        }
    }

    fn has(&self, key: &FunctionKey) -> bool {
        self.is_name[key.name as usize] && self.of_module.contains(&(key.module, key.name))
    }
}

/// The program's module in base and new when each side knows only its own name for it.
fn renamed_program<'a>(base: &'a Analyzed, new: &'a Analyzed) -> Option<(&'a str, &'a str)> {
    let (from, to) = (program(base)?, program(new)?);
    let has = |side: &Analyzed, module: &str| {
        let mut modules: HashSet<StringId, SeededHash> = HashSet::default();
        modules.extend(side.functions().iter().map(|function| function.module));
        modules.into_iter().any(|id| side.text(id) == module)
    };
    (from != to && !has(base, to) && !has(new, from)).then_some((from, to))
}

/// By convention the first mapping is the program.
fn program(analyzed: &Analyzed) -> Option<&str> {
    let profile = analyzed.profile();
    let path = profile.text(profile.mappings.first()?.filename);
    (!path.is_empty() && !path.starts_with('[')).then(|| file_name(path))
}
