//! A small project whose builds are recorded and compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use profile::Profile;
use wire::{
    CompareBuildsRequest, EarlierBuildRequest, RecordRequest, RecordingEnded, recording_progress,
    reply, request,
};

use crate::client::{Engine, text};

/// A project of one source file: a loop that stays as it is and one that a change makes slower.
pub struct Project {
    folder: tempfile::TempDir,
}

const BEFORE: &str = "int main(int argc, char **argv) {
    volatile unsigned long same = 0, more = 0;
    FILE *names = fopen(\"names\", \"a\");
    fprintf(names, \"%s|%s|%s\\n\", argv[0], argv[1], getenv(\"MODE\"));
    for (unsigned long at = 0; at < 100000000ul; at++) same += at;
    for (unsigned long at = 0; at < 60000000ul; at++) more += at;
    return 0;
}
";

impl Project {
    pub fn new() -> Project {
        let folder = tempfile::tempdir().unwrap();
        let project = Project { folder };
        project.write(
            "work.c",
            &format!("#include <stdio.h>\n#include <stdlib.h>\n{BEFORE}"),
        );
        project.build(&["work.c"]);
        project
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// A line above the loops, and a loop of five times as many rounds.
    pub fn change(&self) {
        let text = self
            .read("work.c")
            .replace("int main(", "/* A new line. */\nint main(");
        self.write("work.c", &text.replace("60000000ul", "300000000ul"));
        self.build(&["work.c"]);
    }

    pub fn build(&self, words: &[&str]) {
        self.gcc(&[words, &["-o", "work"]].concat());
    }

    pub fn gcc(&self, words: &[&str]) {
        let mut gcc = Command::new("gcc");
        let built = gcc
            .args(["-O1", "-g"])
            .args(words)
            .current_dir(self.folder.path());
        assert!(built.status().unwrap().success());
    }

    pub fn record(&self) -> RecordRequest {
        RecordRequest {
            program: text(&self.path("work")),
            args: vec!["argument".to_owned()],
            cwd: text(&self.path("")),
            env: [("MODE".to_owned(), "fast".to_owned())].into(),
            runs_directory: text(&self.path(".lineheat/runs")),
            ..RecordRequest::default()
        }
    }

    pub fn earlier(&self) -> request::Body {
        request::Body::EarlierBuild(EarlierBuildRequest {
            program: "./work".to_owned(),
            cwd: text(&self.path("")),
            runs_directory: text(&self.path(".lineheat/runs")),
        })
    }

    pub fn compare(&self, repeat: u32) -> request::Body {
        request::Body::CompareBuilds(CompareBuildsRequest {
            record: Some(RecordRequest {
                repeat,
                ..self.record()
            }),
            earlier_name: "work, earlier".to_owned(),
            until: 0.0,
        })
    }

    pub fn runs(&self) -> usize {
        let entries = fs::read_dir(self.path(".lineheat/runs")).unwrap();
        entries
            .filter(|entry| entry.as_ref().unwrap().path().extension() == Some("gz".as_ref()))
            .count()
    }
}

/// Until the recording has been saved, and what was heard about which build.
pub fn ended(
    engine: &mut Engine,
    request: request::Body,
) -> (RecordingEnded, Vec<recording_progress::Build>) {
    engine.send(request);
    let mut builds = Vec::new();
    loop {
        match engine.next().expect("a reply").body.expect("a body") {
            reply::Body::RecordingEnded(ended) => return (ended, builds),
            reply::Body::RecordingProgress(progress) => builds.push(progress.build()),
            reply::Body::Failure(failure) => panic!("{failure:?}"),
            _ => {}
        }
    }
}

pub fn text_in(run: &str, source: &str) -> Option<String> {
    let sources = Profile::open(Path::new(run)).unwrap().run.unwrap().sources;
    let mut found = sources
        .into_iter()
        .filter(|file| file.path.ends_with(source));
    found.next().map(|file| file.text)
}

pub fn problems(run: &str) -> String {
    Profile::open(Path::new(run))
        .unwrap()
        .run
        .unwrap()
        .problems
        .join("\n")
}
