//! Which source texts a run carries, and where the others come back from when it is opened.
//!
//! The texts of the hottest files would be most of a short run. It carries as much of them as its samples are worth; the
//! others are named by their digest, and come from the workspace's store ([`crate::source_store`]) or from the place where
//! they were recorded, if that holds the same text still.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;

use crate::columns::Profile;
use crate::regular_file::read_regular_file;
use crate::run::Source;
use crate::source_store::{Sha256Sum, TEXT_BYTES_MAX, TextReader, sum_of};

/// Of packed text that every run may carry, and for each of its samples.
const ROOM_BYTES: u64 = 16 << 10;
const ROOM_BYTES_A_SAMPLE: u64 = 8;

/// What is looked for on opening; a recording names fewer.
const APART_MAX: usize = 256;
const APART_BYTES_MAX: usize = 32 << 20;
const MISSING_SHOWN_MAX: usize = 3;

/// The numbers, among the run's sources, of the texts for which it has no room. Files below `own`, where the command ran,
/// are taken in first, since they change; then the hottest.
pub fn texts_without_room(profile: &Profile, own: &Path) -> Vec<usize> {
    let Some(run) = &profile.run else {
        return Vec::new();
    };
    let mut order: Vec<usize> = (0..run.sources.len()).collect();
    order.sort_by_key(|at| !Path::new(&run.sources[*at].path).starts_with(own));
    let mut room = ROOM_BYTES + ROOM_BYTES_A_SAMPLE * run.samples_kept;
    let mut without: Vec<usize> = (order.into_iter())
        .filter(
            |at| match room.checked_sub(packed_bytes(&run.sources[*at].text)) {
                Some(left) => {
                    room = left;
                    false
                }
                None => true,
            },
        )
        .collect();
    without.sort_unstable();
    without
}

fn packed_bytes(text: &str) -> u64 {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
    let packed = packed
        .write_all(text.as_bytes())
        .and_then(|()| packed.finish());
    packed.map_or(text.len() as u64, |bytes| bytes.len() as u64)
}

/// Takes these texts out of the run, which from now on names their digests.
pub fn texts_out_of_run(profile: &mut Profile, numbers: &[usize]) {
    let Some(run) = &mut profile.run else { return };
    let sources = std::mem::take(&mut run.sources);
    for (number, mut source) in sources.into_iter().enumerate() {
        if numbers.binary_search(&number).is_err() {
            run.sources.push(source);
            continue;
        }
        let text = std::mem::take(&mut source.text);
        source.sha256 = sum_of(&text).to_vec();
        run.sources_apart.push(source);
    }
}

/// Brings the texts back that can be had; the others stay apart, and a sentence says which.
pub fn bring_back(profile: &mut Profile, path: &Path) {
    let Some(run) = &mut profile.run else { return };
    if run.sources_apart.is_empty() {
        return;
    }
    let store = TextReader::beside(path);
    let mut bytes = 0;
    let mut missing = Vec::new();
    for (number, mut source) in std::mem::take(&mut run.sources_apart)
        .into_iter()
        .enumerate()
    {
        let text = (number < APART_MAX && bytes < APART_BYTES_MAX)
            .then(|| text_of(&source, store.as_ref()))
            .flatten();
        match text {
            Some(text) => {
                bytes += text.len();
                source.text = text;
                run.sources.push(source);
            }
            None => missing.push(source),
        }
    }
    run.sources_apart = missing;
    if let Some(sentence) = missing_texts(&run.sources_apart) {
        profile.problems.push(sentence);
    }
}

fn text_of(source: &Source, store: Option<&TextReader>) -> Option<String> {
    let sum: Sha256Sum = source.sha256.as_slice().try_into().ok()?;
    store.and_then(|store| store.text(&sum)).or_else(|| {
        let path = Path::new(&source.path);
        // A run of others may name a device, which opening alone may set going.
        let is_there = path.is_absolute() && path.is_file();
        let bytes = is_there.then(|| read_regular_file(path, TEXT_BYTES_MAX as usize).ok())??;
        let text = String::from_utf8(bytes).ok()?;
        (sum_of(&text) == sum).then_some(text)
    })
}

fn missing_texts(missing: &[Source]) -> Option<String> {
    if missing.is_empty() {
        return None;
    }
    let name = |source: &Source| {
        let path = Path::new(&source.path);
        path.file_name().map_or(source.path.clone(), |name| {
            name.to_string_lossy().into_owned()
        })
    };
    let mut names: Vec<String> = missing.iter().take(MISSING_SHOWN_MAX).map(name).collect();
    if missing.len() > MISSING_SHOWN_MAX {
        names.push("…".to_owned());
    }
    let files = match missing.len() {
        1 => "1 source file".to_owned(),
        count => format!("{count} source files"),
    };
    Some(format!(
        "The recorded text of {files} is not on this machine ({}), so heat cannot follow later edits. Keep the run in its .lineheat/runs folder, or record with --self-contained to move it.",
        names.join(", ")
    ))
}
