//! What the engine and its symbolizing process say to each other: little-endian numbers and lengths before texts. The
//! answers are foreign input, since what was read may have taken the process over: each length is checked against what
//! is there.

use std::io::{self, Read, Write};
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

use crate::ModuleSymbols;
use crate::cache_format;
use crate::demangle::DemangleMode;
use crate::known::{Address, Known};

/// Of one message: some three million addresses.
const MESSAGE_BYTES_MAX: u32 = 512 << 20;

/// All that the process is asked, in one message.
pub(crate) struct Task {
    pub(crate) mode: DemangleMode,
    pub(crate) debug_directories: Vec<PathBuf>,
    pub(crate) time_limit: Duration,
    pub(crate) threads: usize,
    /// Modules that are read at one time.
    pub(crate) at_once: usize,
    pub(crate) debuginfod: Option<Duration>,
    pub(crate) cache: Option<PathBuf>,
    pub(crate) modules: Vec<TaskModule>,
}

pub(crate) struct TaskModule {
    /// The engine's number for it.
    pub(crate) index: u32,
    pub(crate) path: PathBuf,
    pub(crate) content: TaskContent,
    pub(crate) expected_build_id: Option<String>,
    /// Ascending, each once.
    pub(crate) vaddrs: Vec<u64>,
}

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

const BEGAN: u8 = 1;
const PROGRESS: u8 = 2;
const ANSWER: u8 = 3;

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
        let mut out = Out::default();
        match self {
            Said::Began(index) => out.byte(BEGAN).number(u64::from(*index)),
            Said::Progress(done) => out.byte(PROGRESS).number(*done),
            Said::Answer(index, bytes) => (out.byte(ANSWER).number(u64::from(*index))).raw(bytes),
        };
        out.0
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Said> {
        let mut fields = Fields(bytes);
        let (kind, number) = (fields.byte()?, fields.number()?);
        match kind {
            BEGAN => Some(Said::Began(u32::try_from(number).ok()?)),
            PROGRESS => Some(Said::Progress(number)),
            ANSWER => Some(Said::Answer(u32::try_from(number).ok()?, fields.0.to_vec())),
            _ => None,
        }
    }
}

impl Task {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Out::default();
        out.byte(self.mode as u8);
        out.number(self.debug_directories.len() as u64);
        for directory in &self.debug_directories {
            out.bytes(directory.as_os_str().as_bytes());
        }
        out.number(self.time_limit.as_millis() as u64);
        out.number(self.threads as u64).number(self.at_once as u64);
        out.optional(
            self.debuginfod
                .map(|limit| limit.as_millis().to_string().into_bytes()),
        );
        out.optional(
            self.cache
                .as_ref()
                .map(|path| path.as_os_str().as_bytes().to_vec()),
        );
        out.number(self.modules.len() as u64);
        for module in &self.modules {
            out.number(u64::from(module.index));
            out.bytes(module.path.as_os_str().as_bytes());
            match &module.content {
                TaskContent::AtPath => out.byte(0),
                TaskContent::Inherited(fd) => out.byte(1).number(*fd as u64),
                TaskContent::Bytes(bytes) => out.byte(2).bytes(bytes),
            };
            out.optional(
                module
                    .expected_build_id
                    .as_ref()
                    .map(|id| id.clone().into_bytes()),
            );
            out.number(module.vaddrs.len() as u64);
            for vaddr in &module.vaddrs {
                out.number(*vaddr);
            }
        }
        out.0
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Task> {
        let mut fields = Fields(bytes);
        let mode = match fields.byte()? {
            mode if mode == DemangleMode::None as u8 => DemangleMode::None,
            mode if mode == DemangleMode::Simplified as u8 => DemangleMode::Simplified,
            mode if mode == DemangleMode::Templates as u8 => DemangleMode::Templates,
            mode if mode == DemangleMode::Full as u8 => DemangleMode::Full,
            _ => return None,
        };
        let debug_directories = (0..fields.count(8)?)
            .map(|_| fields.path())
            .collect::<Option<_>>()?;
        let time_limit = Duration::from_millis(fields.number()?);
        let (threads, at_once) = (fields.number()? as usize, fields.number()? as usize);
        let debuginfod = match fields.optional()? {
            None => None,
            Some(text) => Some(Duration::from_millis(
                std::str::from_utf8(text).ok()?.parse().ok()?,
            )),
        };
        let cache = fields.optional()?.map(path_of);
        let modules = (0..fields.count(40)?)
            .map(|_| fields.module())
            .collect::<Option<_>>()?;
        Some(Task {
            mode,
            debug_directories,
            time_limit,
            threads,
            at_once,
            debuginfod,
            cache,
            modules,
        })
    }
}

/// The names of a module as bytes; `vaddrs` are ascending.
pub(crate) fn encode_symbols(symbols: ModuleSymbols, vaddrs: &[u64]) -> Vec<u8> {
    let mut out = Out::default();
    out.byte(cache_format::language_code(symbols.language));
    out.bytes(symbols.build_id.as_bytes());
    out.optional(symbols.problem.map(String::into_bytes));
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
    out.raw(&cache_format::encode(&known));
    out.0
}

/// `None`: the bytes are no answer for these addresses.
pub(crate) fn decode_symbols(bytes: &[u8], vaddrs: &[u64]) -> Option<ModuleSymbols> {
    let mut fields = Fields(bytes);
    let language = cache_format::language_of(fields.byte()?.into())?;
    let build_id = String::from_utf8(fields.bytes()?.to_vec()).ok()?;
    let problem = match fields.optional()? {
        None => None,
        Some(text) => Some(String::from_utf8(text.to_vec()).ok()?),
    };
    let known = cache_format::decode(fields.0)?;
    if known.vaddrs != vaddrs {
        return None;
    }
    let mut symbols = ModuleSymbols {
        source_sums: known.source_sums,
        language,
        build_id,
        has_lines: known.has_lines,
        problem,
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

#[derive(Default)]
struct Out(Vec<u8>);

impl Out {
    fn byte(&mut self, byte: u8) -> &mut Out {
        self.0.push(byte);
        self
    }

    fn number(&mut self, number: u64) -> &mut Out {
        self.raw(&number.to_le_bytes())
    }

    fn raw(&mut self, bytes: &[u8]) -> &mut Out {
        self.0.extend_from_slice(bytes);
        self
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Out {
        self.number(bytes.len() as u64).raw(bytes)
    }

    fn optional(&mut self, bytes: Option<Vec<u8>>) -> &mut Out {
        match bytes {
            None => self.byte(0),
            Some(bytes) => self.byte(1).bytes(&bytes),
        }
    }
}

struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    fn number(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// A number of entries that have at least `bytes_each`: no more than can follow.
    fn count(&mut self, bytes_each: usize) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.0.len() / bytes_each).then_some(count)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        self.take(length)
    }

    fn optional(&mut self) -> Option<Option<&'a [u8]>> {
        match self.byte()? {
            0 => Some(None),
            1 => Some(Some(self.bytes()?)),
            _ => None,
        }
    }

    fn path(&mut self) -> Option<PathBuf> {
        self.bytes().map(path_of)
    }

    fn module(&mut self) -> Option<TaskModule> {
        let index = u32::try_from(self.number()?).ok()?;
        let path = self.path()?;
        let content = match self.byte()? {
            0 => TaskContent::AtPath,
            1 => TaskContent::Inherited(RawFd::try_from(self.number()?).ok()?),
            2 => TaskContent::Bytes(self.bytes()?.to_vec()),
            _ => return None,
        };
        let expected_build_id = match self.optional()? {
            None => None,
            Some(text) => Some(String::from_utf8(text.to_vec()).ok()?),
        };
        let vaddrs = (0..self.count(8)?)
            .map(|_| self.number())
            .collect::<Option<_>>()?;
        Some(TaskModule {
            index,
            path,
            content,
            expected_build_id,
            vaddrs,
        })
    }
}

fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
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
        let task = Task {
            mode: DemangleMode::Full,
            debug_directories: vec!["/usr/lib/debug".into()],
            time_limit: Duration::from_secs(10),
            threads: 3,
            at_once: 2,
            debuginfod: Some(Duration::from_secs(120)),
            cache: None,
            modules: vec![TaskModule {
                index: 7,
                path: "/bin/x".into(),
                content: TaskContent::Inherited(5),
                expected_build_id: Some("ab".to_owned()),
                vaddrs: vec![1, u64::MAX],
            }],
        };
        let bytes = task.encode();
        assert_eq!(Task::decode(&bytes).unwrap().encode(), bytes);
        for cut in 0..bytes.len() {
            assert!(Task::decode(&bytes[..cut]).is_none(), "{cut}");
        }
    }

    #[test]
    fn what_the_process_says_is_not_believed() {
        for bytes in [
            &[][..],
            &[9; 9],
            &[BEGAN, 1],
            &[ANSWER, 255, 255, 255, 255, 255, 0, 0, 0],
        ] {
            assert!(Said::decode(bytes).is_none(), "{bytes:?}");
        }
        let mut stream = &[0xff, 0xff, 0xff, 0xff, 1][..];
        assert!(read_message(&mut stream).is_err());
    }
}
