//! Which functions a change of the stacks is about.

use crate::analyzed::Analyzed;
use crate::frames::FunctionOf;
use crate::named_functions::{NamedFunction, marked_among};
use name_patterns::{NamePattern, Unknown};

/// A text is a name, a glob, or a regular expression between slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FunctionFilter {
    /// As a view has it.
    Named(NamedFunction),
    /// By its name.
    Pattern(String),
    /// All of modules, by file name.
    Module(String),
    /// All that source files define, by path or the end of it.
    File(String),
}

impl Analyzed {
    /// By function, whether it is meant. Nothing is where the profile has none; `unknown` then says so.
    pub(crate) fn functions_of(
        &self,
        functions: &[FunctionOf],
        filter: &FunctionFilter,
        unknown: &mut Vec<Unknown>,
    ) -> Result<Vec<bool>, String> {
        let (what, asked) = match filter {
            FunctionFilter::Pattern(asked) => ("function", asked),
            FunctionFilter::Module(asked) => ("module", asked),
            FunctionFilter::File(asked) => ("source file", asked),
            FunctionFilter::Named(named) => {
                let found = marked_among(self, functions, std::slice::from_ref(named));
                if !found.contains(&true) {
                    let names = functions.iter().map(|function| self.text(function.name));
                    unknown.push(Unknown::name("function", &named.name, names));
                }
                return Ok(found);
            }
        };
        let names = (functions.iter()).map(|function| match filter {
            FunctionFilter::Module(_) => self.text(function.module),
            FunctionFilter::File(_) => self.text(function.file),
            _ => self.text(function.name),
        });
        let pattern = match filter {
            FunctionFilter::File(_) => NamePattern::of_paths(asked)?,
            _ => NamePattern::new(asked)?,
        };
        let found = pattern.found(names.clone());
        Ok(found.unwrap_or_else(|| {
            unknown.push(Unknown::name(what, asked, names));
            vec![false; functions.len()]
        }))
    }
}
