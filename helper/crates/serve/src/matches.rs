//! How much of a run is spent below the frames that a search matches. Which names match is the page's business: it has the
//! texts and the pattern; what they add up to is counted here.

use wire::{FlameGraph, Match, MatchRequest, Message, view_request::Kind};

use super::failure::{Failure, FailureKind};
use super::session::Session;
use super::views;

pub fn matches(session: &Session, request: &MatchRequest) -> Result<Match, Failure> {
    let Some(view) = &request.view else {
        return Err(Failure::protocol(
            "The request for a share does not name a view.",
        ));
    };
    if !matches!(
        Kind::try_from(view.kind),
        Ok(Kind::FlameGraph | Kind::ComparedFlameGraph)
    ) {
        return Err(Failure::protocol("Only a flame graph can be searched."));
    }
    let built = views::view(session, view)?;
    // Decoded again: a search is rare, and columns kept beside the bytes would double what each open view takes.
    let graph = FlameGraph::decode(&*built.content).map_err(|error| {
        Failure::new(
            FailureKind::Internal,
            format!("Cannot read a view: {error}"),
        )
    })?;
    let mut is_match = vec![false; graph.frames.as_ref().map_or(0, |frames| frames.name.len())];
    for &frame in &request.frames {
        let Some(mark) = is_match.get_mut(frame as usize) else {
            return Err(Failure::not_found(format!(
                "The view has no frame {frame}."
            )));
        };
        *mark = true;
    }
    let nodes = topmost(&graph, &is_match);
    Ok(Match {
        share: share(&nodes, &graph.self_value, &graph.total_value),
        new_share: share(&nodes, &graph.new_self_value, &graph.new_total_value),
    })
}

/// Matching nodes that are below no other one. The root stands for the run and has a name of our making: it matches nothing.
fn topmost(graph: &FlameGraph, is_match: &[bool]) -> Vec<usize> {
    let count = graph.frame.len();
    let mut covered = vec![false; count];
    let mut nodes = Vec::new();
    for node in 1..count {
        let parent = node - graph.parent_distance[node] as usize;
        covered[node] = covered[parent];
        if !covered[node] && is_match[graph.frame[node] as usize] {
            covered[node] = true;
            nodes.push(node);
        }
    }
    nodes
}

/// 0 of a run without values.
fn share(nodes: &[usize], self_value: &[u64], total_value: &[u64]) -> f64 {
    let total = |node: usize| match total_value.get(node) {
        Some(0) => self_value[node],
        Some(&total) => total,
        None => 0,
    };
    let part: u64 = (nodes.iter()).fold(0, |sum, &node| sum.saturating_add(total(node)));
    match total(0) {
        0 => 0.0,
        whole => part as f64 / whole as f64,
    }
}
