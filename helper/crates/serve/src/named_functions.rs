//! A profile with its functions named as the editor wants them.

use analysis::Analyzed;
use profile::Profile;
use runs::rename_functions;
use symbolize::DemangleMode;
use wire::{Demangle, RunSummary};

use super::shared_profiles::SharedProfile;

pub fn analyzed(mut profile: Profile, summary: RunSummary, demangle: Demangle) -> SharedProfile {
    rename_functions(&mut profile, mode_of(demangle));
    SharedProfile::new(Analyzed::new(profile), summary)
}

/// `None`: as the run was recorded.
fn mode_of(choice: Demangle) -> Option<DemangleMode> {
    match choice {
        Demangle::AsRecorded => None,
        Demangle::None => Some(DemangleMode::None),
        Demangle::Simplified => Some(DemangleMode::Simplified),
        Demangle::Templates => Some(DemangleMode::Templates),
        Demangle::Full => Some(DemangleMode::Full),
    }
}
