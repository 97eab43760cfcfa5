//! Names and lines of a recording that still runs: its journal has addresses only, and each look at it needs the names of those
//! that are new. Code without a file on this machine, such as generated code, has its names at the end only.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use profile::{LateNames, NAMES_AT_END, Profile, SampleLine};
use symbolize::{
    AskedModule, Frame, Isolation, ModuleFile, Options, symbolize_isolated, user_cache_folder,
};

use super::module_files::own_vdso;
use super::symbolize_worker;

const VDSO: &str = "[vdso]";

/// What was found so far, from one look to the next.
#[derive(Default)]
pub struct NamesSoFar {
    /// By the module's path and the address in it. Empty: nothing is known.
    known: HashMap<String, HashMap<u64, Vec<Frame>>>,
}

impl NamesSoFar {
    /// Gives a run without names the names and lines of its code, as far as they can be found now.
    pub fn name(&mut self, profile: &mut Profile) {
        self.find(profile);
        let mut names = LateNames::of(profile);
        profile.name_locations(|profile, location| {
            let frames = self.frames_of(profile, location).unwrap_or_default();
            (frames.iter())
                .map(|frame| line_of(&mut names, profile, frame))
                .collect()
        });
        if let Some(run) = &mut profile.run {
            run.problems.retain(|problem| problem != NAMES_AT_END);
        }
    }

    fn frames_of(&self, profile: &Profile, location: usize) -> Option<&[Frame]> {
        let module = module_of(profile, location)?;
        let frames = self
            .known
            .get(module)?
            .get(&profile.locations.address[location])?;
        (!frames.is_empty()).then_some(frames)
    }

    /// Asks for what is not known yet, of all modules together.
    fn find(&mut self, profile: &Profile) {
        let mut wanted: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for (location, address) in profile.locations.address.iter().enumerate() {
            if !profile.locations.lines_of(location as u32).is_empty() {
                continue;
            }
            let Some(module) = module_of(profile, location) else {
                continue;
            };
            let is_known =
                (self.known.get(module)).is_some_and(|known| known.contains_key(address));
            if !is_known {
                wanted.entry(module).or_default().push(*address);
            }
        }
        let started = started_at(profile);
        let (mut names, mut asked) = (Vec::new(), Vec::new());
        for (name, vaddrs) in wanted {
            match file_of(name, started) {
                Some(module) => {
                    names.push(name);
                    asked.push(AskedModule { module, vaddrs });
                }
                None => {
                    let none = vaddrs.into_iter().map(|vaddr| (vaddr, Vec::new()));
                    self.known.entry(name.to_owned()).or_default().extend(none);
                }
            }
        }
        if asked.is_empty() {
            return;
        }
        let options = Options {
            cache: user_cache_folder(),
            // The program that is recorded needs the processors.
            threads: 1,
            ..Options::default()
        };
        let mut isolation = Isolation::by(symbolize_worker::command());
        let found = symbolize_isolated(&asked, &options, &mut isolation, || {});
        for ((name, asked), found) in names.into_iter().zip(asked).zip(found) {
            let known = self.known.entry(name.to_owned()).or_default();
            known.extend(asked.vaddrs.into_iter().zip(found.chains));
        }
    }
}

/// The path of the module that a location is in.
fn module_of(profile: &Profile, location: usize) -> Option<&str> {
    let mapping = (profile.mappings).get(profile.locations.mapping[location] as usize)?;
    Some(profile.text(mapping.filename))
}

fn started_at(profile: &Profile) -> SystemTime {
    let started_ns = (profile.run.as_ref()).map_or(0, |run| run.started_unix_ns);
    SystemTime::UNIX_EPOCH + Duration::from_nanos(u64::try_from(started_ns).unwrap_or(0))
}

/// `None`: there is no such file, or it was written since the recording began, so that its addresses may be those of other code.
fn file_of(name: &str, started: SystemTime) -> Option<ModuleFile> {
    if name == VDSO {
        return Some(ModuleFile::from_bytes(VDSO, own_vdso()?));
    }
    let path = Path::new(name);
    let metadata = path.is_absolute().then(|| fs::metadata(path).ok())??;
    let is_older = metadata
        .modified()
        .is_ok_and(|modified| modified <= started);
    (metadata.is_file() && is_older).then(|| ModuleFile::at_path(path))
}

fn line_of(names: &mut LateNames, profile: &mut Profile, frame: &Frame) -> SampleLine {
    let file = frame.file.as_deref().unwrap_or("");
    SampleLine {
        function: names.function(
            profile,
            &frame.name,
            &frame.system_name,
            file,
            frame.function_line,
        ),
        line: frame.line,
        column: frame.column,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_is_as_old_as_the_recording_can_give_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("program");
        fs::write(&path, "built").expect("written");
        let name = path.to_str().expect("UTF-8");
        let written = (fs::metadata(&path).and_then(|of| of.modified())).expect("a time");
        assert!(file_of(name, written).is_some());
        assert!(file_of(name, written - Duration::from_secs(1)).is_none());
        assert!(
            file_of("program", SystemTime::now()).is_none(),
            "generated code"
        );
        let folder_itself = folder.path().to_str().expect("UTF-8");
        assert!(file_of(folder_itself, SystemTime::now()).is_none());
    }
}
