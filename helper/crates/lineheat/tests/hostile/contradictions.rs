//! Ways to contradict the format: each a file whose bytes are well-formed messages and whose content is not.

use crate::files::strings;
use crate::pprof_fields::{message, number, text, with};
use crate::text_profiles::Chance;

/// A valid run whose samples have two values, and what was added to it; or a small profile with one part replaced.
pub fn contradictions(valid: &[u8], chance: &mut Chance) -> Vec<(&'static str, Vec<u8>)> {
    let added = |part: Vec<u8>| [valid, &part].concat();
    let values = [number(2, 1 + chance.below(9)), number(2, 1)].concat();
    let far = 1_000_000 + chance.below(1 << 40);
    let huge = [(1 << 62) + 1, i64::MAX as u64, 1 << 53][chance.below(3) as usize];
    let sample = |parts: &[Vec<u8>]| added(message(2, parts));
    let location = |parts: &[Vec<u8>]| added(message(4, parts));
    let label = |parts: &[Vec<u8>]| sample(&[number(1, 1), values.clone(), message(3, parts)]);
    vec![
        ("no sample types", with("type", Vec::new())),
        (
            "too many values",
            sample(&[number(1, 1), values.clone(), number(2, 1)]),
        ),
        ("too few values", sample(&[number(1, 1), number(2, 1)])),
        (
            "a negative value",
            sample(&[number(1, 1), number(2, 1), number(2, u64::MAX)]),
        ),
        ("values that overflow", {
            let one = message(2, &[number(1, 1), number(2, huge), number(2, huge)]);
            added(one.repeat(3))
        }),
        (
            "an unknown location",
            sample(&[number(1, far), values.clone()]),
        ),
        ("the location 0", sample(&[number(1, 0), values.clone()])),
        ("a location twice", location(&[number(1, 1)])),
        ("a location without id", location(&[number(3, 7)])),
        (
            "a function twice",
            added(message(5, &[number(1, 1), number(2, 1)])),
        ),
        ("a function without id", added(message(5, &[number(2, 1)]))),
        ("a mapping twice", added(message(3, &[number(1, 1)]))),
        ("a mapping without id", added(message(3, &[number(5, 1)]))),
        (
            "an unknown function",
            location(&[number(1, far), message(4, &[number(1, far)])]),
        ),
        (
            "a line without function",
            location(&[number(1, far), message(4, &[number(2, 1)])]),
        ),
        (
            "an unknown mapping",
            location(&[number(1, far), number(2, far)]),
        ),
        ("a mapping that ends before it starts", {
            added(message(
                3,
                &[number(1, far), number(2, 0x2000), number(3, 0x1000)],
            ))
        }),
        (
            "a string that is not there",
            added(message(5, &[number(1, far), number(2, far)])),
        ),
        (
            "a negative string",
            added(message(5, &[number(1, far), number(2, u64::MAX)])),
        ),
        ("a comment that is not there", added(number(13, far))),
        (
            "a first string with text",
            with("strings", strings(&["x", "cpu", "ns", "app", "work"])),
        ),
        ("no strings", with("strings", Vec::new())),
        ("text that is not UTF-8", added(text(6, b"\xc3\x28\xff"))),
        (
            "a label that is text and number",
            label(&[number(1, 1), number(2, 2), number(3, 5)]),
        ),
        (
            "a label without key",
            label(&[number(1, far), number(2, 2)]),
        ),
        (
            "a length beyond the file",
            added(vec![0x12, 0xff, 0xff, 0xff, 0xff, 0x0f, 1]),
        ),
        ("a length of 2^63", {
            added(vec![
                0x12, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01,
            ])
        }),
        ("a group", added(vec![0x13, 0x08, 0x01, 0x14])),
        (
            "a number without end",
            added([&[0x48][..], &[0xff; 12]].concat()),
        ),
        ("two profiles in one", [valid, valid].concat()),
        (
            "a negative line",
            location(&[
                number(1, far),
                message(4, &[number(1, 1), number(2, u64::MAX)]),
            ]),
        ),
        ("a sample that is a number", added(number(2, 7))),
        ("a string that is a number", added(number(6, 7))),
        ("the field 0", added(vec![0x02, 0x01, 0x00])),
    ]
}
