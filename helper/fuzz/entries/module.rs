//! Any bytes as a module of a run: its names are known or a sentence says why not.

use std::time::Duration;

use symbolize::{DemangleMode, ModuleFile, Options, demangle, symbolize_module_with};

pub fn read(bytes: &[u8]) {
    let vaddrs: Vec<u64> = (0x1000..0x1400).step_by(64).chain([0, u64::MAX]).collect();
    let options = Options {
        time_limit: Duration::from_secs(5),
        threads: 1,
        ..Options::default()
    };
    let module = ModuleFile::from_bytes("/fuzzed", bytes.to_vec());
    let found = symbolize_module_with(&module, &vaddrs, &options);
    assert_eq!(found.chains.len(), vaddrs.len());
    assert!(found.problem.is_none_or(|problem| problem.ends_with('.')));
    if let Ok(text) = std::str::from_utf8(&bytes[..bytes.len().min(4096)]) {
        for mode in [DemangleMode::Simplified, DemangleMode::Full] {
            let name = demangle(text, mode);
            assert!(name.len() <= (64 << 10).max(text.len()));
        }
    }
}
