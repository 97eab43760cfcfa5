//! How modules are symbolized.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use crate::demangle::DemangleMode;

/// How a module is symbolized.
#[derive(Debug, Clone)]
pub struct Options {
    pub demangle: DemangleMode,
    /// Where distributions keep debug files.
    pub debug_directories: Vec<PathBuf>,
    /// A file that takes longer keeps what was found until then.
    pub time_limit: Duration,
    pub threads: usize,
    /// Ask debuginfod for debug files that are not here, and wait so long for each; `None`: never ask.
    pub debuginfod: Option<Duration>,
    /// List the functions of each module, too.
    pub lists_functions: bool,
    /// Counts the addresses that were looked up.
    pub progress: Arc<AtomicUsize>,
    /// The folder where names and lines are kept from one run to the next, by build-id; `None`: nowhere.
    pub cache: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            demangle: DemangleMode::default(),
            debug_directories: vec![PathBuf::from("/usr/lib/debug")],
            time_limit: Duration::from_secs(10),
            threads: std::thread::available_parallelism().map_or(1, |count| count.get().min(8)),
            debuginfod: None,
            lists_functions: false,
            progress: Arc::default(),
            cache: None,
        }
    }
}
