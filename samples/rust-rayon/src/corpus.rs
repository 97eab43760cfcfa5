//! Documents to count: the same ones in every run, a few of them very long.

use rayon::prelude::*;

const SYLLABLES: [&str; 16] = [
    "ka", "To", "mi", "Re", "sol", "Ban", "du", "li", "Fen", "gro", "ta", "Wes", "pi", "Nor", "vu",
    "ze",
];

/// `count` documents. Every 40th is about forty times as long as the others.
pub fn documents(count: usize) -> Vec<String> {
    (0..count).into_par_iter().map(document).collect()
}

fn document(number: usize) -> String {
    let words = if number % 40 == 0 { 40_000 } else { 1_000 };
    let mut random =
        Random(0x9e37_79b9_7f4a_7c15 ^ (number as u64).wrapping_mul(0xd134_2543_de82_ef95) | 1);
    let mut text = String::new();
    for _ in 0..words {
        // The minimum of two draws: small numbers, that is common words, come up more often.
        let rank = random.below(4096).min(random.below(4096));
        for place in 0..3 {
            text.push_str(SYLLABLES[(rank >> (4 * place)) & 15]);
        }
        text.push(' ');
    }
    text
}

/// xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize) % limit
    }
}
