//! The samples of a pprof file, straight into columns.

use crate::columns::{Label, Profile};
use crate::decode::{check_string, string_id, too_many};
use crate::error::ProfileError;
use crate::limits::Limits;
use crate::message_reader::MessageReader;
use crate::references::References;

type Result<T> = std::result::Result<T, ProfileError>;

/// Sums stay exact in every reader, those that count in doubles included.
const VALUE_SUM_LIMIT: u64 = 1 << 53;

/// `sample_count` was counted, and checked against the limit, in the first pass over the same bytes.
pub fn decode_samples(
    bytes: &[u8],
    sample_count: usize,
    locations: &References,
    profile: &mut Profile,
    limits: &Limits,
) -> Result<()> {
    if sample_count > 0 && profile.sample_types.is_empty() {
        return Err(ProfileError::damaged(
            "The profile has samples but no sample types, so their values mean nothing.",
        ));
    }
    let samples = &mut profile.samples;
    samples.stack_ends.reserve_exact(sample_count);
    samples.label_ends.reserve_exact(sample_count);
    samples
        .values
        .reserve_exact(sample_count * profile.sample_types.len());

    let mut cut_stacks = 0usize;
    let mut reader = MessageReader::new(bytes, "top-level message");
    while let Some((field, content)) = reader.next()? {
        if field == 2 {
            cut_stacks +=
                decode_sample(reader.bytes(field, content)?, locations, profile, limits)? as usize;
        }
    }
    check_sums(profile)?;
    if cut_stacks > 0 {
        profile.problems.push(format!(
            "{cut_stacks} samples have stacks deeper than {} frames; the outermost frames were omitted.",
            limits.stack_depth
        ));
    }
    Ok(())
}

/// Appends one sample; true when its stack was cut.
fn decode_sample(
    bytes: &[u8],
    locations: &References,
    profile: &mut Profile,
    limits: &Limits,
) -> Result<bool> {
    let samples = &mut profile.samples;
    let number = samples.stack_ends.len() + 1;
    let (first_frame, first_value, first_label) = (
        samples.stacks.len(),
        samples.values.len(),
        samples.labels.len(),
    );
    let types = profile.sample_types.len();
    let mut cut = false;

    let mut reader = MessageReader::new(bytes, "sample");
    let location_of = |id| {
        locations.index(id).ok_or_else(|| {
            ProfileError::damaged(format!(
                "Sample {number} refers to the location {id}, which is not in the file."
            ))
        })
    };
    while let Some((field, content)) = reader.next()? {
        match field {
            1 if let Some(count) = content.packed_count()
                && samples.stacks.len() - first_frame + count <= limits.stack_depth
                && samples.stacks.len() + count <= limits.frames =>
            {
                let start = samples.stacks.len();
                samples.stacks.resize(start + count, 0);
                let mut slots = samples.stacks[start..].iter_mut();
                reader.numbers(field, content, |id| {
                    let location = location_of(id)?;
                    if let Some(slot) = slots.next() {
                        *slot = location;
                    }
                    Ok(())
                })?;
            }
            1 => reader.numbers(field, content, |id| {
                let location = location_of(id)?;
                if samples.stacks.len() - first_frame >= limits.stack_depth {
                    cut = true;
                    return Ok(());
                }
                if samples.stacks.len() >= limits.frames {
                    return Err(too_many("frames in all stacks together", limits.frames));
                }
                samples.stacks.push(location);
                Ok(())
            })?,
            2 => reader.numbers(field, content, |raw| {
                if samples.values.len() - first_value >= types {
                    return Err(value_count(number, "more", types));
                }
                if raw as i64 <= -1 {
                    return Err(ProfileError::damaged(format!(
                        "Sample {number} has the value {}. Values cannot be negative; Lineheat cannot open a difference of two profiles as a profile.",
                        raw as i64
                    )));
                }
                samples.values.push(raw);
                Ok(())
            })?,
            3 => {
                let known = samples.labels.len();
                if known - first_label >= limits.labels_per_sample {
                    return Err(too_many("labels in one sample", limits.labels_per_sample));
                }
                if known >= limits.labels {
                    return Err(too_many("labels", limits.labels));
                }
                let label = decode_label(reader.bytes(field, content)?, number)?;
                for id in [label.key, label.text, label.unit] {
                    check_string(&profile.strings, id, "label")?;
                }
                samples.labels.push(label);
            }
            _ => {}
        }
    }
    if samples.values.len() - first_value != types {
        return Err(value_count(number, "fewer", types));
    }
    samples.stack_ends.push(samples.stacks.len() as u32);
    samples.label_ends.push(samples.labels.len() as u32);
    Ok(cut)
}

fn value_count(number: usize, than: &str, types: usize) -> ProfileError {
    ProfileError::damaged(format!(
        "Sample {number} has {than} values than the {types} sample types of the profile."
    ))
}

fn decode_label(bytes: &[u8], number: usize) -> Result<Label> {
    let (mut key, mut text, mut value, mut unit) = (0, 0, 0i64, 0);
    let mut reader = MessageReader::new(bytes, "label");
    while let Some((field, content)) = reader.next()? {
        match field {
            1 => key = string_id(reader.number(field, content)?, "label")?,
            2 => text = string_id(reader.number(field, content)?, "label")?,
            3 => value = reader.number(field, content)? as i64,
            4 => unit = string_id(reader.number(field, content)?, "label")?,
            _ => {}
        }
    }
    if text != 0 && (value != 0 || unit != 0) {
        return Err(ProfileError::damaged(format!(
            "A label of sample {number} is both a text and a number."
        )));
    }
    Ok(Label {
        key,
        text,
        number: value,
        unit,
    })
}

fn check_sums(profile: &Profile) -> Result<()> {
    for (index, kind) in profile.sample_types.iter().enumerate() {
        let mut sum = 0u64;
        for row in profile
            .samples
            .values
            .chunks_exact(profile.sample_types.len())
        {
            sum = sum.saturating_add(row[index]);
            if sum >= VALUE_SUM_LIMIT {
                return Err(ProfileError::damaged(format!(
                    "The values of {:?} add up to 2^53 or more, which cannot be counted exactly.",
                    profile.text(kind.kind)
                )));
            }
        }
    }
    Ok(())
}
