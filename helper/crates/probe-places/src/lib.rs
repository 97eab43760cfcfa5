//! Where in a function a probe counts its calls: at an instruction that each call passes exactly once, and that the kernel
//! emulates. Any other instruction it executes out of line, by single-stepping, which costs some 25 µs in a virtual machine instead
//! of 0.7 µs. x86-64.
//!
//! The instructions are decoded from the function's start, so a place always begins one. Only code is read here, no file and no process.

mod effect;
mod exits;
mod flow;
mod go_switch;
mod inlined;
mod listing;
mod shape;
mod stack;

use std::collections::BTreeSet;

pub use exits::{Exit, File, NoExits, Timed, timed};
pub use go_switch::{GoSwitch, go_switch, reads_word};
pub use inlined::{Body, InlinedCode, InlinedPlace, NoInlinedPlace, Probe};
pub use listing::Code;
use listing::{Flow, Listing, Step};

/// Why a function has no such place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoPlace {
    /// Only instructions that would be single-stepped are sure to be passed once.
    SingleStepped,
    /// What is known to be emulated may be passed several times a call, or not at all.
    NotOnce,
    /// It cannot be decoded.
    NotDecoded,
}

/// The condition of `jbe`: it is taken while the carry or the zero flag is set.
const BELOW_OR_EQUAL: u8 = 6;

/// So long is a straight line that is followed.
const LINE_MAX: usize = 64;
/// The stack check: perhaps an addition, a comparison, and the branch.
const STACK_CHECK_MAX: usize = 3;
/// So long is a piece of code that does nothing but call and go back to the start.
const WAY_BACK_MAX: usize = 64;

/// The address of the instruction. `parts`: code that belongs to the function and lies elsewhere, from which it may jump back.
///
/// # Errors
/// Why there is none.
pub fn place_of_calls(function: Code, parts: &[Code]) -> Result<u64, NoPlace> {
    let listing = Listing::of(function, parts).ok_or(NoPlace::NotDecoded)?;
    let mut line = Line {
        listing: &listing,
        start: function.start,
        back: BTreeSet::new(),
    };
    line.place()
}

/// The address of the branch by which a function of Go has its stack grown, and begins anew. A call passes it more than once, but the
/// last time it is not taken: then its registers are as its caller left them. `None`: it is nothing but such a check that the function begins with.
pub fn branch_of_stack_check(function: Code) -> Option<u64> {
    let listing = Listing::of(function, &[])?;
    let mut line = Line {
        listing: &listing,
        start: function.start,
        back: BTreeSet::new(),
    };
    let mut at = function.start;
    for _ in 0..STACK_CHECK_MAX {
        let step = listing.at(at)?;
        match step.flow {
            Flow::Next => at = step.end(),
            Flow::Branch(target) => {
                let is_check = step.is_emulated
                    && step.condition == Some(BELOW_OR_EQUAL)
                    && line.leads_back(target);
                return is_check.then_some(step.at);
            }
            _ => return None,
        }
    }
    None
}

/// The instructions from the start of a function up to the first that does not lead to the next.
struct Line<'a> {
    listing: &'a Listing,
    start: u64,
    /// Jumps to the start after which the function begins anew, before anything behind them on the line has run.
    back: BTreeSet<u64>,
}

impl Line<'_> {
    fn place(&mut self) -> Result<u64, NoPlace> {
        let mut why = NoPlace::SingleStepped;
        let mut at = self.start;
        for _ in 0..LINE_MAX {
            let Some(step) = self.listing.at(at) else {
                break;
            };
            if step.is_emulated {
                match self.is_passed_once(step) {
                    true => return Ok(step.at),
                    false => why = NoPlace::NotOnce,
                }
            }
            let goes_on = match step.flow {
                Flow::Next => true,
                Flow::Branch(target) => self.leads_back(target),
                _ => false,
            };
            if !goes_on {
                break;
            }
            at = step.end();
        }
        Err(why)
    }

    /// Nothing in the function leads to the instruction, or to one before it on the line, but the line itself.
    fn is_passed_once(&self, step: &Step) -> bool {
        // Where an indirect jump leads is not known. A push that it led to would be repeated without its pop.
        let is_sure = !self.listing.has_indirect_jumps || step.is_push;
        let line = self.start..=step.at;
        let mut jumps = self.listing.jumps.iter();
        is_sure && !jumps.any(|(from, to)| line.contains(to) && !self.back.contains(from))
    }

    /// Whether the code at this address only calls something and goes back to the start: how Go's functions have their stack grown.
    fn leads_back(&mut self, target: u64) -> bool {
        let mut at = target;
        for _ in 0..WAY_BACK_MAX {
            let Some(step) = self.listing.at(at) else {
                return false;
            };
            match step.flow {
                Flow::Next | Flow::Call => at = step.end(),
                Flow::Jump(to) if to == self.start => {
                    self.back.insert(step.at);
                    return true;
                }
                _ => return false,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests;
