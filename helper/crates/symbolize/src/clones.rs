//! What compilers append to the names of copies and parts of functions: `sum.part.0`, `sum.cold`, `sum.llvm.123`.

/// Marks at the end of a name, followed by nothing, or by a number where `numbered`.
const MARKS: [&str; 9] = [
    ".part",
    ".cold",
    ".constprop",
    ".isra",
    ".lto_priv",
    ".llvm",
    ".localalias",
    ".clone",
    ".warm",
];

/// `symbol` without its marks; the whole of it when it is nothing else.
pub(crate) fn without_marks(symbol: &str) -> &str {
    let mut rest = symbol;
    while let Some(shorter) = without_mark(rest) {
        rest = shorter;
    }
    if rest.is_empty() { symbol } else { rest }
}

/// Whether the symbol is of a part of its function, not of a copy of the whole: nobody calls that but the function.
pub(crate) fn is_part(symbol: &str) -> bool {
    let marks = symbol.get(without_marks(symbol).len()..).unwrap_or("");
    [".part", ".cold", ".warm"]
        .iter()
        .any(|mark| marks.contains(mark))
}

fn without_mark(symbol: &str) -> Option<&str> {
    // ThinLTO's number is followed by nothing, GCC's too.
    let without_number = symbol
        .rsplit_once('.')
        .filter(|(_, number)| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
        .map(|(rest, _)| rest);
    let of = |text: &'_ str| {
        MARKS
            .iter()
            .find_map(|mark| text.strip_suffix(mark))
            .map(str::len)
    };
    let length = match without_number {
        Some(rest) => of(rest),
        None => of(symbol),
    }?;
    symbol.get(..length)
}

#[cfg(test)]
mod tests {
    use super::{is_part, without_marks};

    #[test]
    fn a_part_is_no_copy() {
        let parts = ["sum.part.0", "sum.constprop.0.cold", "sum.cold"];
        assert!(parts.into_iter().all(is_part));
        let whole = ["sum", "sum.constprop.0", "sum.llvm.12", "a.partner", ""];
        assert!(!whole.into_iter().any(is_part));
    }

    #[test]
    fn marks_go_and_the_name_stays() {
        for (symbol, expected) in [
            ("sum.part.0", "sum"),
            ("sum.part.0.cold", "sum"),
            ("sum.constprop.0.isra.0", "sum"),
            ("sum.llvm.1234567890", "sum"),
            ("sum.lto_priv.3", "sum"),
            ("sum.cold", "sum"),
            ("sum.localalias", "sum"),
            ("sum", "sum"),
            (".cold", ".cold"),
            ("a.partner", "a.partner"),
            ("a.5", "a.5"),
            ("", ""),
        ] {
            assert_eq!(without_marks(symbol), expected, "{symbol}");
        }
    }
}
