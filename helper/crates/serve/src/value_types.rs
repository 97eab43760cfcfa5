//! Measures as the contract has them.

use profile::{Family, MeasureInfo, Nature, NotesOfKind, Profile, Unrecorded};
use wire::ValueType;
use wire::value_type;

pub fn on_wire(of: &MeasureInfo) -> ValueType {
    ValueType {
        r#type: of.name.clone(),
        unit: of.unit.clone(),
        samples_unknown: !of.is_counted(),
        complete: of.is_complete,
        detail: of.main.is_some(),
        nature: match of.nature {
            Nature::Sampled => value_type::Nature::Sampled,
            Nature::Weighted => value_type::Nature::Weighted,
            Nature::Exact => value_type::Nature::Exact,
        }
        .into(),
        family: match of.family {
            Family::Other => value_type::Family::Other,
            Family::Cpu => value_type::Family::Cpu,
            Family::Waiting => value_type::Family::Waiting,
            Family::Memory => value_type::Family::Memory,
            Family::Calls => value_type::Family::Calls,
        }
        .into(),
    }
}

/// What another recording of the same command can measure besides, with how to record it.
pub fn unrecorded(profile: &Profile) -> Vec<wire::Unrecorded> {
    // Only the kernel's own part of the event says so.
    let is_unprivileged = (profile.run.as_ref()).is_some_and(|run| run.event.ends_with(":u"));
    let advice = |how: &str| match is_unprivileged {
        true => "This requires the permission to record: see `lineheat doctor`.".to_owned(),
        false => format!("Record {how}."),
    };
    (profile.unrecorded().into_iter())
        .map(|Unrecorded { name, how }| wire::Unrecorded {
            r#type: name.to_owned(),
            sentence: format!("{} {}", not_recorded(name), advice(how)),
        })
        .collect()
}

fn not_recorded(name: &str) -> &'static str {
    match name {
        "wait" => "Waiting time was not recorded.",
        "alloc_space" => "Allocated memory was not recorded.",
        "inuse_space" => "Memory in use was not recorded.",
        "calls" => "Calls were not counted.",
        "syscall" => "System calls were not recorded.",
        "faults" => "Page faults were not recorded.",
        _ => "This was not recorded.",
    }
}

/// Notes that concern some measures only.
pub fn measure_problems(profile: &Profile) -> Vec<wire::MeasureProblems> {
    let on_wire = |of: NotesOfKind| wire::MeasureProblems {
        values: of.sample_types.iter().map(|&at| at as u32).collect(),
        problems: of.sentences.to_vec(),
    };
    profile.notes_by_kind().into_iter().map(on_wire).collect()
}
