//! Walks a process's stack before each instruction, and judges one stack by the one before.

use records::StackEnd;
use walk::{Machine, MappingTable, Registers, Walker};

use super::stepped::{Instruction, Stepped, Stop};
use super::{Mapped, Modules};

/// An address of the leaf and how the walk from there ended.
pub type Cut = (u64, StackEnd);

/// The stack before an instruction and after it.
pub type Change = (Vec<u64>, Vec<u64>);

#[derive(Default)]
pub struct Watched {
    pub steps: usize,
    /// Walks that did not reach the thread's start.
    pub cut: Vec<Cut>,
    /// Callers that cannot have come from the ones before.
    pub impossible: Vec<Change>,
    /// Stacks with a caller that did not call, beside the one that the calls and returns so far have made.
    pub wrong: Vec<Change>,
}

/// The stack as calls and returns have made it, from a first walk on.
#[derive(Default)]
struct Calls {
    /// As a walk names them: one byte before the return address. The outermost comes first.
    callers: Option<Vec<u64>>,
}

impl Calls {
    /// `new` is the walk after this instruction, which lay at `ip`.
    fn follow(&mut self, executed: Instruction, ip: u64, new: &[u64], is_whole: bool) {
        match (executed, &mut self.callers) {
            (Instruction::Plain, Some(_)) => {}
            // From the outermost function, Go's scheduler goes on with a goroutine.
            (Instruction::Undecoded, Some(callers)) if !callers.is_empty() => {}
            // Its length is not known, but the walk that has it right has an address within it.
            (Instruction::Call, Some(callers)) => match new.get(1) {
                Some(caller) if (ip..ip + 8).contains(caller) => callers.push(*caller),
                _ => self.callers = None,
            },
            (Instruction::Return, Some(callers)) if callers.last() == Some(&(new[0] - 1)) => {
                callers.pop();
            }
            _ => {
                self.callers = is_whole.then(|| new[1..].iter().rev().copied().collect());
            }
        }
    }

    /// What the walk should have found, if it is wrong.
    fn contradicted_by(&self, walk: &[u64], is_whole: bool) -> Option<Vec<u64>> {
        let callers: Vec<u64> = self.callers.as_ref()?.iter().rev().copied().collect();
        let is_right = match is_whole {
            true => walk[1..] == callers,
            false => callers.starts_with(&walk[1..]),
        };
        (!is_right).then_some(callers)
    }
}

/// Walks before each instruction, up to a breakpoint in the program or `steps_max`.
pub fn watch<const N: usize>(process: &mut impl Stepped<N>, steps_max: usize) -> Watched
where
    Registers<N>: Machine,
{
    let mut modules = Modules::default();
    let mut walker = Walker::default();
    let mut watched = Watched::default();
    let mapped = process.changed_mappings().expect("it has some");
    let mut table = table_of(process, &mut modules, &mapped);
    let mut before: Option<(Vec<u64>, Instruction)> = None;
    let mut signal = 0;
    let mut was_signalled = false;
    let mut calls = Calls::default();
    while watched.steps < steps_max {
        let registers = process.registers();
        let instruction = process.instruction(registers.ip);
        if instruction == Instruction::Breakpoint {
            break;
        }
        let read = |address: u64, to: &mut [u8]| process.read_exact(address, to);
        let walked = walker.walk_memory(&registers, read, &table, &modules.tables);
        if walked.end != StackEnd::Root {
            watched.cut.push((registers.ip, walked.end));
        }
        let frames = walked.frames.to_vec();
        let is_whole = walked.end == StackEnd::Root;
        if before.is_none() {
            calls = Calls::default();
        }
        if let Some((old, executed)) = before.take() {
            let known = match was_signalled {
                true => Instruction::ChangesStack,
                false => executed,
            };
            calls.follow(known, old[0], &frames, is_whole);
            if !can_follow(&old, &frames, executed) {
                watched.impossible.push((old, frames.clone()));
            }
        }
        if let Some(callers) = calls.contradicted_by(&frames, is_whole) {
            watched.wrong.push((callers, frames.clone()));
        }
        was_signalled = signal != 0;
        // A handler is entered instead of executing it.
        let executed = match signal {
            0 => instruction,
            _ => Instruction::Undecoded,
        };
        before = Some((frames, executed));
        watched.steps += 1;
        match process.step(std::mem::take(&mut signal)) {
            Stop::Trap => {}
            Stop::Signal(number) => {
                signal = number;
                before = None; // it has not been executed
            }
            Stop::Ended => break,
        }
        // Mappings change by system calls only; looking for a change is slow.
        if instruction == Instruction::SystemCall
            && let Some(mapped) = process.changed_mappings()
        {
            table = table_of(process, &mut modules, &mapped);
        }
    }
    watched
}

fn table_of<const N: usize>(
    process: &mut impl Stepped<N>,
    modules: &mut Modules,
    mapped: &[Mapped],
) -> MappingTable {
    let vdso = mapped.iter().find(|m| m.path == "[vdso]").cloned();
    let vdso = vdso.map(|m| process.read(m.start, (m.end - m.start) as usize));
    modules.mapping_table(mapped, |m| match m.path.as_str() {
        "[vdso]" => vdso.clone(),
        path => std::fs::read(path).ok(),
    })
}

/// Whether an instruction (or the delivery of a signal) leads from one stack to the other.
fn can_follow(old: &[u64], new: &[u64], executed: Instruction) -> bool {
    let (old_callers, new_callers) = (&old[1..], &new[1..]);
    let stays = old_callers == new_callers;
    let called = new_callers.get(1..) == Some(old_callers);
    let returned = old_callers.get(1..) == Some(new_callers);
    match executed {
        Instruction::Call => called && (old[0]..old[0] + 8).contains(&new[1]),
        Instruction::Return => returned && new[0] == old[1] + 1,
        Instruction::Plain => stays,
        Instruction::ChangesStack => true,
        Instruction::Breakpoint | Instruction::SystemCall | Instruction::Undecoded => {
            let interrupted = new.len() == old.len() + 2 && new.ends_with(old_callers);
            let resumed = old.len() == new.len() + 1 && old.ends_with(new_callers);
            let left = old.len() == 1; // it had no caller: Go's scheduler goes on with a goroutine
            left || stays || called || returned || interrupted || resumed
        }
    }
}

/// Asserts that nothing was wrong, naming the first few.
pub fn assert_right(watched: &Watched, what: &str) {
    let cut: Vec<_> = watched.cut.iter().take(5).collect();
    let impossible: Vec<_> = watched.impossible.iter().take(5).collect();
    assert_no_wrong_caller(watched, what);
    assert!(
        cut.is_empty() && impossible.is_empty(),
        "{what}: of {} steps {} cut, {} impossible\n{cut:x?}\n{impossible:x?}",
        watched.steps,
        watched.cut.len(),
        watched.impossible.len(),
    );
}

/// Asserts that every caller that was found is one, whether others are missing or not.
pub fn assert_no_wrong_caller(watched: &Watched, what: &str) {
    let wrong: Vec<_> = watched.wrong.iter().take(5).collect();
    assert!(
        wrong.is_empty(),
        "{what}: of {} stacks {} are wrong\n{wrong:x?}",
        watched.steps,
        watched.wrong.len(),
    );
}
