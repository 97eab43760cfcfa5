//! Profiles written as text, and a small source of repeatable chance.
//!
//! One sample a line, root first: `main@m.c:3 ~inlined@h.h:9 [kernel]sys_read libc.so!read 7`. `~` is inlined into the
//! frame before it, `!` and `[…]` name another module than `app`, `:?9` is a line of a function of which nothing says
//! where it is defined; the last word is the number of samples.

#![allow(dead_code)] // Each test file uses its own part.

pub mod comparisons;
pub mod damage;
pub mod selections;

use std::time::Duration;

use profile::{LineOf, MappingOf, Profile, ProfileBuilder};

/// CPU nanoseconds of one sample.
pub const PERIOD_NS: u64 = 1_000_000;

pub fn profile_of(text: &str) -> Profile {
    let mut builder = ProfileBuilder::new(&[("samples", "count"), ("cpu", "nanoseconds")]);
    let mut modules: Vec<(String, u32)> = Vec::new();
    let mut addresses = Addresses::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (stack, count) = line.rsplit_once(' ').expect("frames and a number");
        let count: u64 = count.parse().expect("a number of samples");
        let mut locations: Vec<u32> = Vec::new();
        let mut chain: Vec<&str> = Vec::new();
        let mut frames = stack.split(' ').peekable();
        while let Some(frame) = frames.next() {
            chain.push(frame);
            if frames.peek().is_some_and(|next| next.starts_with('~')) {
                continue;
            }
            let module = module_of(chain[0]).0.to_owned();
            let known = modules
                .iter()
                .find(|(name, _)| *name == module)
                .map(|&(_, id)| id);
            let mapping = known.unwrap_or_else(|| {
                let filename = if module.starts_with('[') {
                    module.clone()
                } else {
                    format!("/bin/{module}")
                };
                let id = builder.add_mapping(MappingOf {
                    filename: &filename,
                    symbolized: true,
                    ..MappingOf::default()
                });
                modules.push((module, id));
                id
            });
            let lines: Vec<LineOf> = (chain.iter().rev())
                .filter_map(|frame| {
                    line_of(&mut builder, module_of(frame).1.trim_start_matches('~'))
                })
                .collect();
            let address = addresses.of(&chain.join(" "));
            locations.push(builder.add_location(Some(mapping), address, &lines));
            chain.clear();
        }
        locations.reverse();
        builder.add_sample(&locations, &[count, count * PERIOD_NS], &[]);
    }
    builder.finish()
}

/// An address for each text; of `0x…` that number.
#[derive(Default)]
struct Addresses(Vec<String>);

impl Addresses {
    fn of(&mut self, text: &str) -> u64 {
        if let Some(hex) = module_of(text).1.strip_prefix("0x") {
            return u64::from_str_radix(hex, 16).expect("a hexadecimal address");
        }
        let index = (self.0.iter().position(|known| known == text)).unwrap_or_else(|| {
            self.0.push(text.to_owned());
            self.0.len() - 1
        });
        0x1000 + 16 * index as u64
    }
}

fn module_of(frame: &str) -> (&str, &str) {
    if let Some((module, name)) = frame.split_once('!') {
        return (module, name);
    }
    match frame.find(']') {
        Some(end) if frame.starts_with('[') => frame.split_at(end + 1),
        _ => ("app", frame),
    }
}

fn line_of(builder: &mut ProfileBuilder, frame: &str) -> Option<LineOf> {
    if frame.starts_with("0x") {
        return None;
    }
    let (name, place) = frame.split_once('@').unwrap_or((frame, ""));
    let (file, line) = place.split_once(':').unwrap_or((place, "0"));
    let is_defined = !file.is_empty() && !line.starts_with('?');
    let file = if file.is_empty() {
        String::new()
    } else {
        format!("/src/{file}")
    };
    Some(LineOf {
        function: builder.add_function(name, name, &file, u32::from(is_defined)),
        line: line.trim_start_matches('?').parse().expect("a line number"),
        column: 0,
    })
}

/// xorshift64*, for tests that must repeat.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % limit
    }

    /// A profile with recursion, inlined calls, kernel and unknown frames.
    pub fn profile_text(&mut self, samples: u64) -> String {
        let mut text = String::new();
        for _ in 0..samples {
            let depth = 1 + self.below(12);
            let mut is_native = false;
            for _ in 0..depth {
                let function = self.below(9);
                // No two functions share a line.
                let line = 10 * function + 1 + self.below(5);
                let inlined = if is_native && self.below(3) == 0 {
                    "~"
                } else {
                    ""
                };
                let kind = self.below(12);
                is_native = !inlined.is_empty() || kind > 1;
                match kind {
                    _ if is_native => {
                        text.push_str(&format!("{inlined}f{function}@{}.c:{line} ", function % 3))
                    }
                    0 => text.push_str(&format!("[kernel]k{function} ")),
                    _ => text.push_str(&format!("libx.so!0x{function}00 ")),
                }
            }
            text.push_str(&format!("{}\n", 1 + self.below(20)));
        }
        text
    }
}

/// The profile with a timeline: its samples in an order of chance, one a millisecond.
pub fn with_timeline(mut profile: Profile, chance: &mut Chance) -> Profile {
    let types = profile.sample_types.len();
    let mut order: Vec<u32> = (0..profile.samples.len())
        .flat_map(|sample| {
            let count = profile.samples.values[sample * types];
            std::iter::repeat_n(sample as u32, count as usize)
        })
        .collect();
    for last in (1..order.len()).rev() {
        order.swap(last, chance.below(last as u64 + 1) as usize);
    }
    let run = profile.run.get_or_insert_with(|| recorded_run(""));
    run.time_delta_ns = vec![PERIOD_NS; order.len()];
    run.time_sample = order;
    profile
}

/// A run by Lineheat, with the text of /src/m.c.
pub fn recorded_run(source: &str) -> profile::RunInfo {
    profile::RunInfo {
        format: 1,
        cwd: "/src".into(),
        command: vec!["/src/app".into()],
        event: "cpu-clock".into(),
        asked_hz: 999.0,
        samples_taken: 100,
        wall_ns: 1_000_000_000,
        sources: vec![profile::run::Source {
            path: "/src/m.c".into(),
            text: source.into(),
            ..profile::run::Source::default()
        }],
        ..profile::RunInfo::default()
    }
}

/// One profile a run: the same stacks, each with its number of samples changed by chance of about `noise` (0.03: 3 %) of
/// the run and by counting error.
pub fn executions(text: &str, runs: usize, noise: f64, chance: &mut Chance) -> Vec<Profile> {
    (0..runs)
        .map(|_| {
            let of_run = 1.0 + noise * chance.normal();
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let varied: String = lines
                .map(|line| {
                    let (stack, count) = line.rsplit_once(' ').expect("frames and a number");
                    let count: f64 = count.parse().expect("a number of samples");
                    let varied = count * of_run + count.sqrt() * chance.normal();
                    format!("{stack} {}\n", varied.max(0.0).round())
                })
                .collect();
            let mut profile = profile_of(&varied);
            profile.run = Some(recorded_run(""));
            profile
        })
        .collect()
}

impl Chance {
    /// Of mean 0 and variance 1, nearly: a sum of twelve.
    pub fn normal(&mut self) -> f64 {
        (0..12)
            .map(|_| self.below(1 << 20) as f64 / f64::from(1 << 20))
            .sum::<f64>()
            - 6.0
    }
}

/// CPU time of this thread so far: a bound on it holds however busy the machine is.
pub fn own_cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux has it");
    let ran = stat.split_whitespace().next().expect("nanoseconds first");
    Duration::from_nanos(ran.parse().expect("a number"))
}
