//! A part of a profile that figures are about: by time, thread, process and execution, and with its stacks transformed.

use std::ops::Range;
use std::sync::Arc;

use crate::analyzed::Analyzed;
use crate::call_path::CallPath;
use crate::chosen_part::ChosenPart;
use crate::frames::{FunctionKind, FunctionOf};
use crate::function_filter::FunctionFilter;
use crate::named_functions::NamedFunction;
use crate::path_parts::file_name;
use crate::runtimes::Runtime;
use crate::selected_samples::SelectedSamples;
use crate::transforms::{DROPPED, Step, transformed};
use name_patterns::Unknown;

/// Kinds narrow each other; what is listed of one kind adds up; an empty kind is everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Nanoseconds since the recording began.
    pub times: Vec<Range<u64>>,
    /// Names, globs, regular expressions between slashes, or numbers.
    pub threads: Vec<String>,
    /// As `threads`.
    pub processes: Vec<String>,
    /// As `threads`; what is listed here is left out of what they leave.
    pub dropped_threads: Vec<String>,
    /// As `dropped_threads`.
    pub dropped_processes: Vec<String>,
    /// From 1.
    pub executions: Vec<u32>,
    /// In this order.
    pub transforms: Vec<Transform>,
    /// What the times, threads, processes and executions leave out instead; the transforms are the same.
    pub rest: bool,
}

impl Selection {
    pub fn is_everything(&self) -> bool {
        *self == Selection::default()
    }

    /// Whether it leaves out samples by when and where they were taken: else there is no rest.
    pub fn narrows(&self) -> bool {
        !self.times.is_empty() || !self.executions.is_empty() || self.part().is_of_threads()
    }

    pub(crate) fn part(&self) -> ChosenPart {
        let threads = [&self.threads, &self.processes];
        let dropped = [&self.dropped_threads, &self.dropped_processes];
        ChosenPart {
            times: self.times.clone(),
            threads: [threads[0], threads[1], dropped[0], dropped[1]].map(Vec::clone),
            executions: self.executions.clone(),
            is_rest: self.rest,
        }
    }

    /// Its rest, of which it is the rest.
    #[must_use]
    pub fn inverted(&self) -> Selection {
        Selection {
            rest: !self.rest,
            ..self.clone()
        }
    }
}

/// A change of the stacks. Samples without what it focuses on, and those that it drops, are not of the selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transform {
    /// The outermost call becomes the root.
    FocusFunction(FunctionFilter),
    /// Only samples whose innermost frame it is, and nothing but this frame.
    FocusSelf(FunctionFilter),
    /// Its frames are left out; what they spent is their callers'.
    MergeFunction(FunctionFilter),
    /// Samples with it anywhere are left out.
    DropFunction(FunctionFilter),
    /// Samples without it are left out.
    KeepFunction(FunctionFilter),
    /// From the outermost to the innermost call becomes one.
    CollapseRecursion(FunctionFilter),
    /// Successive frames of the function become one.
    CollapseDirectRecursion(FunctionFilter),
    /// Only samples whose stack begins with these functions, outermost first. The last one becomes the root.
    FocusSubtree {
        path: Vec<NamedFunction>,
        /// The path does not name their frames.
        left_out: Vec<NamedFunction>,
    },
    /// Successive frames of a module become one. File name of the module, or a pattern of it.
    CollapseModule(String),
    /// All frames of the kernel are left out, as [`Transform::MergeFunction`] does.
    HideKernel,
    /// The same with a runtime or standard library.
    HideRuntime(Runtime),
    /// Of successive functions that are not the user's own the outermost one stands for all. Those that called all own code are
    /// left out, as [`Transform::MergeFunction`] does.
    MyCode {
        /// Own functions have their source below one; none: below where the run was recorded.
        folders: Vec<String>,
        /// Where one of these is the outermost, the others are left as they are.
        opened: Vec<FunctionFilter>,
    },
}

impl Analyzed {
    /// The selection of it; percentages are then of that.
    ///
    /// # Errors
    /// A sentence, when something is named that the profile does not have.
    pub fn selected(&self, selection: &Selection) -> Result<Analyzed, String> {
        let mut unknown = Vec::new();
        let selected = self.selected_of_many(selection, &mut unknown)?;
        match unknown.into_iter().next() {
            Some(unknown) => Err(unknown.sentence),
            None => Ok(selected),
        }
    }

    /// The same of one of several profiles: what only others have is collected, and stands for nothing in this one.
    ///
    /// # Errors
    /// A sentence, when something is asked that no profile can have.
    pub(crate) fn selected_of_many(
        &self,
        selection: &Selection,
        unknown: &mut Vec<Unknown>,
    ) -> Result<Analyzed, String> {
        let mut samples = SelectedSamples::of(self, selection, unknown)?;
        let mut paths = Arc::clone(&self.paths);
        let was_transformed = self
            .selected
            .as_ref()
            .is_some_and(|before| before.is_transformed);
        samples.is_transformed = was_transformed || !selection.transforms.is_empty();
        for transform in &selection.transforms {
            let step = self.step(&paths.functions, transform, unknown)?;
            let (changed, node_of) = transformed(&paths, &step);
            let node_of_sample = &paths.stacks.node_of_sample;
            samples.retain(self.profile().sample_types.len(), |sample| {
                node_of[node_of_sample[sample] as usize] != DROPPED
            });
            paths = Arc::new(changed);
        }
        let recorded = Arc::clone(&self.recorded);
        Ok(Analyzed::of_parts(recorded, paths, Some(samples)))
    }

    /// Without some of its samples.
    pub(crate) fn without_samples(&self, is_out: impl Fn(usize) -> bool) -> Analyzed {
        let before = self.selected.as_ref();
        let mut samples = before.map_or_else(SelectedSamples::default, SelectedSamples::emptied);
        for (sample, row) in self.each_sample().filter(|(sample, _)| !is_out(*sample)) {
            samples.samples.push(sample as u32);
            samples.values.extend_from_slice(row);
        }
        let (recorded, paths) = (Arc::clone(&self.recorded), Arc::clone(&self.paths));
        Analyzed::of_parts(recorded, paths, Some(samples))
    }

    pub fn is_selection(&self) -> bool {
        self.selected.is_some()
    }

    /// What the user should know of the selection, in a sentence; empty: nothing.
    pub fn selection_notice(&self) -> String {
        let selected = self.selected.as_ref();
        match selected.map_or(0, |selected| selected.without_time) {
            0 if selected.is_some_and(|selected| selected.others_without_time) => {
                "Some measures of this run have no times, so a selection of time contains nothing of them.".to_owned()
            }
            0 => String::new(),
            1 => "It is not known when 1 sample was taken: it is left out.".to_owned(),
            count => format!(
                "It is not known when {count} samples were taken: they are left out. A very long run keeps the time of some samples only."
            ),
        }
    }

    fn step(
        &self,
        functions: &[FunctionOf],
        transform: &Transform,
        unknown: &mut Vec<Unknown>,
    ) -> Result<Step, String> {
        let mut of = |filter: &FunctionFilter| self.functions_of(functions, filter, unknown);
        let where_kind = |wanted: fn(FunctionKind) -> bool| {
            (functions.iter())
                .map(|function| wanted(function.kind))
                .collect()
        };
        Ok(match transform {
            Transform::FocusFunction(filter) => Step::Focus(of(filter)?),
            Transform::FocusSelf(filter) => Step::FocusSelf(of(filter)?),
            Transform::MergeFunction(filter) => Step::Merge(of(filter)?),
            Transform::DropFunction(filter) => Step::Drop(of(filter)?),
            Transform::KeepFunction(filter) => Step::Keep(of(filter)?),
            Transform::CollapseRecursion(filter) => Step::CollapseRecursion(of(filter)?),
            Transform::CollapseDirectRecursion(filter) => {
                Step::CollapseDirectRecursion(of(filter)?)
            }
            Transform::FocusSubtree { path, left_out } => {
                Step::FocusSubtree(CallPath::of(self, functions, path, left_out, unknown)?)
            }
            Transform::HideRuntime(runtime) => {
                Step::Merge(self.frames_of_runtime(functions, *runtime, unknown))
            }
            Transform::CollapseModule(asked) => {
                Step::CollapseModule(of(&FunctionFilter::Module(asked.clone()))?)
            }
            Transform::HideKernel => Step::Merge(where_kind(is_of_kernel)),
            Transform::MyCode { folders, opened } => {
                let mut is_opened = vec![false; functions.len()];
                for filter in opened {
                    let found = of(filter)?;
                    (is_opened.iter_mut().zip(found)).for_each(|(any, found)| *any |= found);
                }
                Step::CollapseForeign {
                    own: self.own_functions(functions, folders, unknown)?,
                    opened: is_opened,
                }
            }
        })
    }

    fn frames_of_runtime(
        &self,
        functions: &[FunctionOf],
        runtime: Runtime,
        unknown: &mut Vec<Unknown>,
    ) -> Vec<bool> {
        let found: Vec<bool> = (functions.iter())
            .map(|function| self.runtime_of(function) == Some(runtime))
            .collect();
        if !found.contains(&true) {
            let words = runtime.words();
            unknown.push(Unknown {
                asked: words.to_owned(),
                sentence: format!("This profile has no frames of {words}."),
            });
        }
        found
    }

    /// By function, whether its source is below one of the folders.
    fn own_functions(
        &self,
        functions: &[FunctionOf],
        folders: &[String],
        unknown: &mut Vec<Unknown>,
    ) -> Result<Vec<bool>, String> {
        let own_code = OwnCode::of(self, folders);
        if own_code.folders.is_empty() {
            return Err(
                "This file does not say where it was recorded, so it is unknown which code is yours."
                    .to_owned(),
            );
        }
        let is_own: Vec<bool> = (functions.iter())
            .map(|function| own_code.is_source_of(self, function))
            .collect();
        if !is_own.contains(&true) {
            let folders = own_code.folders.join(" or ");
            unknown.push(Unknown {
                asked: "own code".to_owned(),
                sentence: format!("No sampled function has its source below {folders}."),
            });
        }
        Ok(is_own)
    }
}

/// Where the user's own code is.
pub(crate) struct OwnCode<'a> {
    folders: Vec<String>,
    /// File name of the program.
    program: &'a str,
}

impl OwnCode<'_> {
    /// Below the folders; where the run was recorded if there are none, or the run is of another project.
    pub fn of<'a>(analyzed: &'a Analyzed, folders: &[String]) -> OwnCode<'a> {
        let run = analyzed.profile().run.as_ref();
        let program = run.and_then(|run| run.command.first());
        let below = |folders: Vec<String>| OwnCode {
            folders,
            program: program.map_or("", |path| file_name(path)),
        };
        let asked = below(folders.to_vec());
        let mut sources = analyzed.files();
        if sources.any(|path| asked.has_source(path)) {
            return asked;
        }
        match run.map(|run| run.cwd.clone()).filter(|cwd| !cwd.is_empty()) {
            Some(recorded_in) => below(vec![recorded_in]),
            None => asked,
        }
    }

    pub fn is_source_of(&self, analyzed: &Analyzed, function: &FunctionOf) -> bool {
        let path = analyzed.text(function.file);
        match path.starts_with('/') {
            true => self.has_source(path),
            // Libraries have such paths, too.
            false => {
                let is_of_program = analyzed.text(function.module) == self.program;
                !path.is_empty() && !path.starts_with("../") && is_of_program
            }
        }
    }

    fn has_source(&self, path: &str) -> bool {
        let is_below = |folder: &String| {
            let rest = path.strip_prefix(folder.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.folders.iter().any(is_below) && !INSTALLED.iter().any(|part| path.contains(part))
    }
}

/// Below a folder, but of others.
const INSTALLED: [&str; 4] = [
    "/.cargo/registry/",
    "/.cargo/git/",
    "/rustc/",
    "/node_modules/",
];

fn is_of_kernel(kind: FunctionKind) -> bool {
    matches!(kind, FunctionKind::Kernel | FunctionKind::Interrupts)
}
