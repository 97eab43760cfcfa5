//! Where the calls of a function are counted that were inlined into another one.
//!
//! Debug information says which code belongs to such a call. Compilers copy that code (they unroll loops, or repeat its start behind each of
//! several branches), move parts of it out of loops, and mix it with its surroundings. So a place is taken only if the code is entered
//! at one instruction or at copies of it, if nothing in it leads back there, and if its start is found nowhere else in it.
//! That the compiler removed or merged calls altogether is not seen.

use std::collections::BTreeSet;

use crate::flow::FlowGraph;
use crate::listing::{Code, Flow, Listing, Step};
use crate::shape::Work;

/// Why calls that were inlined at a place are not counted there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoInlinedPlace {
    /// No instruction is left of it.
    NoCode,
    /// The function around it cannot be read, or jumps to computed addresses.
    NotDecoded,
    /// It is entered at several instructions that are not copies of each other: a part was moved.
    SeveralEntries,
    /// The code has the same work twice, as unrolled loops do.
    Copies,
    /// It works on several values at once, as vectorized loops do.
    Packed,
    /// It may lead back to its own start.
    Loops,
    /// Only instructions that would be single-stepped are sure to be passed once.
    SingleStepped,
}

/// The machine code of one inlined call.
#[derive(Debug, Clone, Copy)]
pub struct InlinedCode<'a> {
    /// Start and end of each piece.
    pub ranges: &'a [(u64, u64)],
    /// Where it begins, as the compiler says.
    pub entry: Option<u64>,
}

/// Where it is counted: each call passes one of the probes once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlinedPlace {
    /// Address of the first instruction of the call; of several copies, that of one.
    pub entry: u64,
    pub probes: Vec<Probe>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// Address of the instruction.
    pub at: u64,
    /// It counts only if this condition of a jump holds (Intel SDM 2A, appendix B.1.4).
    pub condition: Option<u8>,
}

/// More copies of a start are not looked for.
const ENTRIES_MAX: usize = 16;

/// One of the instructions that the code of a call begins with.
struct Entry {
    at: u64,
    /// Runs whenever it does.
    run: Vec<Step>,
}

impl Entry {
    fn start(&self) -> u64 {
        self.run.first().map_or(self.at, |step| step.at)
    }

    fn runs(&self, at: u64) -> bool {
        self.run.iter().any(|step| step.at == at)
    }
}

/// Whether two instructions do the same at the same place of the source.
type IsLike<'a> = &'a dyn Fn(&Step, &Step) -> bool;

/// A function that others were inlined into.
pub struct Body {
    graph: FlowGraph,
}

impl Body {
    /// None: it cannot be read, jumps to computed addresses, or holds something else than instructions.
    pub fn of(function: Code, parts: &[Code]) -> Option<Body> {
        let listing = Listing::of(function, parts)?;
        if !listing.agrees_with_its_jumps() {
            return None;
        }
        let graph = FlowGraph::of(listing, function.start)?;
        Some(Body { graph })
    }

    /// Instructions of an inlined call, ascending.
    pub fn instructions_of(&self, code: InlinedCode) -> Vec<u64> {
        self.own(code).map(|step| step.at).collect()
    }

    fn own(&self, code: InlinedCode) -> impl Iterator<Item = &Step> {
        let is_own =
            move |at| (code.ranges.iter()).any(|(start, end)| (*start..*end).contains(&at));
        (self.graph.listing.steps())
            .filter(move |step| is_own(step.at) && step.shape.work != Work::Nothing)
    }

    /// `is_same_source`: whether two instructions come from the same place of the source, by the same inlined calls.
    ///
    /// # Errors
    /// Why there is none.
    pub fn place_of(
        &self,
        code: InlinedCode,
        is_same_source: &dyn Fn(u64, u64) -> bool,
    ) -> Result<InlinedPlace, NoInlinedPlace> {
        // A probe in the midst of an instruction would crash the program.
        let begins = code
            .ranges
            .iter()
            .map(|(start, _)| *start)
            .chain(code.entry);
        if { begins }.any(|at| self.graph.listing.at(at).is_none()) {
            return Err(NoInlinedPlace::NotDecoded);
        }
        let own: Vec<Step> = self.own(code).copied().collect();
        let mut set: BTreeSet<u64> = own.iter().map(|step| step.at).collect();
        if own.is_empty() {
            return Err(NoInlinedPlace::NoCode);
        }
        if own.iter().any(|step| step.shape.work == Work::Packed) {
            return Err(NoInlinedPlace::Packed);
        }
        let is_like =
            |one: &Step, other: &Step| one.shape == other.shape && is_same_source(one.at, other.at);
        let mut entries = self.entries(&set, code.entry, &is_like);
        if entries.is_none() {
            // Constants are loaded before a loop, and no work is lost with them.
            let work = own.iter().filter(|step| step.shape.work == Work::Own);
            set = work.map(|step| step.at).collect();
            entries = self.entries(&set, code.entry, &is_like);
        }
        let mut entries = entries.ok_or(NoInlinedPlace::SeveralEntries)?;
        let first = entries[0].at;
        if self.is_reached_from(&set, &entries) {
            return Err(NoInlinedPlace::Loops);
        }
        let again = self.repeated(&entries, &own, &is_like);
        if !again.is_empty() {
            entries.extend(again);
            if entries.len() > ENTRIES_MAX || self.is_one_call(&set, &entries) {
                return Err(NoInlinedPlace::Copies);
            }
        }
        // Copies of a start that are entered themselves count themselves.
        let is_begun = |at: u64| entries.iter().any(|entry| entry.runs(at));
        let rest: Vec<&Step> = own.iter().filter(|step| !is_begun(step.at)).collect();
        let is_repeated = |entry: &Entry| is_repeated(&entry.run, &set, &rest, &is_like);
        if entries.iter().any(is_repeated) {
            return Err(NoInlinedPlace::Copies);
        }
        let probes = entries.iter().map(|entry| self.probe(entry));
        let probes: Option<_> = probes.collect();
        Ok(InlinedPlace {
            entry: first,
            probes: probes.ok_or(NoInlinedPlace::SingleStepped)?,
        })
    }

    /// Where these instructions are entered: at copies of one of them. None: at different ones, or not where the compiler says.
    fn entries(
        &self,
        set: &BTreeSet<u64>,
        entry: Option<u64>,
        is_like: IsLike,
    ) -> Option<Vec<Entry>> {
        let entries: Vec<Entry> = (self.graph.first_of(set).into_iter())
            .map(|at| self.entry(at))
            .collect();
        let step_at = |at: u64| self.graph.listing.at(at);
        let first = entries.first().filter(|_| entries.len() <= ENTRIES_MAX)?;
        let are_copies = entries.iter().skip(1).all(|other| {
            let both = step_at(first.at).zip(step_at(other.at));
            both.is_some_and(|(one, other)| is_like(one, other))
        });
        let is_begun = |at: u64| entries.iter().any(|entry| entry.runs(at));
        (are_copies && entry.is_none_or(is_begun)).then_some(entries)
    }

    fn entry(&self, at: u64) -> Entry {
        Entry {
            at,
            run: self.graph.run_of(at),
        }
    }

    fn is_reached_from(&self, set: &BTreeSet<u64>, entries: &[Entry]) -> bool {
        let before = |entry: &Entry| {
            let mut before = self.graph.before(entry.start());
            before.any(|step| set.contains(&step.at))
        };
        entries.iter().any(before)
    }

    /// Copies of the first work of the call in runs of their own: a loop around the call that was rotated or unrolled has
    /// them. They are no calls if they belong to a loop of the call itself.
    fn repeated(&self, entries: &[Entry], own: &[Step], is_like: IsLike) -> Vec<Entry> {
        let is_own = |step: &&Step| own.iter().any(|of| of.at == step.at);
        let mut works = entries[0].run.iter().filter(is_own);
        let Some(work) = works.find(|step| step.shape.work == Work::Own) else {
            return Vec::new();
        };
        let is_begun = |at: u64| entries.iter().any(|entry| entry.runs(at));
        let again = own
            .iter()
            .filter(|step| !is_begun(step.at) && is_like(step, work));
        let mut found: Vec<Entry> = again.map(|step| self.entry(step.at)).collect();
        found.dedup_by_key(|entry| entry.start());
        found
    }

    /// Whether a way leads from one of the entries to another without any work of the surroundings: then both may be of one call.
    fn is_one_call(&self, set: &BTreeSet<u64>, entries: &[Entry]) -> bool {
        let passes = |step: &Step| {
            set.contains(&step.at) || matches!(step.shape.work, Work::Moving | Work::Nothing)
        };
        let starts: BTreeSet<u64> = entries.iter().map(Entry::start).collect();
        self.is_reached_from(set, entries)
            || entries.iter().any(|entry| {
                let mut own = entry.run.iter().filter(|step| set.contains(&step.at));
                own.next_back()
                    .is_some_and(|last| self.graph.leads_to(last.at, &starts, &passes))
            })
    }

    /// In the run if it has one that the kernel emulates, or the branch that alone leads to it.
    fn probe(&self, entry: &Entry) -> Option<Probe> {
        let emulated = entry.run.iter().filter(|step| step.is_emulated);
        let mut before = emulated
            .clone()
            .rev()
            .skip_while(|step| step.at >= entry.at);
        let mut behind = emulated.skip_while(|step| step.at < entry.at);
        if let Some(step) = behind.next().or_else(|| before.next()) {
            return Some(Probe {
                at: step.at,
                condition: None,
            });
        }
        let start = entry.start();
        if self.graph.is_entry(start) {
            return None;
        }
        let mut before = self.graph.before(start);
        let branch = before.next().filter(|step| step.is_emulated)?;
        let condition = branch.condition.filter(|_| before.next().is_none())?;
        match branch.flow {
            Flow::Branch(to) if to != branch.end() => Some(Probe {
                at: branch.at,
                // Conditions and their opposites differ in the lowest bit.
                condition: Some(condition ^ u8::from(to != start)),
            }),
            _ => None,
        }
    }
}

/// Whether work of the run that the code begins with is found in it again: in the run itself or in the rest of the code.
fn is_repeated(run: &[Step], set: &BTreeSet<u64>, rest: &[&Step], is_like: IsLike) -> bool {
    let begin: Vec<&Step> = run.iter().filter(|step| set.contains(&step.at)).collect();
    let has_work = begin.iter().any(|step| step.shape.work == Work::Own);
    let is_work = |step: &&&Step| !has_work || step.shape.work == Work::Own;
    let all = || begin.iter().chain(rest);
    (begin.iter().filter(is_work))
        .any(|step| all().any(|other| other.at != step.at && is_like(other, step)))
}

#[cfg(test)]
mod tests;
