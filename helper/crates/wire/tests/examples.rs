//! The example bytes of `protocol/examples` say to Rust what their JSON (proto3's own mapping) says.
//!
//! `NAME.json` begins with `request` or `reply`, the message it is. With `UPDATE_EXAMPLES` set, missing or other
//! `.bin` files are written anew from the JSON.

use std::path::{Path, PathBuf};

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage};
use wire::{Reply, Request};

fn protocol() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../protocol")
}

fn from_json(pool: &DescriptorPool, message: &str, json: &str) -> DynamicMessage {
    let descriptor = pool.get_message_by_name(message).unwrap();
    let mut reader = serde_json::Deserializer::from_str(json);
    let value = DynamicMessage::deserialize(descriptor, &mut reader).unwrap();
    reader.end().unwrap();
    value
}

/// `bytes` decode to what the JSON says, and what the JSON says is encoded to `bytes`.
fn check<M: Message + Default + PartialEq + std::fmt::Debug>(
    name: &str,
    expected: &DynamicMessage,
    path: &Path,
) {
    let expected: M = expected.transcode_to().unwrap();
    if std::env::var_os("UPDATE_EXAMPLES").is_some() {
        std::fs::write(path, expected.encode_to_vec()).unwrap();
    }
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(M::decode(&bytes[..]).unwrap(), expected, "{name}");
    assert_eq!(expected.encode_to_vec(), bytes, "{name}");
}

#[test]
fn every_example_reads_and_writes_as_its_json_says() {
    let files = protox::compile(["wire.proto"], [protocol()]).unwrap();
    let pool = DescriptorPool::from_file_descriptor_set(files).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(protocol().join("examples"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    names.sort();
    assert!(names.len() >= 12, "only {} examples", names.len());
    for path in names {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let json = std::fs::read_to_string(&path).unwrap();
        let bytes = path.with_extension("bin");
        match name.split('-').next() {
            Some("request") => {
                let value = from_json(&pool, "lineheat.wire.Request", &json);
                check::<Request>(name, &value, &bytes);
            }
            Some("reply") => {
                let value = from_json(&pool, "lineheat.wire.Reply", &json);
                check::<Reply>(name, &value, &bytes);
            }
            _ => panic!("{name}: neither a request nor a reply"),
        }
    }
}
