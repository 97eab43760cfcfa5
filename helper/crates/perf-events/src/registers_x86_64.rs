//! x86-64: the registers of a sample, `enum perf_event_x86_regs` (arch/x86/include/uapi/asm/perf_regs.h).

/// ax bx cx dx si di bp sp ip (0 to 8) and r8 to r15 (16 to 23).
pub const REGISTERS_MASK: u64 = 0xff_01ff;
/// What a sample holds: the registers of [`REGISTERS_MASK`], in the order of the kernel's numbers.
pub const REGISTERS: usize = REGISTERS_MASK.count_ones() as usize;
pub const GENERAL_REGISTERS: usize = 16;

/// The general registers by DWARF number (rax rdx rcx rbx rsi rdi rbp rsp r8 to r15), and the program counter.
pub fn by_dwarf_number(sampled: [u64; REGISTERS]) -> ([u64; GENERAL_REGISTERS], u64) {
    let [ax, bx, cx, dx, si, di, bp, sp, ip, upper @ ..] = sampled;
    let mut general = [ax, dx, cx, bx, si, di, bp, sp, 0, 0, 0, 0, 0, 0, 0, 0];
    general[8..].copy_from_slice(&upper);
    (general, ip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_get_their_dwarf_numbers() {
        let (general, ip) = by_dwarf_number(std::array::from_fn(|number| number as u64 + 1));
        let expected = [1, 4, 3, 2, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17];
        assert_eq!((general, ip), (expected, 9));
    }
}
