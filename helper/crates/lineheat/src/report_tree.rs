//! The call tree as indented text: only where the time is, and a chain of single calls without indentation.

use analysis::{Amount, FlameGraph, flame_graph};

use crate::selected_run::SelectedRun;
use crate::terminal::{Style, Terminal};
use crate::terminal_numbers::{count, heat_style, known_count, share, value};
use crate::terminal_text::{cut, visible, width};

/// Below this share of all, a call path is left out and counted.
const SHARE_MIN: f64 = 0.005;
const NAME_WIDTH_MIN: usize = 24;

pub fn tree(terminal: &Terminal, run: &SelectedRun, limit: usize) -> String {
    let (analyzed, measure) = (&run.analyzed, run.measure);
    let graph = flame_graph(analyzed, measure);
    let totals = totals(&graph);
    let all = totals[0].0;
    let nodes = shown(&graph, &totals, limit);
    let depth = indents(&graph, &nodes);

    let title = format!(
        "{:>8}  {:>8}  {:>9}  {:>9}  calls",
        "total  ",
        "self  ",
        "",
        run.counted()
    );
    let mut text = format!("{}\n", terminal.paint(Style::Faint, &title));
    for &node in &nodes {
        let frame = graph.frame[node] as usize;
        let name = &graph.frames.strings[graph.frames.name[frame] as usize];
        let module = &graph.frames.strings[graph.frames.module[frame] as usize];
        let by_chance = |value, samples| run.chance_samples(Amount { samples, value });
        let (total, samples) = totals[node];
        let of_total = by_chance(total, samples);
        let self_ = graph.self_value[node];
        let of_self = by_chance(self_, graph.self_samples[node].into());
        let known = run.samples(Amount {
            samples,
            value: total,
        });
        let numbers: [(String, Style, usize); 4] = [
            (
                share(total, all, of_total),
                heat_style(total, all, of_total),
                8,
            ),
            (
                share(self_, all, of_self),
                heat_style(self_, all, of_self),
                8,
            ),
            (value(total, analyzed.unit(measure)), Style::Faint, 9),
            (known_count(known), Style::Plain, 9),
        ];
        for (number, style, columns) in numbers {
            text.push_str(&" ".repeat(columns.saturating_sub(width(&number))));
            text.push_str(&terminal.paint(style, &number));
            text.push_str("  ");
        }
        let indent = "  ".repeat(depth[&node]);
        let shown_module = (!module.is_empty() && terminal.width.is_none()).then_some(module);
        let marked = match graph.frames.kind[frame] {
            1 => format!("{} (inlined)", visible(name)),
            2 if shown_module.is_none() => format!("{} [kernel]", visible(name)),
            _ => visible(name).into_owned(),
        };
        let room = terminal.width.map_or(usize::MAX, |width| {
            width.saturating_sub(42 + indent.len()).max(NAME_WIDTH_MIN)
        });
        text.push_str(&indent);
        text.push_str(&cut(&marked, room));
        if let Some(module) = shown_module {
            text.push_str(&terminal.paint(Style::Faint, &format!("  {}", visible(module))));
        }
        text.push('\n');
    }
    let hidden = graph.frame.len() - nodes.len();
    if hidden > 0 {
        let note = format!(
            "... {} of {} call paths not shown: each under {} %, or beyond --limit",
            count(hidden as u64),
            count(graph.frame.len() as u64),
            SHARE_MIN * 100.0
        );
        text.push_str(&format!("{}\n", terminal.paint(Style::Faint, &note)));
    }
    text
}

/// Value and samples of each node and all below it.
pub fn totals(graph: &FlameGraph) -> Vec<(u64, u64)> {
    let mut totals: Vec<(u64, u64)> = (graph.self_value.iter().zip(&graph.self_samples))
        .map(|(&value, &samples)| (value, u64::from(samples)))
        .collect();
    for node in (1..totals.len()).rev() {
        let (value, samples) = totals[node];
        let parent = &mut totals[node - graph.parent_distance[node] as usize];
        parent.0 += value;
        parent.1 += samples;
    }
    totals
}

/// The heaviest nodes in depth-first order; a parent is never lighter than its child, so this is a tree.
pub fn shown(graph: &FlameGraph, totals: &[(u64, u64)], limit: usize) -> Vec<usize> {
    let least = (totals[0].0 as f64 * SHARE_MIN) as u64;
    let mut nodes: Vec<usize> = (0..graph.frame.len())
        .filter(|&node| node == 0 || totals[node].0 > least)
        .collect();
    nodes.sort_by_key(|&node| (std::cmp::Reverse(totals[node].0), node));
    nodes.truncate(limit.saturating_add(1));
    nodes.sort_unstable();
    nodes
}

/// An only child stands at the indentation of its parent.
fn indents(graph: &FlameGraph, nodes: &[usize]) -> std::collections::HashMap<usize, usize> {
    let parent = |node: usize| node - graph.parent_distance[node] as usize;
    let mut children = std::collections::HashMap::new();
    for &node in nodes.iter().filter(|&&node| node != 0) {
        *children.entry(parent(node)).or_insert(0usize) += 1;
    }
    let mut depth = std::collections::HashMap::from([(0, 0)]);
    for &node in nodes.iter().filter(|&&node| node != 0) {
        let above = depth[&parent(node)];
        let step = usize::from(children[&parent(node)] > 1);
        depth.insert(node, above + step);
    }
    depth
}
