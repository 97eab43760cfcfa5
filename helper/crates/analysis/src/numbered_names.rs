//! Names that compilers number: lambdas, closures, stamps. Another one before it in the source, and the number is another.

/// The name with each number that a compiler gave replaced by `*`; `None` when there is none.
///
/// `{lambda(int)#2}` (GCC), `'lambda0'(int)` and `$_0` (Clang), `{{closure}}#1`, `{closure#1}`, `{closure_env#0}`,
/// `{impl#3}`, `{shim:vtable#0}` (Rust), `{unnamed type#1}`, and OCaml's `fun_1234`.
pub(crate) fn without_numbers(name: &str) -> Option<String> {
    let bytes = name.as_bytes();
    if !may_be_numbered(bytes) {
        return None;
    }
    let mut result = String::with_capacity(name.len());
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits == 0 {
            at += 1;
            continue;
        }
        let (before, after) = (&name[..at], &name[at + digits..]);
        if is_compilers(before, after) {
            result.push_str(&name[copied..at]);
            result.push('*');
            copied = at + digits;
        }
        at += digits;
    }
    if copied == 0 {
        // Of several lambdas Clang leaves the first without a number.
        return name
            .contains("'lambda'")
            .then(|| name.replace("'lambda'", "'lambda*'"));
    }
    result.push_str(&name[copied..]);
    Some(result)
}

/// Whether anything stands there that a number of compilers follows: in nearly all names nothing does.
fn may_be_numbered(name: &[u8]) -> bool {
    // Without a branch a byte, so that many bytes are looked at in one step.
    let has_mark = (name.iter()).fold(false, |found, byte| {
        found | matches!(byte, b'#' | b'$' | b'\'')
    });
    has_mark || name.windows(4).any(|part| part == b"fun_")
}

/// Whether a number between these is the compiler's.
fn is_compilers(before: &str, after: &str) -> bool {
    (before.ends_with('#') && (after.starts_with('}') || before.ends_with("{{closure}}#")))
        || before.ends_with("$_")
        || (before.ends_with("'lambda") && after.starts_with('\''))
        || (before.ends_with("fun_") && (after.is_empty() || after.starts_with('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_compilers_go_and_those_of_programmers_stay() {
        let cases = [
            (
                "main::{lambda(int)#2}::operator()(int) const",
                Some("main::{lambda(int)#*}::operator()(int) const"),
            ),
            (
                "main::$_0::operator()(int) const",
                Some("main::$_*::operator()(int) const"),
            ),
            (
                "run()::'lambda'(int)::operator()(int) const",
                Some("run()::'lambda*'(int)::operator()(int) const"),
            ),
            (
                "run()::'lambda3'(int)::operator()(int) const",
                Some("run()::'lambda*'(int)::operator()(int) const"),
            ),
            ("app::main::{{closure}}#1", Some("app::main::{{closure}}#*")),
            (
                "app::main::{closure#12}::{closure#0}",
                Some("app::main::{closure#*}::{closure#*}"),
            ),
            (
                "core::ptr::drop_in_place::{closure_env#0}",
                Some("core::ptr::drop_in_place::{closure_env#*}"),
            ),
            ("Stdlib.List.fun_1234", Some("Stdlib.List.fun_*")),
            ("sha256_block", None),
            ("std::array<int, 4>::at", None),
            ("test_12", None),
            ("", None),
        ];
        for (name, wanted) in cases {
            assert_eq!(without_numbers(name).as_deref(), wanted, "{name}");
        }
    }
}
