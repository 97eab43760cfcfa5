//! Self and total of lines, functions and files; the flame graph; what stands around a line.

use crate::support::{PERIOD_NS, profile_of};
use analysis::{
    Amount, Amounts, Analyzed, FlameGraph, NamedFunction, callers, file_heat, flame_graph,
    flame_graph_without, function_table, hot_files, line_detail, line_table,
};
use profile::run::Source;
use profile::{Profile, RunInfo};

/// Recursion, an inlined callee, another module, the kernel, an unknown address.
const STORY: &str = "
    main@m.c:3 work@w.c:10 ~fast@w.c:5 7
    main@m.c:3 work@w.c:11 work@w.c:10 work@w.c:11 2
    main@m.c:4 libc.so!read [kernel]sys_read 4
    main@m.c:4 libx.so!0x500 3
";

const CPU: usize = 1;

/// "name self total", by name.
fn functions(profile: Profile) -> Vec<String> {
    let analyzed = Analyzed::new(profile);
    let mut rows: Vec<String> = (function_table(&analyzed, CPU).iter())
        .map(|row| {
            let name = analyzed.text(analyzed.function(row.function).name);
            format!(
                "{name} {} {}",
                row.amounts.self_.samples, row.amounts.total.samples
            )
        })
        .collect();
    rows.sort();
    rows
}

fn lines(analyzed: &Analyzed) -> Vec<String> {
    let mut rows: Vec<String> = (line_table(analyzed, CPU).iter())
        .map(|row| {
            let file = analyzed
                .file_path(row.place.file)
                .trim_start_matches("/src/");
            format!(
                "{file}:{} {} {}",
                row.place.line, row.amounts.self_.samples, row.amounts.total.samples
            )
        })
        .collect();
    rows.sort();
    rows
}

/// Indented "name kind self line".
fn drawn(graph: &FlameGraph) -> Vec<String> {
    let mut depth = vec![0usize; graph.frame.len()];
    (0..graph.frame.len())
        .map(|node| {
            if node > 0 {
                depth[node] = depth[node - graph.parent_distance[node] as usize] + 1;
            }
            let frame = graph.frame[node] as usize;
            let name = &graph.frames.strings[graph.frames.name[frame] as usize];
            let kind = graph.frames.kind[frame];
            let (samples, line) = (graph.self_samples[node], graph.line[node]);
            assert_eq!(graph.self_value[node], u64::from(samples) * PERIOD_NS);
            format!("{}{name} {kind} {samples} {line}", "  ".repeat(depth[node]))
        })
        .collect()
}

#[test]
fn a_recursive_function_counts_once_a_sample_and_an_inlined_one_beside_its_caller() {
    assert_eq!(
        functions(profile_of(STORY)),
        [
            "[libx.so] 3 3",
            "fast 7 7",
            "main 0 16",
            "read 0 4",
            "sys_read 4 4",
            "work 2 9"
        ]
    );
}

#[test]
fn a_function_with_lines_of_other_files_is_one_where_its_definition_is_known() {
    let of_list = "main@m.c:3 encode@encode.ml:9 encode@list.ml:?5 2";
    let elsewhere = "libx.so!encode@list.ml:?5 1";
    let stacks = format!("{of_list}\n{elsewhere}");
    assert_eq!(
        functions(profile_of(&stacks)),
        ["encode 1 1", "encode 2 2", "main 0 2"]
    );
    assert_eq!(
        lines(&Analyzed::new(profile_of(of_list))),
        ["encode.ml:9 0 2", "list.ml:5 2 2", "m.c:3 0 2"]
    );
    let another_of_the_name = "encode@other.ml:7 4";
    assert_eq!(
        functions(profile_of(&format!("{of_list}\n{another_of_the_name}"))),
        ["encode 0 2", "encode 2 2", "encode 4 4", "main 0 2"]
    );
}

#[test]
fn lines_count_themselves_and_each_call_site_up_the_chain() {
    let analyzed = Analyzed::new(profile_of(STORY));
    assert_eq!(
        lines(&analyzed),
        [
            "m.c:3 0 9",
            "m.c:4 0 7",
            "w.c:10 0 9",
            "w.c:11 2 2",
            "w.c:5 7 7"
        ]
    );
    let files: Vec<(&str, u64, u64)> = (hot_files(&analyzed, CPU).iter())
        .map(|hot| {
            (
                analyzed.file_path(hot.file),
                hot.amounts.self_.samples,
                hot.amounts.total.samples,
            )
        })
        .collect();
    assert_eq!(files, [("/src/w.c", 9, 9), ("/src/m.c", 0, 16)]);
}

#[test]
fn the_flame_graph_has_heaviest_siblings_first_and_the_hottest_line_of_each_node() {
    let graph = flame_graph(&Analyzed::new(profile_of(STORY)), CPU);
    let wanted = [
        "all 4 0 0",
        "  main 0 0 3",
        "    work 0 0 10",
        "      fast 1 7 5",
        "      work 0 0 10",
        "        work 0 2 11",
        "    read 0 0 0",
        "      sys_read 2 4 0",
        "    [libx.so] 3 3 0",
    ];
    assert_eq!(drawn(&graph), wanted);
}

#[test]
fn a_line_knows_its_callers_callees_and_inlined_calls() {
    let analyzed = Analyzed::new(profile_of(STORY));
    let file = analyzed.find_file("w.c").expect("one file").expect("known");
    let names = |list: &[analysis::Neighbour]| -> Vec<String> {
        (list.iter())
            .map(|n| format!("{}:{} {}", n.place.function, n.place.line, n.amount.samples))
            .collect()
    };
    let fast = line_detail(&analyzed, CPU, file, 5, 5);
    assert_eq!(
        (fast.amounts.self_.samples, names(&fast.callers)),
        (7, vec!["work:10 7".to_owned()])
    );
    let chain: Vec<(&str, u32)> = (fast.inline_chains[0].places.iter())
        .map(|place| (place.function.as_str(), place.line))
        .collect();
    assert_eq!(chain, [("fast", 5), ("work", 10)]);

    let call = line_detail(&analyzed, CPU, file, 10, 5);
    assert_eq!(names(&call.callers), ["main:3 7", "work:11 2"]);
    assert_eq!(names(&call.callees), ["fast:1 7", "work:1 2"]);
    assert_eq!(call.inline_chains, []);
    assert_eq!(
        line_detail(&analyzed, CPU, file, 99, 5),
        analysis::LineDetail::default()
    );
}

/// A timer that stops the program, one that stops a system call, one that comes in another, and a page fault.
const INTERRUPTED: &str = "
    main@m.c:3 work@w.c:10 7
    main@m.c:3 work@w.c:10 [kernel]asm_sysvec_apic_timer_interrupt [kernel]sysvec_apic_timer_interrupt [kernel]tick 3
    main@m.c:3 work@w.c:10 [kernel]irqentry_exit_to_user_mode [kernel]schedule 1
    main@m.c:4 libc.so!read [kernel]sys_read [kernel]asm_common_interrupt [kernel]irq_exit_rcu [kernel]asm_exc_nmi 2
    main@m.c:4 libc.so!read [kernel]sys_read 4
    main@m.c:5 [kernel]asm_exc_page_fault [kernel]irqentry_exit 5
    main@m.c:5 irq_of_the_program@m.c:9 8
";

#[test]
fn an_interrupt_and_what_it_leads_to_are_one_frame_and_no_call() {
    let analyzed = Analyzed::new(profile_of(INTERRUPTED));
    let graph = flame_graph(&analyzed, CPU);
    let wanted = [
        "all 4 0 0",
        "  main 0 0 5",
        "    work 0 7 10",
        "      interrupts 5 4 0",
        "    irq_of_the_program 0 8 9",
        "    read 0 0 0",
        "      sys_read 2 4 0",
        "        interrupts 5 2 0",
        "    asm_exc_page_fault 2 0 0",
        "      irqentry_exit 2 5 0",
    ];
    assert_eq!(drawn(&graph), wanted);
    assert_eq!(
        functions(profile_of(INTERRUPTED)),
        [
            "asm_exc_page_fault 0 5",
            "interrupts 6 6",
            "irq_of_the_program 8 8",
            "irqentry_exit 5 5",
            "main 0 30",
            "read 0 6",
            "sys_read 4 6",
            "work 7 11"
        ]
    );
    let file = analyzed.find_file("w.c").expect("one file").expect("known");
    let line = line_detail(&analyzed, CPU, file, 10, 5);
    assert_eq!(line.callees, []);
    assert_eq!(
        (line.amounts.self_.samples, line.amounts.total.samples),
        (7, 11)
    );
}

fn hidden(names: &[(&str, &str)]) -> Vec<NamedFunction> {
    (names.iter())
        .map(|(name, module)| NamedFunction::new(name, module))
        .collect()
}

#[test]
fn a_hidden_function_has_no_frame_and_its_callers_have_its_time() {
    let analyzed = Analyzed::new(profile_of(STORY));
    let graph = flame_graph_without(&analyzed, CPU, &hidden(&[("work", "app"), ("read", "app")]));
    let wanted = [
        "all 4 0 0",
        "  main 0 2 3",
        "    fast 1 7 5",
        "    read 0 0 0",
        "      sys_read 2 4 0",
        "    [libx.so] 3 3 0",
    ];
    assert_eq!(drawn(&graph), wanted);
}

#[test]
fn a_function_knows_its_callers_and_none_is_itself() {
    let analyzed = Analyzed::new(profile_of(STORY));
    let of = |name: &str| -> Vec<String> {
        (callers(&analyzed, CPU, &NamedFunction::new(name, "app")).iter())
            .map(|caller| {
                format!(
                    "{} {} {}",
                    caller.name, caller.module, caller.amount.samples
                )
            })
            .collect()
    };
    assert_eq!(of("work"), ["main app 9"]);
    assert_eq!(of("fast"), ["work app 7"]);
    assert_eq!(of("main"), [] as [&str; 0]);
    assert_eq!(of("nothing"), [] as [&str; 0]);
}

/// One instance calls the other: the definition has each sample once.
#[test]
fn instances_of_a_template_are_one_definition() {
    let profile =
        profile_of("main@n.c:3 copy<A>@m.c:2 copy<B>@m.c:2 5\nmain@n.c:3 copy<B>@m.c:2 3");
    let analyzed = Analyzed::new(profile);
    let file = hot_files(&analyzed, CPU)[0].file;
    let heat = file_heat(&analyzed, CPU, file, None);
    let rows: Vec<_> = (heat.functions.iter())
        .map(|f| {
            let [own, all] = [f.amounts, f.definition].map(|a| (a.self_.samples, a.total.samples));
            (f.name.as_str(), own, all)
        })
        .collect();
    let all = (8, 8);
    assert_eq!(rows, [("copy<B>", (8, 8), all), ("copy<A>", (0, 5), all)]);
}

#[test]
fn heat_follows_edits_of_the_text() {
    let mut profile = profile_of("main@m.c:2 5\nmain@m.c:3 work@m.c:1 7\nmain@m.c:4 1");
    profile.run = Some(RunInfo {
        format: 1,
        sources: vec![Source {
            path: "/src/m.c".into(),
            text: "one\ntwo\nthree\nfour\n".into(),
            ..Source::default()
        }],
        ..RunInfo::default()
    });
    let analyzed = Analyzed::new(profile);
    let heat = file_heat(&analyzed, CPU, 0, Some("// new\none\nTWO\nthree\n"));
    let lines: Vec<(u32, u64, bool)> = (heat.lines.iter())
        .map(|line| (line.line, line.amounts.self_.samples, line.changed))
        .collect();
    assert_eq!(lines, [(2, 7, false), (3, 5, true), (4, 0, false)]);
    assert_eq!(
        heat.notice,
        "1 sampled line changed and 1 removed since the recording."
    );
    let functions: Vec<(&str, u32)> = (heat.functions.iter())
        .map(|f| (f.name.as_str(), f.line))
        .collect();
    assert_eq!(functions, [("main", 2), ("work", 2)]);
    let as_recorded = file_heat(&analyzed, CPU, 0, None);
    assert_eq!(
        as_recorded
            .lines
            .iter()
            .map(|line| line.line)
            .collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
}

#[test]
fn a_file_is_found_by_its_end_and_ambiguity_is_told() {
    let analyzed = Analyzed::new(profile_of("f@a/x.c:1 g@b/x.c:1 h@yx.c:1 1"));
    let path = |wanted: &str| {
        let found = analyzed
            .find_file(wanted)
            .map(|file| file.map(|file| analyzed.file_path(file).to_owned()));
        found.map_err(|several| several.len())
    };
    assert_eq!(path("a/x.c"), Ok(Some("/src/a/x.c".into())));
    assert_eq!(path("/src/yx.c"), Ok(Some("/src/yx.c".into())));
    assert_eq!(path("x.c"), Err(2));
    assert_eq!(path("c"), Ok(None));
}

#[test]
fn no_samples_give_empty_views() {
    for profile in [Profile::default(), profile_of("")] {
        let analyzed = Analyzed::new(profile);
        let measure = analyzed.default_measure();
        assert_eq!(analyzed.total(measure), Amount::default());
        assert_eq!(
            (
                function_table(&analyzed, measure),
                line_table(&analyzed, measure)
            ),
            (vec![], vec![])
        );
        assert_eq!(flame_graph(&analyzed, measure).frame, [0]);
    }
    assert_eq!(Amounts::default().total.samples, 0);
}
