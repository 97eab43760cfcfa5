//! Several runs of the same program as one profile: samples with equal stacks and labels add up.

use profile::{LabelValue, LineOf, Locations, MappingOf, Profile, ProfileBuilder};

/// Sample types must be the same in all, in the same order; `Err` is a sentence that names the first that differs.
/// The run description is that of the last run, without its timeline, which means nothing in a sum.
///
/// No profile gives an empty one; one gives itself.
pub fn merge(mut profiles: Vec<Profile>) -> Result<Profile, String> {
    if profiles.len() <= 1 {
        return Ok(profiles.pop().unwrap_or_default());
    }
    let types = sample_types(&profiles[0]);
    for (index, profile) in profiles.iter().enumerate() {
        let other = sample_types(profile);
        if other != types {
            return Err(format!(
                "Run {} holds {}, the first run {}: they cannot be added up.",
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
    for profile in &profiles {
        add(&mut builder, profile);
    }
    let first = &profiles[0];
    builder.set_time(
        first.time_nanos,
        profiles.iter().fold(0i64, |sum, profile| {
            sum.saturating_add(profile.duration_nanos)
        }),
    );
    if let Some(mut run) = profiles.pop().and_then(|last| last.run) {
        run.time_sample = Vec::new();
        run.time_delta_ns = Vec::new();
        builder.set_run(run);
    }
    Ok(builder.finish())
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
    for sample in 0..profile.samples.len() {
        let stack: Vec<u32> = (profile.samples.stack(sample).iter())
            .map(|&l| locations[l as usize])
            .collect();
        let labels: Vec<(&str, LabelValue)> = (profile.samples.labels_of(sample).iter())
            .map(|label| {
                let value = match label.text {
                    0 => LabelValue::Number(label.number, profile.text(label.unit)),
                    text => LabelValue::Text(profile.text(text)),
                };
                (profile.text(label.key), value)
            })
            .collect();
        builder.add_sample(
            &stack,
            &profile.samples.values[sample * types..][..types],
            &labels,
        );
    }
}
