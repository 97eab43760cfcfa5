//! After a recording: a copy of what was recorded is kept, for later comparisons.

use std::path::Path;
use std::time::SystemTime;

use profile::Profile;

use super::modules::{Module, ModuleIndex};
use super::recording::Recording;
use super::shown_path::shown_path;
use super::trouble::Trouble;
use super::{Build, RecordOptions, Target};
use crate::kept_builds::{BuildFile, KeptBuilds, NotKept, RanBuild};

impl Recording<'_> {
    /// The run is saved already: what cannot be kept is only said.
    pub(super) fn keep_build(
        &mut self,
        options: &RecordOptions,
        profile: &Profile,
        run: &Path,
    ) -> Option<NotKept> {
        match &options.build {
            Build::Present => {}
            Build::Kept(builds) => return self.keep_present(builds, options, profile, run).err(),
            Build::Earlier(earlier) => {
                if let Err(why) = earlier.build.note_run(run, &self.urgency) {
                    let why = why.to_string();
                    self.seen.troubles.push(Trouble::BuildWithoutRun { why });
                }
            }
        }
        None
    }

    fn keep_present(
        &self,
        builds: &KeptBuilds,
        options: &RecordOptions,
        profile: &Profile,
        run: &Path,
    ) -> Result<(), NotKept> {
        let Target::Launch { program, .. } = &options.target else {
            return Ok(());
        };
        let Ok(program) = program.canonicalize() else {
            return Err(NotKept::Replaced);
        };
        let of_files = || self.seen.modules.iter();
        let Some(ran) = of_files().find(|(_, module)| module.path == program) else {
            return Ok(()); // a script
        };
        let Some(program) = self.as_mapped(ran) else {
            return Err(match self.files.of(ran.0) {
                Some(_) => NotKept::Replaced,
                None => NotKept::Unreadable,
            });
        };
        let libraries = of_files()
            .filter(|(_, module)| module.path != ran.1.path && builds.is_own(&module.path))
            .filter_map(|module| self.as_mapped(module));
        let ran = RanBuild {
            libraries: libraries.collect(),
            build_id: build_id(profile, program.path),
            program,
            run,
        };
        builds.keep(&ran, SystemTime::now(), &self.urgency)
    }

    /// None: its file is another one now.
    fn as_mapped<'m>(
        &'m self,
        (index, module): (ModuleIndex, &'m Module),
    ) -> Option<BuildFile<'m>> {
        Some(BuildFile {
            path: &module.path,
            file: self.files.as_mapped(index, module).ok()?,
        })
    }
}

fn build_id<'a>(profile: &'a Profile, program: &Path) -> &'a str {
    let shown = shown_path(program);
    let modules = profile.run.iter().flat_map(|run| &run.modules);
    let mut of_program = modules.filter(|module| module.path == shown);
    of_program.next().map_or("", |module| &module.build_id)
}
