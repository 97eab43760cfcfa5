//! Symbols made to hurt demanglers: each gets a name or stays raw, in bounded time, stack and memory.

use std::time::Duration;

use crate::support::own_cpu_time;
use symbolize::{DemangleMode, demangle};

const OUTPUT_BYTES_MAX: usize = 16 << 10;

/// CPU time that no demangler uses up; some milliseconds are usual.
const PATIENCE: Duration = Duration::from_secs(2);

fn is_survived(symbol: &str) {
    for mode in [
        DemangleMode::None,
        DemangleMode::Simplified,
        DemangleMode::Templates,
        DemangleMode::Full,
    ] {
        let start = own_cpu_time();
        let name = demangle(symbol, mode);
        assert!(own_cpu_time() - start < PATIENCE, "{mode:?} {:.80}", symbol);
        let is_bounded = name.len() <= OUTPUT_BYTES_MAX || name == symbol;
        assert!(is_bounded, "{} bytes of {:.80}", name.len(), symbol);
    }
}

/// `S_`, `S0_`, … as the Itanium ABI numbers what it has said before.
fn said_before(number: usize) -> String {
    let digits = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let digit = |value: usize| char::from(digits[value % 36]);
    match number {
        0 => "S_".to_owned(),
        1..=36 => format!("S{}_", digit(number - 1)),
        _ => format!("S{}{}_", digit((number - 1) / 36), digit(number - 1)),
    }
}

#[test]
fn symbols_that_overflowed_the_stack_of_demanglers() {
    // rustc-demangle 47: a path that refers to itself; and what nests without end.
    is_survived("_RNvB_1a");
    is_survived(&format!("_RMC0{}", "R".repeat(60_000)));
    is_survived(&format!("_RIC0{}E", "TRTB_".repeat(10_000)));
    is_survived(&format!("_RNvNvNvC1a{}", "1bNv".repeat(10_000)));
    // cpp_demangle 133 and 165: template parameters that stand for themselves.
    is_survived("_ZN1aIJRT_EE1bIJRKZN1cIT_EvvEUlvE_EEvDpOT_");
    is_survived("_Z1fIJT_EEvT_");
    is_survived("_ZStcvT_IS_E");
    for (before, part, after) in [
        ("_Z1f", "P", "i"),
        ("_Z", "N1a", "E"),
        ("_Z1f", "1aI", "iE"),
        ("_Z1fIX", "pl", "EEvv"),
        ("_Z", "Z1a", "v"),
        ("_Z1f", "PF", "vE"),
        ("_Z1f", "U1a", "i"),
        ("_Z1fDT", "cl", "E"),
        ("_Z1f", "M1a", "i"),
        ("_ZN", "T_", "E"),
    ] {
        for count in [10, 100, 1_000, 20_000] {
            is_survived(&format!("{before}{}{after}", part.repeat(count)));
        }
    }
}

#[test]
fn symbols_that_stand_for_gigabytes() {
    // cpp_demangle 53: each pair holds the one before twice.
    for levels in [8, 20, 34, 200, 900] {
        let ends: String = (1..levels).map(|at| said_before(at) + "E").collect();
        let symbol = format!("_Z1fP4Pair{}Iii{}{ends}", "IS_".repeat(levels - 1), "E");
        is_survived(&symbol);
    }
    // cpp_demangle 282, of a real program: concatenations in concatenations.
    for levels in [42, 500] {
        is_survived(&format!(
            "_ZN13QConcatenableI14QStringBuilderI{}7QString{}EE8appendToI5QCharEEvRK{}RPT_",
            "S0_I".repeat(levels),
            "S1_E".repeat(levels + 1),
            said_before(levels.min(40) + 2),
        ));
    }
    // symbolic 477: what its fuzzer found, in parts.
    let part = "St7j_Z3kjIIjIjL1vfIIEEEjzjjfjzSt7j_Z3kjIIjfjzL4t3kjIIjfjzL4t7IjIjjzjjz";
    for count in [1, 4, 16, 800] {
        is_survived(&format!("_ZUlzjjlZZL1zStUl{}SI", part.repeat(count)));
    }
}

#[test]
fn what_is_too_long_stays_raw() {
    let just = format!("_Z{}{}v", 65_528, "a".repeat(65_528));
    let long = format!("_Z{}{}v", 65_529, "a".repeat(65_529));
    assert_eq!((just.len(), long.len()), (64 << 10, (64 << 10) + 1));
    // The first is read, and what comes out is too long to be shown.
    assert_eq!(demangle(&just, DemangleMode::Full), just);
    assert_eq!(demangle(&long, DemangleMode::Full), long);
    let shown = format!(
        "_Z{}{}v",
        OUTPUT_BYTES_MAX - 2,
        "a".repeat(OUTPUT_BYTES_MAX - 2)
    );
    assert_eq!(demangle(&shown, DemangleMode::Full).len(), OUTPUT_BYTES_MAX);
    let hidden = format!(
        "_Z{}{}v",
        OUTPUT_BYTES_MAX - 1,
        "a".repeat(OUTPUT_BYTES_MAX - 1)
    );
    assert_eq!(demangle(&hidden, DemangleMode::Full), hidden);
}

#[test]
fn any_mixture_of_the_letters_of_the_grammar_is_survived() {
    let letters = b"_ZRNSTIEPKXLUlvijct0123456789JDpOdFMAsrgxB.";
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..20_000 {
        let mut symbol = if round % 2 == 0 { "_Z" } else { "_R" }.to_owned();
        for _ in 0..4 + round % 120 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            symbol.push(char::from(letters[(state >> 20) as usize % letters.len()]));
        }
        is_survived(&symbol);
    }
}
