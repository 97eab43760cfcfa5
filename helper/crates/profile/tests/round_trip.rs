//! What is built or read is written and read again as the same profile.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use flate2::Compression;
use flate2::write::GzEncoder;
use profile::run::{EndReason, Exit, Loss, Source};
use profile::{
    ErrorKind, LabelValue, Limits, LineOf, MappingOf, Profile, ProfileBuilder, RunInfo,
    end_sentence, rename_run, save, summary,
};

fn built() -> Profile {
    let mut builder = ProfileBuilder::new(&[("samples", "count"), ("cpu", "nanoseconds")]);
    builder.set_period("cpu", "nanoseconds", 1_001_001);
    builder.set_time(1_795_269_600_000_000_000, 3_200_000_000);
    let module = builder.add_mapping(MappingOf {
        filename: "/project/app",
        build_id: "abcdef0123",
        memory_limit: 0x4000,
        symbolized: true,
        ..MappingOf::default()
    });
    let work = builder.add_function("work(int)", "_Z4worki", "/project/work.cpp", 10);
    let main = builder.add_function("main", "main", "/project/main.cpp", 3);
    let line = |function, line| LineOf {
        function,
        line,
        column: 7,
    };
    let leaf = builder.add_location(Some(module), 0x1234, &[line(work, 12), line(main, 5)]);
    let unknown = builder.add_location(None, 0xffff_ffff_8100_0000, &[]);
    let labels = [
        ("thread", LabelValue::Text("worker")),
        ("tid", LabelValue::Number(17, "")),
    ];
    assert_eq!(
        builder.add_sample(&[leaf, unknown], &[1, 1_001_001], &labels),
        0
    );
    assert_eq!(builder.add_sample(&[unknown], &[1, 1_001_001], &[]), 1);
    assert_eq!(
        builder.add_sample(&[leaf, unknown], &[2, 2_002_002], &labels),
        0
    );
    builder.set_run(RunInfo {
        format: 1,
        command: vec!["/project/app".into(), "7".into()],
        exit: Some(Exit { code: 0, signal: 0 }),
        losses: vec![Loss {
            cause: "ring-full".into(),
            count: 4,
        }],
        sources: vec![Source {
            path: "/project/work.cpp".into(),
            text: "int work(int);\n".into(),
            ..Source::default()
        }],
        time_sample: vec![0, 1, 0],
        time_delta_ns: vec![5, 6, 7],
        ..RunInfo::default()
    });
    builder.finish()
}

fn written(profile: &Profile) -> Vec<u8> {
    let mut bytes = Vec::new();
    profile.write(&mut bytes).expect("a Vec takes everything");
    bytes
}

fn read(bytes: &[u8]) -> Profile {
    Profile::read(bytes, &Limits::default()).expect("the profile is valid")
}

fn inflated(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(bytes), &mut plain)
        .expect("valid gzip");
    plain
}

#[test]
fn equal_stacks_and_labels_add_up() {
    let profile = built();
    assert_eq!(profile.samples.len(), 2);
    assert_eq!(profile.samples.values, [3, 3_003_003, 1, 1_001_001]);
    assert_eq!(profile.total(1), 4_004_004);
}

#[test]
fn a_profile_comes_back_as_it_was() {
    let profile = built();
    assert_eq!(read(&written(&profile)), profile);
    assert_eq!(read(&inflated(&written(&profile))), profile, "without gzip");
    let empty = ProfileBuilder::new(&[("samples", "count")]).finish();
    assert_eq!(read(&written(&empty)), empty);
}

#[test]
fn gzip_in_several_members_is_one_profile() {
    let plain = inflated(&written(&built()));
    let mut members = Vec::new();
    for part in plain.chunks(plain.len() / 3) {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(part).expect("a Vec takes everything");
        members.extend(gzip.finish().expect("a Vec takes everything"));
    }
    assert_eq!(read(&members), built());
}

#[test]
fn renaming_changes_the_name_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("new/run.pb.gz");
    save(&built(), &path).expect("saved");
    let mode = |path| {
        std::fs::metadata(path)
            .expect("exists")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode(path.as_path()), 0o600);
    assert_eq!(mode(path.parent().expect("has a folder")), 0o700);

    rename_run(&path, "first").expect("renamed");
    rename_run(&path, "über\nzwei").expect("renamed");
    let mut renamed = Profile::open(&path).expect("opens");
    let run = renamed.run.as_mut().expect("a run of ours");
    assert_eq!(std::mem::take(&mut run.name), "über\nzwei");
    assert_eq!(renamed, built());

    let summary = summary(&path).expect("sums up");
    assert_eq!(
        (summary.name.as_str(), summary.target.as_str()),
        ("über\nzwei", "app")
    );
    assert_eq!(
        (
            summary.samples,
            summary.cpu_ns,
            summary.lost,
            summary.foreign
        ),
        (Some(4), 4_004_004, 4, false)
    );
    let files = std::fs::read_dir(path.parent().expect("has a folder"))
        .expect("readable")
        .count();
    assert_eq!(files, 1, "no temporary file is left");
}

#[test]
fn a_profile_of_another_program_is_foreign_and_can_be_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("foreign.pprof");
    let mut foreign = built();
    foreign.run = None;
    std::fs::write(&path, inflated(&written(&foreign))).expect("written");
    rename_run(&path, "theirs").expect("renamed");
    let summary = summary(&path).expect("sums up");
    assert_eq!((summary.name.as_str(), summary.foreign), ("theirs", true));
}

#[test]
fn what_is_no_file_or_no_profile_is_said_in_a_sentence() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("x");
    let fails = |wanted: ErrorKind, part: &str| {
        let error = Profile::open(&path).expect_err("not a profile");
        assert_eq!(error.kind, wanted, "{error}");
        assert!(
            error.message.contains(part) && error.message.ends_with('.'),
            "{error}"
        );
    };
    fails(ErrorKind::NotFound, "cannot be read");
    for (content, part) in [
        (&b""[..], "is empty"),
        (b"\x7fELF\x02\x01\x01", "ELF"),
        (b"PERFILE2........", "perf.data"),
        (b"{\"a\": 1}", "JSON"),
        (b"main;work 17\n", "is text"),
        (b"\xfb\x29\x03\xfa\x08<string>\xe9\x01\0\0\0", "cProfile"),
        (
            b"\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
            "gperftools",
        ),
        (b"MOJ\x03\x01mode\0cpu\0", "Austin"),
        (b"\xd3\x04\xff\0\x13", "starts with none of its fields"),
    ] {
        std::fs::write(&path, content).expect("written");
        fails(ErrorKind::NotAProfile, part);
    }
    std::fs::remove_file(&path).expect("removed");
    std::fs::create_dir(&path).expect("made");
    fails(ErrorKind::NotAProfile, "not a regular file");
}

#[test]
fn how_a_run_ended_is_said_with_who_ended_it() {
    let ended = |reason: EndReason, wall_ns| {
        let mut run = RunInfo::default();
        run.set_end_reason(reason);
        end_sentence(&run, wall_ns)
    };
    assert_eq!(
        ended(EndReason::Duration, 2_000_000_000),
        "stopped after 2.0 s, at the time limit"
    );
    assert_eq!(
        ended(EndReason::Stopped, 2_000_000_000),
        "stopped after 2.0 s"
    );
    // A program that is over at once took some time.
    assert_eq!(ended(EndReason::Exited, 9_000_000), "exited after 9 ms");
}
