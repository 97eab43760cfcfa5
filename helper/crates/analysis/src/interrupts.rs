//! Interrupts that came while a program ran. They are no calls of the code that they stopped, so the entry of one and
//! all that it leads to are one frame, `interrupts`: in the totals of its callers, in no list of what a line calls.

use crate::chains::Resolved;
use crate::frames::{ChainFrame, FunctionKind, FunctionOf, NO_PLACE};
use crate::texts::push_text;

/// What the folded frame is called.
const NAME: &str = "interrupts";

/// Handlers, and what calls them first: x86-64 since Linux 5.8 and before, then arm64. Exceptions are not among them: a
/// page fault is the doing of the code that it stopped.
const ENTRIES: [&str; 22] = [
    "asm_common_interrupt",
    "common_interrupt",
    "asm_spurious_interrupt",
    "asm_exc_nmi",
    "exc_nmi",
    "asm_call_irq_on_stack",
    "apic_timer_interrupt",
    "smp_apic_timer_interrupt",
    "reschedule_interrupt",
    "call_function_interrupt",
    "call_function_single_interrupt",
    "irq_work_interrupt",
    "do_IRQ",
    "ret_from_intr",
    "__irq_exit_rcu",
    "el0t_64_irq",
    "el1h_64_irq",
    "el0_irq",
    "el1_irq",
    "el0_interrupt",
    "el1_interrupt",
    "gic_handle_irq",
];
const ENTRY_PREFIXES: [&str; 4] = ["asm_sysvec_", "sysvec_", "irq_enter", "irq_exit"];
/// Where nothing else of the kernel calls them. Below an exception they belong to that.
const OUTERMOST_PREFIX: &str = "irq";

#[derive(Clone, Copy, PartialEq, Eq)]
enum ChainRole {
    User,
    Kernel,
    /// Enters an interrupt where its caller is no code of the kernel.
    OutermostEntry,
    Entry,
}

/// Which chains of a profile enter an interrupt, and the chain that stands for it.
pub(crate) struct Interrupts {
    /// By chain.
    roles: Vec<ChainRole>,
    folded: u32,
}

impl Interrupts {
    /// `None` where there are none; else `resolved` gets the function and the chain of the folded frame.
    pub fn find(resolved: &mut Resolved) -> Option<Interrupts> {
        let role_of_function: Vec<ChainRole> = (resolved.functions.iter())
            .map(|function| match function.kind {
                FunctionKind::Kernel => role(resolved.texts.strings.get(function.name)),
                _ => ChainRole::User,
            })
            .collect();
        let is_entry =
            |role: &ChainRole| matches!(role, ChainRole::Entry | ChainRole::OutermostEntry);
        let entry = role_of_function.iter().position(is_entry)?;
        let mut start = 0;
        let roles = (resolved.chain_ends.iter())
            .map(|&end| {
                let chain = &resolved.chain_frames[start..end as usize];
                start = end as usize;
                let role_of = |frame: &ChainFrame| role_of_function[frame.function as usize];
                if chain.iter().any(|frame| role_of(frame) == ChainRole::Entry) {
                    return ChainRole::Entry;
                }
                // Of inlined calls the last is the function that holds the code.
                chain.last().map_or(ChainRole::User, role_of)
            })
            .collect();

        let function = resolved.functions.len() as u32;
        resolved.functions.push(FunctionOf {
            name: push_text(&mut resolved.texts.strings, NAME),
            file: 0,
            module: resolved.functions[entry].module,
            line: 0,
            kind: FunctionKind::Interrupts,
            is_collapsed: false,
        });
        resolved.chain_frames.push(ChainFrame {
            function,
            place: NO_PLACE,
            line: 0,
            inlined: false,
        });
        resolved.chain_ends.push(resolved.chain_frames.len() as u32);
        let folded = resolved.chain_ends.len() as u32 - 1;
        Some(Interrupts { roles, folded })
    }

    /// How many chains of a stack, leaf first, are the interrupt and what it led to; 0: it has none. Of an interrupt in
    /// another one it is the outer, and code of the kernel that was interrupted stays.
    pub fn folded_part(&self, stack: &[u32], chain_of_location: &[u32]) -> usize {
        let role_at = |index: usize| {
            let location: Option<&u32> = stack.get(index);
            location.map_or(ChainRole::User, |&location| {
                self.roles[chain_of_location[location as usize] as usize]
            })
        };
        // What an interrupt runs is kernel: below the innermost frame of the program there is none.
        let kernel = (0..stack.len())
            .take_while(|&index| role_at(index) != ChainRole::User)
            .count();
        (0..kernel)
            .rev()
            .find(|&index| match role_at(index) {
                ChainRole::Entry => true,
                ChainRole::OutermostEntry => index + 1 == kernel,
                _ => false,
            })
            .map_or(0, |index| index + 1)
    }

    pub fn folded_chain(&self) -> u32 {
        self.folded
    }
}

/// Of a function of the kernel. The compiler's suffixes (`.isra.0`, `.cold`) tell nothing apart.
fn role(name: &str) -> ChainRole {
    let name = name.split('.').next().unwrap_or(name);
    if ENTRIES.contains(&name) || ENTRY_PREFIXES.iter().any(|start| name.starts_with(start)) {
        ChainRole::Entry
    } else if name.starts_with(OUTERMOST_PREFIX) {
        ChainRole::OutermostEntry
    } else {
        ChainRole::Kernel
    }
}
