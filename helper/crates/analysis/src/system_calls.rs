//! System calls by name: how many, how long, how many failed, and the line that spends most time in them.

use std::collections::{BTreeMap, HashMap};

use profile::{SYSCALL, SeededHash};

use crate::allocation_sites::{Site, site_of};
use crate::amounts::Amount;
use crate::analyzed::Analyzed;
use crate::frames::{FunctionId, Measure, NO_PLACE, PlaceId};

/// All calls of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemCallRow<'a> {
    pub name: &'a str,
    /// How many; with the samples that their split among lines rests on.
    pub calls: Amount,
    pub errors: u64,
    /// In nanoseconds, waiting included.
    pub time: Amount,
    /// `None`: no stack is known.
    pub hottest: Option<HottestSite>,
}

/// The line of the program itself that spends most time in these calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HottestSite {
    pub function: FunctionId,
    /// `None`: only the function is known.
    pub place: Option<PlaceId>,
    pub time: Amount,
}

/// Measures of a run: calls, errors and time. `None`: the run has none.
pub fn system_call_measures(analyzed: &Analyzed) -> Option<[Measure; 3]> {
    let find = |name, unit| analyzed.profile().find_sample_type(name, unit);
    Some([
        find("syscalls", "count")?,
        find("syscall_errors", "count")?,
        find("syscall", "nanoseconds")?,
    ])
}

#[derive(Default)]
struct Sums {
    calls: Amount,
    errors: u64,
    time: Amount,
    sites: HashMap<Site, Amount, SeededHash>,
}

/// Those of the selection, most time first. Empty: there are none.
pub fn system_calls(analyzed: &Analyzed) -> Vec<SystemCallRow<'_>> {
    let Some([calls, errors, time]) = system_call_measures(analyzed) else {
        return Vec::new();
    };
    let mut by_name: BTreeMap<&str, Sums> = BTreeMap::new();
    for (sample, amount) in analyzed.amounts(calls) {
        if let Some(name) = name_of(analyzed, sample) {
            by_name.entry(name).or_default().calls.add(amount);
        }
    }
    for (sample, amount) in analyzed.amounts(errors) {
        if let Some(name) = name_of(analyzed, sample) {
            by_name.entry(name).or_default().errors += amount.value;
        }
    }
    for (sample, amount) in analyzed.amounts(time) {
        if let Some(name) = name_of(analyzed, sample) {
            let sums = by_name.entry(name).or_default();
            sums.time.add(amount);
            let site = site_of(analyzed, analyzed.stacks().node_of_sample[sample]);
            sums.sites.entry(site).or_default().add(amount);
        }
    }
    let mut rows: Vec<_> = by_name.into_iter().map(row).collect();
    rows.retain(|row| row.calls.value > 0 || row.time.value > 0 || row.errors > 0);
    let order = |row: &SystemCallRow| (row.time.value, row.calls.value);
    rows.sort_by(|a, b| order(b).cmp(&order(a)).then(a.name.cmp(b.name)));
    rows
}

fn row<'a>((name, sums): (&'a str, Sums)) -> SystemCallRow<'a> {
    let known = (sums.sites.iter()).filter(|(_, time)| time.value > 0);
    let hottest = known
        .filter_map(|(&(function, place), &time)| {
            Some(HottestSite {
                function: function?,
                place: (place != NO_PLACE).then_some(place),
                time,
            })
        })
        .max_by_key(|site| {
            (
                site.time.value,
                std::cmp::Reverse((site.function, site.place)),
            )
        });
    SystemCallRow {
        name,
        calls: sums.calls,
        errors: sums.errors,
        time: sums.time,
        hottest,
    }
}

fn name_of(analyzed: &Analyzed, sample: usize) -> Option<&str> {
    let profile = analyzed.profile();
    let mut labels = profile.samples.labels_of(sample).iter();
    let label = labels.find(|label| profile.text(label.key) == SYSCALL)?;
    Some(profile.text(label.text))
}

#[cfg(test)]
mod tests {
    use profile::{LabelValue, LineOf, MappingOf, ProfileBuilder};

    use super::*;

    #[test]
    fn calls_of_a_name_add_up_and_name_the_line_that_takes_most_time() {
        let types = [
            ("cpu", "nanoseconds"),
            ("syscall_samples", "count"),
            ("syscalls", "count"),
            ("syscall", "nanoseconds"),
            ("syscall_errors", "count"),
        ];
        let mut builder = ProfileBuilder::new(&types);
        let mut module = |filename| {
            builder.add_mapping(MappingOf {
                filename,
                ..MappingOf::default()
            })
        };
        let (program, library) = (module("/bin/app"), module("/lib/libc.so.6"));
        let mut frame = |name: &str, line: u32, mapping| {
            let function = builder.add_function(name, name, "/src/app.c", 1);
            let line = LineOf {
                function,
                line,
                column: 0,
            };
            builder.add_location(Some(mapping), u64::from(line.line) + 7, &[line])
        };
        let wrapper = frame("read", 0, library);
        let (quick, slow) = (frame("quick", 5, program), frame("slow", 9, program));
        let read = [(SYSCALL, LabelValue::Text("read"))];
        let open = [(SYSCALL, LabelValue::Text("openat"))];
        builder.push_sample(&[wrapper, quick], &[0, 5, 90, 10, 0], &read);
        builder.push_sample(&[wrapper, slow], &[0, 2, 10, 900, 0], &read);
        builder.push_sample(&[wrapper, slow], &[0, 0, 0, 0, 3], &read);
        builder.push_sample(&[], &[0, 1, 7, 70, 0], &open);
        builder.push_sample(&[slow], &[1000, 0, 0, 0, 0], &[]);
        let analyzed = Analyzed::new(builder.finish());
        let rows = system_calls(&analyzed);
        let shown = rows.iter().map(|row| {
            let line = row.hottest.and_then(|site| site.place);
            let line = line.map(|place| analyzed.places()[place as usize].line);
            let time = row.time.value;
            (row.name, row.calls.value, row.errors, time, line)
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [("read", 100, 3, 910, Some(9)), ("openat", 7, 0, 70, None)]
        );
    }

    #[test]
    fn a_run_without_system_calls_has_no_rows() {
        let mut builder = ProfileBuilder::new(&[("cpu", "nanoseconds")]);
        builder.push_sample(&[], &[5], &[]);
        let analyzed = Analyzed::new(builder.finish());
        assert_eq!(system_calls(&analyzed), []);
    }
}
