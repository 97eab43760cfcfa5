//! Where calls end whose times are wanted, and why those of some functions cannot be taken.

use probe_places::{Code, File, NoExits, timed};
use records::layout::{CALL_ENDS_MAX, TIMED_FUNCTIONS_MAX};
use records::{CallPlace, PlaceKind};

use super::code::{ModuleCode, OwnCode};

/// Why the calls of a function are counted only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotTimed {
    Go,
    /// So many can be timed.
    TooMany,
    NoExits(NoExits),
}

/// What is probed to time a function. `places`: where the calls of each copy are counted. `room`: for so many ends.
///
/// # Errors
/// Why it cannot be timed.
pub fn timed_places(
    module: &ModuleCode,
    function: &OwnCode,
    places: &[u64],
    number: u32,
    room: usize,
) -> Result<Vec<CallPlace>, NotTimed> {
    if module.is_go {
        return Err(NotTimed::Go);
    }
    if number as usize >= TIMED_FUNCTIONS_MAX {
        return Err(NotTimed::TooMany);
    }
    let file = File {
        is_function: &|vaddr| module.is_function(vaddr),
        is_described: module.is_described,
    };
    let unread = NotTimed::NoExits(NoExits::NotDecoded);
    let mut all = Vec::new();
    for ((start, bytes), place) in function.copies.iter().zip(places) {
        let start = *start;
        let timed = timed(Code { start, bytes }, *place, &function.parts(), &file);
        let timed = timed.map_err(NotTimed::NoExits)?;
        let depth = timed.depth;
        let ends = timed.exits.into_iter().map(|exit| {
            let kind = (exit.condition)
                .map_or(PlaceKind::Left, |condition| PlaceKind::LeftIf { condition });
            (exit.at, kind)
        });
        for (vaddr, kind) in ends.chain([(*place, PlaceKind::Timed { depth })]) {
            all.push(CallPlace {
                offset: module.offset_of(vaddr).ok_or(unread)?,
                function: number,
                kind,
            });
        }
    }
    // Copies share their parts.
    all.sort_unstable_by_key(|place| (!place.kind.is_end(), place.offset));
    all.dedup();
    match all.len() <= room {
        true => Ok(all),
        false => Err(NotTimed::TooMany),
    }
}

/// Of all functions together.
pub const ENDS_MAX: usize = CALL_ENDS_MAX;

impl NotTimed {
    /// For the reader of a report.
    pub fn sentence(self) -> &'static str {
        match self {
            NotTimed::Go => {
                "Its calls were not timed: Go moves stacks, and continues a call on another thread."
            }
            NotTimed::TooMany => {
                "Its calls were not timed: too many functions were chosen. Use a narrower pattern."
            }
            NotTimed::NoExits(why) => match why {
                NoExits::OnlyJumps => {
                    "Its calls were not timed: all that it does is to jump to another function."
                }
                NoExits::Never => "Its calls were not timed: it does not return.",
                NoExits::ComputedJumps => {
                    "Its calls were not timed: it jumps to computed addresses, which may be its end."
                }
                NoExits::UnnamedCode => {
                    "Its calls were not timed: it continues in code without a name. Symbols of the file would help."
                }
                NoExits::OnlyByTables => {
                    "Its calls were not timed: some of its code is reached by tables only. Debug information would help."
                }
                NoExits::UnknownStack => {
                    "Its calls were not timed: the depth of its stack cannot be followed."
                }
                NoExits::NotDecoded => "Its calls were not timed: its code could not be read.",
            },
        }
    }
}
