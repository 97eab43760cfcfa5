//! CPU profiles of V8, as Node (`--cpu-prof`) and Chrome write them: a tree of calls, and for each sample its node. Described in the
//! DevTools protocol, domain Profiler. How often each line of a node was hit is in the file, but not which sample hit it.

use std::borrow::Cow;
use std::collections::HashMap;

use profile::{ForeignReader, Limits, LineOf, Profile, ProfileError, SeededHash};
use serde::Deserialize;

use crate::json::{List, NUMBERS_MAX, RECORDS_MAX, is_object_with, parse};
use crate::sample_table::{Owner, SampleTable};
use crate::whole_numbers::split;

pub const READER: ForeignReader = ForeignReader {
    name: "a CPU profile of Node or Chrome",
    is_it: |bytes| is_object_with(bytes, "\"callFrame\""),
    read,
};

const TOOL: &str = "cpuprofile";
/// Each needs far more memory than its text.
const NODES_MAX: usize = 500_000;
const ROOT: &str = "(root)";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    #[serde(borrow)]
    nodes: List<Node<'a>, NODES_MAX>,
    #[serde(default)]
    samples: List<u32, NUMBERS_MAX>,
    /// Microseconds since the sample before, or since the start.
    #[serde(default)]
    time_deltas: List<i64, NUMBERS_MAX>,
    #[serde(default)]
    start_time: f64,
    #[serde(default)]
    end_time: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node<'a> {
    id: u32,
    #[serde(borrow)]
    call_frame: CallFrame<'a>,
    #[serde(default)]
    hit_count: u32,
    #[serde(default)]
    children: List<u32, RECORDS_MAX>,
    /// Other writers name the parent, not the children.
    #[serde(default)]
    parent: Option<u32>,
    #[serde(default)]
    position_ticks: List<Ticks, RECORDS_MAX>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallFrame<'a> {
    #[serde(borrow)]
    function_name: Cow<'a, str>,
    #[serde(borrow, default)]
    url: Cow<'a, str>,
    /// From 0; -1: none.
    #[serde(default)]
    line_number: i64,
}

#[derive(Deserialize)]
struct Ticks {
    /// From 1.
    line: u32,
    ticks: u32,
}

/// What the samples of a node add up to.
#[derive(Clone, Copy, Default)]
struct Hits {
    samples: u64,
    us: u64,
}

fn read(bytes: &[u8], limits: &Limits) -> Result<Profile, ProfileError> {
    let file: File = parse(TOOL, bytes)?;
    let nodes = &file.nodes.0;
    let mut numbers: HashMap<u32, u32, SeededHash> = HashMap::default();
    for (at, node) in nodes.iter().enumerate() {
        if numbers.insert(node.id, at as u32).is_some() {
            return Err(damaged(format!(
                "has two nodes with the number {}",
                node.id
            )));
        }
    }
    let parents = parents(nodes, &numbers)?;
    let (hits, out_of_order) = hits(&file, &numbers)?;
    let mut table = SampleTable::new(TOOL, 2, limits);
    let owner = table.owner(Owner::default());
    let mut functions = Vec::with_capacity(nodes.len());
    // Of nodes as callers: on which of its lines a function called is not in the file.
    let mut places = Vec::with_capacity(nodes.len());
    for node in nodes {
        let frame = &node.call_frame;
        let name = match &*frame.function_name {
            "" => "(anonymous)",
            name => name,
        };
        let start_line = u32::try_from(frame.line_number.saturating_add(1)).unwrap_or(0);
        let function = table.function(name, &path_of(&frame.url), start_line)?;
        let line = LineOf {
            function,
            line: 0,
            column: 0,
        };
        functions.push(function);
        places.push(match name {
            ROOT => None,
            _ => Some(table.location(None, 0, &[line])?),
        });
    }
    let mut is_divided = false;
    let mut stack = Vec::new();
    for (at, node) in nodes
        .iter()
        .enumerate()
        .filter(|(at, _)| hits[*at].samples > 0)
    {
        callers(at, &parents, &places, limits, &mut stack);
        let (lines, weights) = weights_of(node, hits[at].samples);
        let samples = split(hits[at].samples, &weights);
        let times = split(hits[at].us, &samples);
        is_divided |= samples.iter().filter(|count| **count > 0).count() > 1;
        for ((line, samples), us) in lines.into_iter().zip(samples).zip(times) {
            if samples == 0 {
                continue;
            }
            let leaf = LineOf {
                function: functions[at],
                line,
                column: 0,
            };
            stack[0] = table.location(None, 0, &[leaf])?;
            let number = table.stack(&stack)?;
            table.add(number, owner, 0, &[samples, us.saturating_mul(1000)])?;
        }
    }
    if table.is_empty() {
        return Err(damaged(
            "has no samples: nothing was recorded, or it was not written to its end".to_owned(),
        ));
    }
    let has_times = !file.time_deltas.0.is_empty();
    let mut profile = match has_times {
        true => {
            let types = [("samples", "count"), ("wall", "nanoseconds")];
            table.finish(&types, 1, &[vec![Some(0), Some(1)]])
        }
        false => table.finish(&[("samples", "count")], 0, &[vec![Some(0), None]]),
    };
    profile.duration_nanos = ((file.end_time - file.start_time) * 1e3).clamp(0.0, 1e18) as i64;
    profile.problems.push("Lines are those where a function itself ran; the file does not say on which lines it called others.".to_owned());
    if is_divided && has_times {
        profile.problems.push("The time of a function is divided among its lines by their samples: the file does not say how long each line took.".to_owned());
    }
    if out_of_order > 0 {
        profile.problems.push(format!(
            "{out_of_order} samples were not in the order of their times, and were put into it."
        ));
    }
    Ok(profile)
}

fn damaged(what: String) -> ProfileError {
    ProfileError::damaged(format!("The {TOOL} file {what}."))
}

/// Of each node; the outermost ones have none.
fn parents(
    nodes: &[Node],
    numbers: &HashMap<u32, u32, SeededHash>,
) -> Result<Vec<Option<u32>>, ProfileError> {
    let known = |id: u32| {
        let number = numbers.get(&id).copied();
        number.ok_or_else(|| damaged(format!("names node {id}, which it does not have")))
    };
    let mut parents = vec![None; nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            parents[at] = Some(known(parent)?);
        }
        for &child in &node.children.0 {
            let child = known(child)? as usize;
            if parents[child]
                .replace(at as u32)
                .is_some_and(|other| other != at as u32)
            {
                return Err(damaged(format!(
                    "says that node {} has two callers",
                    nodes[child].id
                )));
            }
        }
    }
    Ok(parents)
}

/// Of each node, and how many samples were out of order.
fn hits(
    file: &File,
    numbers: &HashMap<u32, u32, SeededHash>,
) -> Result<(Vec<Hits>, usize), ProfileError> {
    let (samples, deltas) = (&file.samples.0, &file.time_deltas.0);
    let mut hits = vec![Hits::default(); file.nodes.0.len()];
    if samples.is_empty() {
        for (hits, node) in hits.iter_mut().zip(&file.nodes.0) {
            hits.samples = node.hit_count.into();
        }
        return Ok((hits, 0));
    }
    if !deltas.is_empty() && deltas.len() != samples.len() {
        return Err(damaged(format!(
            "has {} samples and {} times, where as many are expected",
            samples.len(),
            deltas.len()
        )));
    }
    let mut times: Vec<(i64, u32)> = Vec::with_capacity(samples.len());
    let (mut now, mut out_of_order) = (0i64, 0);
    for (at, &id) in samples.iter().enumerate() {
        let delta = deltas.get(at).copied().unwrap_or(0);
        now = (now.checked_add(delta))
            .filter(|now| now.unsigned_abs() < 1 << 43)
            .ok_or_else(|| damaged(format!("has a sample {at} at a time beyond a hundred days")))?;
        out_of_order += usize::from(delta < 0);
        let node = numbers.get(&id).copied();
        let node = node.ok_or_else(|| {
            damaged(format!(
                "has a sample {at} of node {id}, which it does not have"
            ))
        })?;
        times.push((now, node));
    }
    if out_of_order > 0 {
        times.sort_by_key(|(time, _)| *time);
    }
    let mut before = 0;
    for (time, node) in times {
        let hits = &mut hits[node as usize];
        hits.samples += 1;
        hits.us += u64::try_from(time - before).unwrap_or(0);
        before = before.max(time);
    }
    Ok((hits, out_of_order))
}

/// The stack of a node, leaf first; the place of the leaf itself is left free.
fn callers(
    node: usize,
    parents: &[Option<u32>],
    places: &[Option<u32>],
    limits: &Limits,
    stack: &mut Vec<u32>,
) {
    stack.clear();
    stack.push(0);
    let mut next = parents[node];
    // One more than are kept, so that it is seen that some are not. Nodes in a circle end here too.
    for _ in 0..=limits.stack_depth {
        let Some(at) = next else { break };
        stack.extend(places[at as usize]);
        next = parents[at as usize];
    }
}

/// Lines of a node, and how its samples are to be divided among them. What no line has is on line 0.
fn weights_of(node: &Node, samples: u64) -> (Vec<u32>, Vec<u64>) {
    let ticks = &node.position_ticks.0;
    let sum: u64 = ticks.iter().map(|of| u64::from(of.ticks)).sum();
    let mut lines: Vec<u32> = ticks.iter().map(|of| of.line).collect();
    let mut weights: Vec<u64> = ticks.iter().map(|of| of.ticks.into()).collect();
    lines.push(0);
    weights.push(samples.saturating_sub(sum));
    (lines, weights)
}

/// `file:///a/b%20c.js` is a path; other addresses stay as they are.
fn path_of<'a>(url: &'a str) -> Cow<'a, str> {
    let Some(path) = url.strip_prefix("file://") else {
        return Cow::Borrowed(url);
    };
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, behind @ ..] = rest {
        let escaped = match (first, behind) {
            (b'%', [high, low, ..]) => {
                (char::from(*high).to_digit(16)).zip(char::from(*low).to_digit(16))
            }
            _ => None,
        };
        match escaped {
            Some((high, low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    Cow::Owned(String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn addresses_of_files_are_paths() {
        assert_eq!(path_of("file:///a/b%20c%C3%A4.js"), "/a/b cä.js");
        assert_eq!(path_of("file:///a/100%.js"), "/a/100%.js");
        assert_eq!(path_of("file:///a/%ff.js"), "/a/%ff.js");
        assert_eq!(path_of("node:internal/x"), "node:internal/x");
    }
}
