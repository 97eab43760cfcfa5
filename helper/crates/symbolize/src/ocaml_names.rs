//! Names of OCaml functions: `camlFoo__Bar__map_123`, and from OCaml 5.1 on `camlFoo__Bar.map_123`, are `Foo.Bar.map`.

/// What dune puts before the modules of an executable.
const EXECUTABLE: &str = "Dune__exe__";

/// The readable form; `None`: `symbol` is not one of OCaml's (functions of its runtime are C).
pub(crate) fn readable(symbol: &str) -> Option<String> {
    let rest = symbol.strip_prefix("caml")?;
    if !rest.starts_with(|first: char| first.is_ascii_uppercase()) {
        return None;
    }
    let rest = rest.strip_prefix(EXECUTABLE).unwrap_or(rest);
    let (unit, function) = split(rest)?;
    let function = unescaped(without_stamp(function));
    Some(format!("{}.{function}", unit.replace("__", ".")))
}

/// The compilation unit and the function in it.
fn split(rest: &str) -> Option<(&str, &str)> {
    if let Some((unit, function)) = rest.split_once('.') {
        return (!function.is_empty()).then_some((unit, function));
    }
    // A unit's parts begin with a capital; what follows the last of them is the function.
    let mut from = 0;
    loop {
        let at = from + rest[from..].find("__")?;
        let function = &rest[at + 2..];
        if !function.starts_with(|first: char| first.is_ascii_uppercase()) {
            return (!function.is_empty()).then_some((&rest[..at], function));
        }
        from = at + 2;
    }
}

/// Without the number that tells functions of one name apart; it is all that anonymous ones have, and stays there.
fn without_stamp(function: &str) -> &str {
    match function.rsplit_once('_') {
        Some((name, stamp))
            if !matches!(name, "" | "fun" | "anon_fn")
                && !stamp.is_empty()
                && stamp.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            name
        }
        _ => function,
    }
}

/// Operators have their characters as `$` and two hexadecimal digits: `$2b$2b` is `++`.
fn unescaped(function: &str) -> String {
    let mut out = String::with_capacity(function.len());
    let mut rest = function;
    while let Some(at) = rest.find('$') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let code = escape
            .get(1..3)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            .filter(u8::is_ascii_graphic);
        let length = if code.is_some() { 3 } else { 1 };
        out.push(code.map_or('$', char::from));
        rest = &escape[length..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn names_are_paths_of_modules() {
        for (symbol, expected) in [
            ("camlFoo__bar_123", Some("Foo.bar")),
            ("camlFoo.bar_123", Some("Foo.bar")),
            ("camlStdlib__List__map_487", Some("Stdlib.List.map")),
            ("camlStdlib__List.map_487", Some("Stdlib.List.map")),
            ("camlDune__exe__Main.loop_7", Some("Main.loop")),
            ("camlDune__exe__Main__loop_7", Some("Main.loop")),
            ("camlFoo__$2b$2b_12", Some("Foo.++")),
            ("camlFoo.fun_99", Some("Foo.fun_99")),
            ("camlFoo__a__b_12", Some("Foo.a__b")),
            ("camlFoo.x$é_1", Some("Foo.x$é")),
            ("camlFoo", None),
            ("camlFoo__", None),
            ("camlFoo__Bar", None),
            ("caml_alloc_string", None),
            ("caml", None),
            ("main", None),
        ] {
            assert_eq!(readable(symbol).as_deref(), expected, "{symbol}");
        }
    }
}
