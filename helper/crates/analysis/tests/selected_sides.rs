//! Selections of the sides of a comparison.

use crate::support::selections::{CPU, only, pattern, slowly_transformed};
use crate::support::{Chance, profile_of, recorded_run};
use analysis::{Comparison, Side, Transform, compared_functions, unknown_in_both};
use profile::Profile;

/// A side of a comparison is the same, whether the selection is made before the executions are put together or after.
#[test]
fn selecting_commutes_with_the_sides_of_a_comparison() {
    let mut chance = Chance(5);
    let text =
        "main@m.c:3 fast@m.c:20 400\nmain@m.c:4 slow@m.c:30 helper@m.c:40 900\nmain@m.c:9 300\n";
    let selection = only(vec![Transform::FocusFunction(pattern("slow"))]);
    let sides = |changed: &str, chance: &mut Chance| {
        let files = crate::support::executions(&text.replace("900", changed), 3, 0.02, chance);
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
