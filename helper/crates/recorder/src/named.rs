//! What was found of the code that the samples of a recording are in, once it had ended.

use std::collections::BTreeMap;

use profile::Profile;

use super::modules::ModuleIndex;
use super::source_texts::SourceTexts;
use super::symbols::Symbols;

pub struct Named<'a> {
    pub symbols: &'a BTreeMap<ModuleIndex, Symbols>,
    /// The samples with their names.
    pub profile: &'a Profile,
    pub texts: SourceTexts,
}
