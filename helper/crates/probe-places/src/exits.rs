//! Where a function ends: its returns, and the jumps by which it becomes another function (tail calls). x86-64.
//!
//! A probe there sees the stack pointer that it had when the call began. So what a caller takes for the end of a call is checked
//! once more when it happens; here it is made sure that no end is overlooked, and that each place begins an instruction.

use std::collections::BTreeSet;

use crate::listing::{Code, Flow, Indirect, Listing, Step};
use crate::stack::depths;

/// What is needed to time the calls of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timed {
    /// How much lower than at the start the stack pointer is, in bytes, before the instruction where calls are counted.
    pub depth: u32,
    pub exits: Vec<Exit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exit {
    /// Address of the instruction.
    pub at: u64,
    /// It is one only if this condition of a jump holds (Intel SDM 2A, appendix B.1.4).
    pub condition: Option<u8>,
}

/// Why the calls of a function cannot be timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoExits {
    /// All that it does is to jump elsewhere.
    OnlyJumps,
    /// It does not return.
    Never,
    /// It may be left by a jump whose target is not known.
    ComputedJumps,
    /// It goes on in code that has no name.
    UnnamedCode,
    /// Some of its code is reached by tables only, and nothing else says that it is code.
    OnlyByTables,
    /// How deep its stack is cannot be followed.
    UnknownStack,
    NotDecoded,
}

/// What else is known of the file.
pub struct File<'a> {
    /// Whether a function begins at this address, or an entry of the procedure linkage table.
    pub is_function: &'a dyn Fn(u64) -> bool,
    /// The compiler has described all its code: nothing within a function is data.
    pub is_described: bool,
}

/// `place`: where its calls are counted ([`crate::place_of_calls`]). `parts`: as there.
///
/// # Errors
/// Why it cannot be timed.
pub fn timed(
    function: Code,
    place: u64,
    parts: &[Code],
    file: &File<'_>,
) -> Result<Timed, NoExits> {
    let listing = Listing::of(function, parts).ok_or(NoExits::NotDecoded)?;
    if !listing.agrees_with_its_jumps() {
        return Err(NoExits::NotDecoded);
    }
    let depths = depths(&listing, function.start);
    let mut exits = BTreeSet::new();
    for step in listing.steps() {
        let reached = depths.get(&step.at);
        let Some(exit) = exit(&listing, step, reached.and_then(|depth| depth.stack), file)? else {
            continue;
        };
        if reached.is_none() && !file.is_described {
            return Err(NoExits::OnlyByTables);
        }
        exits.insert(exit);
    }
    if exits.iter().any(|exit| exit.at == place) {
        return Err(NoExits::OnlyJumps);
    }
    if exits.is_empty() {
        return Err(NoExits::Never);
    }
    let depth = depths.get(&place).and_then(|depth| depth.stack);
    Ok(Timed {
        depth: (depth.and_then(|depth| depth.try_into().ok())).ok_or(NoExits::UnknownStack)?,
        exits: exits.into_iter().collect(),
    })
}

/// `depth`: of the stack, if it is known.
fn exit(
    listing: &Listing,
    step: &Step,
    depth: Option<i64>,
    file: &File<'_>,
) -> Result<Option<Exit>, NoExits> {
    let is_own = |target: u64| listing.at(target).is_some();
    let condition = match step.flow {
        Flow::Return => None,
        Flow::Jump(to) if !is_own(to) => {
            named(to, file)?;
            None
        }
        Flow::Branch(to) if !is_own(to) => {
            named(to, file)?;
            Some(step.condition.ok_or(NoExits::ComputedJumps)?)
        }
        Flow::IndirectJump(Indirect::Place) => None,
        // With a frame on the stack, it cannot be the end.
        Flow::IndirectJump(Indirect::Computed) if depth.is_some_and(|depth| depth != 0) => {
            return Ok(None);
        }
        Flow::IndirectJump(Indirect::Computed) => return Err(NoExits::ComputedJumps),
        _ => return Ok(None),
    };
    match depth {
        None | Some(0) => Ok(Some(Exit {
            at: step.at,
            condition,
        })),
        Some(_) => Err(NoExits::UnknownStack),
    }
}

fn named(target: u64, file: &File<'_>) -> Result<(), NoExits> {
    (file.is_function)(target)
        .then_some(())
        .ok_or(NoExits::UnnamedCode)
}

#[cfg(test)]
mod tests;
