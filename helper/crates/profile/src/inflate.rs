//! Gzip to bytes, with the limit checked while inflating.

use std::io::Read;

use flate2::bufread::MultiGzDecoder;

use crate::error::ProfileError;
use crate::limits::Limits;

pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// The bytes of all gzip members one after the other, in place of what is in `inflated`.
pub fn inflate(bytes: &[u8], limits: &Limits, inflated: &mut Vec<u8>) -> Result<(), ProfileError> {
    let limit = limits.inflated_bytes;
    inflated.clear();
    // A guess only; it grows with what really comes out.
    inflated.reserve((bytes.len().saturating_mul(3)).min(limit));
    MultiGzDecoder::new(bytes)
        .take(limit as u64 + 1)
        .read_to_end(inflated)
        .map_err(|error| {
            ProfileError::damaged(format!(
                "The gzip data is damaged after {} bytes of profile: {error}.",
                inflated.len()
            ))
        })?;
    if inflated.len() > limit {
        return Err(ProfileError::too_large(format!(
            "The decompressed profile is larger than {} MiB, the maximum that Lineheat reads.",
            limit >> 20
        )));
    }
    Ok(())
}
