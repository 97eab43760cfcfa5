//! How names of functions are shown: `--demangle` of the command line and the editor's setting, applied when a run is
//! read. A run keeps the linker's names beside the readable ones, so the choice can change without a new recording.

use std::collections::HashMap;

use profile::{Profile, StringId};
use symbolize::{DemangleMode, demangle, is_made_name};

/// Names every function of `profile` anew from its linker's name; without a choice nothing changes.
///
/// Functions that have no linker's name of their own (lambdas of GCC, foreign profiles) keep the name they have.
pub fn rename_functions(profile: &mut Profile, choice: Option<DemangleMode>) {
    let Some(choice) = choice else { return };
    let mut ids: HashMap<String, StringId> = (profile.functions.iter())
        .map(|function| (profile.text(function.name).to_owned(), function.name))
        .collect();
    let mut named: HashMap<(StringId, StringId), StringId> = HashMap::new();
    for index in 0..profile.functions.len() {
        let function = profile.functions[index];
        let key = (function.name, function.system_name);
        let id = match named.get(&key) {
            Some(id) => *id,
            None => {
                let is_go = profile.text(function.filename).ends_with(".go");
                let name = profile.text(function.name);
                let name = chosen_name(name, profile.text(function.system_name), is_go, choice);
                let id = match ids.get(&name) {
                    Some(id) => Some(*id),
                    None => profile.strings.push(&name),
                };
                // A table that is full keeps the old name.
                let id = id.unwrap_or(function.name);
                ids.insert(name, id);
                named.insert(key, id);
                id
            }
        };
        profile.functions[index].name = id;
    }
}

fn chosen_name(name: &str, system_name: &str, is_go: bool, choice: DemangleMode) -> String {
    let system_name = if system_name.is_empty() {
        name
    } else {
        system_name
    };
    match choice {
        DemangleMode::None => system_name.to_owned(),
        // Dots are part of Go's names: `main.cold` is no clone of `main`.
        _ if is_go || !is_made_name(system_name) => name.to_owned(),
        _ => demangle(system_name, choice),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, system_name: &str, expected: [&str; 4]) {
        let choices = [
            DemangleMode::None,
            DemangleMode::Simplified,
            DemangleMode::Templates,
            DemangleMode::Full,
        ];
        for (choice, expected) in choices.into_iter().zip(expected) {
            assert_eq!(chosen_name(name, system_name, false, choice), expected);
        }
    }

    #[test]
    fn a_name_is_made_anew_from_the_linkers_name() {
        let max = "_Z3maxIiET_S0_S0_";
        check(
            "max<int>",
            max,
            [max, "max", "max<int>", "int max<int>(int, int)"],
        );
        check(max, "", [max, "max", "max<int>", "int max<int>(int, int)"]);
        check("sum", "sum.part.0", ["sum.part.0", "sum", "sum", "sum"]);
        check(
            "main::{lambda}",
            "operator()",
            [
                "operator()",
                "main::{lambda}",
                "main::{lambda}",
                "main::{lambda}",
            ],
        );
    }

    #[test]
    fn functions_with_one_name_share_its_text() {
        let mut builder = profile::ProfileBuilder::new(&[("samples", "count")]);
        builder.add_function("max<int>", "_Z3maxIiET_S0_S0_", "a.h", 1);
        builder.add_function("max<long>", "_Z3maxIlET_S0_S0_", "a.h", 1);
        let mut profile = builder.finish();
        rename_functions(&mut profile, Some(DemangleMode::Simplified));
        let [first, second] = profile.functions[..] else {
            panic!()
        };
        assert_eq!(profile.text(first.name), "max");
        assert_eq!(first.name, second.name);
        assert_eq!(profile.text(second.system_name), "_Z3maxIlET_S0_S0_");
    }
}
