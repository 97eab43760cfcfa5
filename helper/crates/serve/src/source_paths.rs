//! Where recorded source files are now: below another prefix that the user named, at their recorded path, or moved into
//! one of the workspace's folders.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use wire::SourcePrefix;

/// Folders that hold copies and generated files, never the sources that were meant.
pub const SKIPPED_FOLDERS: [&str; 5] = ["node_modules", "target", ".git", ".lineheat", ".cache"];
/// Files and folders looked at below all workspace folders together; beyond it the rest is not found.
const ENTRIES_MAX: usize = 200_000;
const DEPTH_MAX: usize = 32;
/// A bare file name is too common to identify a file.
const COMPONENTS_MIN: usize = 2;

/// The files below a folder, nearest first, without following links.
pub struct FolderWalk<Enter> {
    folders: VecDeque<(PathBuf, usize)>,
    files: Vec<PathBuf>,
    entries: usize,
    enter: Enter,
}

impl<Enter: Fn(&Path, &str) -> bool> FolderWalk<Enter> {
    /// `enter` says of a folder and a name in it whether to go there.
    pub fn new(folder: &Path, enter: Enter) -> FolderWalk<Enter> {
        FolderWalk {
            folders: VecDeque::from([(folder.to_owned(), 0)]),
            files: Vec::new(),
            entries: 0,
            enter,
        }
    }
}

impl<Enter: Fn(&Path, &str) -> bool> Iterator for FolderWalk<Enter> {
    type Item = PathBuf;

    fn next(&mut self) -> Option<PathBuf> {
        loop {
            if let Some(file) = self.files.pop() {
                return Some(file);
            }
            let (folder, depth) = self.folders.pop_front()?;
            // A folder that cannot be read has nothing to offer.
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                self.entries += 1;
                if self.entries > ENTRIES_MAX {
                    self.folders.clear();
                    break;
                }
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if kind.is_dir() && depth < DEPTH_MAX {
                    let enter = entry
                        .file_name()
                        .to_str()
                        .is_none_or(|name| (self.enter)(&folder, name));
                    if enter {
                        self.folders.push_back((entry.path(), depth + 1));
                    }
                } else if kind.is_file() {
                    self.files.push(entry.path());
                }
            }
        }
    }
}

/// Prefixes of recorded paths and what stands for them on this machine, the longest first.
#[derive(Debug, Clone, Default)]
pub struct SourcePrefixes(Vec<(String, PathBuf)>);

impl SourcePrefixes {
    pub fn new(prefixes: &[SourcePrefix]) -> SourcePrefixes {
        let mut known: Vec<(String, PathBuf)> = (prefixes.iter())
            .map(|prefix| {
                let from = prefix.from.trim_end_matches('/').to_owned();
                (from, PathBuf::from(&prefix.to))
            })
            .collect();
        known.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        SourcePrefixes(known)
    }

    /// The file that stands for `recorded`; `None` when no prefix leads to one that is there.
    pub fn find(&self, recorded: &str) -> Option<PathBuf> {
        self.0.iter().find_map(|(from, to)| {
            let rest = recorded.strip_prefix(from.as_str())?.strip_prefix('/')?;
            let path = to.join(rest.trim_start_matches('/'));
            path.is_file().then_some(path)
        })
    }
}

/// Files of the workspace by name.
#[derive(Debug, Default)]
pub struct WorkspaceFiles {
    by_name: HashMap<String, Vec<PathBuf>>,
}

impl WorkspaceFiles {
    pub fn below(folders: &[String]) -> WorkspaceFiles {
        let mut files = WorkspaceFiles::default();
        let enter = |_: &Path, name: &str| !SKIPPED_FOLDERS.contains(&name);
        for path in folders
            .iter()
            .flat_map(|folder| FolderWalk::new(Path::new(folder), enter))
            .take(ENTRIES_MAX)
        {
            if let Some(name) = path.file_name().and_then(|name| name.to_str()) {
                files.by_name.entry(name.to_owned()).or_default().push(path);
            }
        }
        files
    }

    /// The one file whose path shares the most last components with `recorded`; `None` when none shares
    /// [`COMPONENTS_MIN`], or several share the most.
    pub fn find(&self, recorded: &str) -> Option<&Path> {
        let candidates = self.by_name.get(recorded.rsplit('/').next()?)?;
        let mut best: Option<(usize, &Path)> = None;
        let mut is_tie = false;
        for candidate in candidates {
            let shared = shared_components(recorded, candidate);
            if best.is_none_or(|(most, _)| shared > most) {
                best = Some((shared, candidate));
                is_tie = false;
            } else if best.is_some_and(|(most, _)| shared == most) {
                is_tie = true;
            }
        }
        best.filter(|(shared, _)| *shared >= COMPONENTS_MIN && !is_tie)
            .map(|(_, path)| path)
    }
}

fn shared_components(recorded: &str, candidate: &Path) -> usize {
    let recorded = recorded.rsplit('/').filter(|part| !part.is_empty());
    let candidate = candidate
        .to_str()
        .unwrap_or_default()
        .rsplit('/')
        .filter(|part| !part.is_empty());
    recorded.zip(candidate).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        folder
    }

    fn check(files: &[&str], recorded: &str, expected: Option<&str>) {
        let folder = workspace(files);
        let found = WorkspaceFiles::below(&[folder.path().to_str().unwrap().to_owned()]);
        let expected = expected.map(|path| folder.path().join(path));
        assert_eq!(found.find(recorded), expected.as_deref(), "{recorded}");
    }

    #[test]
    fn the_longest_end_of_the_path_wins() {
        let files = ["src/map.c", "old/src/map.c", "lib/map.c"];
        check(&files, "/build/agent/old/src/map.c", Some("old/src/map.c"));
        check(&files, "/build/lib/map.c", Some("lib/map.c"));
    }

    #[test]
    fn a_tie_or_a_bare_name_finds_nothing() {
        check(&["a/src/map.c", "b/src/map.c"], "/x/src/map.c", None);
        check(&["a/map.c"], "/x/map.c", None);
        check(&["a/map.c"], "map.c", None);
        check(&["a/map.c"], "/x/other.c", None);
    }

    #[test]
    fn the_longest_prefix_that_leads_to_a_file_stands_for_the_recorded_one() {
        let folder = workspace(&["src/map.c", "lib/src/map.c", "lib/only.c"]);
        let here = |path: &str| folder.path().join(path);
        let prefix = |from: &str, to: &str| SourcePrefix {
            from: from.to_owned(),
            to: here(to).to_str().unwrap().to_owned(),
        };
        let prefixes = SourcePrefixes::new(&[
            prefix("/build", ""),
            prefix("/build/lib/", "lib"),
            prefix(".", "src"),
        ]);
        for (recorded, expected) in [
            ("/build/src/map.c", Some("src/map.c")),
            ("/build/lib/src/map.c", Some("lib/src/map.c")),
            ("/build//lib/only.c", Some("lib/only.c")),
            ("./map.c", Some("src/map.c")),
            ("/builder/src/map.c", None),
            ("/build/none.c", None),
            ("/build", None),
        ] {
            assert_eq!(prefixes.find(recorded), expected.map(here), "{recorded}");
        }
    }

    #[test]
    fn copies_in_build_folders_are_not_taken() {
        check(
            &["target/src/map.c", "node_modules/src/map.c"],
            "/x/src/map.c",
            None,
        );
    }
}
