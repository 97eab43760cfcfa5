//! `--demangle`: how names of functions are shown.

use symbolize::DemangleMode;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DemangleChoice {
    /// The linker's names, not demangled
    None,
    /// Without parameters and template arguments
    Simplified,
    /// With template arguments, without parameters
    Templates,
    /// With template arguments and parameters
    Full,
}

impl DemangleChoice {
    pub fn mode(self) -> DemangleMode {
        match self {
            DemangleChoice::None => DemangleMode::None,
            DemangleChoice::Simplified => DemangleMode::Simplified,
            DemangleChoice::Templates => DemangleMode::Templates,
            DemangleChoice::Full => DemangleMode::Full,
        }
    }
}
