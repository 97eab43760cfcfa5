//! The timeline of a run, and a selection written as a run of its own.

use std::ops::Range;

use crate::support::selections::{CPU, any_transform, lines, only, pattern, stacks, threaded};
use crate::support::{Chance, profile_of, with_timeline};
use analysis::{
    Analyzed, NamedFunction, Selection, TimelineOf, Track, Transform, hottest_stack, timeline,
};
use profile::Profile;

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
            measure: 0,
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
                measure: 0,
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

#[test]
fn own_code_is_below_the_folders_or_where_another_project_was_recorded() {
    let text = "main@m.c:1 90\nmain@m.c:2 [kernel]k1 5\nserver!worker 7\nlibz.so.1!inflate 3";
    let mut chance = Chance(3);
    let analyzed = Analyzed::new(with_timeline(profile_of(text), &mut chance));
    let codes = |folders: &[String]| -> [u32; 3] {
        let wanted = TimelineOf {
            time: 0..u64::MAX,
            columns: 1,
            tracks: 0..0,
            by_process: false,
            measure: 0,
            tinted: None,
            folders,
        };
        let found = timeline(&analyzed, &wanted).expect("it has times");
        found.all.of_code.map(|columns| columns[0])
    };
    // A program without debug information is own code, too; recorded in /src.
    assert_eq!(codes(&[]), [97, 3, 5]);
    assert_eq!(codes(&["/src".to_owned()]), [97, 3, 5]);
    assert_eq!(codes(&["/home/another".to_owned()]), [97, 3, 5]);
    let in_folder = only(vec![Transform::MyCode {
        folders: vec!["/home/another".to_owned()],
        opened: Vec::new(),
    }]);
    let selected = analyzed
        .selected(&in_folder)
        .expect("where it was recorded");
    assert_eq!(selected.total(CPU).samples, 105);
}
