//! Stacks that do not reach the thread's start: where they end, and whether that is the code of a run time that keeps its
//! stack in a way of its own.

use std::collections::BTreeMap;

use records::StackEnd;

use super::modules::ModuleIndex;
use super::problems::problem::{RunTime, StacksEnd};

/// The outermost place that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LastPlace {
    Module(ModuleIndex),
    /// Memory without a file, or none at all.
    NoFile,
}

/// Samples by where their stacks end.
#[derive(Default)]
pub struct IncompleteStacks(BTreeMap<LastPlace, u64>);

/// One that is not whole for another reason than its depth.
pub fn is_incomplete(end: StackEnd) -> bool {
    !matches!(end, StackEnd::Root | StackEnd::Cut)
}

impl IncompleteStacks {
    pub fn add(&mut self, last: LastPlace) {
        *self.0.entry(last).or_default() += 1;
    }

    /// Where most of them end, and the share of these.
    fn mostly(&self) -> Option<(LastPlace, f64)> {
        let all: u64 = self.0.values().sum();
        let (last, count) = self.0.iter().max_by_key(|(_, count)| **count)?;
        Some((*last, *count as f64 / all as f64))
    }

    /// `module` gives a file's name, if the module is a file and not code that a process has made; `files` are the names of
    /// all files, `functions` those of functions that were found. None: there are no such stacks.
    pub fn mostly_end<'a>(
        &self,
        module: impl Fn(ModuleIndex) -> Option<String>,
        mut files: impl Iterator<Item = &'a str>,
        mut functions: impl Iterator<Item = &'a str>,
    ) -> Option<StacksEnd> {
        let (last, share) = self.mostly()?;
        let file = match last {
            LastPlace::Module(index) => module(index),
            LastPlace::NoFile => None,
        };
        let run_time = match &file {
            Some(_) => functions.any(is_of_ghc).then_some(RunTime::Ghc),
            None => files.find_map(run_time_of),
        };
        Some(StacksEnd {
            file,
            share,
            run_time,
        })
    }
}

/// Names that GHC gives its closures: those of its run time, and those behind a module, whose name begins with a capital or has an
/// encoded dot. Functions of C may end like them.
fn is_of_ghc(function: &str) -> bool {
    let of_module =
        || function.starts_with(|c: char| c.is_ascii_uppercase()) || function.contains("zi");
    function.starts_with("stg_") || (function.ends_with("_info") && of_module())
}

fn run_time_of(file: &str) -> Option<RunTime> {
    if file == "libjvm.so" {
        return Some(RunTime::Java);
    }
    file.contains("luajit").then_some(RunTime::LuaJit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(last: &[LastPlace], files: &[&str], functions: &[&str]) -> String {
        let mut stacks = IncompleteStacks::default();
        last.iter().for_each(|l| stacks.add(*l));
        let file = |_| Some("prog".to_owned());
        let end = stacks.mostly_end(file, files.iter().copied(), functions.iter().copied());
        end.map_or(String::new(), |end| end.sentence())
    }

    #[test]
    fn the_sentence_names_where_most_end_and_what_helps_there() {
        assert_eq!(told(&[], &[], &[]), "");
        let (no_file, module) = (LastPlace::NoFile, LastPlace::Module(0));
        let java = told(&[no_file, no_file, module], &["java", "libjvm.so"], &[]);
        assert_eq!(
            java,
            " 67 % of them end in code generated at run time. Java: start it with -XX:+PreserveFramePointer."
        );
        let native = told(&[module], &["libjvm.so"], &["main"]);
        assert_eq!(native, " 100 % of them end in prog.");
        let haskell = told(&[module], &[], &["main", "Main_fib_info"]);
        assert!(haskell.contains("compiled by GHC"), "{haskell}");
        let c = told(&[module], &[], &["get_code_info", "tok_info"]);
        assert_eq!(c, " 100 % of them end in prog.");
        assert!(told(&[no_file], &["luajit"], &[]).contains("luajit -joff"));
    }
}
