//! Builds are kept within bounds, found again, and not believed when something else has written them.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use profile::Profile;
use profile::run::{RunInfo, Source};

use super::*;
use supervision::Urgency;

/// A workspace with programs that nobody runs.
struct Workspace {
    folder: tempfile::TempDir,
    builds: KeptBuilds,
}

impl Workspace {
    fn new() -> Workspace {
        let folder = tempfile::tempdir().unwrap();
        let builds = KeptBuilds::beside(&folder.path().join(".lineheat/runs")).unwrap();
        Workspace { folder, builds }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Builds a program with this content.
    fn build(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        let _ = fs::remove_file(&path);
        fs::write(&path, format!("\x7fELF{content}")).unwrap();
        path
    }

    fn keep(&self, name: &str, libraries: &[&str], second: u64) {
        self.try_keep(name, libraries, second).unwrap();
    }

    fn try_keep(&self, name: &str, libraries: &[&str], second: u64) -> Result<(), NotKept> {
        let paths = std::iter::once(&name)
            .chain(libraries)
            .map(|name| self.path(name));
        let opened: Vec<(PathBuf, File)> = paths
            .map(|path| (path.clone(), File::open(path).unwrap()))
            .collect();
        let mut files = opened.iter().map(|(path, file)| BuildFile { path, file });
        let ran = RanBuild {
            program: files.next().unwrap(),
            libraries: files.collect(),
            build_id: "",
            run: &self.path(&format!(".lineheat/runs/{second}.pb.gz")),
        };
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
        self.builds.keep(&ran, at, &Urgency::default())
    }

    fn kept(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path(".lineheat/builds")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    fn earlier(&self, name: &str) -> Result<EarlierBuild, NoEarlierBuild> {
        self.builds.earlier(&self.path(name))
    }
}

fn content(build: &EarlierBuild) -> String {
    fs::read_to_string(&build.executable).unwrap()
}

#[test]
fn the_newest_build_that_differs_is_the_earlier_one() {
    let workspace = Workspace::new();
    workspace.build("app", "first");
    assert_eq!(
        workspace.earlier("app").unwrap_err(),
        NoEarlierBuild::NeverKept
    );
    workspace.keep("app", &[], 10);
    let unchanged = NoEarlierBuild::Unchanged {
        recorded_unix_ms: 10_000,
    };
    assert_eq!(workspace.earlier("app").unwrap_err(), unchanged);
    workspace.build("app", "second");
    workspace.keep("app", &[], 20);
    assert_eq!(content(&workspace.earlier("app").unwrap()), "\x7fELFfirst");
    workspace.build("app", "third");
    let earlier = workspace.earlier("app").unwrap();
    assert_eq!(content(&earlier), "\x7fELFsecond");
    assert_eq!(earlier.recorded_unix_ms, 20_000);
    assert_eq!(earlier.executable.file_name().unwrap(), "app");
    // Back to the first one: the second is another one, and newer.
    workspace.build("app", "first");
    assert_eq!(content(&workspace.earlier("app").unwrap()), "\x7fELFsecond");
    // Another program has none.
    workspace.build("other", "second");
    assert_eq!(
        workspace.earlier("other").unwrap_err(),
        NoEarlierBuild::NeverKept
    );
}

#[test]
fn a_copy_is_its_owners_alone_as_old_as_the_program_and_no_link_to_it() {
    let workspace = Workspace::new();
    let app = workspace.build("app", "first");
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    File::options()
        .write(true)
        .open(&app)
        .unwrap()
        .set_modified(long_ago)
        .unwrap();
    workspace.keep("app", &[], 10);
    let [id] = &workspace.kept()[..] else {
        panic!()
    };
    let copy = workspace.path(&format!(".lineheat/builds/{id}/app"));
    let metadata = fs::metadata(&copy).unwrap();
    assert_eq!((metadata.mode() & 0o777, metadata.nlink()), (0o700, 1));
    assert_eq!(metadata.modified().unwrap(), long_ago);
    assert_ne!(metadata.ino(), fs::metadata(&app).unwrap().ino());
    let folder = fs::metadata(copy.parent().unwrap()).unwrap();
    assert_eq!(folder.mode() & 0o777, 0o700);
    assert_eq!(
        fs::read_to_string(workspace.path(".lineheat/.gitignore")).unwrap(),
        "*\n"
    );
    // Written in place, as some linkers do: the copy stays.
    fs::write(&app, "\x7fELFsecond").unwrap();
    assert_eq!(content(&workspace.earlier("app").unwrap()), "\x7fELFfirst");
}

#[test]
fn a_build_is_kept_once_and_knows_the_runs_that_recorded_it() {
    let workspace = Workspace::new();
    workspace.build("app", "first");
    for second in 1..=6 {
        workspace.keep("app", &[], second);
    }
    // The same bytes, written anew.
    workspace.build("app", "first");
    workspace.keep("app", &[], 7);
    let [id] = &workspace.kept()[..] else {
        panic!()
    };
    let text = fs::read(workspace.path(&format!(".lineheat/builds/{id}/build.json"))).unwrap();
    let manifest: Manifest = serde_json::from_slice(&text).unwrap();
    assert_eq!(manifest.runs, ["1.pb.gz", "5.pb.gz", "6.pb.gz", "7.pb.gz"]);
    assert_eq!(manifest.recorded_unix_ms, 7000);
}

#[test]
fn five_builds_of_a_program_stay() {
    let workspace = Workspace::new();
    workspace.build("other", "other");
    workspace.keep("other", &[], 1);
    for second in 2..=8 {
        workspace.build("app", &format!("build {second}"));
        workspace.keep("app", &[], second);
    }
    assert_eq!(workspace.kept().len(), BUILDS_MAX + 1);
    workspace.build("other", "changed");
    assert_eq!(
        content(&workspace.earlier("other").unwrap()),
        "\x7fELFother"
    );
}

#[test]
fn so_many_bytes_of_builds_stay_and_one_that_is_larger_than_half_of_them_is_not_kept() {
    let mut workspace = Workspace::new();
    workspace.builds.bytes_max = 100 << 20;
    let sparse = |name: &str, bytes: u64| {
        let path = workspace.build(name, name);
        let file = File::options().write(true).open(path);
        file.unwrap().set_len(bytes).unwrap();
    };
    for (second, name) in ["a", "b", "c"].iter().enumerate() {
        sparse(name, 40 << 20);
        workspace.keep(name, &[], second as u64);
    }
    assert_eq!(workspace.kept().len(), 2);
    workspace.build("a", "changed");
    let why = workspace.earlier("a").unwrap_err();
    assert_eq!(why, NoEarlierBuild::NeverKept);
    workspace.build("c", "changed");
    assert!(workspace.earlier("c").is_ok());
    sparse("d", (50 << 20) + 1);
    let why = workspace.try_keep("d", &[], 9).unwrap_err();
    assert_eq!(
        why.sentence(),
        "The build that was profiled last is not kept: its files have 50 MiB, and the limit is 50 MiB."
    );
    assert_eq!(workspace.kept().len(), 2);
    let why = workspace.earlier("d").unwrap_err();
    assert_eq!(
        why.sentence("d"),
        "No build of d is kept: it has 50 MiB, and the limit is 50 MiB."
    );
}

#[test]
fn a_reason_for_no_copy_comes_with_what_to_do() {
    use std::io::{Error, ErrorKind};
    let told = |why: NotKept| format!("{} {}", why.sentence(), why.advice());
    let failed = |kind| told(NotKept::Failed(Error::from(kind)));
    let last = "The build that was profiled last is not kept:";
    assert_eq!(
        failed(ErrorKind::StorageFull),
        format!("{last} the disk is full. Free some space, and profile it again.")
    );
    assert_eq!(
        failed(ErrorKind::PermissionDenied),
        format!(
            "{last} the folder .lineheat/builds cannot be written (permission denied). Change the permissions of the folder, and profile it again."
        )
    );
    assert_eq!(
        told(NotKept::Replaced),
        format!(
            "{last} its file was replaced during the recording. Profile it again while nothing is being built."
        )
    );
}

#[test]
fn libraries_of_the_workspace_belong_to_the_build_and_are_found_first() {
    let workspace = Workspace::new();
    workspace.build("app", "program");
    workspace.build("libwork.so", "first");
    workspace.keep("app", &["libwork.so"], 10);
    assert!(matches!(
        workspace.earlier("app"),
        Err(NoEarlierBuild::Unchanged { .. })
    ));
    let library = workspace.build("libwork.so", "second");
    let earlier = workspace.earlier("app").unwrap();
    let folder = earlier.executable.parent().unwrap();
    let kept = fs::read_to_string(folder.join("libwork.so")).unwrap();
    assert_eq!(kept, "\x7fELFfirst");
    let paths = |given: Option<&str>| earlier.environment(given.map(OsStr::new)).unwrap().1;
    assert_eq!(paths(None), folder.as_os_str());
    assert_eq!(
        paths(Some("/x:/y")),
        OsStr::new(&format!("{}:/x:/y", folder.display()))
    );
    // The present one is another library than the build had; one that is the same is not.
    let is_foreign = |path: &Path| earlier.is_foreign(path, Some(&File::open(path).unwrap()));
    assert!(is_foreign(&library));
    workspace.build("libwork.so", "first");
    assert!(!is_foreign(&library) && !is_foreign(Path::new("/bin/sh")));
}

#[test]
fn what_was_written_into_a_copy_is_not_run() {
    let workspace = Workspace::new();
    workspace.build("app", "first");
    workspace.keep("app", &[], 10);
    workspace.build("app", "second");
    let copy = workspace.earlier("app").unwrap().executable;
    fs::write(&copy, "\x7fELFFirst").unwrap();
    assert_eq!(
        workspace.earlier("app").unwrap_err(),
        NoEarlierBuild::Damaged
    );
    // A link to the right bytes is no copy either.
    fs::remove_file(&copy).unwrap();
    fs::write(workspace.path("elsewhere"), "\x7fELFfirst").unwrap();
    symlink(workspace.path("elsewhere"), &copy).unwrap();
    assert_eq!(
        workspace.earlier("app").unwrap_err(),
        NoEarlierBuild::Damaged
    );
}

#[test]
fn nothing_is_written_or_removed_through_a_planted_link() {
    let workspace = Workspace::new();
    fs::create_dir_all(workspace.path(".lineheat")).unwrap();
    fs::create_dir(workspace.path("victim")).unwrap();
    fs::write(workspace.path("victim/kept"), "mine").unwrap();
    symlink(workspace.path("victim"), workspace.path(".lineheat/builds")).unwrap();
    let app = workspace.build("app", "first");
    let file = File::open(&app).unwrap();
    let ran = RanBuild {
        program: BuildFile {
            path: &app,
            file: &file,
        },
        libraries: Vec::new(),
        build_id: "",
        run: &workspace.path(".lineheat/runs/1.pb.gz"),
    };
    let why = workspace
        .builds
        .keep(&ran, SystemTime::now(), &Urgency::default());
    assert!(
        why.unwrap_err()
            .sentence()
            .contains("follows no links in .lineheat")
    );
    assert_eq!(
        workspace.earlier("app").unwrap_err(),
        NoEarlierBuild::NeverKept
    );
    fs::remove_file(workspace.path(".lineheat/builds")).unwrap();
    // Links in the place of a build and of what a dead recording has left.
    fs::create_dir(workspace.path(".lineheat/builds")).unwrap();
    for name in [&"a".repeat(2 * ID_BYTES), ".new-1-0"] {
        let link = workspace.path(&format!(".lineheat/builds/{name}"));
        symlink(workspace.path("victim"), link).unwrap();
    }
    workspace.keep("app", &[], 10);
    assert_eq!(
        fs::read_to_string(workspace.path("victim/kept")).unwrap(),
        "mine"
    );
    assert_eq!(fs::read_dir(workspace.path("victim")).unwrap().count(), 1);
}

#[test]
fn a_manifest_leads_to_no_other_folder() {
    let workspace = Workspace::new();
    workspace.build("app", "first");
    workspace.keep("app", &[], 10);
    workspace.build("app", "second");
    let [id] = &workspace.kept()[..] else {
        panic!()
    };
    let path = workspace.path(&format!(".lineheat/builds/{id}/build.json"));
    let sound = fs::read_to_string(&path).unwrap();
    for (from, to) in [
        ("\"name\": \"app\"", "\"name\": \"../app\""),
        ("10.pb.gz", "../10.pb.gz"),
    ] {
        fs::write(&path, sound.replace(from, to)).unwrap();
        assert_eq!(
            workspace.earlier("app").unwrap_err(),
            NoEarlierBuild::NeverKept
        );
    }
    fs::write(&path, &sound).unwrap();
    assert!(workspace.earlier("app").is_ok());
}

#[test]
fn what_is_no_program_has_no_builds() {
    let workspace = Workspace::new();
    fs::write(workspace.path("script"), "#!/bin/sh\n").unwrap();
    for name in ["script", "missing", "."] {
        assert_eq!(
            workspace.earlier(name).unwrap_err(),
            NoEarlierBuild::NoProgram
        );
    }
}

#[test]
fn debug_information_beside_the_program_is_kept_with_it() {
    let workspace = Workspace::new();
    workspace.build("app", "first");
    fs::write(workspace.path("app.debug"), "lines").unwrap();
    symlink(workspace.path("app"), workspace.path("app.dwp")).unwrap();
    workspace.keep("app", &[], 10);
    workspace.build("app", "second");
    let folder = workspace.earlier("app").unwrap().executable;
    let beside = folder.with_file_name("app.debug");
    assert_eq!(fs::read_to_string(beside).unwrap(), "lines");
    assert!(!folder.with_file_name("app.dwp").exists());
}

#[test]
fn old_texts_come_from_the_earliest_run_that_had_them_right() {
    let workspace = Workspace::new();
    workspace.build("app", "first");
    let source = |path: &str, text: &str, newer_than_binary| Source {
        path: path.to_owned(),
        text: text.to_owned(),
        newer_than_binary,
        ..Source::default()
    };
    let runs = [
        (
            "aaaa",
            vec![
                source("/a.c", "old a", false),
                source("/b.c", "edited b", true),
            ],
        ),
        (
            "bbbb",
            vec![
                source("/a.c", "edited a", true),
                source("/c.c", "old c", false),
            ],
        ),
    ];
    for (second, (commit, sources)) in (1..).zip(runs) {
        let run = RunInfo {
            format: 1,
            git_commit: commit.to_owned(),
            sources,
            ..RunInfo::default()
        };
        let profile = Profile {
            run: Some(run),
            ..Profile::default()
        };
        let path = workspace.path(&format!(".lineheat/runs/{second}.pb.gz"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        profile::save(&profile, &path).unwrap();
        workspace.keep("app", &[], second);
    }
    workspace.build("app", "second");
    let sources = workspace.earlier("app").unwrap().sources();
    let text = |path| sources.text_of(path).map(|source| source.text.as_str());
    assert_eq!(text("/a.c"), Some("old a"));
    assert_eq!(text("/b.c"), None);
    assert_eq!(text("/c.c"), Some("old c"));
    assert_eq!(sources.git_commit, "aaaa");
}
