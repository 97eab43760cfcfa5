//! What one run of a sweep says: its executions, and the CPU time of each function in them.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use profile::{Execution, Locations, Profile, SeededHash, sample_repetitions};

/// Name and file name of the module.
pub type FunctionName = (String, String);

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SelfTime {
    pub samples: u64,
    pub cpu_ns: u64,
}

pub struct CellFigures {
    pub sweep: String,
    pub cell: u32,
    pub parameters: Vec<(String, String)>,
    /// Those that count.
    pub executions: Vec<Execution>,
    pub functions: HashMap<FunctionName, SelfTime, SeededHash>,
}

impl CellFigures {
    /// Units of work of all executions; None: not known of each.
    pub fn work(&self) -> Option<f64> {
        let known = self.executions.iter().all(|e| e.work > 0.0);
        (known && !self.executions.is_empty()).then(|| self.executions.iter().map(|e| e.work).sum())
    }
}

/// # Errors
/// A sentence, when the run cannot be read or is not of a sweep.
pub fn figures(path: &Path) -> Result<CellFigures, String> {
    let profile = Profile::open(path).map_err(|error| error.message)?;
    let summary = profile::summarize(&profile);
    let Some(cell) = summary.sweep else {
        return Err(format!(
            "{} is not a run of a sweep; give runs that lineheat sweep saved",
            path.display()
        ));
    };
    let executions: Vec<Execution> = summary
        .executions
        .into_iter()
        .filter(|e| !e.warm_up)
        .collect();
    let functions = self_times(&profile, &executions);
    Ok(CellFigures {
        sweep: cell.sweep,
        cell: cell.cell,
        parameters: (cell.parameters.into_iter())
            .map(|p| (p.name, p.value))
            .collect(),
        executions,
        functions,
    })
}

/// Of samples that belong to an execution that counts.
fn self_times(
    profile: &Profile,
    executions: &[Execution],
) -> HashMap<FunctionName, SelfTime, SeededHash> {
    let mut by_location: HashMap<u32, SelfTime, SeededHash> = HashMap::default();
    let numbers: HashSet<u32> = executions.iter().map(|e| e.repetition).collect();
    let types = ["samples", "cpu"].map(|kind| {
        let unit = if kind == "cpu" {
            "nanoseconds"
        } else {
            "count"
        };
        profile.find_sample_type(kind, unit)
    });
    if let [Some(count), Some(cpu)] = types {
        for (sample, number) in sample_repetitions(profile).into_iter().enumerate() {
            let Some(&leaf) = profile.samples.stack(sample).first() else {
                continue;
            };
            if numbers.contains(&number) {
                let time = by_location.entry(leaf).or_default();
                time.samples += profile.value(sample, count);
                time.cpu_ns += profile.value(sample, cpu);
            }
        }
    }
    let mut functions: HashMap<FunctionName, SelfTime, SeededHash> = HashMap::default();
    for (location, time) in by_location {
        let of_function = functions
            .entry(function_name(profile, location))
            .or_default();
        of_function.samples += time.samples;
        of_function.cpu_ns += time.cpu_ns;
    }
    functions
}

/// Of the innermost frame.
fn function_name(profile: &Profile, location: u32) -> FunctionName {
    let lines = profile.locations.lines_of(location);
    let name = lines.first().map_or(profile::UNKNOWN, |line| {
        profile.text(profile.functions[line.function as usize].name)
    });
    let module = match profile.locations.mapping[location as usize] {
        Locations::NO_MAPPING => "",
        mapping => profile.text(profile.mappings[mapping as usize].filename),
    };
    let module = module.rsplit('/').next().unwrap_or(module);
    (name.to_owned(), module.to_owned())
}
