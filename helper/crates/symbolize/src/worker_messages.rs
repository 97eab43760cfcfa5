//! What the engine and its symbolizing process say to each other, in postcard's encoding. The answers are foreign input,
//! since what was read may have taken the process over: a message has a limit, and within it nothing is taken for there
//! that did not arrive.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::RawFd;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cache_format;
use crate::demangle::DemangleMode;
use crate::functions_listed::FunctionList;
use crate::known::{Address, Known};
use crate::{Language, ModuleSymbols};

/// Of one message: some three million addresses.
const MESSAGE_BYTES_MAX: u32 = 512 << 20;

/// All that the process is asked, in one message. Paths are `OsString`, since serde takes a `PathBuf` of UTF-8 only.
#[derive(Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) mode: DemangleMode,
    pub(crate) debug_directories: Vec<OsString>,
    pub(crate) time_limit: Duration,
    pub(crate) threads: usize,
    /// Modules that are read at one time.
    pub(crate) at_once: usize,
    pub(crate) debuginfod: Option<Duration>,
    pub(crate) lists_functions: bool,
    pub(crate) cache: Option<OsString>,
    pub(crate) modules: Vec<TaskModule>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct TaskModule {
    /// The engine's number for it.
    pub(crate) index: u32,
    pub(crate) path: OsString,
    pub(crate) content: TaskContent,
    pub(crate) expected_build_id: Option<String>,
    /// Ascending, each once.
    pub(crate) vaddrs: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
pub(crate) enum TaskContent {
    AtPath,
    /// An open file that the process inherits.
    Inherited(RawFd),
    Bytes(Vec<u8>),
}

/// What the process says.
#[derive(Debug)]
pub(crate) enum Said {
    Began(u32),
    /// So many addresses were looked up, of all modules.
    Progress(u64),
    Answer(u32, Vec<u8>),
}

/// The beginning of what is said; the bytes of an answer follow it as they are.
#[derive(Serialize, Deserialize)]
enum Beginning {
    Began(u32),
    Progress(u64),
    Answer(u32),
}

/// The beginning of the names of a module; `Known` follows it as a cache file has it.
#[derive(Serialize, Deserialize)]
struct Heading {
    language: Language,
    build_id: String,
    problem: Option<String>,
    functions: FunctionList,
}

pub(crate) fn write_message(stream: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).ok();
    let length = length.filter(|length| *length <= MESSAGE_BYTES_MAX);
    let length = length.ok_or_else(|| io::Error::from(io::ErrorKind::FileTooLarge))?;
    stream.write_all(&length.to_le_bytes())?;
    stream.write_all(bytes)?;
    stream.flush()
}

/// # Errors
/// `UnexpectedEof` at the end of the stream, `InvalidData` beyond the limit.
pub(crate) fn read_message(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > MESSAGE_BYTES_MAX {
        return Err(io::ErrorKind::InvalidData.into());
    }
    // Grows with what really arrives.
    let mut bytes = Vec::new();
    let got = stream.take(u64::from(length)).read_to_end(&mut bytes)?;
    match got == length as usize {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

impl Said {
    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Said::Began(index) => encode(&Beginning::Began(*index), &[]),
            Said::Progress(done) => encode(&Beginning::Progress(*done), &[]),
            Said::Answer(index, bytes) => encode(&Beginning::Answer(*index), bytes),
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Said> {
        Some(match postcard::take_from_bytes(bytes).ok()? {
            (Beginning::Began(index), []) => Said::Began(index),
            (Beginning::Progress(done), []) => Said::Progress(done),
            (Beginning::Answer(index), bytes) => Said::Answer(index, bytes.to_vec()),
            _ => return None,
        })
    }
}

impl Task {
    pub(crate) fn encode(&self) -> Vec<u8> {
        encode(self, &[])
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Task> {
        match postcard::take_from_bytes(bytes).ok()? {
            (task, []) => Some(task),
            _ => None,
        }
    }
}

/// `value`, and `rest` behind it.
fn encode(value: &impl Serialize, rest: &[u8]) -> Vec<u8> {
    // It fails for sequences of unknown length only, which no message has; an empty message is refused as a damaged one is.
    let mut bytes = postcard::to_extend(value, Vec::new()).unwrap_or_default();
    bytes.extend_from_slice(rest);
    bytes
}

/// The names of a module as bytes; `vaddrs` are ascending.
pub(crate) fn encode_symbols(symbols: ModuleSymbols, vaddrs: &[u64]) -> Vec<u8> {
    let heading = Heading {
        language: symbols.language,
        build_id: symbols.build_id,
        problem: symbols.problem,
        functions: symbols.functions,
    };
    let columns = symbols.chains.into_iter().zip(symbols.builds);
    let known = Known {
        vaddrs: vaddrs.to_vec(),
        addresses: (columns.zip(symbols.folded))
            .map(|((chain, build), folded)| Address {
                chain,
                build,
                folded,
            })
            .collect(),
        source_sums: symbols.source_sums,
        has_lines: symbols.has_lines,
        has_symbols: true,
    };
    encode(&heading, &cache_format::encode(&known))
}

/// `None`: the bytes are no answer for these addresses.
pub(crate) fn decode_symbols(bytes: &[u8], vaddrs: &[u64]) -> Option<ModuleSymbols> {
    let (heading, known): (Heading, _) = postcard::take_from_bytes(bytes).ok()?;
    let known = cache_format::decode(known)?;
    if known.vaddrs != vaddrs {
        return None;
    }
    let mut symbols = ModuleSymbols {
        source_sums: known.source_sums,
        language: heading.language,
        build_id: heading.build_id,
        has_lines: known.has_lines,
        problem: heading.problem,
        functions: heading.functions,
        ..ModuleSymbols::default()
    };
    for address in known.addresses {
        symbols.chains.push(address.chain);
        symbols.builds.push(address.build);
        symbols.folded.push(address.folded);
    }
    symbols.producers = crate::symbolize::producers(&symbols.builds);
    Some(symbols)
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;
    use crate::Frame;

    fn symbols() -> ModuleSymbols {
        let frame = Frame {
            name: "f".into(),
            system_name: "_Z1fv".into(),
            file: Some("/f.c".into()),
            line: 3,
            column: 1,
            function_line: 2,
            inlined: false,
        };
        ModuleSymbols {
            chains: vec![vec![frame], Vec::new()],
            builds: vec![None, None],
            folded: vec![Vec::new(), Vec::new()],
            language: crate::Language::C,
            build_id: "0123".to_owned(),
            has_lines: true,
            problem: Some("half of it is missing.".to_owned()),
            ..ModuleSymbols::default()
        }
    }

    const BEGAN: u8 = 0;
    const ANSWER: u8 = 2;

    #[test]
    fn an_answer_comes_back_as_it_was() {
        let vaddrs = [0x10, 0x20];
        let bytes = encode_symbols(symbols(), &vaddrs);
        assert_eq!(decode_symbols(&bytes, &vaddrs), Some(symbols()));
        assert_eq!(decode_symbols(&bytes, &[0x10]), None, "not what was asked");
        for cut in 0..bytes.len() {
            assert_eq!(decode_symbols(&bytes[..cut], &vaddrs), None, "{cut}");
        }
    }

    #[test]
    fn a_task_comes_back_as_it_was() {
        let not_utf8 = OsString::from_vec(b"/usr/lib/\xff".to_vec());
        let task = Task {
            mode: DemangleMode::Full,
            debug_directories: vec![not_utf8.clone()],
            time_limit: Duration::from_secs(10),
            threads: 3,
            at_once: 2,
            debuginfod: Some(Duration::from_secs(120)),
            lists_functions: true,
            cache: Some("/c".into()),
            modules: vec![TaskModule {
                index: 7,
                path: "/bin/x".into(),
                content: TaskContent::Inherited(5),
                expected_build_id: Some("ab".to_owned()),
                vaddrs: vec![1, u64::MAX],
            }],
        };
        let bytes = task.encode();
        let back = Task::decode(&bytes).unwrap();
        assert_eq!(back.debug_directories, [not_utf8]);
        assert_eq!(back.encode(), bytes);
        for cut in 0..bytes.len() {
            assert!(Task::decode(&bytes[..cut]).is_none(), "{cut}");
        }
    }

    #[test]
    fn what_the_process_says_is_not_believed() {
        for bytes in [
            &[][..],
            &[9; 9],
            &[BEGAN, 0x81],
            &[ANSWER, 255, 255, 255, 255, 255, 0, 0, 0],
        ] {
            assert!(Said::decode(bytes).is_none(), "{bytes:?}");
        }
        let mut stream = &[0xff, 0xff, 0xff, 0xff, 1][..];
        assert!(read_message(&mut stream).is_err());
    }

    #[test]
    fn counts_of_what_is_not_there_take_no_memory() {
        // 2^63 of each, at each place that may hold a count.
        let many = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        let task = Task {
            mode: DemangleMode::None,
            debug_directories: Vec::new(),
            time_limit: Duration::ZERO,
            threads: 1,
            at_once: 1,
            debuginfod: None,
            lists_functions: false,
            cache: None,
            modules: Vec::new(),
        };
        let (task, vaddrs) = (task.encode(), [0x10, 0x20]);
        for at in 0..task.len() {
            let hostile = [&task[..at], &many, &task[at + 1..]].concat();
            // A number of threads is no count.
            if let Some(task) = Task::decode(&hostile) {
                assert!(task.debug_directories.is_empty() && task.modules.is_empty());
            }
        }
        let answer = encode_symbols(symbols(), &vaddrs);
        for at in 0..answer.len() {
            let hostile = [&answer[..at], &many, &answer[at + 1..]].concat();
            assert_eq!(decode_symbols(&hostile, &vaddrs), None, "{at}");
        }
    }
}
