//! The events of a text of `perf script`, and the measures that they become.

use profile::ProfileError;

/// Each has two measures.
const EVENTS_MAX: usize = 32;
/// Their periods are nanoseconds of CPU time.
const CLOCKS: [&str; 2] = ["cpu-clock", "task-clock"];

#[derive(Default)]
pub struct Events<'a> {
    /// With whether a sample of it has a period.
    seen: Vec<(&'a str, bool)>,
}

/// Sample types, and where the count and the period of each event go.
pub struct Measures {
    types: Vec<(String, &'static str)>,
    pub default_type: usize,
    pub columns: Vec<Vec<Option<usize>>>,
    pub problem: Option<String>,
}

impl<'a> Events<'a> {
    /// # Errors
    /// `TooLarge`.
    pub fn number(&mut self, name: &'a str, has_period: bool) -> Result<u32, ProfileError> {
        if let Some(at) = self.seen.iter().position(|(known, _)| *known == name) {
            self.seen[at].1 |= has_period;
            return Ok(at as u32);
        }
        if self.seen.len() == EVENTS_MAX {
            return Err(ProfileError::too_large(format!(
                "The perf script text has samples of more than {EVENTS_MAX} events, the maximum that Lineheat reads."
            )));
        }
        self.seen.push((name, has_period));
        Ok(self.seen.len() as u32 - 1)
    }

    /// As converters of `perf` data name them: `cycles_sample` and `cycles_event`. The first clock is CPU time, as in our runs.
    pub fn measures(&self) -> Measures {
        let mut measures = Measures {
            types: Vec::new(),
            default_type: 0,
            columns: Vec::new(),
            problem: None,
        };
        let of_clock = |name: &str| CLOCKS.contains(&name.split([':', '/']).next().unwrap_or(""));
        let clock = self.seen.iter().position(|(name, _)| of_clock(name));
        for (at, (name, has_period)) in self.seen.iter().enumerate() {
            let is_clock = clock == Some(at);
            let count = match is_clock || name.is_empty() {
                true => "samples".to_owned(),
                false => format!("{name}_sample"),
            };
            let mut columns = vec![Some(measures.types.len()), None];
            measures.types.push((count, "count"));
            if *has_period {
                columns[1] = Some(measures.types.len());
                measures.types.push(match is_clock {
                    true => ("cpu".to_owned(), "nanoseconds"),
                    false if name.is_empty() => ("period".to_owned(), "count"),
                    false if of_clock(name) => (format!("{name}_event"), "nanoseconds"),
                    false => (format!("{name}_event"), "count"),
                });
            }
            if at == clock.unwrap_or(0) {
                measures.default_type = measures.types.len() - 1;
            }
            measures.columns.push(columns);
        }
        if !self.seen.iter().any(|(_, has_period)| *has_period) {
            measures.problem = Some("The text does not say what a sample is worth, so samples are counted. To see time or events, let perf script print the period (-F +period).".to_owned());
        }
        measures
    }
}

impl Measures {
    pub fn types(&self) -> Vec<(&str, &str)> {
        (self.types.iter())
            .map(|(name, unit)| (name.as_str(), *unit))
            .collect()
    }
}
