//! Any bytes as a pprof file: refused with a sentence, or shown in every view.

use std::sync::Arc;

use analysis::{
    Analyzed, Comparison, Side, compared_flame_graph, compared_functions, compared_lines,
    explanation, file_heat, flame_graph, function_table, line_detail, line_table,
};
use profile::{Limits, Profile, summarize};

pub fn read(bytes: &[u8]) {
    let limits = Limits {
        inflated_bytes: 4 << 20,
        ..Limits::default()
    };
    match Profile::read(bytes, &limits) {
        Ok(profile) => show(profile),
        Err(error) => assert!(error.message.len() > 20 && error.message.ends_with('.')),
    }
}

pub fn show(profile: Profile) {
    let mut written = Vec::new();
    profile.write(&mut written).expect("a Vec takes everything");
    summarize(&profile);
    let analyzed = Arc::new(Analyzed::new(profile));
    for measure in 0..analyzed.profile().sample_types.len() {
        let total = analyzed.total(measure).value;
        let rows = function_table(&analyzed, measure);
        assert!(rows.iter().map(|row| row.amounts.self_.value).sum::<u64>() <= total);
        let graph = flame_graph(&analyzed, measure);
        assert_eq!(graph.self_value.iter().sum::<u64>(), total);
        for row in line_table(&analyzed, measure).iter().take(3) {
            line_detail(&analyzed, measure, row.place.file, row.place.line, 5);
            file_heat(&analyzed, measure, row.place.file, Some("another\ntext\n"));
        }
    }
    let side = || Side::of_run(analyzed.clone());
    if let Ok(comparison) = Comparison::new(side(), side(), None) {
        compared_flame_graph(&comparison);
        compared_functions(&comparison);
        compared_lines(&comparison);
        explanation(&comparison, 20);
    }
}
