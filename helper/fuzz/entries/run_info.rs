//! Any bytes as what Lineheat saved about a run, in an otherwise valid profile.

use profile::{LineOf, MappingOf, Profile, ProfileBuilder};

#[path = "pprof.rs"]
pub mod pprof;

pub fn read(bytes: &[u8]) {
    pprof::read(&[valid_profile(), field_of_run(bytes)].concat());
}

/// Field 7001 with this content.
fn field_of_run(bytes: &[u8]) -> Vec<u8> {
    let mut field = Vec::new();
    for mut number in [7001 << 3 | 2, bytes.len() as u64] {
        while number >= 0x80 {
            field.push(number as u8 | 0x80);
            number >>= 7;
        }
        field.push(number as u8);
    }
    field.extend(bytes);
    field
}

/// Uncompressed, as the format allows.
fn valid_profile() -> Vec<u8> {
    let profile = small();
    let mut packed = Vec::new();
    profile.write(&mut packed).expect("a Vec takes everything");
    inflated(&packed)
}

fn small() -> Profile {
    let mut builder = ProfileBuilder::new(&[("samples", "count"), ("cpu", "nanoseconds")]);
    let module = builder.add_mapping(MappingOf {
        filename: "/bin/app",
        ..MappingOf::default()
    });
    let function = builder.add_function("work", "work", "/a.c", 1);
    let line = LineOf {
        function,
        line: 2,
        column: 0,
    };
    let location = builder.add_location(Some(module), 1, &[line]);
    builder.add_sample(&[location], &[5, 5_000_000], &[]);
    builder.finish()
}

fn inflated(packed: &[u8]) -> Vec<u8> {
    use std::io::Read;
    let mut plain = Vec::new();
    let mut reader = flate2::read::GzDecoder::new(packed);
    reader.read_to_end(&mut plain).expect("our own gzip");
    plain
}

/// A description with each kind of field.
#[allow(dead_code)] // The fuzzer keeps what it found itself.
pub fn seeds() -> Vec<Vec<u8>> {
    use profile::run::{Exit, Loss, Module, Source};
    let mut profile = small();
    profile.run = Some(profile::RunInfo {
        format: 1,
        name: "a run".into(),
        command: vec!["/bin/app".into(), "40".into()],
        exit: Some(Exit { code: 0, signal: 9 }),
        losses: vec![Loss {
            cause: "ring-full".into(),
            count: 8,
        }],
        sources: vec![Source {
            path: "/a.c".into(),
            text: "line\n".repeat(9),
            ..Source::default()
        }],
        modules: vec![Module {
            path: "/bin/app".into(),
            producers: vec!["cc".into()],
            ..Module::default()
        }],
        time_sample: vec![0, 0, 0],
        time_delta_ns: vec![1, 2, 3],
        asked_hz: 999.0,
        ..profile::RunInfo::default()
    });
    let mut packed = Vec::new();
    profile.write(&mut packed).expect("a Vec takes everything");
    let plain = inflated(&packed);
    // The field stands last in the file.
    let key = [0xca, 0xb5, 0x03];
    let at = plain.windows(3).rposition(|window| window == key);
    let at = at.expect("the field is there") + key.len();
    let length_bytes = 1 + plain[at..].iter().take_while(|byte| **byte >= 0x80).count();
    vec![plain[at + length_bytes..].to_vec()]
}
