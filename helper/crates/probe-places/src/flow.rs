//! Which instructions of a function follow each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::listing::{Flow, Indirect, Listing, Step};
use crate::shape::Work;

pub struct FlowGraph {
    pub listing: Listing,
    /// By instruction, those that lead to it, of those that are reached.
    before: BTreeMap<u64, BTreeSet<u64>>,
    /// Where it is entered: its start, and what only tables lead to, such as the code that cleans up after an exception.
    entries: Vec<u64>,
}

impl FlowGraph {
    /// None: it jumps to addresses that are computed.
    pub fn of(listing: Listing, start: u64) -> Option<FlowGraph> {
        let is_computed = |step: &Step| step.flow == Flow::IndirectJump(Indirect::Computed);
        if listing.steps().any(is_computed) {
            return None;
        }
        let mut graph = FlowGraph {
            listing,
            before: BTreeMap::new(),
            entries: vec![start],
        };
        let mut reached = BTreeSet::new();
        graph.reach(start, &mut reached);
        let rest: Vec<u64> = (graph.listing.steps())
            .filter(|step| step.shape.work != Work::Nothing && !reached.contains(&step.at))
            .map(|step| step.at)
            .collect();
        for at in rest {
            if !reached.contains(&at) {
                graph.entries.push(at);
                graph.reach(at, &mut reached);
            }
        }
        Some(graph)
    }

    fn reach(&mut self, from: u64, reached: &mut BTreeSet<u64>) {
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            if !reached.insert(at) {
                continue;
            }
            for next in self.after(at) {
                self.before.entry(next).or_default().insert(at);
                open.push(next);
            }
        }
    }

    /// Those that an instruction leads to.
    fn after(&self, at: u64) -> Vec<u64> {
        let Some(step) = self.listing.at(at) else {
            return Vec::new();
        };
        let targets = match step.flow {
            Flow::Next | Flow::Call => vec![step.end()],
            Flow::Jump(to) => vec![to],
            Flow::Branch(to) => vec![step.end(), to],
            Flow::IndirectJump(_) | Flow::Return | Flow::End => Vec::new(),
        };
        let is_own = |to: &u64| self.listing.at(*to).is_some();
        targets.into_iter().filter(is_own).collect()
    }

    pub fn before(&self, at: u64) -> impl Iterator<Item = &Step> {
        let before = self.before.get(&at).into_iter().flatten();
        before.filter_map(|at| self.listing.at(*at))
    }

    /// The instructions of a set that are met first on any way from where the function is entered. What is entered within the
    /// set belongs to a way that has passed it before.
    pub fn first_of(&self, set: &BTreeSet<u64>) -> BTreeSet<u64> {
        let (mut seen, mut first) = (BTreeSet::new(), BTreeSet::new());
        let start = self.entries.first();
        let others = self.entries.iter().skip(1);
        let mut open: Vec<u64> = (start.into_iter())
            .chain(others.filter(|at| !set.contains(at)))
            .copied()
            .collect();
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            match set.contains(&at) {
                true => {
                    first.insert(at);
                }
                false => open.extend(self.after(at)),
            }
        }
        first
    }

    /// Whether a way leads from an instruction to one of the targets, all of it through instructions that `passes` lets through.
    pub fn leads_to(
        &self,
        from: u64,
        targets: &BTreeSet<u64>,
        passes: &dyn Fn(&Step) -> bool,
    ) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), self.after(from));
        while let Some(at) = open.pop() {
            if targets.contains(&at) {
                return true;
            }
            if seen.insert(at) && self.listing.at(at).is_some_and(passes) {
                open.extend(self.after(at));
            }
        }
        false
    }

    /// The instructions around one that run whenever it does, each as often: nothing leads into their midst or out of it.
    pub fn run_of(&self, at: u64) -> Vec<Step> {
        let mut run = Vec::new();
        let mut first = at;
        while let Some(step) = self.only_before(first) {
            run.push(*step);
            first = step.at;
        }
        run.reverse();
        let mut next = self.listing.at(at);
        while let Some(step) = next {
            run.push(*step);
            next = match step.flow {
                Flow::Next => self.listing.at(step.end()),
                _ => None,
            };
            next = next.filter(|next| self.only_before(next.at).is_some());
        }
        run
    }

    /// Other ways than from an instruction lead there.
    pub fn is_entry(&self, at: u64) -> bool {
        self.entries.contains(&at)
    }

    /// The instruction that always leads to this one, if nothing else does.
    fn only_before(&self, at: u64) -> Option<&Step> {
        let mut before = self.before(at);
        let only = before.next().filter(|step| step.flow == Flow::Next)?;
        (before.next().is_none() && !self.is_entry(at)).then_some(only)
    }
}
