//! Files of Callgrind and Cachegrind have their known totals on their lines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use profile::{Nature, Profile, ProfileError};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/exchange")
        .join(name)
}

fn fixture_profile(name: &str) -> Profile {
    let profile = interchange::open(&fixture(name), |_| Vec::new()).unwrap();
    let depths = (0..profile.samples.len()).map(|sample| profile.samples.stack(sample).len());
    assert!(
        depths.into_iter().all(|depth| depth == 1),
        "no stack is invented"
    );
    profile
}

fn opened(text: impl AsRef<[u8]>) -> Result<Profile, ProfileError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("any name");
    std::fs::write(&path, text).unwrap();
    interchange::open(&path, |_| Vec::new())
}

fn measure(profile: &Profile, name: &str) -> usize {
    profile
        .find_sample_type(name, "count")
        .unwrap_or_else(|| panic!("no {name}"))
}

/// Sums of a measure by what `key` makes of name, file and line; "", "" and 0 where nothing is known.
fn sums(profile: &Profile, of: &str, key: fn(&str, &str, u32) -> String) -> BTreeMap<String, u64> {
    let of = measure(profile, of);
    let mut sums = BTreeMap::new();
    for sample in 0..profile.samples.len() {
        let location = profile.samples.stack(sample)[0];
        let place = match profile.locations.lines_of(location) {
            [] => key("", "", 0),
            lines => {
                let function = profile.functions[lines[0].function as usize];
                let [name, file] = [function.name, function.filename].map(|id| profile.text(id));
                key(name, file, lines[0].line)
            }
        };
        *sums.entry(place).or_default() += profile.value(sample, of);
    }
    sums.retain(|_, sum| *sum > 0);
    sums
}

fn by_function(profile: &Profile, of: &str) -> BTreeMap<String, u64> {
    sums(profile, of, |name, _, _| name.to_owned())
}

/// By "mill.c:12"; the program was built in another folder for some files.
fn by_line(profile: &Profile, of: &str) -> BTreeMap<String, u64> {
    let last = |_: &str, file: &str, line| format!("{}:{line}", file.rsplit('/').next().unwrap());
    sums(profile, of, last)
}

fn by_place(profile: &Profile, of: &str) -> BTreeMap<String, u64> {
    sums(profile, of, |name, file, line| {
        format!("{name} {file}:{line}")
    })
}

fn totals(profile: &Profile) -> Vec<(String, u64)> {
    (profile.measures().into_iter().enumerate())
        .map(|(at, of)| (of.name, profile.total(at)))
        .collect()
}

fn of(sums: &[(&str, u64)]) -> Vec<(String, u64)> {
    (sums.iter())
        .map(|(name, sum)| (name.to_string(), *sum))
        .collect()
}

#[test]
fn a_file_of_callgrind_has_its_costs_on_their_lines() {
    let profile = fixture_profile("mill.callgrind.out");
    let calls = profile.total(measure(&profile, "calls"));
    assert_eq!(totals(&profile), of(&[("Ir", 8_919_401), ("calls", calls)]));
    assert_eq!(profile.default_measure(), 0);
    assert!(
        profile
            .measures()
            .iter()
            .all(|of| of.nature == Nature::Exact)
    );
    let functions = by_function(&profile, "Ir");
    assert_eq!(
        [functions["grind"], functions["sift"]],
        [7_207_008, 1_401_009]
    );
    let files = sums(&profile, "Ir", |name, file, _| format!("{name} {file}"));
    assert_eq!(
        files["malloc ./malloc/./malloc/malloc.c"], 41_046,
        "without what it calls"
    );
    let lines = by_line(&profile, "Ir");
    for (line, cost) in [(12, 2_400_000), (30, 1_200_000), (38, 800_000), (18, 4_004)] {
        assert_eq!(lines[&format!("mill.c:{line}")], cost, "line {line}");
    }
    let program = profile.mappings[0].filename;
    assert_eq!(
        profile.text(program),
        "/src/mill/mill",
        "the program is first"
    );
    assert_eq!(profile.problems.len(), 1, "{:?}", profile.problems);
    assert!(profile.problems[0].starts_with("Callgrind files have no call stacks"));
    assert!(profile.problems[0].contains(" The inclusive costs of 428 calls are left out;"));
}

#[test]
fn calls_are_counted_where_the_called_function_is_entered() {
    let profile = fixture_profile("mill.callgrind.out");
    let text = std::fs::read_to_string(fixture("mill.callgrind.out")).unwrap();
    let counts = text.lines().filter_map(|line| {
        let (count, _) = line.strip_prefix("calls=")?.split_once(' ')?;
        count.parse::<u64>().ok()
    });
    assert_eq!(
        profile.total(measure(&profile, "calls")),
        counts.sum::<u64>()
    );
    let calls = by_place(&profile, "calls");
    let of = |function: &str| -> u64 {
        let start = format!("{function} ");
        (calls.iter().filter(|(place, _)| place.starts_with(&start)))
            .map(|(_, count)| count)
            .sum()
    };
    // 1,000 of them from line 18 of mill.c.
    assert_eq!(
        [of("malloc"), of("grind"), of("sift"), of("main")],
        [1_001, 1, 1, 1]
    );
    assert_eq!(calls["main /src/mill/mill.c:49"], 1);
}

/// "2,400,000 (26.91%)    return x", line by line from the line that "-- line 4 ---" names; "=>" lines are of calls.
#[test]
fn lines_are_as_callgrind_annotate_shows_them() {
    let shown = std::fs::read_to_string(fixture("mill.callgrind-annotate-lines.txt")).unwrap();
    let (_, listing) = shown.split_once("-- line 4 ---").expect("the source");
    let (_, listing) = listing.split_once('\n').unwrap();
    let (listing, _) = listing.split_once("\n\n-----").unwrap();
    let mut expected = BTreeMap::new();
    let own = listing.lines().filter(|line| !line.contains("=> "));
    for (at, line) in own.enumerate() {
        let cost = line
            .trim_start()
            .split(' ')
            .next()
            .unwrap()
            .replace(',', "");
        if let Ok(cost) = cost.parse::<u64>() {
            expected.insert(format!("mill.c:{}", at + 4), cost);
        }
    }
    assert_eq!(expected.len(), 25, "{expected:?}");
    for name in [
        "mill.callgrind.out",
        "mill.callgrind-plain.out.gz",
        "mill.callgrind-instr.out.gz",
    ] {
        let mut lines = by_line(&fixture_profile(name), "Ir");
        lines.retain(|line, _| line.starts_with("mill.c:") && line != "mill.c:0");
        assert_eq!(lines, expected, "{name}");
    }
}

#[test]
fn all_ways_of_writing_names_and_positions_say_the_same() {
    let [compressed, plain, instr] = [
        "mill.callgrind.out",
        "mill.callgrind-plain.out.gz",
        "mill.callgrind-instr.out.gz",
    ]
    .map(fixture_profile);
    assert_eq!(by_place(&compressed, "Ir"), by_place(&plain, "Ir"));
    assert_eq!(by_place(&compressed, "calls"), by_place(&plain, "calls"));
    assert_eq!(by_line(&compressed, "Ir"), by_line(&instr, "Ir"));
    let calls = by_function(&instr, "calls");
    assert_eq!(by_function(&compressed, "calls"), calls);
    let expected = [
        ("Ir", 8_919_401),
        ("Dr", 465_941),
        ("Dw", 33_309),
        ("I1mr", 1_262),
        ("D1mr", 957),
        ("D1mw", 1_113),
        ("ILmr", 1_243),
        ("DLmr", 769),
        ("DLmw", 1_080),
        ("calls", calls.values().sum()),
    ];
    assert_eq!(totals(&instr), of(&expected));
    let thread = plain.samples.labels_of(0);
    let tid = thread.iter().find(|label| plain.text(label.key) == "tid");
    assert_eq!(tid.map(|label| label.number), Some(1));
    assert!(compressed.samples.labels_of(0).is_empty());
    for profile in [plain, instr] {
        assert_eq!(profile.problems.len(), 1, "{:?}", profile.problems);
    }
}

/// Made with --combine-dumps=yes --dump-every-bb=400000: four parts, later ones by the names of the first.
#[test]
fn the_parts_of_one_file_add_up() {
    let profile = fixture_profile("mill.callgrind-parts.out.gz");
    let parts = [2_540_998, 2_402_338, 2_402_331, 1_573_241];
    assert_eq!(profile.total(0), parts.iter().sum::<u64>());
    assert_eq!(by_function(&profile, "Ir")["grind"], 7_207_008);
    assert_eq!(by_line(&profile, "Ir")["mill.c:12"], 2_400_000);
    assert_eq!(profile.problems.len(), 1, "{:?}", profile.problems);
}

#[test]
fn files_of_cachegrind_have_their_costs_on_their_lines() {
    let profile = fixture_profile("mill.cachegrind.out");
    let expected = [
        ("Ir", 8_920_529),
        ("I1mr", 1_270),
        ("ILmr", 1_251),
        ("Dr", 467_415),
        ("D1mr", 1_190),
        ("DLmr", 1_000),
        ("Dw", 31_833),
        ("D1mw", 880),
        ("DLmw", 849),
    ];
    assert_eq!(totals(&profile), of(&expected));
    assert_eq!(profile.default_measure(), 0);
    assert_eq!(by_function(&profile, "Ir")["grind"], 7_207_008);
    assert_eq!(by_line(&profile, "Ir")["mill.c:12"], 2_400_000);
    assert_eq!(by_line(&profile, "Dr")["mill.c:38"], 200_000);
    assert_eq!(profile.problems.len(), 1, "{:?}", profile.problems);
    assert!(profile.problems[0].starts_with("Cachegrind files have no call stacks"));

    let branches = totals(&fixture_profile("mill.cachegrind-branches.out.gz"));
    assert_eq!(branches, of(BRANCHES));
}

const BRANCHES: &[(&str, u64)] = &[
    ("Ir", 8_920_050),
    ("I1mr", 1_261),
    ("ILmr", 1_242),
    ("Dr", 467_340),
    ("D1mr", 1_331),
    ("DLmr", 998),
    ("Dw", 31_819),
    ("D1mw", 914),
    ("DLmw", 850),
    ("Bc", 1_456_445),
    ("Bcm", 4_483),
    ("Bi", 1_301),
    ("Bim", 162),
];

#[test]
fn inlined_code_costs_on_its_own_lines_and_what_is_unknown_is_no_place() {
    let profile = opened(
        "version: 1\r\npositions: line\r\nevents: Ir Dr\r\n\r\nob=/bin/mill\r\nfl=(1) mill.c\r\nfn=(1) grind\r\n12 5 2\r\nfi=(2) crush.h\r\n3 7\r\nfe=(1)\r\n+1 1\r\n\
         fl=???\nfn=???\n0 11 1\n4 2\nfn=known\n0 3\nfn=(below main)\n1 4\n",
    )
    .unwrap();
    assert_eq!(
        totals(&profile),
        of(&[("Ir", 33), ("Dr", 3)]),
        "without calls"
    );
    let expected: [(&str, u64); 6] = [
        (" :0", 13),
        ("(below main) :1", 4),
        ("grind crush.h:3", 7),
        ("grind mill.c:12", 5),
        ("grind mill.c:4", 1),
        ("known :0", 3),
    ];
    assert_eq!(
        by_place(&profile, "Ir").into_iter().collect::<Vec<_>>(),
        of(&expected)
    );
    let unknown = (profile.samples.len() - 3) as u32;
    assert!(profile.locations.lines_of(unknown).is_empty());
}

#[test]
fn neither_inclusive_costs_nor_jumps_are_costs() {
    let text = "# callgrind format\nevents: Ir\nfl=(1) a.c\nfn=(1) f\n1 10\ncfi=(2) b.c\ncfn=(2) g\ncalls=3 +19\n+1 600\n\
                jfi=(3) c.h\njcnd=2/3 +100\n*\n+1 4\nfl=(3)\nfn=(2)\n20 100\njump=7 25\n* \ncfn=(2)\ncalls=2 20\n* 9\ntotals: 114\n";
    let profile = opened(text).unwrap();
    let expected = [("f a.c:1", 10), ("f a.c:3", 4), ("g c.h:20", 100)];
    let costs: Vec<_> = by_place(&profile, "Ir").into_iter().collect();
    assert_eq!(costs, of(&expected));
    // The file of a called function is that of the caller, where none is said.
    let calls: Vec<_> = by_place(&profile, "calls").into_iter().collect();
    assert_eq!(calls, of(&[("g b.c:20", 3), ("g c.h:20", 2)]));
    assert_eq!(profile.problems.len(), 1, "{:?}", profile.problems);
}

#[test]
fn threads_of_one_file_are_told_apart() {
    let part = |thread: u32| {
        format!(
            "part: {thread}\nthread: {thread}\nevents: Ir\nfl=(1) a.c\nfn=(1) f\n3 {thread}0\ntotals: {thread}0\n\n"
        )
    };
    let text = format!(
        "version: 1\ncreator: by hand\npid: 7\n{}{}",
        part(1),
        part(2)
    );
    let profile = opened(&text).unwrap();
    assert_eq!((profile.total(0), profile.samples.len()), (30, 2));
    let labels = profile.samples.labels_of(1);
    let number = |key: &str| {
        let label = labels.iter().find(|label| profile.text(label.key) == key);
        label.map(|label| label.number)
    };
    assert_eq!([number("pid"), number("tid")], [Some(7), Some(2)]);
}

#[test]
fn sums_that_differ_from_those_in_the_file_are_said() {
    let with = |line: &str| {
        let text = format!("version: 1\nevents: Ir Dr\nfn=f\n1 10 3\n{line}\n");
        opened(text).unwrap().problems[1..].to_vec()
    };
    assert!(with("totals: 10 3").is_empty());
    assert_eq!(
        with("totals: 12 3"),
        [
            "The lines of the Callgrind file add up to 10 Ir, but its line \"totals:\" says 12: the file may be incomplete or changed."
        ]
    );
    // Callgrind's summary may be more than what stands in the lines.
    assert!(with("summary: 12 3\ntotals: 10 3").is_empty());
    assert_eq!(
        with("summary: 10"),
        [
            "The lines of the Callgrind file add up to 3 Dr, but its line \"summary:\" says 0: the file may be incomplete or changed."
        ]
    );
    let part = "part: 1\nevents: Ir\nfn=f\n1 1\ntotals: 2\n";
    let problems = opened(part.repeat(30)).unwrap().problems;
    assert_eq!(problems.len(), 22, "{problems:?}");
    assert_eq!(problems[21], "10 more sums of the file differ in this way.");
    // As Xdebug writes them for memory.
    let profile =
        opened("version: 1\nevents: Time Memory\nfn=f\n1 10 -96\n2 3 100\nsummary: 13 4\n")
            .unwrap();
    assert_eq!(totals(&profile), of(&[("Time", 13), ("Memory", 100)]));
    assert_eq!(
        profile.problems[1..],
        ["Costs below 0 count as 0. The file has 1."]
    );
}

#[test]
fn what_only_has_addresses_is_known_by_function() {
    let text =
        "version: 1\npositions: instr\nevents: Ir\nfl=a.c\nfn=f\n0x10 4\n+4 5\n* 1\n-0x4 2\n";
    let profile = opened(text).unwrap();
    let places: Vec<_> = by_place(&profile, "Ir").into_iter().collect();
    assert_eq!(places, of(&[("f a.c:0", 12)]));
    assert!(profile.problems[1].starts_with("Costs are known by function, not by line"));
}
