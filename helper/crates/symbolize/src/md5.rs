//! MD5 (RFC 1321), by which DWARF 5 line tables name the content of source files. No protection is built on it.

use md5_sum::{Digest, Md5};

/// The sum of `bytes`.
pub fn md5(bytes: &[u8]) -> [u8; 16] {
    Md5::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::md5;

    #[test]
    fn the_sums_are_those_of_the_rfc() {
        let check = |text: &str, expected: &str| {
            let sum: String = md5(text.as_bytes())
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            assert_eq!(sum, expected, "{text}");
        };
        check("", "d41d8cd98f00b204e9800998ecf8427e");
        check("abc", "900150983cd24fb0d6963f7d28e17f72");
        let digits = "1234567890".repeat(8);
        check(&digits, "57edf4a22be3c955ac49da2e2107b67a");
    }
}
