//! How deep the stack is at each instruction of a function: bytes between the stack pointer and the return address.

use std::collections::{BTreeMap, BTreeSet};

use crate::effect::Effect;
use crate::listing::{Flow, Listing, Step};

/// None: not known, or not always the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Depth {
    pub stack: Option<i64>,
    frame: Option<i64>,
}

impl Depth {
    fn after(self, effect: Effect) -> Depth {
        let Depth { stack, frame } = self;
        let plus = |depth: Option<i64>, by| depth.and_then(|depth| depth.checked_add(by));
        let (stack, frame) = match effect {
            Effect::None => (stack, frame),
            Effect::Deeper(by) => (plus(stack, by), frame),
            Effect::FrameFromStack(by) => (stack, plus(stack, by)),
            Effect::StackFromFrame(by) => (plus(frame, by), frame),
            Effect::Leave => (plus(frame, -8), None),
            Effect::FrameLost(by) => (plus(stack, by), None),
            Effect::StackLost => (None, frame),
        };
        Depth { stack, frame }
    }

    fn or(self, other: Depth) -> Depth {
        Depth {
            stack: self.stack.filter(|_| self.stack == other.stack),
            frame: self.frame.filter(|_| self.frame == other.frame),
        }
    }
}

/// By instruction, for all that the start leads to without an indirect jump.
pub fn depths(listing: &Listing, start: u64) -> BTreeMap<u64, Depth> {
    let at_start = Depth {
        stack: Some(0),
        frame: None,
    };
    let mut depths = BTreeMap::from([(start, at_start)]);
    let mut changed = BTreeSet::from([start]);
    // Ends: what is known of an instruction becomes less each time, twice at most.
    while let Some(at) = changed.pop_first() {
        let Some(step) = listing.at(at) else { continue };
        let after = depths[&at].after(step.effect);
        for next in followers(step) {
            if listing.at(next).is_none() {
                continue;
            }
            let old = depths.get(&next).copied();
            let new = old.map_or(after, |old| old.or(after));
            if old != Some(new) {
                depths.insert(next, new);
                changed.insert(next);
            }
        }
    }
    depths
}

fn followers(step: &Step) -> impl Iterator<Item = u64> {
    let (next, target) = match step.flow {
        Flow::Next | Flow::Call => (Some(step.end()), None),
        Flow::Jump(to) => (None, Some(to)),
        Flow::Branch(to) => (Some(step.end()), Some(to)),
        Flow::IndirectJump(_) | Flow::Return | Flow::End => (None, None),
    };
    next.into_iter().chain(target)
}
