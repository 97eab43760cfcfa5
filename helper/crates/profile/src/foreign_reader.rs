//! Formats other than pprof: who reads them is given to [`crate::Opener`], so that this crate knows none.

use crate::columns::Profile;
use crate::error::ProfileError;
use crate::limits::Limits;

pub struct ForeignReader {
    /// As the end of "The file is …".
    pub name: &'static str,
    /// By what the file holds, decompressed. It must be cheap, and refuse a pprof message.
    pub is_it: fn(&[u8]) -> bool,
    /// What it gives keeps to the limits, and no value type adds up to 2^53 or more.
    pub read: fn(&[u8], &Limits) -> Result<Profile, ProfileError>,
}
