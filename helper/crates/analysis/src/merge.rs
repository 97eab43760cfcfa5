//! Several runs of the same program as one profile: samples with equal stacks and labels add up.

use profile::run::Repetition;
use profile::{
    LabelValue, LineOf, Locations, Mapping, MappingOf, Profile, ProfileBuilder, RunInfo, Stacks,
    StringId,
};

use crate::analyzed::Analyzed;
use crate::execution::Executions;

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
        add(&mut builder, profile);
    }
    builder.set_time(profiles[0].time_nanos, duration);
    if let Some(mut run) = profiles.pop().and_then(|last| last.run) {
        run.time_sample = Vec::new();
        run.time_delta_ns = Vec::new();
        run.wait_times = None;
        run.memory_in_time = None;
        run.memory_times = None;
        run.calls = None;
        builder.set_run(run);
    }
    Ok(builder.finish())
}

/// Several files as one, without the samples that are of no execution. The run description is that of the last file, with
/// the samples taken, kept and lost of all. Also by sample the number of its execution, counted through all files.
///
/// Its own profile has no stacks, functions and locations: they stay in the tables of each file, which are never made one.
pub(crate) fn pool_executions(
    profiles: Vec<Profile>,
    parts: &[Executions],
) -> Result<(Analyzed, Vec<u32>), String> {
    common_sample_types(&profiles)?;
    let is_kept = |file: usize, sample: usize| parts[file].of_sample[sample].is_some();
    let analyzed = Analyzed::pooled(profiles, is_kept, |profiles, same| {
        together(profiles, same, parts)
    });
    let mut first = 0;
    let mut execution_of_sample = Vec::with_capacity(analyzed.profile().samples.len());
    for part in parts {
        let kept = part.of_sample.iter().flatten();
        execution_of_sample.extend(kept.map(|execution| first + execution));
        first += part.sampled.len() as u32;
    }
    Ok((analyzed, execution_of_sample))
}

/// `same`: by file and the id of its own text, the id in the common table.
fn together(profiles: Vec<Profile>, same: &[Vec<StringId>], parts: &[Executions]) -> Profile {
    let run = merged_run(&profiles, parts);
    let mut pooled = Profile::default();
    if let Some(first) = profiles.first() {
        pooled.sample_types = first.sample_types.clone();
        pooled.default_sample_type = first.default_sample_type;
        pooled.time_nanos = first.time_nanos;
    }
    pooled.duration_nanos = duration(&profiles);
    pooled.run = run;
    let types = pooled.sample_types.len();
    let mut samples = 0;
    for ((profile, same), part) in profiles.into_iter().zip(same).zip(parts) {
        let mappings = profile.mappings.into_iter();
        pooled.mappings.extend(mappings.map(|mapping| Mapping {
            filename: same[mapping.filename as usize],
            build_id: same[mapping.build_id as usize],
            ..mapping
        }));
        for (sample, execution) in part.of_sample.iter().enumerate() {
            if execution.is_some() {
                let values = &profile.samples.values[sample * types..][..types];
                pooled.samples.values.extend_from_slice(values);
                samples += 1;
            }
        }
    }
    pooled.samples.stacks = Stacks::empty(samples);
    pooled.samples.label_ends = vec![0; samples];
    pooled
}

fn merged_run(profiles: &[Profile], parts: &[Executions]) -> Option<RunInfo> {
    let mut merged = profiles.last()?.run.clone()?;
    merged.time_sample = Vec::new();
    merged.time_delta_ns = Vec::new();
    merged.wait_times = None;
    merged.memory_in_time = None;
    merged.memory_times = None;
    merged.calls = None;
    for run in profiles[..profiles.len() - 1]
        .iter()
        .filter_map(|profile| profile.run.as_ref())
    {
        merged.samples_taken = merged.samples_taken.saturating_add(run.samples_taken);
        merged.samples_kept = merged.samples_kept.saturating_add(run.samples_kept);
        merged.losses.extend(run.losses.iter().cloned());
        merged.partial |= run.partial;
        merged.fixed_addresses &= run.fixed_addresses;
        merged.drawn_environments &= run.drawn_environments;
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
    let types = common_sample_types(profiles)?;
    let names: Vec<(&str, &str)> = types
        .iter()
        .map(|(kind, unit)| (kind.as_str(), unit.as_str()))
        .collect();
    let mut builder = ProfileBuilder::new(&names);
    if !names.is_empty() {
        builder.set_default_sample_type(profiles[0].default_sample_type);
    }
    Ok((builder, duration(profiles)))
}

fn duration(profiles: &[Profile]) -> i64 {
    (profiles.iter()).fold(0, |sum, profile| sum.saturating_add(profile.duration_nanos))
}

fn common_sample_types(profiles: &[Profile]) -> Result<Vec<(String, String)>, String> {
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
    Ok(types)
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

fn add(builder: &mut ProfileBuilder, profile: &Profile) {
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
    for (sample, &number) in stacks.numbers().iter().enumerate() {
        let stack = stacks.numbered(number).iter();
        let stack: Vec<u32> = stack.map(|&l| locations[l as usize]).collect();
        let labels: Vec<(&str, LabelValue)> = (profile.samples.labels_of(sample).iter())
            .map(|label| {
                let value = match label.text {
                    0 => LabelValue::Number(label.number, profile.text(label.unit)),
                    text => LabelValue::Text(profile.text(text)),
                };
                (profile.text(label.key), value)
            })
            .collect();
        let values = &profile.samples.values[sample * types..][..types];
        builder.add_sample(&stack, values, &labels);
    }
}
