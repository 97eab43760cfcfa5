//! A run that the editor has open, with its source files found in the workspace.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use analysis::{
    AlignedLine, Alignment, Amounts, Analyzed, FileId, Measure, hot_files, lock_waits, wall_time,
};
use runs::{lock_note, problems, sample_problems, wall_time_hint, wall_time_lines};
use wire::{Demangle, OpenRunRequest, RunOpened, RunSummary, Source, SourceFile};

use super::amounts::{known, totals};
use super::built_views::ViewCache;
use super::locked::locked;
use super::named_functions::analyzed;
use super::runtimes;
use super::shared_profiles::{SharedProfile, SharedSelections};
use super::source_paths::{SourcePrefixes, WorkspaceFiles};
use super::value_types;
use super::value_types::{measure_problems, unrecorded};

/// Colder files are not listed; their heat is found all the same.
const FILES_LISTED_MAX: usize = 5000;

pub struct OpenRun {
    pub analyzed: Arc<Analyzed>,
    pub measure: Measure,
    pub summary: RunSummary,
    shared: Arc<SharedProfile>,
    prefixes: SourcePrefixes,
    sources: Arc<Sources>,
    /// How lines moved since the recording, by the text that the editor sent last.
    alignments: Mutex<HashMap<FileId, Arc<Alignment>>>,
    pub workspace_folders: Vec<String>,
    demangle: Demangle,
}

/// The same for every selection of a run.
struct Sources {
    /// Where each file is now, by its id; `None`: not found.
    found: Vec<Option<PathBuf>>,
    /// Files by every path they are asked by.
    by_path: HashMap<PathBuf, FileId>,
}

/// Hottest first, then those that have only other measures.
fn listed_files(analyzed: &Analyzed, measure: Measure) -> impl Iterator<Item = (FileId, Amounts)> {
    let hot = hot_files(analyzed, measure);
    let mut is_hot = vec![false; analyzed.files().len()];
    for file in &hot {
        is_hot[file.file as usize] = true;
    }
    let others = (0..is_hot.len() as FileId).filter(move |&file| !is_hot[file as usize]);
    (hot.into_iter().map(|file| (file.file, file.amounts)))
        .chain(others.map(|file| (file, Amounts::default())))
        .take(FILES_LISTED_MAX)
}

impl OpenRun {
    /// The profile may be shared with other runs; where its sources are is found anew.
    pub fn open(request: &OpenRunRequest, shared: Arc<SharedProfile>) -> OpenRun {
        let prefixes = SourcePrefixes::new(&request.source_prefixes);
        let folders = &request.workspace_folders;
        OpenRun::new(shared, folders, prefixes, request.demangle())
    }

    /// The same run with its functions named as `demangle` says; itself when it has them so.
    pub fn named(self: &Arc<OpenRun>, demangle: Demangle) -> Arc<OpenRun> {
        if demangle == Demangle::AsRecorded || demangle == self.demangle {
            return Arc::clone(self);
        }
        let profile = self.analyzed.profile().clone();
        let shared = Arc::new(analyzed(profile, self.summary.clone(), demangle));
        let folders = &self.workspace_folders;
        Arc::new(OpenRun::new(
            shared,
            folders,
            self.prefixes.clone(),
            demangle,
        ))
    }

    fn new(
        shared: Arc<SharedProfile>,
        workspace_folders: &[String],
        prefixes: SourcePrefixes,
        demangle: Demangle,
    ) -> OpenRun {
        let analyzed = Arc::clone(&shared.analyzed);
        let found = find_sources(&analyzed, workspace_folders, &prefixes);
        let measure = analyzed.default_measure();
        let mut by_path = HashMap::new();
        // The hottest of several recorded spellings of one path stands for it.
        let mut ids: Vec<FileId> = hot_files(&analyzed, measure)
            .iter()
            .map(|hot| hot.file)
            .collect();
        ids.extend(0..found.len() as FileId);
        for &file in &ids {
            by_path
                .entry(PathBuf::from(analyzed.file_path(file)))
                .or_insert(file);
        }
        for &file in &ids {
            if let Some(path) = &found[file as usize] {
                by_path.entry(path.clone()).or_insert(file);
                if let Ok(canonical) = path.canonicalize() {
                    by_path.entry(canonical).or_insert(file);
                }
            }
        }
        OpenRun {
            analyzed,
            measure,
            summary: shared.summary.clone(),
            shared,
            sources: Arc::new(Sources { found, by_path }),
            prefixes,
            alignments: Mutex::default(),
            workspace_folders: workspace_folders.to_vec(),
            demangle,
        }
    }

    /// Its selections that are open.
    pub fn selections(&self) -> &SharedSelections {
        &self.shared.selections
    }

    /// A selection of it.
    pub fn with(&self, selected: Arc<SharedProfile>) -> OpenRun {
        OpenRun {
            analyzed: Arc::clone(&selected.analyzed),
            measure: self.measure,
            summary: self.summary.clone(),
            shared: selected,
            prefixes: self.prefixes.clone(),
            sources: Arc::clone(&self.sources),
            alignments: Mutex::default(),
            workspace_folders: self.workspace_folders.clone(),
            demangle: self.demangle,
        }
    }

    pub fn views(&self) -> &ViewCache {
        &self.shared.views
    }

    /// What the editor is told of the run; the handle is the session's to fill in.
    pub fn opened(&self) -> RunOpened {
        let analyzed = &self.analyzed;
        let known = |amount| known(analyzed, self.measure, amount);
        let total = known(analyzed.total(self.measure));
        let locks = lock_waits(analyzed);
        RunOpened {
            run: 0,
            summary: Some(self.summary.clone()),
            values: analyzed
                .measures()
                .iter()
                .map(value_types::on_wire)
                .collect(),
            default_value: self.measure as u32,
            total_samples: total.samples,
            total_value: total.value,
            problems: problems(analyzed.profile()),
            sample_problems: sample_problems(analyzed.profile()),
            unrecorded: unrecorded(analyzed.profile()),
            measure_problems: measure_problems(analyzed.profile()),
            totals: totals(analyzed),
            wall_time: wall_time_words(analyzed),
            has_locks: !locks.is_empty(),
            lock_note: lock_note(analyzed, &locks).unwrap_or_default(),
            runtimes: (analyzed.runtimes().into_iter())
                .map(|runtime| runtimes::on_wire(runtime).into())
                .collect(),
            files: listed_files(analyzed, self.measure)
                .map(|(file, amounts)| SourceFile {
                    recorded_path: analyzed.file_path(file).to_owned(),
                    path: self.path_of(file),
                    self_samples: known(amounts.self_).samples,
                    total_samples: known(amounts.total).samples,
                })
                .collect(),
        }
    }

    /// Where a source file is now; empty: not found.
    pub fn path_of(&self, file: FileId) -> String {
        self.sources
            .found
            .get(file as usize)
            .and_then(Option::as_ref)
            .map_or(String::new(), |path| path.to_string_lossy().into_owned())
    }

    /// Where the file recorded as `recorded_path` is now; empty: not found.
    pub fn path_of_recorded(&self, recorded_path: &str) -> String {
        match self.sources.by_path.get(Path::new(recorded_path)) {
            Some(file) if self.analyzed.file_path(*file) == recorded_path => self.path_of(*file),
            // A file without lines of its own, such as the place of a declaration.
            _ => match self.prefixes.find(recorded_path) {
                Some(path) => path.to_string_lossy().into_owned(),
                None if Path::new(recorded_path).is_file() => recorded_path.to_owned(),
                None => String::new(),
            },
        }
    }

    /// The file of the run that the editor calls `path`.
    pub fn file_at(&self, path: &str) -> Option<FileId> {
        let path = Path::new(path);
        let known = |path: &Path| self.sources.by_path.get(path).copied();
        known(path).or_else(|| known(&path.canonicalize().ok()?))
    }

    /// Remembers how lines moved between the text at recording and `text_now`, for questions about single lines.
    pub fn align(&self, file: FileId, text_now: Option<&str>) {
        let saved = self.analyzed.saved_text(self.analyzed.file_path(file));
        let alignment = match (saved, text_now) {
            (Some(saved), Some(now)) => Alignment::of(&saved.text, now),
            _ => Alignment::identity(),
        };
        locked(&self.alignments).insert(file, Arc::new(alignment));
    }

    /// The recorded number of a line of the text that was sent last.
    pub fn recorded_line(&self, file: FileId, line_now: u32) -> Option<AlignedLine> {
        let alignment = locked(&self.alignments).get(&file).cloned();
        (alignment.unwrap_or_else(|| Arc::new(Alignment::identity()))).to_old(line_now)
    }

    /// The text of a source file at recording, if the run kept it.
    pub fn source(&self, recorded_path: &str) -> Source {
        match self.analyzed.saved_text(recorded_path) {
            Some(saved) => Source {
                found: true,
                text: saved.text.clone(),
            },
            None => Source::default(),
        }
    }
}

fn wall_time_words(analyzed: &Analyzed) -> Vec<String> {
    match wall_time(analyzed) {
        Some(of) => wall_time_lines(analyzed, &of),
        None => wall_time_hint(analyzed).into_iter().collect(),
    }
}

/// Where each file of the profile is now: where a prefix leads, at its recorded path, or moved below the workspace's
/// folders.
fn find_sources(
    analyzed: &Analyzed,
    workspace_folders: &[String],
    prefixes: &SourcePrefixes,
) -> Vec<Option<PathBuf>> {
    let mut workspace: Option<WorkspaceFiles> = None;
    analyzed
        .files()
        .map(|recorded| {
            if let Some(mapped) = prefixes.find(recorded) {
                return Some(mapped);
            }
            let path = Path::new(recorded);
            if path.is_absolute() && path.is_file() {
                return Some(path.to_owned());
            }
            workspace
                .get_or_insert_with(|| WorkspaceFiles::below(workspace_folders))
                .find(recorded)
                .map(Path::to_owned)
        })
        .collect()
}
