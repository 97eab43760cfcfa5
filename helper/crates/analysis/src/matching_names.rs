//! What of a profile a text means, before it is selected by it: for who still types it.

use crate::analyzed::Analyzed;
use crate::frames::FunctionOf;
use crate::function_filter::FunctionFilter;
use crate::sample_selection::threads_meant;
use name_patterns::Unknown;

/// What has names that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedThing {
    Function,
    Module,
    SourceFile,
    Thread,
    Process,
}

/// What a text means, as [`Analyzed::selected`] would take it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchingNames {
    /// Functions, modules, source files, threads or processes.
    pub count: usize,
    /// Each once, in order.
    pub names: Vec<String>,
}

impl Analyzed {
    /// `exact`: only names that are the text itself, not a pattern of several.
    ///
    /// # Errors
    /// A sentence, when nothing is meant or a regular expression is none.
    pub fn matching_names(
        &self,
        what: NamedThing,
        text: &str,
        exact: bool,
    ) -> Result<MatchingNames, String> {
        let mut unknown = Vec::new();
        let mut meant = match what {
            NamedThing::Thread | NamedThing::Process => {
                let is_process = what == NamedThing::Process;
                self.threads_named(is_process, text, &mut unknown)?
            }
            _ => self.functions_named(what, text, &mut unknown)?,
        };
        if let Some(unknown) = unknown.into_iter().next() {
            return Err(unknown.sentence);
        }
        if exact {
            meant.retain(|(name, number)| name == text || number.to_string() == text);
            if meant.is_empty() {
                return Err(format!(
                    "Nothing has exactly the name {text}. It fits as a glob or as a regular expression."
                ));
            }
        }
        let count = meant.len();
        let mut names: Vec<String> = meant.into_iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        Ok(MatchingNames { count, names })
    }

    /// Names, and the numbers that tell things of one name apart.
    fn functions_named(
        &self,
        what: NamedThing,
        text: &str,
        unknown: &mut Vec<Unknown>,
    ) -> Result<Vec<(String, u32)>, String> {
        let text = text.to_owned();
        let (filter, name): (_, fn(&FunctionOf) -> u32) = match what {
            NamedThing::Module => (FunctionFilter::Module(text), |function| function.module),
            NamedThing::SourceFile => (FunctionFilter::File(text), |function| function.file),
            _ => (FunctionFilter::Pattern(text), |function| function.name),
        };
        let functions = &self.paths.functions;
        let is_meant = self.functions_of(functions, &filter, unknown)?;
        let meant = (functions.iter().zip(is_meant).enumerate()).filter(|(_, (_, is))| *is);
        // Functions of one name are several; modules and files are known by their names alone.
        let mut found: Vec<(String, u32)> = (meant)
            .map(|(at, (function, _))| match what {
                NamedThing::Function => (self.text(name(function)).to_owned(), at as u32),
                _ => (self.text(name(function)).to_owned(), u32::MAX),
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn threads_named(
        &self,
        is_process: bool,
        text: &str,
        unknown: &mut Vec<Unknown>,
    ) -> Result<Vec<(String, u32)>, String> {
        let named: Vec<(&str, u32)> = (self.thread_table().all.iter())
            .map(|of| match is_process {
                true => (self.text(of.process), of.pid),
                false => (self.text(of.thread), of.tid),
            })
            .collect();
        let Some(is_meant) = threads_meant(text, &named)? else {
            let what = if is_process { "process" } else { "thread" };
            unknown.push(Unknown::name(what, text, named.iter().map(|of| of.0)));
            return Ok(Vec::new());
        };
        let meant = (named.iter().zip(is_meant)).filter(|(_, is)| *is);
        let mut found: Vec<(String, u32)> = meant
            .map(|(&(name, number), _)| (name.to_owned(), number))
            .collect();
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}
