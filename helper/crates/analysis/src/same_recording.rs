//! Whether two files hold the same recording: such runs say nothing of noise, and nothing of a difference.

use std::hash::{DefaultHasher, Hash, Hasher};

use profile::Profile;

/// Equal for copies of one recording. `None` when the file does not say when it was recorded.
pub fn recording_identity(profile: &Profile) -> Option<u64> {
    let started = profile.run.as_ref().map_or(0, |run| run.started_unix_ns);
    if started == 0 && profile.time_nanos == 0 {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    (started, profile.time_nanos, &profile.samples.values).hash(&mut hasher);
    Some(hasher.finish())
}
