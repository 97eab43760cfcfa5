//! Measures of files that other tools have written.

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use wire::value_type;

use crate::client::Engine;
use crate::fixture::Fixture;
use crate::measures::heat;

#[test]
fn a_file_of_callgrind_has_exact_measures_and_says_that_it_has_no_stacks() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let path = fixture.path("callgrind.out.12");
    let costs = format!(
        "version: 1\nevents: Ir Dr\nfl={}\nfn=fill\n9 4000 12\nfn=main\n14 3\ncfn=fill\ncalls=2 6\n14 4000 12\ntotals: 4003 12\n",
        fixture.source.display()
    );
    std::fs::create_dir_all(path.parent().expect("runs")).expect("made");
    std::fs::write(&path, costs).expect("written");
    let opened = engine.open(&path);
    let exact = i32::from(value_type::Nature::Exact);
    let values: Vec<_> = (opened.values.iter())
        .map(|of| (of.r#type.as_str(), of.samples_unknown, of.nature))
        .collect();
    let expected = ["Ir", "Dr", "calls"].map(|name| (name, true, exact));
    assert_eq!(
        (values.as_slice(), opened.default_value),
        (&expected[..], 0)
    );
    let [problem] = &opened.problems[..] else {
        panic!("{:?}", opened.problems);
    };
    assert!(
        problem.starts_with("Callgrind files have no call stacks"),
        "{problem}"
    );
    for (value, expected) in [
        (0, vec![(9, 4000), (14, 3)]),
        (1, vec![(9, 12)]),
        (2, vec![(6, 2)]),
    ] {
        let heat = heat(&mut engine, opened.run, &fixture.source, value);
        assert_eq!(heat.self_value, heat.total_value_of_line);
        let mut lines: Vec<_> = heat.line.into_iter().zip(heat.self_value).collect();
        lines.retain(|(_, value)| *value > 0);
        assert_eq!(lines, expected, "measure {value}");
    }
}

#[test]
fn addresses_of_gperftools_are_heat_on_the_lines_of_the_program_beside_the_file() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let exchange = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/exchange");
    let path = fixture.path("cpu.prof");
    std::fs::create_dir_all(path.parent().expect("runs")).expect("made");
    std::fs::copy(exchange.join("mill.gperf-cpu.prof"), &path).expect("copied");
    let compressed = std::fs::read(exchange.join("mill.elf.gz")).expect("read");
    let mut program = Vec::new();
    (GzDecoder::new(&compressed[..]).read_to_end(&mut program)).expect("gzip");
    std::fs::write(path.with_file_name("mill"), program).expect("written");
    let opened = engine.open(&path);
    assert!(
        opened
            .problems
            .iter()
            .any(|of| of.contains("no build-ids to compare")),
        "{:?}",
        opened.problems
    );
    let heat = heat(&mut engine, opened.run, Path::new("/src/mill/mill.c"), 0);
    let mut lines: Vec<_> = heat.line.into_iter().zip(heat.self_value).collect();
    lines.retain(|(_, value)| *value > 0);
    assert_eq!(lines, [(29, 87), (30, 45), (37, 26), (38, 6)]);
}
