//! aarch64: the registers of a sample, `enum perf_event_arm_regs` (arch/arm64/include/uapi/asm/perf_regs.h).

/// x0 to x30, sp and pc (0 to 32).
pub const REGISTERS_MASK: u64 = 0x1_ffff_ffff;
/// What a sample holds: the registers of [`REGISTERS_MASK`], in the order of the kernel's numbers.
pub const REGISTERS: usize = REGISTERS_MASK.count_ones() as usize;
pub const GENERAL_REGISTERS: usize = 32;

/// The general registers by DWARF number (x0 to x30, sp), and the program counter.
pub fn by_dwarf_number(sampled: [u64; REGISTERS]) -> ([u64; GENERAL_REGISTERS], u64) {
    let [general @ .., pc] = sampled;
    (general, pc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_get_their_dwarf_numbers() {
        let (general, pc) = by_dwarf_number(std::array::from_fn(|number| number as u64));
        let expected: [u64; GENERAL_REGISTERS] = std::array::from_fn(|number| number as u64);
        assert_eq!((general, pc), (expected, 32));
    }
}
