//! Stacks that do not reach the thread's start: where they end, and what helps where that is the code of a run time that
//! keeps its stack in a way of its own.

use std::collections::BTreeMap;

use records::StackEnd;

use super::modules::ModuleIndex;

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

    /// For the user, behind the share of stacks. `module` gives a file's name, if the module is a file and not code that a
    /// process has made; `files` are the names of all files, `functions` those of functions that were found.
    pub fn sentence<'a>(
        &self,
        module: impl Fn(ModuleIndex) -> Option<String>,
        mut files: impl Iterator<Item = &'a str>,
        mut functions: impl Iterator<Item = &'a str>,
    ) -> String {
        let Some((last, share)) = self.mostly() else {
            return String::new();
        };
        let file = match last {
            LastPlace::Module(index) => module(index),
            LastPlace::NoFile => None,
        };
        let advice = match &file {
            Some(_) if functions.any(is_of_ghc) => {
                " Code compiled by GHC keeps its stack elsewhere: self times are correct, callers are unknown."
            }
            Some(_) => "",
            None => files.find_map(advice_on_run_time).unwrap_or_default(),
        };
        let place = file.unwrap_or_else(|| "code generated at run time".to_owned());
        format!(" {:.0} % of them end in {place}.{advice}", 100.0 * share)
    }
}

/// Names that GHC gives its closures.
fn is_of_ghc(function: &str) -> bool {
    function.starts_with("stg_") || function.ends_with("_info")
}

fn advice_on_run_time(file: &str) -> Option<&'static str> {
    if file == "libjvm.so" {
        return Some(" Java: start it with -XX:+PreserveFramePointer.");
    }
    file.contains("luajit").then_some(
        " LuaJIT: its compiled code has no frames to follow. luajit -joff interprets the code instead.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(last: &[LastPlace], files: &[&str], functions: &[&str]) -> String {
        let mut stacks = IncompleteStacks::default();
        last.iter().for_each(|l| stacks.add(*l));
        let file = |_| Some("prog".to_owned());
        stacks.sentence(file, files.iter().copied(), functions.iter().copied())
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
        assert!(told(&[no_file], &["luajit"], &[]).contains("luajit -joff"));
    }
}
