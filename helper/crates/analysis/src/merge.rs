//! Several runs of the same program as one profile: samples with equal stacks and labels add up.

use profile::run::Repetition;
use profile::{LabelValue, LineOf, Locations, MappingOf, Profile, ProfileBuilder, RunInfo};

use crate::execution::{Executions, REPETITION};

/// Executions of several files in one profile.
pub(crate) struct MergedExecutions {
    pub profile: Profile,
    /// By sample: number of its execution, counted through all files.
    pub execution_of_sample: Vec<u32>,
}

/// Sample types must be the same in all, in the same order; `Err` is a sentence that names the first that differs.
/// The run description is that of the last run, without its timeline, which means nothing in a sum.
///
/// No profile gives an empty one; one gives itself.
pub fn merge(mut profiles: Vec<Profile>) -> Result<Profile, String> {
    if profiles.len() <= 1 {
        return Ok(profiles.pop().unwrap_or_default());
    }
    let (mut builder, duration) = builder_for(&profiles)?;
    for profile in &profiles {
        add(&mut builder, profile, |_| Relabel::Keep);
    }
    builder.set_time(profiles[0].time_nanos, duration);
    if let Some(mut run) = profiles.pop().and_then(|last| last.run) {
        run.time_sample = Vec::new();
        run.time_delta_ns = Vec::new();
        builder.set_run(run);
    }
    Ok(builder.finish())
}

/// The same, but samples of different executions stay apart and those of none are left out. The run description is that
/// of the last file, with the samples taken, kept and lost of all.
pub(crate) fn merge_executions(
    profiles: Vec<Profile>,
    parts: &[Executions],
) -> Result<MergedExecutions, String> {
    let (mut builder, duration) = builder_for(&profiles)?;
    let mut execution_of_sample: Vec<u32> = Vec::new();
    let mut first = 0u32;
    for (profile, part) in profiles.iter().zip(parts) {
        let number = |sample: usize| part.of_sample[sample].map(|index| first + index);
        add(&mut builder, profile, |sample| match number(sample) {
            Some(execution) => Relabel::Execution(i64::from(execution) + 1),
            None => Relabel::LeaveOut,
        });
        first += part.sampled.len() as u32;
    }
    builder.set_time(profiles.first().map_or(0, |p| p.time_nanos), duration);
    let run = merged_run(&profiles, parts);
    if let Some(run) = run {
        builder.set_run(run);
    }
    let profile = builder.finish();
    for sample in 0..profile.samples.len() {
        let label = (profile.samples.labels_of(sample).iter())
            .find(|label| label.text == 0 && profile.text(label.key) == REPETITION);
        execution_of_sample.push(label.map_or(0, |label| (label.number - 1) as u32));
    }
    Ok(MergedExecutions {
        profile,
        execution_of_sample,
    })
}

fn merged_run(profiles: &[Profile], parts: &[Executions]) -> Option<RunInfo> {
    let mut merged = profiles.last()?.run.clone()?;
    merged.time_sample = Vec::new();
    merged.time_delta_ns = Vec::new();
    for run in profiles[..profiles.len() - 1]
        .iter()
        .filter_map(|profile| profile.run.as_ref())
    {
        merged.samples_taken = merged.samples_taken.saturating_add(run.samples_taken);
        merged.samples_kept = merged.samples_kept.saturating_add(run.samples_kept);
        merged.losses.extend(run.losses.iter().cloned());
        merged.partial |= run.partial;
    }
    merged.repetitions = (parts.iter())
        .flat_map(|part| part.warm_up.iter().chain(&part.sampled))
        .map(|execution| Repetition {
            wall_ns: execution.wall_ns,
            user_ns: execution.user_ns,
            system_ns: execution.system_ns,
            work: execution.work,
            warm_up: execution.warm_up,
            ..Repetition::default()
        })
        .collect();
    Some(merged)
}

/// And the time that all of them took together.
fn builder_for(profiles: &[Profile]) -> Result<(ProfileBuilder, i64), String> {
    let types = profiles.first().map(sample_types).unwrap_or_default();
    for (index, profile) in profiles.iter().enumerate() {
        let other = sample_types(profile);
        if other != types {
            return Err(format!(
                "Cannot pool the runs: run {} contains {}, the first run contains {}.",
                index + 1,
                named(&other),
                named(&types)
            ));
        }
    }
    let names: Vec<(&str, &str)> = types
        .iter()
        .map(|(kind, unit)| (kind.as_str(), unit.as_str()))
        .collect();
    let mut builder = ProfileBuilder::new(&names);
    if !names.is_empty() {
        builder.set_default_sample_type(profiles[0].default_sample_type);
    }
    let duration = (profiles.iter()).fold(0i64, |sum, p| sum.saturating_add(p.duration_nanos));
    Ok((builder, duration))
}

/// What becomes of a sample's label of its repetition.
enum Relabel {
    Keep,
    Execution(i64),
    LeaveOut,
}

fn sample_types(profile: &Profile) -> Vec<(String, String)> {
    (profile.sample_types.iter())
        .map(|t| {
            (
                profile.text(t.kind).to_owned(),
                profile.text(t.unit).to_owned(),
            )
        })
        .collect()
}

fn named(types: &[(String, String)]) -> String {
    let names: Vec<String> = types
        .iter()
        .map(|(kind, unit)| format!("{kind}/{unit}"))
        .collect();
    names.join(", ")
}

fn add(builder: &mut ProfileBuilder, profile: &Profile, relabel: impl Fn(usize) -> Relabel) {
    let mappings: Vec<u32> = (profile.mappings.iter())
        .map(|mapping| {
            builder.add_mapping(MappingOf {
                filename: profile.text(mapping.filename),
                build_id: profile.text(mapping.build_id),
                memory_start: mapping.memory_start,
                memory_limit: mapping.memory_limit,
                file_offset: mapping.file_offset,
                symbolized: mapping.has_functions,
            })
        })
        .collect();
    let functions: Vec<u32> = (profile.functions.iter())
        .map(|function| {
            let [name, system_name, file] =
                [function.name, function.system_name, function.filename].map(|id| profile.text(id));
            builder.add_function(name, system_name, file, function.start_line)
        })
        .collect();
    let locations: Vec<u32> = (0..profile.locations.len() as u32)
        .map(|location| {
            let lines: Vec<LineOf> = (profile.locations.lines_of(location).iter())
                .map(|line| LineOf {
                    function: functions[line.function as usize],
                    ..*line
                })
                .collect();
            let mapping = match profile.locations.mapping[location as usize] {
                Locations::NO_MAPPING => None,
                mapping => Some(mappings[mapping as usize]),
            };
            builder.add_location(
                mapping,
                profile.locations.address[location as usize],
                &lines,
            )
        })
        .collect();
    let types = profile.sample_types.len();
    let stacks = &profile.samples.stacks;
    let in_builder = |number: u32| -> Vec<u32> {
        let stack = stacks.numbered(number).iter();
        stack.map(|&l| locations[l as usize]).collect()
    };
    let mut kept: Vec<Option<u32>> = vec![None; stacks.kept()];
    for (sample, &number) in stacks.numbers().iter().enumerate() {
        let relabel = relabel(sample);
        if matches!(relabel, Relabel::LeaveOut) {
            continue;
        }
        let mut labels: Vec<(&str, LabelValue)> = (profile.samples.labels_of(sample).iter())
            .filter(|label| {
                matches!(relabel, Relabel::Keep) || profile.text(label.key) != REPETITION
            })
            .map(|label| {
                let value = match label.text {
                    0 => LabelValue::Number(label.number, profile.text(label.unit)),
                    text => LabelValue::Text(profile.text(text)),
                };
                (profile.text(label.key), value)
            })
            .collect();
        let values = &profile.samples.values[sample * types..][..types];
        if let Relabel::Execution(execution) = relabel {
            labels.push((REPETITION, LabelValue::Number(execution, "")));
            // Those of different files never are of one execution, so there is nothing to add up.
            let stack = *kept[number as usize]
                .get_or_insert_with(|| builder.keep_stack(&in_builder(number)));
            builder.push_sample_with(stack, values, &labels);
        } else {
            builder.add_sample(&in_builder(number), values, &labels);
        }
    }
}
