//! Reads symbols, one a line, and writes the full name of each: for `npm run bench -- demangling`.

use std::io::{BufRead, Write};

use symbolize::{DemangleMode, demangle};

fn main() -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for symbol in std::io::stdin().lock().lines() {
        writeln!(out, "{}", demangle(&symbol?, DemangleMode::Full))?;
    }
    out.flush()
}
