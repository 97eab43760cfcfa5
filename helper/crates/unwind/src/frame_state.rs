//! Where a function's frame is before each of its instructions, as far as its instructions tell: what a compiler would
//! have written down as call frame information. x86-64.

use records::layout::{FpKind, SavedSlots, TAKEN_FROM_CODE};
use records::{Rule, RuleKind};

use crate::code_listing::{Effect, General, R13, RBP, RBX, RSP};

/// What distances are measured from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    /// The canonical frame address.
    Cfa,
    /// Where rsp was rounded down to, at an unknown distance from the CFA.
    Aligned,
}

/// An address: so many bytes below its base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    base: Base,
    below: i32,
}

/// No function has a larger frame.
const FRAME_BYTES_MAX: i32 = 1 << 24;

impl Place {
    const CFA: Place = Place::of_cfa(0);

    const fn of_cfa(below: i32) -> Place {
        let base = Base::Cfa;
        Place { base, below }
    }

    /// None: beyond any frame.
    fn lower(self, bytes: i32) -> Option<Place> {
        let below = self.below.checked_add(bytes)?;
        let is_near = (-FRAME_BYTES_MAX..=FRAME_BYTES_MAX).contains(&below);
        is_near.then_some(Place { below, ..self })
    }

    fn higher(self, bytes: i32) -> Option<Place> {
        self.lower(bytes.checked_neg()?)
    }

    /// How far this one lies above another one with the same base.
    fn above(self, other: Place) -> Option<i32> {
        (self.base == other.base).then(|| other.below - self.below)
    }

    fn is_aligned(self) -> bool {
        self.base == Base::Aligned
    }
}

/// What rbp holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FramePointer {
    /// The caller's value, still.
    Caller,
    At(Place),
    Other,
}

/// What rbx or r13 holds, and where the caller's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Saved {
    InRegister,
    At(Place),
    Lost,
}

/// Before one instruction. Each part is known or not; where ways with different states meet, what differs is not known
/// from there on, so a state changes at most [`FrameState::PARTS`] times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameState {
    rsp: Option<Place>,
    rbp: FramePointer,
    /// Where the caller's rbp is.
    rbp_saved: Option<Place>,
    rbx: Saved,
    r13: Saved,
    /// A register that holds the CFA itself, while rsp is rounded.
    cfa_register: Option<General>,
    /// Where that register was saved.
    cfa_saved: Option<Place>,
}

/// What a state tells of whenever it tells anything: a bit for each.
const FOLLOWED: u16 = 1 << RSP | 1 << RBP | 1 << RBX | 1 << R13;

/// A slot's number has four bits.
const SLOTS: std::ops::RangeInclusive<i32> = 1..=14;

impl FrameState {
    #[cfg(test)]
    pub const PARTS: usize = 7;

    /// Of a function that was called a moment ago.
    pub const AT_ENTRY: FrameState = FrameState {
        rsp: Some(Place::of_cfa(8)),
        rbp: FramePointer::Caller,
        rbp_saved: None,
        rbx: Saved::InRegister,
        r13: Saved::InRegister,
        cfa_register: None,
        cfa_saved: None,
    };

    pub const UNKNOWN: FrameState = FrameState {
        rsp: None,
        rbp: FramePointer::Other,
        rbp_saved: None,
        rbx: Saved::Lost,
        r13: Saved::Lost,
        cfa_register: None,
        cfa_saved: None,
    };

    /// What holds on both ways to an instruction.
    pub fn merged(self, other: FrameState) -> FrameState {
        fn same<T: PartialEq>(a: T, b: T, otherwise: T) -> T {
            if a == b { a } else { otherwise }
        }
        if self == other {
            return self;
        }
        FrameState {
            rsp: same(self.rsp, other.rsp, None),
            rbp: same(self.rbp, other.rbp, FramePointer::Other),
            rbp_saved: same(self.rbp_saved, other.rbp_saved, None),
            rbx: same(self.rbx, other.rbx, Saved::Lost),
            r13: same(self.r13, other.r13, Saved::Lost),
            cfa_register: same(self.cfa_register, other.cfa_register, None),
            cfa_saved: same(self.cfa_saved, other.cfa_saved, None),
        }
    }

    /// Whether rsp is known to be at two different places.
    pub fn has_other_depth(&self, other: FrameState) -> bool {
        self.rsp.is_some() && other.rsp.is_some() && self.rsp != other.rsp
    }

    /// Whether the return address is known to be where a return cannot find it.
    pub fn cannot_return(&self) -> bool {
        self.has_other_depth(FrameState::AT_ENTRY)
    }

    /// Whether rbp points to where the caller's rbp lies, below the return address.
    pub fn has_frame_pointer(&self) -> bool {
        let place = Place::of_cfa(16);
        self.rbp == FramePointer::At(place) && self.rbp_saved == Some(place)
    }

    /// None: nothing is known of the frame.
    pub fn rule(&self) -> Option<Rule> {
        let (fp, fp_offset) = self.caller_rbp();
        let (kind, register, cfa_offset) = self.cfa()?;
        Some(Rule {
            kind,
            register: dwarf_number(register),
            fp,
            saved: SavedSlots::new(slot(self.rbx), slot(self.r13)),
            cfa_offset,
            fp_offset,
            extra: TAKEN_FROM_CODE,
        })
    }

    fn cfa(&self) -> Option<(RuleKind, General, i32)> {
        let (rsp, rbp) = (self.rsp, self.place_of_rbp());
        let direct = |place: Option<Place>, register| {
            let offset = Place::CFA.above(place?)?;
            Some((RuleKind::Register, register, offset))
        };
        let saved = |place: Option<Place>, register| {
            let offset = self.cfa_saved?.above(place?)?;
            Some((RuleKind::Deref, register, offset))
        };
        direct(rsp, RSP)
            .or_else(|| direct(rbp, RBP))
            .or_else(|| saved(rbp, RBP))
            .or_else(|| saved(rsp, RSP))
            .or_else(|| direct(Some(Place::CFA), self.cfa_register?))
    }

    fn caller_rbp(&self) -> (FpKind, i32) {
        let lost = (FpKind::Lost, 0);
        match (self.rbp, self.rbp_saved) {
            (FramePointer::Caller, _) => (FpKind::Same, 0),
            (_, Some(saved)) if !saved.is_aligned() => (FpKind::AtCfa, -saved.below),
            (FramePointer::At(rbp), Some(saved)) => saved
                .above(rbp)
                .map_or(lost, |offset| (FpKind::AtFp, offset)),
            _ => lost,
        }
    }

    /// An instruction with this effect is executed.
    pub fn apply(&mut self, effect: Effect) {
        match effect {
            Effect::Nothing => return,
            Effect::Grow(bytes) => self.grow(bytes),
            Effect::Push(register) => {
                self.grow(8);
                if let Some(rsp) = self.rsp {
                    self.store(register, rsp);
                }
            }
            Effect::Pop(register) => {
                let from = self.rsp;
                self.grow(-8);
                self.load(register, from);
            }
            Effect::Leave => {
                let rbp = self.place_of_rbp();
                self.rsp = rbp;
                self.load(RBP, rbp);
                self.grow(-8);
            }
            Effect::Round => self.round(),
            Effect::Point { to, base, offset } => {
                let place = self.place(base, offset);
                self.point(to, place);
            }
            Effect::Store {
                register,
                base,
                offset,
            } => {
                if let Some(place) = self.place(base, offset) {
                    self.store(Some(register), place);
                }
            }
            Effect::Load {
                register,
                base,
                offset,
            } => self.load(register, self.place(base, offset)),
            Effect::Write(registers)
                if registers & FOLLOWED == 0 && self.cfa_register.is_none() =>
            {
                return;
            }
            Effect::Write(registers) => {
                for register in [RSP, RBP, RBX, R13].into_iter().chain(self.cfa_register) {
                    if registers & 1 << register != 0 {
                        self.load(register, None);
                    }
                }
            }
        }
        // A function that takes its own return address away has no frame as others have.
        self.rsp = self.rsp.filter(|p| p.below >= least_depth(*p));
    }

    /// A function is called, which may use this register.
    pub fn apply_call(&mut self) {
        self.cfa_register = None;
    }

    fn grow(&mut self, bytes: i32) {
        self.rsp = self.rsp.and_then(|rsp| rsp.lower(bytes));
    }

    /// rsp is rounded down: from there on another base counts.
    fn round(&mut self) {
        if self.place_of_rbp().is_some_and(Place::is_aligned) {
            self.rbp = FramePointer::Other;
        }
        for saved in [&mut self.rbx, &mut self.r13] {
            if matches!(saved, Saved::At(p) if p.is_aligned()) {
                *saved = Saved::Lost;
            }
        }
        self.rbp_saved = self.rbp_saved.filter(|p| !p.is_aligned());
        self.cfa_saved = self.cfa_saved.filter(|p| !p.is_aligned());
        let base = Base::Aligned;
        self.rsp = Some(Place { base, below: 0 });
    }

    fn place_of_rbp(&self) -> Option<Place> {
        match self.rbp {
            FramePointer::At(place) => Some(place),
            _ => None,
        }
    }

    /// What lies at a distance from a register, where that is known.
    fn place(&self, base: General, offset: i32) -> Option<Place> {
        let base = match base {
            RSP => self.rsp?,
            RBP => self.place_of_rbp()?,
            other if self.cfa_register == Some(other) => Place::CFA,
            _ => return None,
        };
        base.higher(offset)
    }

    /// A register is made to point to a place, or to something else.
    fn point(&mut self, register: General, place: Option<Place>) {
        match (register, place) {
            (RSP, _) => self.rsp = place,
            (RBP, Some(place)) => self.rbp = FramePointer::At(place),
            _ => {
                self.load(register, None);
                // Compilers take r10. Of the first eight, instructions write some without naming them.
                if place == Some(Place::CFA) && register > RDI {
                    self.cfa_register = Some(register);
                }
            }
        }
    }

    /// Eight bytes are stored: the caller's value of a register, if that still has it, or something over it.
    fn store(&mut self, register: Option<General>, place: Place) {
        let here = Some(place);
        self.rbp_saved = self.rbp_saved.filter(|p| Some(*p) != here);
        self.cfa_saved = self.cfa_saved.filter(|p| Some(*p) != here);
        for saved in [&mut self.rbx, &mut self.r13] {
            if *saved == Saved::At(place) {
                *saved = Saved::Lost;
            }
        }
        match register {
            Some(RBP) if self.rbp == FramePointer::Caller => self.rbp_saved = here,
            Some(RBX) if self.rbx == Saved::InRegister => self.rbx = Saved::At(place),
            Some(R13) if self.r13 == Saved::InRegister => self.r13 = Saved::At(place),
            Some(other) if self.cfa_register == Some(other) => self.cfa_saved = here,
            _ => {}
        }
    }

    /// A register is written, by what is at a place of the frame, or by something else.
    fn load(&mut self, register: General, from: Option<Place>) {
        match register {
            RSP => self.rsp = None,
            RBP => {
                let is_saved = from.is_some() && from == self.rbp_saved;
                self.rbp = if is_saved {
                    FramePointer::Caller
                } else {
                    FramePointer::Other
                };
            }
            RBX => self.rbx = restored(self.rbx, from),
            R13 => self.r13 = restored(self.r13, from),
            _ => {}
        }
        if from.is_some() && from == self.cfa_saved && register > RDI {
            self.cfa_register = Some(register);
        } else if self.cfa_register == Some(register) {
            self.cfa_register = None;
        }
    }
}

/// The last of the registers that machine code had before x86-64.
const RDI: General = 7;

/// The return address lies below the CFA, and the frame below that.
fn least_depth(place: Place) -> i32 {
    match place.base {
        Base::Cfa => 8,
        Base::Aligned => 0,
    }
}

/// Only slots below the CFA can be said in a rule.
fn slot(saved: Saved) -> u8 {
    match saved {
        Saved::InRegister => 0,
        Saved::At(Place {
            base: Base::Cfa,
            below,
        }) if below % 8 == 0 && SLOTS.contains(&(below / 8)) => (below / 8) as u8,
        _ => SavedSlots::LOST,
    }
}

/// A register was loaded. It has the caller's value if that was saved there.
fn restored(saved: Saved, from: Option<Place>) -> Saved {
    match saved {
        Saved::At(place) if from == Some(place) => Saved::InRegister,
        Saved::At(place) => Saved::At(place),
        Saved::InRegister | Saved::Lost => Saved::Lost,
    }
}

/// System V ABI, figure 3.36.
fn dwarf_number(register: General) -> u8 {
    const OF_FIRST: [u8; 8] = [0, 2, 1, 3, 7, 6, 4, 5];
    let first = OF_FIRST.get(usize::from(register));
    first.copied().unwrap_or(register)
}

#[cfg(test)]
#[path = "tests/frame_state.rs"]
mod tests;
