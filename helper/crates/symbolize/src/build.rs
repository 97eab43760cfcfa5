//! How a compile unit was built: by which compiler, from which language, with optimisation or without.
//!
//! GCC and Go write their flags into `DW_AT_producer`. LLVM (clang, rustc) does not, but its unoptimised code shows:
//! every parameter has one place on the stack for its whole life.

use gimli::{AttributeValue, DwLang, UnitRef};

use crate::Language;
use crate::elf::Reader;

/// How one compile unit was built.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Build {
    /// `DW_AT_producer`: the compiler, its version, often its flags.
    pub producer: String,
    pub language: Language,
    /// Without optimisation, as far as can be told.
    pub is_unoptimized: bool,
}

/// Entries looked at to tell LLVM's unoptimised code: some dozens of functions.
const ENTRIES_MAX: usize = 4000;

/// The build of a unit; `None`: it says nothing of its compiler.
pub(crate) fn build_of(unit: UnitRef<'_, Reader<'_>>) -> Option<Build> {
    let (producer, language) = heading(unit).ok()??;
    let is_llvm = producer.contains("clang") || producer.contains("rustc");
    let is_unoptimized = match flags_say_unoptimized(&producer) {
        Some(said) => said,
        None => is_llvm && code_shows_unoptimized(unit).unwrap_or(false),
    };
    Some(Build {
        producer,
        language: language.map_or(Language::Unknown, language_of),
        is_unoptimized,
    })
}

fn heading(unit: UnitRef<'_, Reader<'_>>) -> gimli::Result<Option<(String, Option<DwLang>)>> {
    let mut entries = unit.entries_raw(None)?;
    let Some(abbreviation) = entries.read_abbreviation()? else {
        return Ok(None);
    };
    let (mut producer, mut language) = (None, None);
    for specification in abbreviation.attributes() {
        let attribute = entries.read_attribute(*specification)?;
        match (attribute.name(), attribute.value()) {
            (gimli::DW_AT_producer, value) => {
                producer = Some(unit.attr_string(value)?.to_string_lossy().into_owned());
            }
            (gimli::DW_AT_language, AttributeValue::Language(value)) => language = Some(value),
            _ => {}
        }
    }
    Ok(producer.map(|producer| (producer, language)))
}

/// The language of a unit.
pub(crate) fn language(unit: UnitRef<'_, Reader<'_>>) -> Option<DwLang> {
    let mut entries = unit.entries_raw(None).ok()?;
    let abbreviation = entries.read_abbreviation().ok()??;
    let mut attributes = abbreviation.attributes().iter();
    attributes.find_map(|specification| {
        let attribute = entries.read_attribute(*specification).ok()?;
        match (attribute.name(), attribute.value()) {
            (gimli::DW_AT_language, AttributeValue::Language(language)) => Some(language),
            _ => None,
        }
    })
}

/// What the flags in a producer say; `None`: it holds no flags.
fn flags_say_unoptimized(producer: &str) -> Option<bool> {
    let mut flags = producer.split_whitespace();
    if producer.starts_with("Go ") {
        return Some(flags.any(|flag| flag == "-N"));
    }
    // Assembly is as its author wrote it.
    if !producer.starts_with("GNU ") || producer.starts_with("GNU AS") {
        return producer.starts_with("GNU AS").then_some(false);
    }
    let level = flags.rfind(|flag| flag.starts_with("-O"));
    Some(matches!(level, None | Some("-O0")))
}

fn code_shows_unoptimized(unit: UnitRef<'_, Reader<'_>>) -> gimli::Result<bool> {
    /// `DW_OP_fbreg` and, on aarch64, `DW_OP_breg31`: at an offset from the frame, or from sp.
    const IN_FRAME: [u8; 2] = [0x91, 0x8f];
    /// `DW_OP_reg0` to `DW_OP_reg31`.
    const IN_REGISTER: std::ops::RangeInclusive<u8> = 0x50..=0x6f;
    let mut entries = unit.entries_raw(None)?;
    let (mut parameters_in_frame, mut elsewhere) = (0, 0);
    for _ in 0..ENTRIES_MAX {
        if entries.is_empty() {
            break;
        }
        let Some(abbreviation) = entries.read_abbreviation()? else {
            continue;
        };
        let tag = abbreviation.tag();
        let is_parameter = tag == gimli::DW_TAG_formal_parameter;
        if !is_parameter && tag != gimli::DW_TAG_variable {
            entries.skip_attributes(abbreviation.attributes())?;
            continue;
        }
        for specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(*specification)?;
            if attribute.name() != gimli::DW_AT_location {
                continue;
            }
            match attribute.value() {
                AttributeValue::Exprloc(expression) => match expression.0.slice().first() {
                    Some(first) if IN_FRAME.contains(first) && is_parameter => {
                        parameters_in_frame += 1
                    }
                    Some(first) if IN_REGISTER.contains(first) => elsewhere += 1,
                    _ => {}
                },
                // It is in several places in turn.
                _ => elsewhere += 1,
            }
        }
    }
    // Of rustc's code without optimisation, one in sixteen is elsewhere; with it, ten in eleven.
    Ok(parameters_in_frame > 4 * elsewhere)
}

fn language_of(language: DwLang) -> Language {
    match language {
        gimli::DW_LANG_C
        | gimli::DW_LANG_C89
        | gimli::DW_LANG_C99
        | gimli::DW_LANG_C11
        | gimli::DW_LANG_C17
        | gimli::DW_LANG_C_plus_plus
        | gimli::DW_LANG_C_plus_plus_03
        | gimli::DW_LANG_C_plus_plus_11
        | gimli::DW_LANG_C_plus_plus_14
        | gimli::DW_LANG_C_plus_plus_17
        | gimli::DW_LANG_C_plus_plus_20 => Language::C,
        gimli::DW_LANG_Rust => Language::Rust,
        gimli::DW_LANG_Go => Language::Go,
        gimli::DW_LANG_OCaml => Language::OCaml,
        _ => Language::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::flags_say_unoptimized;

    #[test]
    fn the_last_level_of_optimisation_counts() {
        for (producer, expected) in [
            ("GNU C17 12.2.0 -mtune=generic -g -O2", Some(false)),
            ("GNU C++17 12.2.0 -g -O2 -O0", Some(true)),
            ("GNU C17 12.2.0 -mtune=generic -g", Some(true)),
            ("GNU C17 12.2.0 -Og -g", Some(false)),
            ("GNU AS 2.40", Some(false)),
            ("Go cmd/compile go1.26.8; regabi", Some(false)),
            ("Go cmd/compile go1.26.8; -N -l regabi", Some(true)),
            ("clang LLVM (rustc version 1.95.0)", None),
            ("", None),
        ] {
            assert_eq!(flags_say_unoptimized(producer), expected, "{producer}");
        }
    }
}
