//! Operators (section 5.1.3.3 of the ABI) with the codes that stand for them.

use Kind::{Binary, Other, Unary};

#[derive(Debug, PartialEq, Eq)]
pub struct Operator {
    pub code: &'static str,
    pub text: &'static str,
    pub kind: Kind,
}

/// How an expression with the operator is read. `Other` has a rule of its own, or appears in names only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Unary,
    Binary,
    Other,
}

const fn operator(code: &'static str, text: &'static str, kind: Kind) -> Operator {
    Operator { code, text, kind }
}

/// Sorted by code.
static OPERATORS: [Operator; 72] = [
    operator("aN", "&=", Binary),
    operator("aS", "=", Binary),
    operator("aa", "&&", Binary),
    operator("ad", "&", Unary),
    operator("an", "&", Binary),
    operator("at", "alignof ", Other),
    operator("aw", "co_await ", Unary),
    operator("az", "alignof ", Unary),
    operator("cc", "const_cast", Other),
    operator("cl", "()", Other),
    operator("cm", ",", Binary),
    operator("co", "~", Unary),
    operator("dV", "/=", Binary),
    operator("dX", "[...]=", Other),
    operator("da", "delete[] ", Unary),
    operator("dc", "dynamic_cast", Other),
    operator("de", "*", Unary),
    operator("di", "=", Other),
    operator("dl", "delete ", Unary),
    operator("ds", ".*", Binary),
    operator("dt", ".", Binary),
    operator("dv", "/", Binary),
    operator("dx", "]=", Other),
    operator("eO", "^=", Binary),
    operator("eo", "^", Binary),
    operator("eq", "==", Binary),
    operator("fL", "...", Other),
    operator("fR", "...", Other),
    operator("fl", "...", Other),
    operator("fr", "...", Other),
    operator("ge", ">=", Binary),
    operator("gs", "::", Other),
    operator("gt", ">", Binary),
    operator("ix", "[]", Binary),
    operator("lS", "<<=", Binary),
    operator("le", "<=", Binary),
    operator("ls", "<<", Binary),
    operator("lt", "<", Binary),
    operator("mI", "-=", Binary),
    operator("mL", "*=", Binary),
    operator("mi", "-", Binary),
    operator("ml", "*", Binary),
    operator("mm", "--", Other),
    operator("na", "new[]", Other),
    operator("ne", "!=", Binary),
    operator("ng", "-", Unary),
    operator("nt", "!", Unary),
    operator("nw", "new", Other),
    operator("nx", "noexcept", Unary),
    operator("oR", "|=", Binary),
    operator("oo", "||", Binary),
    operator("or", "|", Binary),
    operator("pL", "+=", Binary),
    operator("pl", "+", Binary),
    operator("pm", "->*", Binary),
    operator("pp", "++", Other),
    operator("ps", "+", Unary),
    operator("pt", "->", Binary),
    operator("qu", "?", Other),
    operator("rM", "%=", Binary),
    operator("rS", ">>=", Binary),
    operator("rc", "reinterpret_cast", Other),
    operator("rm", "%", Binary),
    operator("rs", ">>", Binary),
    operator("sc", "static_cast", Other),
    operator("ss", "<=>", Binary),
    operator("st", "sizeof ", Other),
    operator("sz", "sizeof ", Unary),
    operator("te", "typeid ", Unary),
    operator("ti", "typeid ", Other),
    operator("tr", "throw", Other),
    operator("tw", "throw ", Unary),
];

pub fn operator_of(code: &str) -> Option<&'static Operator> {
    let at = OPERATORS.binary_search_by(|operator| operator.code.cmp(code));
    Some(&OPERATORS[at.ok()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_found() {
        assert!(OPERATORS.is_sorted_by(|a, b| a.code < b.code));
        for operator in &OPERATORS {
            assert_eq!(operator_of(operator.code), Some(operator));
        }
        assert_eq!(operator_of("zz"), None);
    }
}
