//! Programs that report samples of their allocations by probes of their own (`otel_memory`): where their numbers are. x86-64.

use records::{AllocationPlace, Operand, PlaceRole, Source};
use symbolize::MemoryProbe;

/// A nop of one byte. Longer ones are replaced by calls on newer kernels (docs/decisions/allocations.md).
const NOP: u8 = 0x90;

/// Words of `struct pt_regs`, by the names of their registers and of parts of these.
const REGISTERS: [(&[&str], u8); 16] = [
    (&["r15", "r15d", "r15w", "r15b"], 0),
    (&["r14", "r14d", "r14w", "r14b"], 1),
    (&["r13", "r13d", "r13w", "r13b"], 2),
    (&["r12", "r12d", "r12w", "r12b"], 3),
    (&["rbp", "ebp", "bp", "bpl"], 4),
    (&["rbx", "ebx", "bx", "bl"], 5),
    (&["r11", "r11d", "r11w", "r11b"], 6),
    (&["r10", "r10d", "r10w", "r10b"], 7),
    (&["r9", "r9d", "r9w", "r9b"], 8),
    (&["r8", "r8d", "r8w", "r8b"], 9),
    (&["rax", "eax", "ax", "al"], 10),
    (&["rcx", "ecx", "cx", "cl"], 11),
    (&["rdx", "edx", "dx", "dl"], 12),
    (&["rsi", "esi", "si", "sil"], 13),
    (&["rdi", "edi", "di", "dil"], 14),
    (&["rsp", "esp", "sp", "spl"], 19),
];

/// The places of these probes. None: one of them cannot be read, so that sums would be wrong.
pub fn places(probes: &[MemoryProbe]) -> Option<Vec<AllocationPlace>> {
    let supported = cfg!(target_arch = "x86_64") && probes.iter().any(|probe| probe.is_allocation);
    let places = probes.iter().map(place).collect::<Option<Vec<_>>>();
    places.filter(|_| supported)
}

fn place(probe: &MemoryProbe) -> Option<AllocationPlace> {
    let argument = |at: usize| probe.arguments.get(at).and_then(|text| operand(text));
    let (size, weight, role) = match probe.is_allocation {
        true => (argument(1)?, argument(2)?, PlaceRole::Allocation),
        false => (Operand::NONE, Operand::NONE, PlaceRole::Free),
    };
    (probe.instruction == NOP).then_some(AllocationPlace {
        offset: probe.offset,
        semaphore: probe.semaphore,
        role,
        flags_clear: 0,
        address: argument(0)?,
        size,
        weight,
    })
}

/// `8@%rax`, `-4@$5`, `8@-24(%rbp)`: bytes, with a sign if they have one, and where they are.
fn operand(text: &str) -> Option<Operand> {
    let (bytes, place) = text.split_once('@')?;
    let bytes: i8 = bytes.parse().ok()?;
    let source = match place.split_once('(') {
        Some((offset, register)) => {
            let offset = if offset.is_empty() {
                0
            } else {
                offset.parse().ok()?
            };
            Source::Memory(register_of(register.strip_suffix(')')?)?, offset)
        }
        None => match place.strip_prefix('$') {
            Some(number) => Source::Constant(number.parse().ok()?),
            None => Source::Register(register_of(place)?),
        },
    };
    matches!(bytes.unsigned_abs(), 1 | 2 | 4 | 8).then_some(Operand {
        source,
        bytes: bytes.unsigned_abs(),
        is_signed: bytes < 0,
    })
}

fn register_of(text: &str) -> Option<u8> {
    let name = text.strip_prefix('%')?;
    let mut registers = REGISTERS.iter();
    registers.find_map(|(names, word)| names.contains(&name).then_some(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_each_form_are_read_and_others_refused() {
        let read = |text| operand(text).map(|of| (of.source, of.bytes, of.is_signed));
        assert_eq!(read("8@%rax"), Some((Source::Register(10), 8, false)));
        assert_eq!(read("-4@%r9d"), Some((Source::Register(8), 4, true)));
        assert_eq!(read("-4@$-5"), Some((Source::Constant(-5), 4, true)));
        assert_eq!(
            read("8@-24(%rbp)"),
            Some((Source::Memory(4, -24), 8, false))
        );
        assert_eq!(read("8@(%rsp)"), Some((Source::Memory(19, 0), 8, false)));
        for other in [
            "8@%xmm0",
            "8@x(%rip)",
            "8@8(%rax,%rbx,4)",
            "3@%rax",
            "%rax",
            "",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn probes_that_cannot_all_be_read_have_no_places() {
        let probe = |is_allocation, arguments: &[&str]| MemoryProbe {
            is_allocation,
            offset: 0x1000,
            instruction: NOP,
            semaphore: 0,
            arguments: arguments.iter().map(|text| (*text).to_owned()).collect(),
        };
        let alloc = probe(true, &["8@%rax", "8@%rbx", "8@$512"]);
        let free = probe(false, &["8@%rdi"]);
        let found = places(&[alloc.clone(), free.clone()]).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].role, PlaceRole::Free);
        assert_eq!(places(&[free]), None, "nothing is allocated");
        assert_eq!(places(&[alloc.clone(), probe(false, &[])]), None);
        let long_nop = MemoryProbe {
            instruction: 0x0f,
            ..alloc
        };
        assert_eq!(places(&[long_nop]), None);
    }
}
