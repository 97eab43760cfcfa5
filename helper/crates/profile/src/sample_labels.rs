//! What each sample of a recording says beside its stack.

use crate::builder::LabelValue;
use crate::columns::Profile;

/// The number of the repetition, from 1, of a command that was run several times.
pub const REPETITION: &str = "repetition";
pub const LABELS_PER_SAMPLE: usize = 6;

/// `repetition` 0: these are not told. `detail`: key and value.
pub fn sample_labels<'a>(
    pid: u32,
    tid: u32,
    process: &'a str,
    thread: &'a str,
    repetition: u32,
    detail: Option<(&'static str, &'a str)>,
) -> Vec<(&'static str, LabelValue<'a>)> {
    let number = |n: u32| LabelValue::Number(i64::from(n), "");
    let mut labels = vec![
        ("pid", number(pid)),
        ("tid", number(tid)),
        ("process", LabelValue::Text(process)),
        ("thread", LabelValue::Text(thread)),
    ];
    if repetition > 0 {
        labels.push((REPETITION, number(repetition)));
    }
    labels.extend(detail.map(|(key, value)| (key, LabelValue::Text(value))));
    labels
}

/// The repetition of each sample, from 1; 0 where the label is missing.
pub fn sample_repetitions(profile: &Profile) -> Vec<u32> {
    (0..profile.samples.len())
        .map(|sample| {
            let labels = profile.samples.labels_of(sample).iter();
            let mut of_repetition =
                labels.filter(|l| l.text == 0 && profile.text(l.key) == REPETITION);
            let number = of_repetition.next().map_or(0, |label| label.number);
            u32::try_from(number).unwrap_or(0)
        })
        .collect()
}
