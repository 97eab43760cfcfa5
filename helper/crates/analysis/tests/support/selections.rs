//! What tests of selections have in common: figures as tables, threads, and transforms done slowly, stack by stack.

use std::collections::BTreeMap;

use analysis::{
    Amounts, Analyzed, FunctionFilter, Measure, NamedFunction, Runtime, Selection, Transform,
    flame_graph, function_table, line_table,
};
use profile::{LabelValue, LineOf, MappingOf, Profile, ProfileBuilder, sample_labels};

use super::{Chance, profile_of, with_timeline};

pub const CPU: usize = 1;

pub type Table = BTreeMap<String, Amounts>;

pub fn functions(analyzed: &Analyzed) -> Table {
    functions_by(analyzed, CPU)
}

pub fn functions_by(analyzed: &Analyzed, measure: Measure) -> Table {
    (function_table(analyzed, measure).iter())
        .filter(|row| row.amounts != Amounts::default())
        .map(|row| {
            let function = analyzed.function(row.function);
            let texts = [function.module, function.name, function.file];
            let key = texts.map(|id| analyzed.text(id)).join("|");
            (key, row.amounts)
        })
        .collect()
}

pub fn lines(analyzed: &Analyzed) -> Table {
    lines_by(analyzed, CPU)
}

pub fn lines_by(analyzed: &Analyzed, measure: Measure) -> Table {
    (line_table(analyzed, measure).iter())
        .filter(|row| row.amounts != Amounts::default())
        .map(|row| {
            let key = format!("{}:{}", analyzed.file_path(row.place.file), row.place.line);
            (key, row.amounts)
        })
        .collect()
}

/// The tables of several parts, added up.
pub fn sums(parts: &[Analyzed], table: impl Fn(&Analyzed) -> Table) -> Table {
    let mut sums = Table::new();
    for (key, amounts) in parts.iter().flat_map(&table) {
        let sum = sums.entry(key).or_default();
        for (sum, part) in [
            (&mut sum.self_, amounts.self_),
            (&mut sum.total, amounts.total),
        ] {
            sum.samples += part.samples;
            sum.value += part.value;
        }
    }
    sums
}

/// Samples by the names of their frames, outermost first.
pub fn stacks(analyzed: &Analyzed) -> BTreeMap<String, u64> {
    let graph = flame_graph(analyzed, CPU);
    let mut path: Vec<String> = vec![String::new()];
    let mut sums = BTreeMap::new();
    for node in 1..graph.frame.len() {
        let frame = graph.frame[node] as usize;
        let name = &graph.frames.strings[graph.frames.name[frame] as usize];
        let parent = &path[node - graph.parent_distance[node] as usize];
        path.push(format!("{parent};{name}"));
        if graph.self_samples[node] > 0 {
            *sums.entry(path[node].clone()).or_default() += u64::from(graph.self_samples[node]);
        }
    }
    sums
}

pub fn only(transforms: Vec<Transform>) -> Selection {
    Selection {
        transforms,
        ..Selection::default()
    }
}

pub fn pattern(text: &str) -> FunctionFilter {
    FunctionFilter::Pattern(text.to_owned())
}

/// A frame of the text of a profile, as it stands there.
pub fn name_of(frame: &str) -> &str {
    let frame = frame.trim_start_matches('~');
    let frame = frame.rsplit(['!', ']']).next().unwrap_or(frame);
    frame.split('@').next().unwrap_or(frame)
}

pub fn module_of(frame: &str) -> &str {
    if let Some((module, _)) = frame.split_once('!') {
        return module;
    }
    match frame.starts_with('[') {
        true => "[kernel]",
        false => "app",
    }
}

/// File name of the place of a frame.
fn file_of(frame: &str) -> Option<&str> {
    frame.split_once('@')?.1.split(':').next()
}

fn is_same(a: &str, b: &str) -> bool {
    name_of(a) == name_of(b) && module_of(a) == module_of(b)
}

/// Names of some functions of [`Chance::profile_text`], and what they become by [`with_runtimes`].
const RUNTIME_NAMES: [(&str, &str, Runtime); 5] = [
    ("f4", "runtime.mallocgc", Runtime::Go),
    ("f5", "caml_alloc", Runtime::Ocaml),
    ("f6", "std::sort<f7>", Runtime::Cpp),
    ("f7", "Stdlib.List.map", Runtime::Ocaml),
    ("f8", "std::f", Runtime::Cpp),
];

fn runtime_named(name: &str) -> Option<Runtime> {
    (RUNTIME_NAMES.iter())
        .find(|(_, made, _)| *made == name)
        .map(|(_, _, runtime)| *runtime)
}

/// The text with some functions called as those of runtimes.
pub fn with_runtimes(text: &str) -> String {
    let mut changed = text.to_owned();
    for (name, made, _) in RUNTIME_NAMES {
        changed = changed.replace(&format!("{name}@"), &format!("{made}@"));
    }
    changed
}

/// What a transform does to one stack, root first; `None`: the sample is left out.
pub fn slowly<'a>(transform: &Transform, stack: &[&'a str]) -> Option<Vec<&'a str>> {
    let is = |filter: &FunctionFilter, frame: &str| match filter {
        FunctionFilter::Pattern(name) => name_of(frame) == name,
        FunctionFilter::Named(named) => {
            name_of(frame) == named.name && module_of(frame) == named.module
        }
        FunctionFilter::Module(module) => module_of(frame) == module,
        FunctionFilter::File(file) => file_of(frame).is_some_and(|of| of == file),
    };
    let without = |leaves: &dyn Fn(&str) -> bool| -> Option<Vec<&'a str>> {
        Some(
            stack
                .iter()
                .copied()
                .filter(|frame| !leaves(frame))
                .collect(),
        )
    };
    match transform {
        Transform::FocusFunction(filter) => {
            let first = stack.iter().position(|frame| is(filter, frame))?;
            Some(stack[first..].to_vec())
        }
        Transform::FocusSelf(filter) => {
            let last = stack.last().filter(|frame| is(filter, frame))?;
            Some(vec![last])
        }
        Transform::MergeFunction(filter) => without(&|frame| is(filter, frame)),
        Transform::DropFunction(filter) => {
            (!stack.iter().any(|frame| is(filter, frame))).then(|| stack.to_vec())
        }
        Transform::KeepFunction(filter) => {
            (stack.iter().any(|frame| is(filter, frame))).then(|| stack.to_vec())
        }
        Transform::CollapseRecursion(filter) => {
            let is_it = |frame: &&str| is(filter, frame);
            let first = stack.iter().position(is_it);
            let last = stack.iter().rposition(is_it);
            Some(match first.zip(last) {
                Some((first, last)) => [&stack[..first], &stack[last..]].concat(),
                None => stack.to_vec(),
            })
        }
        Transform::CollapseDirectRecursion(filter) => {
            let mut kept: Vec<&str> = Vec::new();
            for frame in stack {
                if is(filter, frame) && kept.last().is_some_and(|last| is_same(last, frame)) {
                    kept.pop();
                }
                kept.push(frame);
            }
            Some(kept)
        }
        Transform::FocusSubtree { path, left_out } => {
            let is_named = |named: &NamedFunction, frame: &str| {
                name_of(frame) == named.name && module_of(frame) == named.module
            };
            let mut wanted = path.iter().peekable();
            for (at, frame) in stack.iter().enumerate() {
                if left_out.iter().any(|named| is_named(named, frame)) {
                    continue;
                }
                if !is_named(wanted.next()?, frame) {
                    return None;
                }
                if wanted.peek().is_none() {
                    return Some(stack[at..].to_vec());
                }
            }
            None
        }
        Transform::HideRuntime(runtime) => {
            without(&|frame| runtime_named(name_of(frame)) == Some(*runtime))
        }
        Transform::CollapseModule(module) => {
            let stand_in = match module.as_str() {
                "app" => "app!app",
                "libx.so" => "libx.so!libx.so",
                _ => "[kernel][kernel]",
            };
            let mut kept: Vec<&str> = Vec::new();
            for frame in stack {
                match module_of(frame) == module {
                    true if kept.last() == Some(&stand_in) => {}
                    true => kept.push(stand_in),
                    false => kept.push(frame),
                }
            }
            Some(kept)
        }
        Transform::HideKernel => without(&|frame| module_of(frame) == "[kernel]"),
        Transform::MyCode { folders, opened } => {
            let is_own = |frame: &str| {
                file_of(frame).is_some_and(|file| folders.contains(&format!("/src/{file}")))
            };
            let first = stack.iter().position(|frame| is_own(frame));
            let called = &stack[first.unwrap_or(0)..];
            let runs = called.chunk_by(|a, b| !is_own(a) && !is_own(b));
            let shown = runs.flat_map(|run| {
                let is_open = opened.iter().any(|filter| is(filter, run[0]));
                &run[..if is_open { run.len() } else { 1 }]
            });
            Some(shown.copied().collect())
        }
    }
}

/// The text with each stack transformed and no call inlined, and how many samples have no frame left.
pub fn slowly_transformed(text: &str, transforms: &[Transform]) -> (String, u64) {
    let mut changed = String::new();
    let mut without_frames = 0;
    for line in text.lines() {
        let (stack, count) = line.rsplit_once(' ').expect("frames and a number");
        let mut frames: Option<Vec<&str>> = Some(stack.split(' ').collect());
        for transform in transforms {
            frames = frames.and_then(|frames| slowly(transform, &frames));
        }
        match frames.as_deref() {
            None => {}
            Some([]) => without_frames += count.parse::<u64>().expect("a number of samples"),
            Some(frames) => {
                let stack = frames.join(" ");
                changed.push_str(&format!("{} {count}\n", stack.replace('~', "")));
            }
        }
    }
    (changed, without_frames)
}

pub fn any_transform(chance: &mut Chance) -> Transform {
    let function = match chance.below(5) {
        0 => format!("k{}", chance.below(9)),
        _ => format!("f{}", chance.below(9)),
    };
    let module = ["app", "libx.so", "[kernel]"][chance.below(3) as usize].to_owned();
    let file = format!("{}.c", chance.below(3));
    let filter = match chance.below(4) {
        0 => FunctionFilter::Module(module.clone()),
        1 => FunctionFilter::File(file),
        _ => pattern(&function),
    };
    match chance.below(9) {
        0 => Transform::FocusFunction(pattern(&function)),
        1 => Transform::FocusSelf(pattern(&function)),
        2 => Transform::MergeFunction(filter),
        3 => Transform::DropFunction(filter),
        4 => Transform::CollapseRecursion(pattern(&function)),
        5 => Transform::CollapseModule(module),
        6 => Transform::KeepFunction(filter),
        7 => Transform::HideKernel,
        // A folder that is a file, so that some of the files are own code.
        _ => Transform::MyCode {
            folders: vec!["/src/1.c".to_owned()],
            opened: vec![pattern(&function), filter][chance.below(3).min(2) as usize..].to_vec(),
        },
    }
}

/// A transform that only a text with such stacks and [`with_runtimes`] can have.
pub fn any_transform_of(text: &str, chance: &mut Chance) -> Transform {
    match chance.below(4) {
        0 => {
            let names = RUNTIME_NAMES.map(|(_, made, _)| made);
            let name = names[chance.below(names.len() as u64) as usize];
            Transform::CollapseDirectRecursion(pattern(name))
        }
        1 => Transform::HideRuntime(
            [Runtime::Go, Runtime::Cpp, Runtime::Ocaml][chance.below(3) as usize],
        ),
        2 => Transform::CollapseDirectRecursion(pattern(&format!("f{}", chance.below(4)))),
        _ => {
            let stacks: Vec<&str> = text.lines().collect();
            let (stack, _) = (stacks[chance.below(stacks.len() as u64) as usize])
                .rsplit_once(' ')
                .expect("frames and a number");
            // A frame of which nothing but the address is known is called otherwise in views.
            let frames = (stack.split(' ')).take_while(|frame| !name_of(frame).starts_with("0x"));
            let names: Vec<NamedFunction> = frames
                .map(|frame| NamedFunction::new(name_of(frame), module_of(frame)))
                .collect();
            let length = 1 + chance.below(names.len().max(1) as u64) as usize;
            let mut path: Vec<NamedFunction> = names.into_iter().take(length).collect();
            let mut left_out = Vec::new();
            if chance.below(3) == 0
                && let Some(one) = path.first().cloned()
            {
                path.retain(|named| *named != one);
                left_out.push(one);
            }
            Transform::FocusSubtree { path, left_out }
        }
    }
}

/// Samples of several threads, with a timeline in which each is taken once a millisecond.
pub fn threaded(text: &str, chance: &mut Chance) -> Profile {
    let mut profile = with_timeline(profile_of(text), chance);
    let mut builder = ProfileBuilder::new(&[("samples", "count"), ("cpu", "nanoseconds")]);
    let mapping = builder.add_mapping(MappingOf::default());
    let function = builder.add_function("f", "f", "/src/f.c", 1);
    let line = LineOf {
        function,
        line: 2,
        column: 0,
    };
    for thread in 0..profile.samples.len() as u32 {
        let (pid, tid) = (1 + thread % 2, 10 + thread % 5);
        let labels: Vec<(&str, LabelValue)> = sample_labels(
            pid,
            tid,
            ["a", "b"][thread as usize % 2],
            "worker",
            1 + thread % 3,
            None,
        );
        // Equal samples would become one.
        let location = builder.add_location(Some(mapping), u64::from(thread), &[line]);
        builder.add_sample(&[location], &[1, 1], &labels);
    }
    // Only its labels are wanted.
    let labels = builder.finish();
    profile.samples.label_ends = labels.samples.label_ends.clone();
    profile.samples.labels = (labels.samples.labels.iter())
        .map(|label| {
            let mut text = |id| {
                let text = labels.text(id).to_owned();
                let known = profile.strings.iter().position(|other| other == text);
                known.map_or_else(
                    || profile.strings.push(&text).expect("room"),
                    |id| id as u32,
                )
            };
            profile::Label {
                key: text(label.key),
                text: text(label.text),
                number: label.number,
                unit: text(label.unit),
            }
        })
        .collect();
    if let Some(run) = &mut profile.run {
        run.repetitions = vec![profile::run::Repetition::default(); 3];
    }
    profile
}
