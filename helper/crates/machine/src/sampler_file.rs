//! The sampler that belongs to this engine: where it is.

use std::io;
use std::path::{Path, PathBuf};

/// Where packages of distributions have it.
pub const PACKAGED: &str = "/usr/libexec/lineheat/lineheat-sampler";
/// Where packages of distributions put the engine.
const PACKAGED_ENGINES: &str = "/usr/bin";

/// Why there is none.
#[derive(Debug)]
pub enum NoSampler {
    NoEngine(io::Error),
    Missing(PathBuf),
}

/// Beside the engine, or where its package put it.
pub fn sampler_path() -> Result<PathBuf, NoSampler> {
    beside_engine("lineheat-sampler")
}

/// The same, of another file that comes with the engine.
pub fn beside_engine(name: &str) -> Result<PathBuf, NoSampler> {
    let own = std::env::current_exe().map_err(NoSampler::NoEngine)?;
    let path = own.with_file_name(name);
    if path.is_file() {
        return Ok(path);
    }
    let packaged = Path::new(PACKAGED).with_file_name(name);
    if own.parent() == Some(Path::new(PACKAGED_ENGINES)) && packaged.is_file() {
        return Ok(packaged);
    }
    Err(NoSampler::Missing(path))
}
