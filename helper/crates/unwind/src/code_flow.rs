//! The frames before all instructions of a listing, from those before the first of each function, along every way that
//! the instructions lead. An instruction that several ways lead to keeps what is the same on all of them.
//!
//! States are kept where ways meet only. Each of these changes a few times at most, and each change costs the
//! instructions up to the next such place: the work grows with the length of the listing and with nothing else.

use std::collections::{BTreeMap, BTreeSet};

use records::Rule;

use crate::code_listing::{Effect, FUNCTION_ALIGNMENT, Flow, Listing, Step, Target};
use crate::frame_state::FrameState;

/// So many places where ways meet, at most: some 30 MB.
const MEETINGS_MAX: usize = 512 << 10;

pub(crate) struct CodeFlow<'a> {
    listing: &'a Listing,
    /// Where functions begin, in ascending order.
    starts: BTreeSet<usize>,
    /// By instruction.
    marks: Vec<Mark>,
    /// By number of the meeting.
    states: Vec<FrameState>,
    waiting: Vec<Way>,
    /// What waits until all else has been followed.
    after_calls: Vec<(usize, FrameState)>,
    /// Whether a part of a function cannot be as it seemed: it returns from another depth than that of its entry, or goes
    /// on in another function from such a depth.
    is_refuted: Vec<bool>,
    /// By the start of the function.
    tables: BTreeMap<usize, Table>,
    changed_tables: Vec<usize>,
    /// What is followed now may not be as it seems: what is known already stays.
    is_guessing: bool,
    /// Instructions that were gone through, again and again.
    pub work: usize,
}

/// Where to go on, from which state, and in which part: a function from its start, behind a call, or behind an indirect
/// jump.
struct Way {
    index: usize,
    state: FrameState,
    part: u32,
    /// The part begins here.
    is_at_begin: bool,
}

#[derive(Clone, Copy, Default)]
struct Mark {
    is_reached: bool,
    is_jumped_to: bool,
    /// A function's start, from another function.
    is_entered_by_jump: bool,
    is_start: bool,
    /// Whoever calls this has no frame in it yet.
    is_called: bool,
    /// Number of the meeting, from 1 on.
    meeting: u32,
    /// Number of the part that has reached it first.
    part: u32,
}

/// The indirect jumps of a function, which lead to code of it that nothing else leads to.
struct Table {
    state: FrameState,
    led_to: Vec<usize>,
    /// So many of these have the state.
    told: usize,
    /// No instruction before this one is without a state.
    searched_until: usize,
}

impl<'a> CodeFlow<'a> {
    /// None: too many ways meet.
    pub fn new(listing: &'a Listing, starts: &[usize]) -> Option<CodeFlow<'a>> {
        let mut flow = CodeFlow {
            listing,
            starts: starts.iter().copied().collect(),
            marks: vec![Mark::default(); listing.steps.len()],
            states: Vec::new(),
            waiting: Vec::new(),
            after_calls: Vec::new(),
            is_refuted: Vec::new(),
            tables: BTreeMap::new(),
            changed_tables: Vec::new(),
            is_guessing: false,
            work: 0,
        };
        for &start in starts {
            flow.marks[start].is_start = true;
            flow.meet(start);
        }
        for (from, step) in listing.steps.iter().enumerate() {
            let Some(index) = target_of(step) else {
                continue;
            };
            let is_within = index <= from && from < flow.end_of_function(index);
            let mark = &mut flow.marks[index];
            mark.is_jumped_to = true;
            mark.is_entered_by_jump |= mark.is_start && !is_within;
            flow.meet(index);
        }
        (flow.states.len() <= MEETINGS_MAX).then_some(flow)
    }

    /// Whether other code leads to this instruction, whether it has been reached or not.
    pub fn is_led_to(&self, index: usize) -> bool {
        self.marks[index].is_reached || self.marks[index].is_entered_by_jump
    }

    /// Functions begin here, for sure: follows all that they lead to.
    pub fn follow_functions(&mut self, indexes: &[usize]) {
        for &index in indexes {
            self.marks[index].is_called = true;
        }
        for &index in indexes {
            self.follow_function(index);
        }
    }

    /// A function begins here, and its indirect jumps lead to nothing before it. Follows all that it leads to.
    pub fn follow_function(&mut self, index: usize) {
        self.starts.insert(index);
        self.meet(index);
        self.begin(index, FrameState::AT_ENTRY);
        self.follow_waiting();
    }

    /// Follows indirect jumps to what is not reached of their functions: the cases of a switch.
    pub fn follow_tables(&mut self) {
        self.is_guessing = true;
        while let Some(start) = self.changed_tables.pop() {
            let end = self.end_of_function(start);
            loop {
                let table = self.tables.get_mut(&start).expect("it was put there");
                let (state, from) = (table.state, table.searched_until);
                if state.rule().is_none() {
                    break; // several functions, perhaps
                }
                let untold = table.led_to[table.told..].to_vec();
                table.told = table.led_to.len();
                for index in untold {
                    self.begin(index, state);
                }
                self.follow_waiting();
                let Some(unreached) = self.unreached(from, end) else {
                    break;
                };
                self.meet(unreached);
                let table = self.tables.get_mut(&start).expect("it was there");
                table.searched_until = unreached;
                table.led_to.push(unreached);
            }
        }
    }

    /// All instructions in ascending order, with the rule before each as far as it is known. Says whether callers are
    /// found by frame pointers where no rule is.
    pub fn each_rule(&self, mut found: impl FnMut(&Step, Option<Rule>)) -> bool {
        let mut state = FrameState::UNKNOWN;
        let mut rule = None;
        let (mut calls, mut calls_with_frame_pointer) = (0, 0);
        for (step, mark) in self.listing.steps.iter().zip(&self.marks) {
            if !mark.is_reached {
                found(step, None);
                continue;
            }
            if mark.meeting > 0 {
                state = self.states[mark.meeting as usize - 1];
                rule = state.rule();
            }
            found(step, rule.filter(|_| !self.is_refuted[mark.part as usize]));
            match step.flow {
                Flow::Next(Effect::Nothing) => continue,
                Flow::Call(_) => {
                    calls += 1;
                    calls_with_frame_pointer += usize::from(state.has_frame_pointer());
                }
                _ => {}
            }
            apply(&mut state, step);
            rule = state.rule();
        }
        calls_with_frame_pointer * 10 >= calls * 9
    }

    fn meet(&mut self, index: usize) {
        if self.marks[index].meeting == 0 {
            self.states.push(FrameState::UNKNOWN);
            self.marks[index].meeting = self.states.len() as u32;
        }
    }

    /// Calls return last: what follows one that does not is another function, which other ways may have led to.
    fn follow_waiting(&mut self) {
        loop {
            if let Some(way) = self.waiting.pop() {
                self.follow(way);
            } else if let Some((call, state)) = self.after_calls.pop() {
                if let Some(next) = self.returns_to(call, state) {
                    self.begin(next, state);
                }
            } else {
                return;
            }
        }
    }

    fn begin(&mut self, index: usize, state: FrameState) {
        let part = self.is_refuted.len() as u32;
        self.is_refuted.push(false);
        self.waiting.push(Way {
            index,
            state,
            part,
            is_at_begin: true,
        });
    }

    fn go_on(&mut self, index: usize, state: FrameState, part: u32) {
        self.waiting.push(Way {
            index,
            state,
            part,
            is_at_begin: false,
        });
    }

    /// Compilers join ways at the same depth only.
    fn contradicts(&self, index: usize, state: FrameState) -> bool {
        let mark = self.marks[index];
        mark.is_reached
            && mark.meeting > 0
            && self.states[mark.meeting as usize - 1].has_other_depth(state)
    }

    fn follow(&mut self, way: Way) {
        let Way {
            mut index,
            mut state,
            part,
            mut is_at_begin,
        } = way;
        loop {
            let mark = self.marks[index];
            if mark.is_called && !is_at_begin {
                // It is followed by itself.
                self.is_refuted[part as usize] |= state.cannot_return();
                return;
            }
            is_at_begin = false;
            if mark.meeting > 0 {
                let kept = &mut self.states[mark.meeting as usize - 1];
                if mark.is_reached {
                    if self.is_guessing && kept.has_other_depth(state) {
                        self.is_refuted[part as usize] = true;
                        return;
                    }
                    state = kept.merged(state);
                    if state == *kept {
                        return;
                    }
                }
                *kept = state;
            }
            if !mark.is_reached {
                self.marks[index].is_reached = true;
                self.marks[index].part = part;
            }
            self.work += 1;
            let step = &self.listing.steps[index];
            apply(&mut state, step);
            match step.flow {
                Flow::Jump(Target::Step(target)) | Flow::Branch(Target::Step(target)) => {
                    self.go_on(target as usize, state, part);
                }
                // Its bytes are executed as others than it has.
                Flow::Jump(Target::Inside(target)) | Flow::Branch(Target::Inside(target)) => {
                    self.go_on(target as usize, FrameState::UNKNOWN, part);
                }
                _ => {}
            }
            let goes_on = match step.flow {
                Flow::Next(_) | Flow::Padding | Flow::Branch(_) => true,
                Flow::Call(_) => {
                    self.after_calls.push((index, state));
                    false
                }
                Flow::IndirectJump => {
                    self.follow_table(index, state);
                    false
                }
                Flow::Return => {
                    self.is_refuted[part as usize] |= state.cannot_return();
                    false
                }
                Flow::Jump(_) | Flow::End => false,
            };
            match self.listing.next(index) {
                Some(next) if goes_on => index = next,
                _ => return,
            }
        }
    }

    /// Where a call returns to. Those that do not return (abort) stand last in their functions: another one follows, or
    /// padding before one. Compilers put padding before what is jumped to, too, but before nothing else.
    fn returns_to(&mut self, call: usize, state: FrameState) -> Option<usize> {
        let next = self.listing.next(call)?;
        let mut has_padding = false;
        let mut after = next;
        while self.listing.steps[after].flow == Flow::Padding && !self.marks[after].is_start {
            // Without optimization, single nops are for debuggers.
            has_padding |= self.listing.steps[after].length > 1;
            self.work += 1;
            after = self.listing.next(after)?;
        }
        let is_aligned = self.listing.steps[after]
            .at
            .is_multiple_of(FUNCTION_ALIGNMENT);
        let mark = self.marks[after];
        let is_next_function = mark.is_start || has_padding && is_aligned && !mark.is_jumped_to;
        (!is_next_function && !self.contradicts(after, state)).then_some(next)
    }

    fn follow_table(&mut self, index: usize, state: FrameState) {
        let Some(&start) = self.starts.range(..=index).next_back() else {
            return;
        };
        let table = self.tables.entry(start).or_insert_with(|| {
            self.changed_tables.push(start);
            Table {
                state,
                led_to: Vec::new(),
                told: 0,
                searched_until: start,
            }
        });
        let merged = table.state.merged(state);
        if merged != table.state {
            table.state = merged;
            table.told = 0;
            self.changed_tables.push(start);
        }
    }

    fn end_of_function(&self, start: usize) -> usize {
        let end = self.starts.range(start + 1..).next().copied();
        end.unwrap_or(self.listing.steps.len())
    }

    /// The first instruction that nothing has led to, padding apart, before the function ends or a gap begins.
    fn unreached(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut index = from;
        while index < end {
            self.work += 1;
            let step = &self.listing.steps[index];
            if !self.marks[index].is_reached && step.flow != Flow::Padding {
                return Some(index);
            }
            index = self.listing.next(index)?;
        }
        None
    }
}

fn apply(state: &mut FrameState, step: &Step) {
    match step.flow {
        Flow::Next(effect) => state.apply(effect),
        Flow::Call(_) => state.apply_call(),
        _ => {}
    }
}

/// The instruction that a jump leads to, or into.
fn target_of(step: &Step) -> Option<usize> {
    match step.flow {
        Flow::Jump(target) | Flow::Branch(target) => match target {
            Target::Step(index) | Target::Inside(index) => Some(index as usize),
            Target::Elsewhere | Target::At(_) => None,
        },
        _ => None,
    }
}

#[cfg(test)]
#[path = "tests/code_flow.rs"]
mod tests;
