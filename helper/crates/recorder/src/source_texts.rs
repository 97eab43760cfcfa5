//! The source texts that a run saves: what its lines are the lines of.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::time::SystemTime;

use profile::run::Source;

use super::environment::unix_ns;
use super::evidence::Evidence;
use super::module_files::ModuleFiles;
use super::modules::ModuleIndex;
use super::opener::{Asked, Identity, Opener};
use super::options::Earlier;
use super::symbols::{CodeSources, Symbols};

const SOURCES_MAX: usize = 64;
const SOURCE_BYTES_MAX: u64 = 512 << 10;
const SOURCES_BYTES_MAX: usize = 4 << 20;

#[derive(Default)]
pub struct SourceTexts {
    pub known: Vec<Source>,
    /// Of an earlier build: changed since, and no run of it has the former text. Without text and digest.
    pub unknown: Vec<Source>,
}

/// The texts of the hottest source files: as they are now, or those that an earlier build was made from.
pub fn source_texts(
    by_file: &[(String, u64)],
    seen: &Evidence,
    code: &CodeSources,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
    earlier: Option<&Earlier>,
) -> SourceTexts {
    let built = newest_program_change(seen, code.files, symbols);
    let mut texts = SourceTexts::default();
    let mut bytes = 0;
    let mut opener = Opener::with(code.urgency);
    for (path, _) in by_file {
        if texts.known.len() == SOURCES_MAX {
            break;
        }
        if let Some(source) = earlier.and_then(|earlier| earlier.sources.text_of(path)) {
            bytes += source.text.len();
            if bytes > SOURCES_BYTES_MAX {
                break;
            }
            texts.known.push(source.clone());
            continue;
        }
        let Some((text, modified)) = read_source(Path::new(path), &mut opener) else {
            continue;
        };
        bytes += text.len();
        if bytes > SOURCES_BYTES_MAX {
            break;
        }
        // A sum in the line table knows better than the file's time.
        let sum = (symbols.values()).find_map(|s| s.found.source_sums.get(path.as_str()));
        let differs = sum.map(|sum| *sum != symbolize::md5(text.as_bytes()));
        let newer = built.is_some_and(|b| modified > b);
        let source = Source {
            path: path.clone(),
            text,
            modified_unix_ns: unix_ns(modified),
            newer_than_binary: differs.unwrap_or(newer),
            differs_from_binary: differs == Some(true),
            sha256: Vec::new(),
        };
        if earlier.is_some() && source.newer_than_binary {
            bytes -= source.text.len();
            texts.unknown.push(unknown(source));
        } else {
            texts.known.push(source);
        }
    }
    texts
}

fn read_source(path: &Path, opener: &mut Opener) -> Option<(String, SystemTime)> {
    if !path.is_absolute() {
        return None;
    }
    let opened = opener.open(&Asked {
        identity: Identity::Any,
        paths: &[path.to_owned()],
        bytes_max: SOURCE_BYTES_MAX,
    });
    let mut file = opened.ok()?.file;
    let mut text = String::new();
    // It may have grown since.
    (&mut file)
        .take(SOURCE_BYTES_MAX)
        .read_to_string(&mut text)
        .ok()?;
    Some((text, file.metadata().ok()?.modified().ok()?))
}

/// When the youngest module with line tables was built: a source changed after that is not what ran.
fn newest_program_change(
    seen: &Evidence,
    files: &ModuleFiles,
    symbols: &BTreeMap<ModuleIndex, Symbols>,
) -> Option<SystemTime> {
    let with_lines = seen
        .modules
        .iter()
        .filter(|(i, _)| symbols.get(i).is_some_and(|s| s.found.has_lines));
    with_lines
        .filter_map(|(i, _)| files.of(i)?.metadata().ok()?.modified().ok())
        .max()
}

/// No text is better than one whose lines are others.
fn unknown(source: Source) -> Source {
    Source {
        text: String::new(),
        modified_unix_ns: 0,
        newer_than_binary: true,
        differs_from_binary: true,
        ..source
    }
}
