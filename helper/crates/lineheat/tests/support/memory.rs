//! What a run says of memory, by sample and by line of a program of known answer.

use profile::Profile;

/// Bytes and blocks.
pub type Memory = (u64, u64);

/// One sample: allocated, in use, what these rest on; functions from the leaf, and lines of the program itself.
pub struct Sample {
    pub allocated: Memory,
    pub in_use: Memory,
    pub points: [u64; 2],
    pub frames: Vec<String>,
    pub lines: Vec<u32>,
}

pub fn samples_of(profile: &Profile) -> Vec<Sample> {
    let column = |name, unit| profile.find_sample_type(name, unit).expect(name);
    let [allocated, in_use] = [
        ("alloc_space", "alloc_objects"),
        ("inuse_space", "inuse_objects"),
    ]
    .map(|(bytes, count)| (column(bytes, "bytes"), column(count, "count")));
    let points = ["alloc_samples", "inuse_samples"].map(|name| column(name, "count"));
    let function = |at: u32| &profile.functions[at as usize];
    let is_own = |at: u32| {
        profile
            .text(function(at).filename)
            .contains("/tests/programs/")
    };
    (0..profile.samples.len())
        .map(|sample| {
            let value =
                |(bytes, count)| (profile.value(sample, bytes), profile.value(sample, count));
            let stack = profile.samples.stack(sample).iter();
            let lines: Vec<_> = stack
                .flat_map(|location| profile.locations.lines_of(*location))
                .collect();
            let own = lines.iter().filter(|line| is_own(line.function));
            Sample {
                allocated: value(allocated),
                in_use: value(in_use),
                points: points.map(|column| profile.value(sample, column)),
                lines: own.map(|line| line.line).collect(),
                frames: (lines.iter())
                    .map(|line| profile.text(function(line.function).name).to_owned())
                    .collect(),
            }
        })
        .filter(|sample| sample.allocated != (0, 0) || sample.in_use != (0, 0))
        .collect()
}

/// Allocated and in use, of stacks that have this line.
pub fn at_line(samples: &[Sample], line: u32) -> (Memory, Memory) {
    let is_at = |sample: &&Sample| sample.lines.contains(&line);
    let add = |a: Memory, b: Memory| (a.0 + b.0, a.1 + b.1);
    let chosen = samples.iter().filter(is_at);
    chosen.fold(((0, 0), (0, 0)), |(allocated, in_use), sample| {
        (add(allocated, sample.allocated), add(in_use, sample.in_use))
    })
}

/// How many samples what is allocated and what is in use there rest on.
pub fn points_at(samples: &[Sample], line: u32) -> [u64; 2] {
    let chosen = samples.iter().filter(|sample| sample.lines.contains(&line));
    chosen.fold([0, 0], |sum, sample| {
        [sum[0] + sample.points[0], sum[1] + sample.points[1]]
    })
}

pub fn problems_of(profile: &Profile) -> String {
    profile.run.as_ref().expect("a run").problems.join("\n")
}

/// Within four standard errors of the truth, by the number of samples: one of 16,000 tests is not, by chance.
pub fn assert_estimated(profile: &Profile, what: &str, bytes: u64, samples: u64, truth: f64) {
    let spread = profile.run.as_ref().expect("a run").allocation_spread;
    let error = 4.0 * (spread / samples as f64).sqrt();
    let off = (bytes as f64 - truth).abs() / truth;
    assert!(
        off <= error,
        "{what}: {bytes} B, in truth {truth} B, at most {error} off"
    );
}
