//! Gzip to bytes, with the limit checked while inflating.

use std::io::{Read, Take};
use std::sync::{Mutex, MutexGuard, PoisonError};

use flate2::bufread::MultiGzDecoder;

use crate::error::ProfileError;
use crate::limits::Limits;

pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Of a file that is read while no other one of this size is.
const LARGE_BYTES: usize = 64 << 20;

static LARGE: Mutex<()> = Mutex::new(());

/// Held while a large file is read: two that were made to need as much memory as the limits allow would need it twice.
pub type Alone = MutexGuard<'static, ()>;

pub fn alone_if_large(bytes: usize) -> Option<Alone> {
    (bytes > LARGE_BYTES).then(|| LARGE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The bytes of all gzip members one after the other, in place of what is in `inflated`. What is given is to
/// be held until those are read.
pub fn inflate(
    bytes: &[u8],
    limits: &Limits,
    inflated: &mut Vec<u8>,
) -> Result<Option<Alone>, ProfileError> {
    let limit = limits.inflated_bytes;
    inflated.clear();
    // A guess only; it grows with what really comes out.
    inflated.reserve((bytes.len().saturating_mul(3)).min(limit));
    let mut decoder = MultiGzDecoder::new(bytes).take(LARGE_BYTES.min(limit) as u64 + 1);
    let mut read = |decoder: &mut Take<MultiGzDecoder<&[u8]>>| {
        decoder.read_to_end(inflated).map_err(|error| {
            ProfileError::damaged(format!(
                "The gzip data is damaged after {} bytes of profile: {error}.",
                inflated.len()
            ))
        })
    };
    let alone = alone_if_large(read(&mut decoder)?);
    if alone.is_some() {
        decoder.set_limit((limit as u64 + 1).saturating_sub(LARGE_BYTES as u64 + 1));
        read(&mut decoder)?;
    }
    if inflated.len() > limit {
        return Err(ProfileError::too_large(format!(
            "The decompressed profile is larger than {} MiB, the maximum that Lineheat reads.",
            limit >> 20
        )));
    }
    Ok(alone)
}
