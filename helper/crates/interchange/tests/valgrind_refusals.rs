//! Damaged and hostile files of Callgrind and Cachegrind are shown, or refused with their cause.

use std::path::Path;

use profile::{ErrorKind, Profile, ProfileError};

fn opened(text: impl AsRef<[u8]>) -> Result<Profile, ProfileError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("any name");
    std::fs::write(&path, text).unwrap();
    interchange::open(&path, |_| Vec::new())
}

/// What a refusal says behind the path.
fn refusal(text: &str) -> String {
    let error = opened(text).expect_err(text);
    let (_, message) = error.message.split_once(": ").unwrap();
    message.to_owned()
}

#[test]
fn a_damaged_line_is_named_with_what_was_wanted() {
    let head = "version: 1\nevents: Ir\nfl=a.c\nfn=f\n";
    for (text, expected) in [
        (
            "1 x\n",
            "Line 5 of the Callgrind file is \"1 x\", where a whole number is expected.",
        ),
        (
            "1 1.5\n",
            "Line 5 of the Callgrind file is \"1 1.5\", where a whole number is expected.",
        ),
        (
            "1 2 3\n",
            "Line 5 of the Callgrind file is \"1 2 3\", where no more than one cost of each event is expected.",
        ),
        (
            "-1 2\n",
            "Line 5 of the Callgrind file is \"-1 2\", where a line number is expected.",
        ),
        (
            "4294967296 2\n",
            "Line 5 of the Callgrind file is \"4294967296 2\", where a line number below 2^32 is expected.",
        ),
        (
            "fn=(7)\n",
            "Line 5 of the Callgrind file names the function (7), but no line before it says which that is.",
        ),
        (
            "nonsense\n",
            "Line 5 of the Callgrind file is \"nonsense\", where a header, a position or costs is expected.",
        ),
        (
            "calls=1 3\n1 2\n",
            "Line 5 of the Callgrind file is \"calls=1 3\", where cfn= before the call is expected.",
        ),
        (
            "cfn=g\ncalls=1 3\nfn=h\n",
            "Line 7 of the Callgrind file is \"fn=h\", where the cost of the call in line 6 is expected.",
        ),
        (
            "cfn=g\ncalls=1 3\n",
            "The Callgrind file ends after line 6, a call, without the cost of the call.",
        ),
        (
            "1 2\nevents: Dr\n",
            "Line 6 of the Callgrind file is \"events: Dr\", where events: Ir is expected.",
        ),
        (
            "",
            "The Callgrind file has no costs: nothing was counted, or the file ends early.",
        ),
        (
            "1 9007199254740991\n2 1\n",
            "The counts up to line 6 of the Callgrind file add up to 2^53 or more, beyond what Lineheat counts.",
        ),
    ] {
        assert_eq!(refusal(&format!("{head}{text}")), expected);
    }
    assert_eq!(
        refusal("# callgrind format\nversion: 1\n"),
        "The Callgrind file has no line \"events:\", which names what it counts."
    );
    assert_eq!(
        refusal("# callgrind format\nversion: 2\nevents: Ir\n"),
        "Line 2 of the Callgrind file is \"version: 2\", where version 1 is expected."
    );
    assert_eq!(
        refusal("desc: a\ncmd: b\nevents: Ir Ir\n"),
        "Line 3 of the Cachegrind file is \"events: Ir Ir\", where each event once is expected."
    );
}

#[test]
fn what_has_no_events_is_not_taken_for_one() {
    for text in [
        "version: 1\nservices:\n  web:\n    image: x\n",
        "events happened: 3\n",
        "fl=a.c\nfn=main\n12 400\n",
        "creator: someone\n",
    ] {
        let error = opened(text).unwrap_err();
        assert_eq!(error.kind, ErrorKind::NotAProfile, "{text}: {error}");
    }
}

/// Of the first event, and the line that says it.
const TOTALS: [(u64, &[u8]); 2] = [
    (8_919_401, b"\ntotals: 8919401\n"),
    (8_920_529, b"\nsummary: 8920529 "),
];

#[test]
fn five_hundred_mutants_are_shown_with_what_differs_or_refused_with_their_cause() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut below = |limit: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % limit
    };
    let exchange = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/exchange");
    let files = ["mill.callgrind.out", "mill.cachegrind.out"]
        .map(|name| std::fs::read(exchange.join(name)).unwrap());
    let (mut shown, mut refused) = (0, 0);
    for round in 0..500 {
        let mut bytes = files[round % 2].clone();
        for _ in 0..=below(4) {
            let at = below(bytes.len());
            match below(4) {
                0 => bytes[at] = below(256) as u8,
                1 => bytes.truncate(at.max(1)),
                2 => drop(bytes.drain(at..(at + 1 + below(200)).min(bytes.len()))),
                _ => bytes.insert(at, [b'(', b' ', b'\n', b'9', b'=', b'+', 0xff][below(7)]),
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        let start = std::time::Instant::now();
        match opened(&bytes) {
            Ok(profile) => {
                shown += 1;
                let (total, claim) = TOTALS[round % 2];
                let has_claim = bytes.windows(claim.len()).any(|part| part == claim);
                let is_said = (profile.problems.iter()).any(|said| said.contains("add up to"));
                assert!(
                    profile.total(0) == total || is_said || !has_claim,
                    "mutant {round}: {}, {:?}",
                    profile.total(0),
                    profile.problems
                );
            }
            Err(error) => {
                refused += 1;
                assert!(error.message.len() > 30, "{error}");
            }
        }
        assert!(start.elapsed().as_secs() < 5, "mutant {round}");
    }
    assert!(
        shown > 50 && refused > 50,
        "{shown} shown, {refused} refused"
    );
}
