//! What a text would select of a run.

use analysis::NamedThing;
use wire::match_names_request::What;
use wire::{MatchNamesRequest, MatchedNames};

use super::failure::Failure;
use super::open_run::OpenRun;

/// As long as the contract has.
const TEXT_MAX: usize = 16 << 10;
/// Names that are told.
const TOLD_MAX: usize = 5;

pub fn of(run: &OpenRun, request: &MatchNamesRequest) -> Result<MatchedNames, Failure> {
    if request.text.is_empty() || request.text.len() > TEXT_MAX {
        return Err(Failure::protocol(format!(
            "A name has 1 to {TEXT_MAX} bytes, not {}.",
            request.text.len()
        )));
    }
    let what = match What::try_from(request.what) {
        Ok(What::Function) => NamedThing::Function,
        Ok(What::Module) => NamedThing::Module,
        Ok(What::SourceFile) => NamedThing::SourceFile,
        Ok(What::Thread) => NamedThing::Thread,
        Ok(What::Process) => NamedThing::Process,
        Err(_) => {
            let message = format!("Nothing of kind {} has a name.", request.what);
            return Err(Failure::protocol(message));
        }
    };
    let matching = (run.analyzed).matching_names(what, &request.text, request.exact);
    Ok(match matching {
        Ok(found) => MatchedNames {
            count: u32::try_from(found.count).unwrap_or(u32::MAX),
            names: found.names.into_iter().take(TOLD_MAX).collect(),
            problem: String::new(),
        },
        Err(problem) => MatchedNames {
            problem,
            ..MatchedNames::default()
        },
    })
}
