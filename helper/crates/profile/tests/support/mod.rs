//! pprof messages field by field, so that any contradiction can be written.
#![allow(dead_code)] // Each test program uses a part.

/// As protobuf has it: seven bits a byte, the lowest first.
fn encode_varint(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// A field of a message: number, then a varint or bytes.
pub fn number(field: u64, value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_varint(field << 3, &mut bytes);
    encode_varint(value, &mut bytes);
    bytes
}

pub fn message(field: u64, parts: &[Vec<u8>]) -> Vec<u8> {
    let content = parts.concat();
    let mut bytes = Vec::new();
    encode_varint(field << 3 | 2, &mut bytes);
    encode_varint(content.len() as u64, &mut bytes);
    bytes.extend(content);
    bytes
}

pub fn text(field: u64, text: &[u8]) -> Vec<u8> {
    message(field, &[text.to_vec()])
}

/// One sample of one function at one location.
pub fn base() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("type", message(1, &[number(1, 1), number(2, 2)])),
        ("sample", message(2, &[number(1, 1), number(2, 5)])),
        ("mapping", message(3, &[number(1, 1), number(5, 3)])),
        (
            "location",
            message(
                4,
                &[
                    number(1, 1),
                    number(2, 1),
                    message(4, &[number(1, 1), number(2, 7)]),
                ],
            ),
        ),
        (
            "function",
            message(5, &[number(1, 1), number(2, 4), number(4, 3)]),
        ),
        (
            "strings",
            [&b""[..], b"cpu", b"ns", b"app", b"work"]
                .map(|t| text(6, t))
                .concat(),
        ),
    ]
}

/// The base with one part replaced (or added).
pub fn with(name: &'static str, part: Vec<u8>) -> Vec<u8> {
    let mut parts = base();
    match parts.iter_mut().find(|(known, _)| *known == name) {
        Some((_, old)) => *old = part,
        None => parts.push((name, part)),
    }
    parts.into_iter().flat_map(|(_, bytes)| bytes).collect()
}
