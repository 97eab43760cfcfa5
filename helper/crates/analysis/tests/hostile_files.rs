//! Damaged and malicious files: each is refused with its cause or shown; nothing panics, hangs or takes much memory.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use crate::support::damage::{gzip, mutated, valid_run as valid};
use crate::support::{Chance, own_cpu_time};
use analysis::{
    Analyzed, Comparison, Side, compared_flame_graph, compared_functions, compared_lines,
    explanation, file_heat, flame_graph, function_table, line_detail, line_table,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use profile::{ErrorKind, Limits, Profile};

/// Every view of a profile that was read.
fn show(profile: Profile) {
    let analyzed = Arc::new(Analyzed::new(profile));
    for measure in 0..analyzed.profile().sample_types.len() {
        let sum: u64 = function_table(&analyzed, measure)
            .iter()
            .map(|row| row.amounts.self_.value)
            .sum();
        assert!(sum <= analyzed.total(measure).value);
        let graph = flame_graph(&analyzed, measure);
        assert_eq!(
            graph.self_value.iter().sum::<u64>(),
            analyzed.total(measure).value
        );
        for row in line_table(&analyzed, measure).iter().take(3) {
            line_detail(&analyzed, measure, row.place.file, row.place.line, 5);
            file_heat(&analyzed, measure, row.place.file, Some("another\ntext\n"));
        }
    }
    let side = || Side::of_run(analyzed.clone());
    let comparison = Comparison::new(side(), side(), None).expect("the same values");
    compared_flame_graph(&comparison);
    compared_functions(&comparison);
    compared_lines(&comparison);
    explanation(&comparison, 20);
    profile::summarize(analyzed.profile());
}

#[test]
fn six_hundred_damaged_files_are_shown_or_refused_with_a_sentence() {
    let mut chance = Chance(20_261_121);
    let (mut shown, mut refused) = (0, 0);
    for case in 0..600 {
        let plain = valid(&mut chance);
        let bytes = match case % 3 {
            0 => mutated(&mut chance, plain),
            1 => gzip(&mutated(&mut chance, plain)),
            _ => mutated(&mut chance, gzip(&plain)),
        };
        let started = own_cpu_time();
        match Profile::read(&bytes, &Limits::default()) {
            Ok(profile) => {
                show(profile);
                shown += 1;
            }
            Err(error) => {
                assert!(
                    error.message.len() > 20 && error.message.ends_with('.'),
                    "case {case}: {error}"
                );
                refused += 1;
            }
        }
        assert!(
            (own_cpu_time() - started) < Duration::from_secs(10),
            "case {case} took {:?}",
            (own_cpu_time() - started)
        );
    }
    assert!(
        shown > 10 && refused > 400,
        "{shown} shown, {refused} refused"
    );
}

#[test]
fn a_file_cut_anywhere_says_so() {
    let whole = gzip(&valid(&mut Chance(7)));
    for end in (1..whole.len()).step_by(7) {
        let error = Profile::read(&whole[..end], &Limits::default()).expect_err("cut");
        assert!(
            matches!(error.kind, ErrorKind::Damaged | ErrorKind::NotAProfile),
            "{error}"
        );
    }
}

#[test]
fn a_bomb_ends_at_the_limit() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    let zeros = vec![0; 1 << 20];
    for _ in 0..300 {
        gzip.write_all(&zeros).expect("a Vec takes everything");
    }
    let bomb = gzip.finish().expect("a Vec takes everything");
    assert!(bomb.len() < 4 << 20);
    let started = own_cpu_time();
    let error = Profile::read(&bomb, &Limits::default()).expect_err("too large");
    assert_eq!(error.kind, ErrorKind::TooLarge);
    assert!((own_cpu_time() - started) < Duration::from_secs(10));
}

/// `field` length-delimited.
fn record(field: u8, content: &[u8]) -> Vec<u8> {
    assert!(content.len() < 128 && field < 16);
    [&[field << 3 | 2, content.len() as u8], content].concat()
}

/// One value type, one function, and `locations` locations on it.
fn tables(locations: u8) -> Vec<u8> {
    let mut bytes = [&b""[..], b"cpu", b"ns"]
        .map(|text| record(6, text))
        .concat();
    bytes.extend(record(1, &[0x08, 1, 0x10, 2]));
    bytes.extend(record(5, &[0x08, 1, 0x10, 1, 0x20, 2]));
    for id in 1..=locations {
        bytes.extend(record(4, &[0x08, id, 0x22, 4, 0x08, 1, 0x10, id]));
    }
    bytes
}

#[test]
fn two_million_empty_records_are_counted_before_they_cost_memory() {
    for (field, cause) in [
        (2, "samples"),
        (4, "locations"),
        (5, "functions"),
        (6, "strings"),
    ] {
        let bytes = [tables(1), [field << 3 | 2, 0].repeat(2_100_000)].concat();
        let error = Profile::read(&bytes, &Limits::default()).expect_err(cause);
        assert!(error.message.contains(cause), "{error}");
    }
}

#[test]
fn many_different_deep_stacks_are_shown_in_time() {
    let mut chance = Chance(64);
    let mut bytes = tables(120);
    for _ in 0..30_000 {
        let stack: Vec<u8> = (0..64).map(|_| 1 + chance.below(120) as u8).collect();
        bytes.extend(record(2, &[record(1, &stack), vec![0x10, 1]].concat()));
    }
    let started = own_cpu_time();
    show(Profile::read(&gzip(&bytes), &Limits::default()).expect("valid"));
    assert!(
        (own_cpu_time() - started) < Duration::from_secs(30),
        "{:?}",
        (own_cpu_time() - started)
    );
}
