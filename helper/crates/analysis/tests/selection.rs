//! Selections: parts add up to the whole, and transforms do what a slow reading of each stack does.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use crate::support::selections::{
    CPU, any_transform, any_transform_of, functions, lines, only, pattern, slowly_transformed,
    stacks, sums, threaded, with_runtimes,
};
use crate::support::{Chance, PERIOD_NS, profile_of, with_timeline};
use analysis::{Analyzed, NamedFunction, NamedThing, Runtime, Selection, Transform, flame_graph};
use profile::ProfileBuilder;

/// Transforms of a profile, and the same stack by stack. False: the profile does not have what they name.
fn does_to_all_what_it_does_to_each(text: &str, transforms: &[Transform]) -> bool {
    let analyzed = Analyzed::new(profile_of(text));
    let Ok(selected) = analyzed.selected(&only(transforms.to_vec())) else {
        return false;
    };
    let (changed, without_frames) = slowly_transformed(text, transforms);
    let slow = Analyzed::new(profile_of(&changed));
    let told = format!("{transforms:?} of\n{text}");
    assert_eq!(functions(&selected), functions(&slow), "{told}");
    assert_eq!(stacks(&selected), stacks(&slow), "{told}");
    assert_eq!(lines(&selected), lines(&slow), "{told}");
    let total = slow.total(CPU).samples + without_frames;
    assert_eq!(selected.total(CPU).samples, total, "{told}");
    assert_eq!(selected.total(CPU).value, total * PERIOD_NS);
    true
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
        match does_to_all_what_it_does_to_each(&text, &transforms) {
            true => tried += 1,
            false => refused += 1,
        }
    }
    assert!(
        tried > 100 && refused > 10,
        "{tried} tried, {refused} refused"
    );
}

#[test]
fn call_paths_direct_recursion_and_runtimes_are_found_in_each_stack() {
    let (mut tried, mut refused) = (0, 0);
    for seed in 1..=600 {
        let mut chance = Chance(seed * 0x9e37_79b9);
        let text = with_runtimes(&chance.profile_text(1 + seed % 40));
        let transforms: Vec<Transform> = (0..=chance.below(3))
            .map(|_| match chance.below(3) {
                0 => any_transform(&mut chance),
                _ => any_transform_of(&text, &mut chance),
            })
            .collect();
        match does_to_all_what_it_does_to_each(&text, &transforms) {
            true => tried += 1,
            false => refused += 1,
        }
    }
    assert!(
        tried > 200 && refused > 10,
        "{tried} tried, {refused} refused"
    );
}

#[test]
fn a_path_has_what_its_node_of_the_flame_graph_has() {
    let mut chance = Chance(0x5eed);
    let text = chance.profile_text(60);
    let whole = Analyzed::new(profile_of(&text));
    let graph = flame_graph(&whole, CPU);
    let mut path_of: Vec<Vec<NamedFunction>> = vec![Vec::new()];
    // Nodes of one path that differ in how they are called are one to a reader.
    let mut samples: HashMap<Vec<NamedFunction>, u64> = HashMap::new();
    for node in 1..graph.frame.len() {
        let frame = graph.frame[node] as usize;
        let text = |column: &[u32]| graph.frames.strings[column[frame] as usize].as_str();
        let mut path = path_of[node - graph.parent_distance[node] as usize].clone();
        path.push(NamedFunction::new(
            text(&graph.frames.name),
            text(&graph.frames.module),
        ));
        *samples.entry(path.clone()).or_default() += u64::from(graph.self_samples[node]);
        path_of.push(path);
    }
    for path in path_of.into_iter().skip(1) {
        let below = samples.iter().filter(|(other, _)| other.starts_with(&path));
        let expected: u64 = below.map(|(_, samples)| samples).sum();
        let focus = Transform::FocusSubtree {
            path: path.clone(),
            left_out: Vec::new(),
        };
        let selected = whole.selected(&only(vec![focus])).expect("it is there");
        assert_eq!(selected.total(CPU).samples, expected, "{path:?}");
        let name = &path[path.len() - 1].name;
        let is_root = |stack: &String| {
            *stack == format!(";{name}") || stack.starts_with(&format!(";{name};"))
        };
        assert!(stacks(&selected).keys().all(is_root), "{path:?}");
    }
}

fn my_code(opened: &[&str]) -> Transform {
    Transform::MyCode {
        folders: vec!["/src".to_owned()],
        opened: opened.iter().map(|name| pattern(name)).collect(),
    }
}

#[test]
fn of_my_code_a_library_is_the_function_that_was_called_until_it_is_opened() {
    let whole = Analyzed::new(profile_of(
        "libc!_start main@m.c:3 libx!sort libx!loop libx!swap 7\n\
         libc!_start main@m.c:3 libx!sort libx!loop less@m.c:9 libx!compare 5\n\
         libc!_start libc!ld_main [kernel]fault 2\n\
         main@m.c:4 libx!loop 1\n",
    ));
    let of = |opened: &[&str]| {
        let selected = whole.selected(&only(vec![my_code(opened)]));
        let selected = selected.expect("there is own code");
        let graph = flame_graph(&selected, CPU);
        let collapsed = (graph.frames.collapsed.iter())
            .map(|&row| graph.frames.strings[graph.frames.name[row as usize] as usize].clone());
        (stacks(&selected), collapsed.collect::<Vec<String>>())
    };
    let (shown, mut collapsed) = of(&[]);
    collapsed.sort();
    assert_eq!(
        shown,
        BTreeMap::from([
            (";main;sort".to_owned(), 7),
            (";main;sort;less;compare".to_owned(), 5),
            (";_start".to_owned(), 2),
            (";main;loop".to_owned(), 1),
        ])
    );
    // Nothing was left out below the others.
    assert_eq!(collapsed, ["_start", "sort"]);

    let (shown, collapsed) = of(&["sort"]);
    assert_eq!(shown[";main;sort;loop;swap"], 7);
    assert_eq!(shown[";main;sort;loop;less;compare"], 5);
    assert_eq!(collapsed, ["_start"]);
    // What called own code stays out.
    let (shown, _) = of(&["_start"]);
    assert_eq!(shown[";_start;ld_main;fault"], 2);
    assert_eq!(shown[";main;sort"], 7);
}

#[test]
fn interrupts_are_left_out_as_a_runtime_is() {
    let whole = Analyzed::new(profile_of(
        "main@m.c:3 [kernel]asm_sysvec_apic_timer_interrupt [kernel]tick 5\nmain@m.c:3 [kernel]sys_read 2\n",
    ));
    assert_eq!(whole.runtimes(), [Runtime::Interrupts]);
    let hidden = whole
        .selected(&only(vec![Transform::HideRuntime(Runtime::Interrupts)]))
        .expect("there are some");
    let expected = BTreeMap::from([(";main".to_owned(), 5), (";main;sys_read".to_owned(), 2)]);
    assert_eq!(stacks(&hidden), expected);
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
        let without_process = Selection {
            dropped_processes: vec!["a".to_owned()],
            ..Selection::default()
        };
        adds_up(&whole, vec![of_process("a"), without_process]);
        let without_thread = Selection {
            dropped_threads: vec![tids[0].to_string()],
            ..Selection::default()
        };
        adds_up(&whole, vec![of_thread(tids[0]), without_thread]);
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
        ..Selection::default()
    };
    let selected = whole.selected(&everything).expect("all of it is there");
    assert_eq!(functions(&selected), functions(&whole));
    assert_eq!(stacks(&selected), stacks(&whole));
    assert!(selected.selection_notice().is_empty());
}

#[test]
fn a_selected_time_says_that_it_has_no_waits() {
    let kinds = [
        ("samples", "count"),
        ("cpu", "nanoseconds"),
        ("wait", "nanoseconds"),
        ("waits", "count"),
    ];
    let with_waits = |waits: bool| {
        let mut builder = ProfileBuilder::new(&kinds);
        builder.set_default_sample_type(1);
        let location = builder.add_location(None, 0x1000, &[]);
        builder.add_sample(&[location], &[4, 4 * PERIOD_NS, 0, 0], &[]);
        if waits {
            let waiting = builder.add_location(None, 0x2000, &[]);
            builder.add_sample(&[waiting], &[0, 0, 70, 2], &[]);
        }
        let whole = Analyzed::new(with_timeline(builder.finish(), &mut Chance(1)));
        let half = Selection {
            times: vec![Range {
                start: 0,
                end: 2 * PERIOD_NS + 1,
            }],
            ..Selection::default()
        };
        let selected = whole.selected(&half).expect("it has times");
        assert_eq!(selected.total(2).value, 0);
        selected.selection_notice()
    };
    assert_eq!(with_waits(false), "");
    assert_eq!(
        with_waits(true),
        "Some measures of this run have no times, so a selection of time contains nothing of them."
    );
}

#[test]
fn what_a_text_means_is_counted_before_it_is_selected() {
    let text = "main@m.c:3 parse@in/parse.c:7 libc.so!memcpy@copy.c:1 5\nmain@m.c:3 parse_line@in/parse.c:9 2\n";
    let whole = Analyzed::new(threaded(text, &mut Chance(1)));
    let count = |what, text: &str| {
        (whole.matching_names(what, text, false))
            .map(|found| (found.count, found.names.join(" ")))
            .unwrap_or_else(|problem| (0, problem))
    };
    let found = |count: usize, names: &str| (count, names.to_owned());
    assert_eq!(
        count(NamedThing::Function, "parse*"),
        found(2, "parse parse_line")
    );
    assert_eq!(
        count(NamedThing::Function, "/^(main|memcpy)$/"),
        found(2, "main memcpy")
    );
    assert_eq!(count(NamedThing::Module, "libc*"), found(1, "libc.so"));
    assert_eq!(
        count(NamedThing::SourceFile, "parse.c"),
        found(1, "/src/in/parse.c")
    );
    assert_eq!(count(NamedThing::Thread, "work?r").1, "worker");
    assert_eq!(count(NamedThing::Process, "/[ab]/").1, "a b");
    assert_eq!(
        count(NamedThing::Function, "/(/"),
        found(0, "/(/ is no regular expression: unclosed group.")
    );
    assert_eq!(
        count(NamedThing::Thread, "/(/"),
        found(0, "/(/ is no regular expression: unclosed group.")
    );
    assert_eq!(
        count(NamedThing::Module, "libz*"),
        found(0, "No module is called libz*. Names: app, libc.so.")
    );
    let exactly = |text: &str| whole.matching_names(NamedThing::Function, text, true);
    assert_eq!(exactly("parse").expect("there is one").count, 1);
    assert!(exactly("parse*").is_err());
}

#[test]
fn a_wrong_expression_for_threads_is_told_as_such() {
    let whole = Analyzed::new(threaded("main@m.c:3 7\n", &mut Chance(1)));
    let broken = Selection {
        threads: vec!["/(/".to_owned()],
        ..Selection::default()
    };
    let told = whole.selected(&broken).err().expect("it is none");
    assert_eq!(told, "/(/ is no regular expression: unclosed group.");
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
    let path = |name: &str| {
        only(vec![Transform::FocusSubtree {
            path: vec![NamedFunction::new(name, "app")],
            left_out: Vec::new(),
        }])
    };
    assert!(told(path("g")).starts_with("No function is called g. Names: "));
    let go = only(vec![Transform::HideRuntime(Runtime::Go)]);
    assert_eq!(told(go), "This profile has no frames of the Go runtime.");
    let broken = only(vec![Transform::DropFunction(pattern("/(/"))]);
    assert!(told(broken).starts_with("/(/ is no regular expression: "));

    let mut elsewhere = profile_of("main@m.c:3 7");
    elsewhere.run = Some(profile::RunInfo {
        cwd: "/home".to_owned(),
        ..profile::RunInfo::default()
    });
    let own_code = only(vec![Transform::MyCode {
        folders: Vec::new(),
        opened: Vec::new(),
    }]);
    assert_eq!(
        Analyzed::new(elsewhere)
            .selected(&own_code)
            .err()
            .as_deref(),
        Some("No sampled function has its source below /home.")
    );

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
