//! The samples of a pprof file, straight into columns.

use crate::columns::{Label, Profile};
use crate::decode_checks::{check_string, string_id, too_many};
use crate::decode_stacks::{LOCATIONS, StackDecoder};
use crate::error::ProfileError;
use crate::limits::Limits;
use crate::message_reader::MessageReader;
use crate::references::References;

type Result<T> = std::result::Result<T, ProfileError>;

/// Sums stay exact in every reader, those that count in doubles included.
const VALUE_SUM_LIMIT: u64 = 1 << 53;

/// `sample_count` was counted, and checked against the limit, in the first pass over the same bytes. `bytes`: the fields
/// of the file from the first sample to the last one.
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
    samples.stacks.reserve(sample_count);
    samples.label_ends.reserve_exact(sample_count);
    samples
        .values
        .reserve_exact(sample_count * profile.sample_types.len());

    let mut stacks = StackDecoder::new(locations, limits);
    let mut reader = MessageReader::new(bytes, "top-level message");
    while let Some((field, content)) = reader.next()? {
        if field == 2 {
            decode_sample(reader.bytes(field, content)?, &mut stacks, profile, limits)?;
        }
    }
    check_sums(profile)?;
    if stacks.cut_stacks > 0 {
        profile.problems.push(format!(
            "{} samples have stacks deeper than {} frames; the outermost frames were omitted.",
            stacks.cut_stacks, limits.stack_depth
        ));
    }
    Ok(())
}

/// Appends one sample.
fn decode_sample<'a>(
    bytes: &'a [u8],
    stacks: &mut StackDecoder<'a>,
    profile: &mut Profile,
    limits: &Limits,
) -> Result<()> {
    let samples = &mut profile.samples;
    let number = samples.len() + 1;
    let (first_value, first_label) = (samples.values.len(), samples.labels.len());
    let types = profile.sample_types.len();

    let (mut stack_fields, mut stack) = (0, None);
    let mut reader = MessageReader::new(bytes, "sample");
    while let Some((field, content)) = reader.next()? {
        match field {
            LOCATIONS => {
                stack_fields += 1;
                stack = content.packed().filter(|_| stack_fields == 1);
            }
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
    stacks.add(bytes, stack, &mut samples.stacks)?;
    samples.label_ends.push(samples.labels.len() as u32);
    Ok(())
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
