//! Selections: parts add up to the whole, and transforms do what a slow reading of each stack does.

mod support;

use std::collections::BTreeMap;
use std::ops::Range;

use analysis::{
    Amounts, Analyzed, Comparison, FunctionFilter, NamedFunction, Selection, Side, TimelineOf,
    Track, Transform, compared_functions, flame_graph, function_table, hottest_stack, line_table,
    timeline, unknown_in_both,
};
use profile::{LabelValue, LineOf, MappingOf, Profile, ProfileBuilder, sample_labels};
use support::{Chance, PERIOD_NS, profile_of, recorded_run, with_timeline};

const CPU: usize = 1;

type Table = BTreeMap<String, Amounts>;

fn functions(analyzed: &Analyzed) -> Table {
    (function_table(analyzed, CPU).iter())
        .filter(|row| row.amounts != Amounts::default())
        .map(|row| {
            let function = analyzed.function(row.function);
            let texts = [function.module, function.name, function.file];
            let key = texts.map(|id| analyzed.text(id)).join("|");
            (key, row.amounts)
        })
        .collect()
}

fn lines(analyzed: &Analyzed) -> Table {
    (line_table(analyzed, CPU).iter())
        .filter(|row| row.amounts != Amounts::default())
        .map(|row| {
            let key = format!("{}:{}", analyzed.file_path(row.place.file), row.place.line);
            (key, row.amounts)
        })
        .collect()
}

/// Samples by the names of their frames, outermost first.
fn stacks(analyzed: &Analyzed) -> BTreeMap<String, u64> {
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

fn only(transforms: Vec<Transform>) -> Selection {
    Selection {
        transforms,
        ..Selection::default()
    }
}

fn pattern(text: &str) -> FunctionFilter {
    FunctionFilter::Pattern(text.to_owned())
}

/// A frame of the text of a profile, as it stands there.
fn name_of(frame: &str) -> &str {
    let frame = frame.trim_start_matches('~');
    let frame = frame.rsplit(['!', ']']).next().unwrap_or(frame);
    frame.split('@').next().unwrap_or(frame)
}

fn module_of(frame: &str) -> &str {
    if let Some((module, _)) = frame.split_once('!') {
        return module;
    }
    match frame.starts_with('[') {
        true => "[kernel]",
        false => "app",
    }
}

/// What a transform does to one stack, root first; `None`: the sample is left out.
fn slowly<'a>(transform: &Transform, stack: &[&'a str]) -> Option<Vec<&'a str>> {
    let is = |filter: &FunctionFilter, frame: &str| match filter {
        FunctionFilter::Pattern(name) => name_of(frame) == name,
        FunctionFilter::Named(named) => {
            name_of(frame) == named.name && module_of(frame) == named.module
        }
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
        Transform::CollapseRecursion(filter) => {
            let is_it = |frame: &&str| is(filter, frame);
            let first = stack.iter().position(is_it);
            let last = stack.iter().rposition(is_it);
            Some(match first.zip(last) {
                Some((first, last)) => [&stack[..first], &stack[last..]].concat(),
                None => stack.to_vec(),
            })
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
        Transform::HideModule(module) => without(&|frame| module_of(frame) == module),
        Transform::HideKernel => without(&|frame| module_of(frame) == "[kernel]"),
        Transform::MyCode(folders) => {
            let is_own = |frame: &str| {
                let file = frame.split_once('@').map(|(_, place)| place);
                let file = file.and_then(|place| place.split(':').next());
                file.is_some_and(|file| folders.contains(&format!("/src/{file}")))
            };
            without(&|frame| !is_own(frame))
        }
    }
}

/// The text with each stack transformed and no call inlined, and how many samples have no frame left.
fn slowly_transformed(text: &str, transforms: &[Transform]) -> (String, u64) {
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

fn any_transform(chance: &mut Chance) -> Transform {
    let function = match chance.below(5) {
        0 => format!("k{}", chance.below(9)),
        _ => format!("f{}", chance.below(9)),
    };
    let module = ["app", "libx.so", "[kernel]"][chance.below(3) as usize].to_owned();
    match chance.below(9) {
        0 => Transform::FocusFunction(pattern(&function)),
        1 => Transform::FocusSelf(pattern(&function)),
        2 => Transform::MergeFunction(pattern(&function)),
        3 => Transform::DropFunction(pattern(&function)),
        4 => Transform::CollapseRecursion(pattern(&function)),
        5 => Transform::CollapseModule(module),
        6 => Transform::HideModule(module),
        7 => Transform::HideKernel,
        // A folder that is a file, so that some of the files are own code.
        _ => Transform::MyCode(vec!["/src/1.c".to_owned()]),
    }
}

#[test]
fn transforms_do_to_all_what_they_do_to_each_stack() {
    let (mut tried, mut refused) = (0, 0);
    for seed in 1..=400 {
        let mut chance = Chance(seed * 0x9e37_79b9);
        let text = chance.profile_text(1 + seed % 40);
        let transforms: Vec<Transform> = (0..=chance.below(3))
            .map(|_| any_transform(&mut chance))
            .collect();
        let analyzed = Analyzed::new(profile_of(&text));
        let Ok(selected) = analyzed.selected(&only(transforms.clone())) else {
            refused += 1;
            continue;
        };
        tried += 1;
        let (changed, without_frames) = slowly_transformed(&text, &transforms);
        let slow = Analyzed::new(profile_of(&changed));
        assert_eq!(
            functions(&selected),
            functions(&slow),
            "{transforms:?} of\n{text}"
        );
        assert_eq!(
            stacks(&selected),
            stacks(&slow),
            "{transforms:?} of\n{text}"
        );
        assert_eq!(lines(&selected), lines(&slow), "{transforms:?} of\n{text}");
        let total = slow.total(CPU).samples + without_frames;
        assert_eq!(
            selected.total(CPU).samples,
            total,
            "{transforms:?} of\n{text}"
        );
        assert_eq!(selected.total(CPU).value, total * PERIOD_NS);
    }
    assert!(
        tried > 100 && refused > 10,
        "{tried} tried, {refused} refused"
    );
}

/// Samples of several threads, with a timeline in which each is taken once a millisecond.
fn threaded(text: &str, chance: &mut Chance) -> Profile {
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

fn sums(parts: &[Analyzed], table: impl Fn(&Analyzed) -> Table) -> Table {
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

fn adds_up(whole: &Analyzed, selections: Vec<Selection>) {
    let parts: Vec<Analyzed> = (selections.iter())
        .map(|selection| whole.selected(selection).expect("it has that"))
        .collect();
    assert_eq!(sums(&parts, functions), functions(whole), "{selections:?}");
    assert_eq!(sums(&parts, lines), lines(whole), "{selections:?}");
    for measure in 0..2 {
        let all: u64 = parts.iter().map(|part| part.total(measure).value).sum();
        assert_eq!(all, whole.total(measure).value, "{selections:?}");
    }
}

#[test]
fn parts_of_the_time_or_of_the_threads_add_up_to_the_whole() {
    for seed in 1..=60 {
        let mut chance = Chance(seed * 0x9e37_79b9);
        let text = chance.profile_text(2 + seed);
        let mut profile = threaded(&text, &mut chance);
        // Values that cannot be divided evenly by the number of times.
        for value in profile.samples.values.iter_mut().skip(1).step_by(2) {
            *value += chance.below(7);
        }
        let end = profile
            .run
            .as_ref()
            .map_or(0, |run| run.time_sample.len() as u64 + 2)
            * PERIOD_NS;
        let whole = Analyzed::new(profile);
        let mut cuts: Vec<u64> = (0..chance.below(6)).map(|_| chance.below(end)).collect();
        cuts.extend([0, end]);
        cuts.sort_unstable();
        let during = |range: &[u64]| Selection {
            times: vec![Range {
                start: range[0],
                end: range[1],
            }],
            ..Selection::default()
        };
        adds_up(&whole, cuts.windows(2).map(during).collect());
        // The same parts as two selections of several ranges each.
        let (odd, even): (Vec<_>, Vec<_>) = (cuts.windows(2).enumerate())
            .map(|(at, range)| (at % 2 == 1, range[0]..range[1]))
            .partition(|(is_odd, _)| *is_odd);
        let several = [odd, even].map(|ranges| Selection {
            times: ranges.into_iter().map(|(_, range)| range).collect(),
            ..Selection::default()
        });
        if several.iter().all(|selection| !selection.times.is_empty()) {
            adds_up(&whole, several.to_vec());
        }
        let tids: Vec<u32> = whole.threads().iter().map(|thread| thread.tid).collect();
        let mut distinct = tids.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let of_thread = |tid: u32| Selection {
            threads: vec![tid.to_string()],
            ..Selection::default()
        };
        adds_up(&whole, distinct.into_iter().map(of_thread).collect());
        let of_process = |name: &str| Selection {
            processes: vec![name.to_owned()],
            ..Selection::default()
        };
        adds_up(&whole, vec![of_process("a"), of_process("b")]);
        let of_execution = |number: u32| Selection {
            executions: vec![number],
            ..Selection::default()
        };
        adds_up(&whole, (1..=3).map(of_execution).collect());
    }
}

#[test]
fn what_is_everything_changes_nothing() {
    let mut chance = Chance(77);
    let text = chance.profile_text(50);
    let whole = Analyzed::new(threaded(&text, &mut chance));
    let everything = Selection {
        times: vec![Range {
            start: 0,
            end: u64::MAX,
        }],
        threads: vec!["work*".to_owned()],
        processes: vec!["/^[ab]$/".to_owned()],
        executions: vec![1, 2, 3],
        transforms: Vec::new(),
    };
    let selected = whole.selected(&everything).expect("all of it is there");
    assert_eq!(functions(&selected), functions(&whole));
    assert_eq!(stacks(&selected), stacks(&whole));
    assert!(selected.selection_notice().is_empty());
}

#[test]
fn what_the_profile_does_not_have_is_told_with_what_it_has() {
    let mut chance = Chance(3);
    let text = chance.profile_text(20);
    let whole = Analyzed::new(threaded(&text, &mut chance));
    let told = |selection: Selection| whole.selected(&selection).err().expect("it has no such");
    let threads = |name: &str| Selection {
        threads: vec![name.to_owned()],
        ..Selection::default()
    };
    assert_eq!(
        told(threads("main")),
        "No thread is called main. Names: worker."
    );
    assert_eq!(
        told(threads("Work")),
        "No thread is called Work. Similar names: worker."
    );
    let no_execution = Selection {
        executions: vec![4],
        ..Selection::default()
    };
    assert_eq!(
        told(no_execution),
        "There is no execution 4: this run has 3."
    );
    let focus = only(vec![Transform::FocusFunction(pattern("g"))]);
    assert!(told(focus).starts_with("No function is called g. Names: "));
    let broken = only(vec![Transform::DropFunction(pattern("/(/"))]);
    let foreign_code = only(vec![Transform::MyCode(vec!["/home".to_owned()])]);
    assert_eq!(
        told(foreign_code),
        "No sampled function has its source below /home."
    );
    assert!(told(broken).starts_with("/(/ is no regular expression: "));

    let foreign = Analyzed::new(profile_of("main@m.c:3 7"));
    let time = Selection {
        times: vec![Range { start: 0, end: 5 }],
        ..Selection::default()
    };
    let sentence = foreign.selected(&time).err().expect("it has no times");
    assert!(
        sentence.contains("does not say when its samples were taken"),
        "{sentence}"
    );
}

/// A side of a comparison is the same, whether the selection is made before the executions are put together or after.
#[test]
fn selecting_commutes_with_the_sides_of_a_comparison() {
    let mut chance = Chance(5);
    let text =
        "main@m.c:3 fast@m.c:20 400\nmain@m.c:4 slow@m.c:30 helper@m.c:40 900\nmain@m.c:9 300\n";
    let selection = only(vec![Transform::FocusFunction(pattern("slow"))]);
    let sides = |changed: &str, chance: &mut Chance| {
        let files = support::executions(&text.replace("900", changed), 3, 0.02, chance);
        let selected: Vec<Profile> = (files.iter())
            .map(|file| {
                let (stacks, _) = slowly_transformed(&text_of(file), &selection.transforms);
                let mut profile = profile_of(&stacks);
                profile.run = Some(recorded_run(""));
                profile
            })
            .collect();
        (files, selected)
    };
    let ((base, base_after), (new, new_after)) =
        (sides("900", &mut chance), sides("1200", &mut chance));
    let mut unknown = Vec::new();
    let mut side = |files| Side::of_selected(files, &selection, &mut unknown).expect("a side");
    let before = Comparison::new(side(base), side(new), None).expect("comparable");
    assert!(unknown.is_empty(), "{unknown:?}");
    let [base, new] = [base_after, new_after].map(|files| Side::of(files).expect("a side"));
    let after = Comparison::new(base, new, None).expect("comparable");
    let rows = |comparison: &Comparison| -> Vec<(String, u64, u64)> {
        let table = compared_functions(comparison);
        let mut rows: Vec<_> = (table.iter())
            .map(|row| {
                (
                    row.name.to_string(),
                    row.base.total.value,
                    row.new.total.value,
                )
            })
            .collect();
        rows.sort();
        rows
    };
    assert_eq!(rows(&before), rows(&after));
    assert_eq!(before.whole().change, after.whole().change);
    assert_eq!(before.whole().low, after.whole().low);
}

/// The stacks of a profile whose functions are all of the program.
fn text_of(profile: &Profile) -> String {
    let frame = |location: &u32| {
        let line = profile.locations.lines_of(*location)[0];
        let function = profile.functions[line.function as usize];
        let file = profile.text(function.filename).trim_start_matches("/src/");
        format!("{}@{file}:{}", profile.text(function.name), line.line)
    };
    (0..profile.samples.len())
        .map(|sample| {
            let frames: Vec<String> = profile
                .samples
                .stack(sample)
                .iter()
                .rev()
                .map(frame)
                .collect();
            format!("{} {}\n", frames.join(" "), profile.value(sample, 0))
        })
        .collect()
}

#[test]
fn a_name_that_one_side_has_is_not_unknown() {
    let selection = only(vec![Transform::FocusFunction(pattern("added"))]);
    let sides = [
        "main@m.c:3 500",
        "main@m.c:3 500\nmain@m.c:4 added@m.c:9 200",
    ]
    .map(|text| {
        let mut unknown = Vec::new();
        let mut profile = profile_of(text);
        profile.run = Some(recorded_run(""));
        let side = Side::of_selected(vec![profile], &selection, &mut unknown).expect("a side");
        (side, unknown)
    });
    let [(base, in_base), (new, in_new)] = sides;
    assert_eq!((in_base.len(), in_new.len()), (1, 0));
    assert!(unknown_in_both(in_base, &in_new).is_empty());
    assert_eq!(base.analyzed.total(CPU).samples, 0);
    let comparison = Comparison::new(base, new, None).expect("comparable");
    assert_eq!(comparison.new_total().samples, 200);
}

#[test]
fn a_timeline_has_each_sample_once_on_its_track() {
    for seed in 1..=40 {
        let mut chance = Chance(seed * 0x9e37_79b9);
        let text = chance.profile_text(3 + seed);
        let whole = Analyzed::new(threaded(&text, &mut chance));
        let samples = whole.total(0).samples;
        let tinted = NamedFunction::new("f3", "app");
        let columns = 1 + chance.below(60) as u32;
        let wanted = |columns: u32, time: Range<u64>| TimelineOf {
            time,
            columns,
            tracks: 0..99,
            by_process: seed % 2 == 0,
            tinted: Some(&tinted),
            folders: &[],
        };
        let found = timeline(&whole, &wanted(columns, 0..u64::MAX)).expect("it has times");
        let of = |track: &Track| {
            track
                .of_code
                .iter()
                .flatten()
                .copied()
                .map(u64::from)
                .sum::<u64>()
        };
        assert_eq!(of(&found.all), samples);
        assert_eq!(found.tracks.len(), found.track_count);
        for column in 0..columns as usize {
            for code in 0..3 {
                let sum: u32 = found.tracks.iter().map(|t| t.of_code[code][column]).sum();
                assert_eq!(sum, found.all.of_code[code][column]);
            }
            let tinted: u32 = found.tracks.iter().map(|track| track.tinted[column]).sum();
            assert_eq!(tinted, found.all.tinted[column]);
        }
        for track in &found.tracks {
            assert_eq!(of(track), track.samples);
        }
        // What is tinted is what a selection of the function has.
        let focus = only(vec![Transform::FocusFunction(pattern("f3"))]);
        let with_function = whole
            .selected(&focus)
            .map_or(0, |part| part.total(0).samples);
        assert_eq!(
            found.all.tinted.iter().copied().map(u64::from).sum::<u64>(),
            with_function
        );
        // A column is a selection of its time.
        let middle = found.end_ns / 3..found.end_ns / 2 + 1;
        let part = timeline(&whole, &wanted(1, middle.clone())).expect("it has times");
        let during = Selection {
            times: vec![middle.clone()],
            ..Selection::default()
        };
        let selected = whole.selected(&during).expect("a part of the time");
        assert_eq!(of(&part.all), selected.total(0).samples);
        let hottest = hottest_stack(&whole, &middle, None);
        assert_eq!(hottest.of_samples, selected.total(0).samples);
        assert!(hottest.samples <= hottest.of_samples);
    }
    assert!(
        timeline(
            &Analyzed::new(profile_of("main@m.c:3 7")),
            &TimelineOf {
                time: 0..9,
                columns: 3,
                tracks: 0..1,
                by_process: false,
                tinted: None,
                folders: &[],
            }
        )
        .is_none()
    );
}

#[test]
fn a_selection_as_a_profile_has_its_figures() {
    let mut transformed = 0;
    for seed in 1..=120 {
        let mut chance = Chance(seed * 0x9e37_79b9);
        let text = chance.profile_text(3 + seed % 30);
        let whole = Analyzed::new(threaded(&text, &mut chance));
        let end = whole.total(CPU).value;
        let mut selection = Selection {
            times: vec![Range {
                start: chance.below(end / 2),
                end: end / 2 + chance.below(end),
            }],
            threads: vec![["10", "worker"][chance.below(2) as usize].to_owned()],
            ..Selection::default()
        };
        if seed % 3 > 0 {
            selection.transforms.push(any_transform(&mut chance));
        }
        let Ok(part) = whole.selected(&selection) else {
            continue;
        };
        transformed += u32::from(!selection.transforms.is_empty());
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("part.pb.gz");
        profile::save(&part.to_profile("a part"), &file).expect("written");
        let again = Analyzed::new(Profile::open(&file).expect("readable"));
        assert_eq!(stacks(&again), stacks(&part), "{selection:?}");
        assert_eq!(lines(&again), lines(&part), "{selection:?}");
        assert_eq!(again.total(CPU), part.total(CPU));
        // Selecting the same again changes nothing: times and threads are in the file.
        let same = Selection {
            transforms: Vec::new(),
            ..selection
        };
        if part.total(CPU).samples > 0 {
            let again = again.selected(&same).expect("it has them");
            assert_eq!(stacks(&again), stacks(&part), "{same:?}");
        }
    }
    assert!(transformed > 30, "{transformed}");
}
