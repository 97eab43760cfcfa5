//! Files that are recognised and not read are refused with the program that converts them.

use crate::support::{open, opened};
use profile::ErrorKind;

#[test]
fn each_refusal_names_what_the_file_is_and_what_converts_it() {
    for (bytes, what, converter) in [
        (
            &b"PERFILE2\x68\0\0\0"[..],
            "perf.data",
            "perf script -F +srcline",
        ),
        (b"FLR\0\0\x02\0\x01", "JFR", "jfrconv -o collapsed"),
        (
            b"go 1.22 trace\0\0\0\x01",
            "execution trace of Go",
            "go tool trace -pprof=",
        ),
        (
            b"Nettrace\x14\0\0\0!FastSerialization.1",
            ".nettrace",
            "dotnet-trace convert --format Speedscope",
        ),
        (
            b"\x28\xb5\x2f\xfd\x04",
            "zstd",
            "heaptrack_print --print-flamegraph",
        ),
        (
            b"v 10400 3\nX ./mill 20\nI 1000 5e298f\n",
            "heaptrack",
            "heaptrack_print --print-flamegraph",
        ),
        (
            b"{\"traceEvents\": [{\"ph\": \"X\"}]}",
            "trace events",
            "speedscope",
        ),
        (
            b"[{\"name\": \"a;b 1\", \"ph\": \"X\", \"ts\": 12}]",
            "trace events",
            "speedscope",
        ),
        (
            b"{\"threads\": [{\"stackTable\": {\"schema\": {}}}]}",
            "Firefox",
            "profiler.firefox.com",
        ),
        (
            b"<?xml version='1.0'?>\n<bag xmlns='vtune'/>",
            "VTune",
            "vtune -report hotspots",
        ),
    ] {
        let error = opened(bytes).unwrap_err();
        assert_eq!(error.kind, ErrorKind::NotAProfile, "{error}");
        for part in [what, converter, "which Lineheat does not read. "] {
            assert!(error.message.contains(part), "{error}");
        }
    }
}

#[test]
fn a_trace_of_instruments_is_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    std::fs::create_dir(&path).unwrap();
    let error = open(&path).unwrap_err();
    assert!(error.message.contains("samply import"), "{error}");
}
