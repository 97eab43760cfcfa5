//! What part of a run the figures are about: the flags of `report`, `annotate` and `diff`.

use std::ops::Range;

use analysis::{FunctionFilter, Runtime, Selection, Transform};

#[derive(clap::Args, Clone, Default)]
#[command(next_help_heading = "Selection")]
pub struct SelectionFlags {
    /// Only samples from a part of the time, such as 2.7-3.1 or 200ms-1s, since the recording began. May be given several times
    #[arg(long, value_name = "FROM-TO", value_parser = time_range, allow_hyphen_values = true)]
    time: Vec<Range<u64>>,
    /// Only samples of threads with this name, number or pattern ('worker-*'). May be given several times
    #[arg(long, value_name = "NAME|TID")]
    thread: Vec<String>,
    /// Only samples of processes with this name, number or pattern. May be given several times
    #[arg(long, value_name = "NAME|PID")]
    process: Vec<String>,
    /// Leave out samples of threads with this name, number or pattern. May be given several times
    #[arg(long, value_name = "NAME|TID")]
    drop_thread: Vec<String>,
    /// Leave out samples of processes with this name, number or pattern. May be given several times
    #[arg(long, value_name = "NAME|PID")]
    drop_process: Vec<String>,
    /// Only samples of one execution of the command, counted from 1. May be given several times
    #[arg(long, value_name = "N")]
    execution: Vec<u32>,
    /// Leave out samples with this function on the stack
    #[arg(long, value_name = "FUNCTION")]
    drop: Vec<String>,
    /// Leave out samples with a function of this module on the stack
    #[arg(long, value_name = "MODULE")]
    drop_module: Vec<String>,
    /// Leave out samples with a function of this source file on the stack
    #[arg(long, value_name = "FILE")]
    drop_file: Vec<String>,
    /// Only samples with this function on the stack. Given several times, all of them must be on it
    #[arg(long, value_name = "FUNCTION")]
    keep: Vec<String>,
    /// Only samples with a function of this module on the stack
    #[arg(long, value_name = "MODULE")]
    keep_module: Vec<String>,
    /// Only samples with a function of this source file on the stack
    #[arg(long, value_name = "FILE")]
    keep_file: Vec<String>,
    /// Only samples with this function on the stack, which becomes the root
    #[arg(long, value_name = "FUNCTION")]
    focus: Option<String>,
    /// Leave this function out of the stacks. Its time goes to its callers
    #[arg(long, value_name = "FUNCTION")]
    hide: Vec<String>,
    /// Leave the functions of this module out of the stacks. Their time goes to their callers
    #[arg(long, value_name = "MODULE")]
    hide_module: Vec<String>,
    /// Leave the functions of this source file out of the stacks. Their time goes to their callers
    #[arg(long, value_name = "FILE")]
    hide_file: Vec<String>,
    /// Leave the kernel out of the stacks
    #[arg(long)]
    hide_kernel: bool,
    /// Leave the functions of a runtime or standard library out of the stacks: go, rust (std, core, alloc, futures, rayon), cpp, ocaml or interrupts. May be given several times
    #[arg(long, value_name = "RUNTIME", value_parser = runtime)]
    hide_runtime: Vec<Runtime>,
    /// Show only your own functions (source below the folder where the run was recorded) and the library functions that they call directly. A library function then includes all that it calls
    #[arg(long)]
    my_code: bool,
    /// With --my-code, also show what this library function calls. May be given several times
    #[arg(long, value_name = "FUNCTION", requires = "my_code")]
    open: Vec<String>,
    /// Show successive functions of this module as one
    #[arg(long, value_name = "MODULE")]
    collapse_module: Vec<String>,
    /// Show calls of this function from within itself as one
    #[arg(long, value_name = "FUNCTION")]
    collapse_recursion: Vec<String>,
    /// Show direct calls of this function by itself as one
    #[arg(long, value_name = "FUNCTION")]
    collapse_direct_recursion: Vec<String>,
}

impl SelectionFlags {
    /// Transforms in the order in which the help lists them.
    pub fn selection(&self) -> Selection {
        let of = |names: &[String],
                  filter: fn(String) -> FunctionFilter,
                  kind: fn(FunctionFilter) -> Transform|
         -> Vec<Transform> {
            let filters = names.iter().cloned().map(filter);
            filters.map(kind).collect()
        };
        let focus: Vec<String> = self.focus.iter().cloned().collect();
        let modules: Vec<Transform> = (self.collapse_module.iter().cloned())
            .map(Transform::CollapseModule)
            .collect();
        let (function, module, file) = (
            FunctionFilter::Pattern as fn(String) -> FunctionFilter,
            FunctionFilter::Module as fn(String) -> FunctionFilter,
            FunctionFilter::File as fn(String) -> FunctionFilter,
        );
        let mut transforms = of(&self.drop, function, Transform::DropFunction);
        transforms.extend(of(&self.drop_module, module, Transform::DropFunction));
        transforms.extend(of(&self.drop_file, file, Transform::DropFunction));
        transforms.extend(of(&self.keep, function, Transform::KeepFunction));
        transforms.extend(of(&self.keep_module, module, Transform::KeepFunction));
        transforms.extend(of(&self.keep_file, file, Transform::KeepFunction));
        transforms.extend(of(&focus, function, Transform::FocusFunction));
        transforms.extend(of(&self.hide, function, Transform::MergeFunction));
        transforms.extend(of(&self.hide_module, module, Transform::MergeFunction));
        transforms.extend(of(&self.hide_file, file, Transform::MergeFunction));
        transforms.extend(self.hide_kernel.then_some(Transform::HideKernel));
        let runtimes = self.hide_runtime.iter().copied();
        transforms.extend(runtimes.map(Transform::HideRuntime));
        transforms.extend(self.my_code.then(|| Transform::MyCode {
            folders: Vec::new(),
            opened: self.open.iter().cloned().map(function).collect(),
        }));
        transforms.extend(modules);
        transforms.extend(of(
            &self.collapse_recursion,
            function,
            Transform::CollapseRecursion,
        ));
        transforms.extend(of(
            &self.collapse_direct_recursion,
            function,
            Transform::CollapseDirectRecursion,
        ));
        Selection {
            times: self.time.clone(),
            threads: self.thread.clone(),
            processes: self.process.clone(),
            executions: self.execution.clone(),
            dropped_threads: self.drop_thread.clone(),
            dropped_processes: self.drop_process.clone(),
            transforms,
            rest: false,
        }
    }
}

/// In words, for a line above the figures; empty: everything.
pub fn words(selection: &Selection) -> String {
    let seconds = |ns: u64| format!("{}", ns as f64 / 1e9);
    let times = selection.times.iter().map(|range| match range.end {
        u64::MAX => format!("from {} s on", seconds(range.start)),
        end => format!("{} to {} s", seconds(range.start), seconds(end)),
    });
    let mut parts = vec![any_of("", times.collect())];
    parts.push(any_of("thread ", selection.threads.clone()));
    parts.push(any_of("process ", selection.processes.clone()));
    let executions = selection.executions.iter().map(u32::to_string);
    parts.push(any_of("execution ", executions.collect()));
    parts.push(any_of("without thread ", selection.dropped_threads.clone()));
    parts.push(any_of(
        "without process ",
        selection.dropped_processes.clone(),
    ));
    if selection.rest {
        parts.retain(|part| !part.is_empty());
        parts = vec![format!("all but {}", parts.join(", "))];
    }
    parts.extend(selection.transforms.iter().map(transform_words));
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

fn any_of(what: &str, names: Vec<String>) -> String {
    match names.as_slice() {
        [] => String::new(),
        names => format!("{what}{}", names.join(" or ")),
    }
}

fn transform_words(transform: &Transform) -> String {
    let name = |filter: &FunctionFilter| match filter {
        FunctionFilter::Pattern(name) => name.clone(),
        FunctionFilter::Named(named) => named.name.clone(),
        FunctionFilter::Module(module) => module.clone(),
        FunctionFilter::File(file) => file.clone(),
    };
    match transform {
        Transform::FocusFunction(filter) => format!("focus on {}", name(filter)),
        Transform::FocusSelf(filter) => format!("focus on {} itself", name(filter)),
        Transform::MergeFunction(filter) => format!("{} hidden", name(filter)),
        Transform::DropFunction(filter) => format!("samples with {} left out", name(filter)),
        Transform::KeepFunction(filter) => format!("samples with {} only", name(filter)),
        Transform::CollapseRecursion(filter) => format!("recursion of {} as one", name(filter)),
        Transform::CollapseDirectRecursion(filter) => {
            format!("direct recursion of {} as one", name(filter))
        }
        Transform::FocusSubtree { path, .. } => {
            let names: Vec<&str> = path.iter().map(|named| named.name.as_str()).collect();
            format!("focus on the call path {}", names.join(", "))
        }
        Transform::HideRuntime(runtime) => format!("{} hidden", runtime.words()),
        Transform::CollapseModule(module) => format!("{module} as one"),
        Transform::HideKernel => "kernel hidden".to_owned(),
        Transform::MyCode { opened, .. } => {
            let opened: Vec<String> = opened.iter().map(name).collect();
            match opened.is_empty() {
                true => "just my code".to_owned(),
                false => format!("just my code and what {} calls", opened.join(", ")),
            }
        }
    }
}

fn runtime(text: &str) -> Result<Runtime, String> {
    (Runtime::ALL.into_iter())
        .find(|runtime| runtime.word() == text)
        .ok_or_else(|| {
            let words = Runtime::ALL.map(Runtime::word).join(", ");
            format!("{text} is no runtime: expected one of {words}")
        })
}

/// `2.7-3.1`, `200ms-1s`, `2-` or `-0.5`: nanoseconds. A unit behind the end is that of the start, too, if that has none.
pub fn time_range(text: &str) -> Result<Range<u64>, String> {
    let wanted = || {
        format!(
            "{text} is no range of time: expected FROM-TO in seconds, such as 2.7-3.1 or 200ms-1s"
        )
    };
    let (from, to) = text.split_once('-').ok_or_else(wanted)?;
    let unit_of = |text: &str| {
        text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
            .to_owned()
    };
    let of_end = unit_of(to);
    let at = |text: &str| {
        let unit = unit_of(text);
        let number: f64 = text[..text.len() - unit.len()].parse().ok()?;
        let unit = if unit.is_empty() { &of_end } else { &unit };
        let scale = match unit.as_str() {
            "" | "s" => 1e9,
            "ms" => 1e6,
            "us" | "µs" => 1e3,
            _ => return None,
        };
        // Saturates: what is behind the end of the recording is behind it.
        number
            .is_finite()
            .then_some((number * scale).round() as u64)
    };
    let start = if from.is_empty() {
        0
    } else {
        at(from).ok_or_else(wanted)?
    };
    let end = if to.is_empty() {
        u64::MAX
    } else {
        at(to).ok_or_else(wanted)?
    };
    match start < end {
        true => Ok(start..end),
        false => Err(format!(
            "{text} is no range of time: it ends before it begins"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_time_have_units_and_open_ends() {
        for (text, range) in [
            ("2.7-3.1", 2_700_000_000..3_100_000_000),
            ("2.7-3.1s", 2_700_000_000..3_100_000_000),
            ("200-300ms", 200_000_000..300_000_000),
            ("200ms-1s", 200_000_000..1_000_000_000),
            ("-0.5", 0..500_000_000),
            ("2-", 2_000_000_000..u64::MAX),
            ("0-1e", 0..0),
        ] {
            match range.is_empty() {
                false => assert_eq!(time_range(text), Ok(range), "{text}"),
                true => assert!(time_range(text).is_err(), "{text}"),
            }
        }
        for text in ["", "5", "b-a", "3-2", "2-2", "1-2h", "1-2-3", "--1"] {
            assert!(time_range(text).is_err(), "{text}");
        }
    }
}
