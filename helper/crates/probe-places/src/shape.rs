//! What an instruction does, whatever its registers and constants are: copies of code are known by it.

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub mnemonic: Mnemonic,
    pub work: Work,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Padding.
    Nothing,
    /// Only brings values into registers, or jumps: compilers need that anywhere.
    Moving,
    Own,
    /// With several values at once.
    Packed,
}

impl Shape {
    pub fn of(i: &Instruction) -> Shape {
        let mnemonic = i.mnemonic();
        let is_to_register = i.op0_kind() == OpKind::Register;
        let same_registers = i.op_count() >= 2
            && is_to_register
            && i.op1_kind() == OpKind::Register
            && i.op0_register() == i.op1_register();
        let work = match mnemonic {
            Mnemonic::Nop | Mnemonic::Int3 | Mnemonic::Endbr64 => Work::Nothing,
            Mnemonic::Mov if is_to_register => Work::Moving,
            Mnemonic::Xor if same_registers => Work::Moving,
            Mnemonic::Lea
            | Mnemonic::Movzx
            | Mnemonic::Movsx
            | Mnemonic::Movsxd
            | Mnemonic::Push
            | Mnemonic::Pop
            | Mnemonic::Jmp => Work::Moving,
            _ if uses_vectors(i) => of_vectors(i, same_registers),
            _ => Work::Own,
        };
        Shape { mnemonic, work }
    }
}

fn uses_vectors(i: &Instruction) -> bool {
    (0..i.op_count()).any(|operand| {
        i.op_kind(operand) == OpKind::Register && i.op_register(operand).is_vector_register()
    })
}

/// Scalars are kept in vector registers, too.
fn of_vectors(i: &Instruction, same_registers: bool) -> Work {
    let name = format!("{:?}", i.mnemonic()).to_lowercase();
    let name = name.strip_prefix('v').unwrap_or(&name);
    let is_integer = name.starts_with('p');
    match name {
        "pxor" | "xorps" | "xorpd" if same_registers => Work::Moving,
        "movd" | "movq" => Work::Moving,
        "movaps" | "movapd" | "movdqa" if !has_memory(i) => Work::Moving,
        // Signs of scalars, and conversions of one that GCC makes in this way.
        "andps" | "andpd" | "andnps" | "andnpd" | "orps" | "orpd" | "xorps" | "xorpd"
        | "unpcklps" | "unpcklpd" | "cvtps2pd" | "cvtpd2ps" => Work::Own,
        "movss" | "movsd" if i.op0_kind() == OpKind::Register => Work::Moving,
        _ if !is_integer && (name.ends_with("ss") || name.ends_with("sd")) => Work::Own,
        _ if name.contains("2si") || name.contains("2usi") => Work::Own,
        _ => Work::Packed,
    }
}

fn has_memory(i: &Instruction) -> bool {
    i.memory_base() != Register::None
        || (0..i.op_count()).any(|operand| i.op_kind(operand) == OpKind::Memory)
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions};

    use super::*;

    fn work(bytes: &[u8]) -> Work {
        let mut decoder = Decoder::with_ip(64, bytes, 0x1000, DecoderOptions::NONE);
        Shape::of(&decoder.decode()).work
    }

    #[test]
    fn scalars_in_vector_registers_are_not_packed() {
        // addsd %xmm1,%xmm0; pxor %xmm1,%xmm1; cvtsi2sd %eax,%xmm0; movaps %xmm1,%xmm0
        assert_eq!(work(&[0xf2, 0x0f, 0x58, 0xc1]), Work::Own);
        assert_eq!(work(&[0x66, 0x0f, 0xef, 0xc9]), Work::Moving);
        assert_eq!(work(&[0xf2, 0x0f, 0x2a, 0xc0]), Work::Own);
        assert_eq!(work(&[0x0f, 0x28, 0xc1]), Work::Moving);
        // paddd %xmm1,%xmm0; movdqu (%rdi),%xmm1; mulps %xmm0,%xmm1; vpmaxsd %ymm0,%ymm1,%ymm2
        assert_eq!(work(&[0x66, 0x0f, 0xfe, 0xc1]), Work::Packed);
        assert_eq!(work(&[0xf3, 0x0f, 0x6f, 0x0f]), Work::Packed);
        assert_eq!(work(&[0x0f, 0x59, 0xc8]), Work::Packed);
        assert_eq!(work(&[0xc4, 0xe2, 0x75, 0x3d, 0xd0]), Work::Packed);
    }

    #[test]
    fn what_only_moves_values_is_not_work() {
        // mov (%rdi),%rax; mov %rax,(%rdi); xor %eax,%eax; xor %ecx,%eax; nopl (%rax)
        assert_eq!(work(&[0x48, 0x8b, 0x07]), Work::Moving);
        assert_eq!(work(&[0x48, 0x89, 0x07]), Work::Own);
        assert_eq!(work(&[0x31, 0xc0]), Work::Moving);
        assert_eq!(work(&[0x31, 0xc8]), Work::Own);
        assert_eq!(work(&[0x0f, 0x1f, 0x00]), Work::Nothing);
    }
}
