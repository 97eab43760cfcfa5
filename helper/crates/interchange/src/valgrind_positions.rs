//! Where costs are: an address, a line number or both, each as a number or by how much it differs from the last.

/// Of one line of costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Positions {
    /// Addresses are first.
    values: [u64; 2],
    count: usize,
    /// Which of them is the line number, if any.
    line_at: Option<usize>,
}

impl Default for Positions {
    /// As in files that do not say: line numbers.
    fn default() -> Self {
        Positions {
            values: [0; 2],
            count: 1,
            line_at: Some(0),
        }
    }
}

/// What is expected instead, as in "where … is expected".
type Wanted = &'static str;

impl Positions {
    /// Of the header `positions:`.
    ///
    /// # Errors
    /// Which values there are.
    pub fn of(kinds: &[u8]) -> Result<Positions, Wanted> {
        let kinds: Vec<&[u8]> = words(kinds).collect();
        let (count, line_at) = match kinds.as_slice() {
            [b"line"] => (1, Some(0)),
            [b"instr"] => (1, None),
            [b"instr", b"line"] => (2, Some(1)),
            _ => return Err("line, instr or instr line"),
        };
        Ok(Positions {
            values: [0; 2],
            count,
            line_at,
        })
    }

    pub fn have_lines(&self) -> bool {
        self.line_at.is_some()
    }

    /// Of the same kinds, as before the first line.
    pub fn start_anew(&mut self) {
        self.values = [0; 2];
    }

    /// What the first words of a line say, from the positions of the line before it.
    ///
    /// # Errors
    /// What is not there.
    pub fn moved<'a>(
        &self,
        words: &mut impl Iterator<Item = &'a [u8]>,
    ) -> Result<Positions, Wanted> {
        let mut moved = *self;
        for position in &mut moved.values[..self.count] {
            let to = match words.next() {
                Some([b'+', by @ ..]) => number(by).and_then(|by| position.checked_add(by)),
                Some([b'-', by @ ..]) => number(by).and_then(|by| position.checked_sub(by)),
                Some(b"*") => Some(*position),
                Some(word) => number(word),
                None => None,
            };
            *position = to.ok_or(match self.line_at {
                None => "an address",
                Some(0) => "a line number",
                Some(_) => "an address and a line number",
            })?;
        }
        match moved.line_at.map(|at| u32::try_from(moved.values[at])) {
            Some(Err(_)) => Err("a line number below 2^32"),
            _ => Ok(moved),
        }
    }

    /// 0: unknown.
    pub fn line(&self) -> u32 {
        self.line_at.map_or(0, |at| self.values[at] as u32)
    }
}

pub fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| byte.is_ascii_whitespace())
        .filter(|word| !word.is_empty())
}

/// Decimal, or hexadecimal behind `0x`.
pub fn number(text: &[u8]) -> Option<u64> {
    let (digits, radix) = match text {
        [b'0', b'x' | b'X', digits @ ..] => (digits, 16),
        digits => (digits, 10),
    };
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_number)?;
    u64::from_str_radix(digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_numbers_or_differences_of_the_last() {
        let mut at = Positions::of(b"instr line").unwrap();
        for (text, line, left) in [
            ("0x1150 12 400", 12, "400"),
            ("+4 * 3 1", 12, "3"),
            ("-0x4 -10", 2, ""),
            ("* +0x10 5", 18, "5"),
        ] {
            let mut words = words(text.as_bytes());
            at = at.moved(&mut words).unwrap();
            assert_eq!(at.line(), line, "{text}");
            assert_eq!(words.next().unwrap_or_default(), left.as_bytes(), "{text}");
        }
        assert_eq!(at.values[0], 0x1150);
        for text in ["12", "", "-0x1151 1", "1 4294967296", "x 1", "1 +", "ff 1"] {
            let moved = at.moved(&mut words(text.as_bytes()));
            assert!(moved.is_err(), "{text}: {moved:?}");
        }
    }
}
