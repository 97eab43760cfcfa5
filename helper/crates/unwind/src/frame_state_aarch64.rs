//! Where the return address and the caller's frame pointer are before an aarch64 instruction, as its function's
//! instructions so far have left them.

use records::Rule;
use records::layout::{FpKind, SavedSlots, TAKEN_FROM_CODE};

use crate::aarch64::{ENTERED, FP, RETURN_AT_CFA, RETURN_IN_LINK, RETURN_IS_SIGNED};
use crate::instructions_aarch64::{Effect, Flow, Instruction, Transfer};

pub(crate) const FRAME: u8 = FP as u8;
const LINK: u8 = FRAME + 1;
pub(crate) const SP: u8 = FRAME + 2;

/// Where things are before an instruction, as distances below the CFA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct State {
    sp: Option<i32>,
    /// Of x29, where it has been set to a place in this frame.
    fp: Option<i32>,
    link: Kept,
    caller_fp: Kept,
    is_signed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    InRegister,
    At(i32),
    Lost,
}

impl State {
    pub const AT_ENTRY: State = State {
        sp: Some(0),
        fp: None,
        link: Kept::InRegister,
        caller_fp: Kept::InRegister,
        is_signed: false,
    };

    /// What holds whichever way was taken.
    pub fn merged(self, other: State) -> State {
        let same = |a: Kept, b: Kept| if a == b { a } else { Kept::Lost };
        let is_same_signature = self.is_signed == other.is_signed;
        State {
            sp: self.sp.filter(|sp| other.sp == Some(*sp)),
            fp: self.fp.filter(|fp| other.fp == Some(*fp)),
            link: match is_same_signature {
                true => same(self.link, other.link),
                false => Kept::Lost,
            },
            caller_fp: same(self.caller_fp, other.caller_fp),
            is_signed: self.is_signed,
        }
    }

    fn of_register(&self, register: u8) -> Option<i32> {
        match register {
            SP => self.sp,
            FRAME => self.fp,
            _ => None,
        }
    }

    pub fn apply(&mut self, instruction: &Instruction) {
        if matches!(instruction.flow, Flow::Call(_)) && self.link == Kept::InRegister {
            self.link = Kept::Lost;
        }
        match instruction.effect {
            Effect::Nothing => {}
            Effect::Sign => self.is_signed = !self.is_signed,
            Effect::Point { to, base, offset } => {
                let place = self.of_register(base).and_then(|b| b.checked_sub(offset));
                self.set(to, place);
            }
            Effect::Store(transfer) => self.transfer(&transfer, State::store),
            Effect::Load(transfer) => self.transfer(&transfer, State::load),
            Effect::Write(register) => self.set(register, None),
        }
    }

    fn set(&mut self, register: u8, place: Option<i32>) {
        match register {
            SP => self.sp = place,
            FRAME => {
                self.fp = place;
                if self.caller_fp == Kept::InRegister {
                    self.caller_fp = Kept::Lost;
                }
            }
            LINK if self.link == Kept::InRegister => self.link = Kept::Lost,
            _ => {}
        }
    }

    fn transfer(&mut self, transfer: &Transfer, one: fn(&mut State, u8, Option<i32>)) {
        let place = |state: &State, offset: i32| {
            let base = state.of_register(transfer.base)?;
            base.checked_sub(offset)
        };
        let first = place(self, transfer.offset);
        for (register, slot) in transfer.registers.into_iter().zip([0, 8]) {
            if let Some(register) = register {
                one(self, register, first.and_then(|f| f.checked_sub(slot)));
            }
        }
        if transfer.moved != 0 {
            let moved = place(self, transfer.moved);
            self.set(transfer.base, moved);
        }
    }

    fn store(&mut self, register: u8, at: Option<i32>) {
        let kept = match register {
            LINK => &mut self.link,
            FRAME => &mut self.caller_fp,
            _ => return,
        };
        if let (Kept::InRegister, Some(at)) = (*kept, at) {
            *kept = Kept::At(at);
        }
    }

    fn load(&mut self, register: u8, at: Option<i32>) {
        match register {
            LINK if at.is_some_and(|at| self.link == Kept::At(at)) => self.link = Kept::InRegister,
            FRAME if at.is_some_and(|at| self.caller_fp == Kept::At(at)) => {
                self.caller_fp = Kept::InRegister;
                self.fp = None;
            }
            _ => self.set(register, None),
        }
    }

    /// None: callers are not to be found by what is known.
    pub fn rule(&self) -> Option<Rule> {
        let (register, below) = match (self.sp, self.fp) {
            (Some(sp), _) => (SP, sp),
            (None, Some(fp)) => (FRAME, fp),
            (None, None) => return None,
        };
        let signed = if self.is_signed { RETURN_IS_SIGNED } else { 0 };
        let (saved, extra) = match self.link {
            Kept::InRegister => (RETURN_IN_LINK, 0),
            Kept::At(below) => (RETURN_AT_CFA, -below),
            Kept::Lost => return None,
        };
        let (fp, fp_offset) = match self.caller_fp {
            Kept::InRegister => (FpKind::Same, 0),
            Kept::At(below) => (FpKind::AtCfa, -below),
            Kept::Lost => (FpKind::Lost, 0),
        };
        (below >= 0 && below % 8 == 0 && extra % 8 == 0 && extra <= 0).then_some(Rule {
            register,
            cfa_offset: below,
            fp,
            fp_offset,
            saved: SavedSlots::from_byte(saved | signed),
            extra: extra | TAKEN_FROM_CODE,
            ..ENTERED
        })
    }
}
