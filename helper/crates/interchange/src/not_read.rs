//! Files of profilers that are recognised and not read, each with the way to one that is.

use std::path::Path;

use profile::{ErrorKind, ForeignReader, ProfileError};

use crate::json::is_object_with;

/// It reads none of them.
pub const READER: ForeignReader = ForeignReader {
    name: "a file that other programs convert",
    is_it: |bytes| known(bytes).is_some(),
    read: |bytes, _| Err(refusal(known(bytes).unwrap_or(&OTHERS[0]))),
};

struct Other {
    is_it: fn(&[u8]) -> bool,
    /// As the end of "The file is …".
    what: &'static str,
    advice: &'static str,
}

const OTHERS: &[Other] = &[
    Other {
        is_it: |bytes| bytes.starts_with(b"PERFILE2"),
        what: "a recording of perf (perf.data)",
        advice: "Print it as text and open that: perf script -F +srcline -i FILE > FILE.txt.",
    },
    Other {
        is_it: |bytes| bytes.starts_with(b"FLR\0"),
        what: "a recording of Java's Flight Recorder (JFR)",
        advice: "Convert it to folded stacks with async-profiler's converter, and open those: jfrconv -o collapsed FILE FILE.folded.",
    },
    Other {
        is_it: |bytes| {
            bytes.starts_with(b"go 1.")
                && bytes[..bytes.len().min(16)]
                    .windows(6)
                    .any(|at| at == b" trace")
        },
        what: "an execution trace of Go",
        advice: "Take a profile out of it and open that: go tool trace -pprof=TYPE FILE > FILE.pprof, where TYPE is net, sync, syscall or sched. For CPU time, record a CPU profile (go test -cpuprofile, net/http/pprof).",
    },
    Other {
        is_it: |bytes| bytes.starts_with(b"Nettrace"),
        what: "a trace of .NET (.nettrace)",
        advice: "Convert it and open the result: dotnet-trace convert --format Speedscope FILE.",
    },
    Other {
        is_it: |bytes| bytes.starts_with(b"\x28\xb5\x2f\xfd"),
        what: "compressed with zstd",
        advice: "If it is of heaptrack, write folded stacks and open those: heaptrack_print --print-flamegraph FILE.folded FILE. Otherwise unpack it with zstd -d.",
    },
    Other {
        is_it: is_heaptrack,
        what: "a recording of heaptrack",
        advice: "Write folded stacks and open those: heaptrack_print --print-flamegraph FILE.folded FILE.",
    },
    Other {
        is_it: is_chrome_trace,
        what: "a list of trace events (Chrome trace format)",
        advice: "Open it in speedscope (npx speedscope FILE), export it there, and open the exported file. Chrome's own performance recordings can be saved as a .cpuprofile file.",
    },
    Other {
        is_it: |bytes| {
            is_object_with(bytes, "\"stackTable\"") && is_object_with(bytes, "\"schema\"")
        },
        what: "a profile as Firefox itself dumps it",
        advice: "Open it at profiler.firefox.com, download it there, and open the downloaded file.",
    },
    Other {
        is_it: |bytes| bytes.starts_with(b"<?xml") && has(bytes, b"vtune"),
        what: "a part of a result of VTune",
        advice: "Print the result as a table: vtune -report hotspots -r DIRECTORY -format csv. To see it on lines here, record with perf or with Lineheat.",
    },
];

/// What programs save as a folder.
const INSTRUMENTS: Other = Other {
    is_it: |_| false,
    what: "a trace of Instruments",
    advice: "On macOS, convert it with samply import FILE.trace --save-only -o FILE.json.gz, and open that file.",
};

fn known(bytes: &[u8]) -> Option<&'static Other> {
    OTHERS.iter().find(|other| (other.is_it)(bytes))
}

/// Of a folder that a program saves as one document.
pub fn refusal_of_folder(path: &Path) -> Option<ProfileError> {
    let is_trace = path.extension().is_some_and(|suffix| suffix == "trace") && path.is_dir();
    is_trace.then(|| {
        let error = refusal(&INSTRUMENTS);
        ProfileError {
            message: format!("{}: {}", path.display(), error.message),
            ..error
        }
    })
}

fn refusal(other: &Other) -> ProfileError {
    ProfileError {
        kind: ErrorKind::NotAProfile,
        message: format!(
            "The file is {}, which Lineheat does not read. {}",
            other.what, other.advice
        ),
    }
}

const LOOKED_AT_BYTES: usize = 4096;

fn has(bytes: &[u8], part: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(LOOKED_AT_BYTES)];
    start.windows(part.len()).any(|at| at == part)
}

/// `v 10400 3`, the version, and `x` or `X`, the program.
fn is_heaptrack(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(LOOKED_AT_BYTES)];
    let mut lines = start.split(|byte| *byte == b'\n');
    let is_version = |line: &[u8]| {
        line.strip_prefix(b"v ").is_some_and(|rest| {
            !rest.is_empty()
                && rest
                    .iter()
                    .all(|byte| byte.is_ascii_hexdigit() || *byte == b' ')
        })
    };
    lines.next().is_some_and(is_version)
        && lines
            .next()
            .is_some_and(|line| line.starts_with(b"x ") || line.starts_with(b"X "))
}

/// An object with a list of that name, or the list alone.
fn is_chrome_trace(bytes: &[u8]) -> bool {
    is_object_with(bytes, "\"traceEvents\"")
        || (bytes.trim_ascii_start().starts_with(b"[")
            && has(bytes, b"\"ph\"")
            && has(bytes, b"\"ts\""))
}
