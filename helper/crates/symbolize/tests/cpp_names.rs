//! C++ names of real libraries, as GNU c++filt 2.40 writes them. `npm run bench -- demangling` compares all names of them.

use symbolize::{DemangleMode, demangle};

/// Library or compiler, symbol, name. Chosen so that each form of mangling that these have occurs.
const NAMES: &str = include_str!("data/cpp_names.tsv");

#[test]
fn names_of_real_libraries_are_as_cxxfilt_writes_them() {
    let rows: Vec<Vec<&str>> = NAMES.lines().map(|l| l.split('\t').collect()).collect();
    assert!(rows.len() > 400);
    for row in rows {
        let [_, symbol, name] = row[..] else {
            panic!("{row:?}")
        };
        assert_eq!(demangle(symbol, DemangleMode::Full), name, "{symbol}");
    }
}

#[test]
fn shorter_forms_have_no_parameters_and_the_shortest_no_template_arguments() {
    for line in NAMES.lines() {
        let symbol = line.split('\t').nth(1).expect("three columns");
        let [templates, simplified] =
            [DemangleMode::Templates, DemangleMode::Simplified].map(|mode| demangle(symbol, mode));
        assert_ne!(templates, symbol);
        // What is left of brackets belongs to operators, lambdas and types of functions.
        let is_plain = !["operator", "{lambda", "[abi:"]
            .iter()
            .any(|word| simplified.contains(word));
        assert!(!is_plain || !simplified.contains('<'), "{simplified}");
    }
}

/// Where we differ from c++filt, we are right: these are the declarations that the symbols were made from.
#[test]
fn names_that_cxxfilt_gets_wrong_are_right() {
    for (symbol, name) in [
        // c++filt: `emitOp<>(Opcode, , SourceInfo const&)`, a comma for the empty pack.
        (
            "_ZN5clang6interp15ByteCodeEmitter6emitOpIJEEEbNS0_6OpcodeEDpRKT_RKNS0_10SourceInfoE",
            "bool clang::interp::ByteCodeEmitter::emitOp<>(clang::interp::Opcode, clang::interp::SourceInfo const&)",
        ),
        // c++filt: `~JoinHashTable()`, the class around the one without a name.
        (
            "_ZN6duckdb13JoinHashTableUt_D1Ev",
            "duckdb::JoinHashTable::{unnamed type#1}::~{unnamed type#1}()",
        ),
        // c++filt: `(void (std::thread::*&)())`, the parameter of the function around.
        (
            "_ZSt11__addressofIZSt9call_onceIMSt6threadFvvEJPS1_EEvRSt9once_flagOT_DpOT0_EUlvE_EPS7_RS7_",
            "std::call_once<void (std::thread::*)(), std::thread*>(std::once_flag&, void (std::thread::*&&)(), std::thread*&&)::{lambda()#1}* \
             std::__addressof<std::call_once<void (std::thread::*)(), std::thread*>(std::once_flag&, void (std::thread::*&&)(), std::thread*&&)::{lambda()#1}>\
             (std::call_once<void (std::thread::*)(), std::thread*>(std::once_flag&, void (std::thread::*&&)(), std::thread*&&)::{lambda()#1}&)",
        ),
        // c++filt 2.40 gives up: the arguments after the type of a conversion are the operator's own.
        (
            "_ZN1ScvSt6vectorIT_SaIS1_EEIiEEv",
            "S::operator std::vector<int, std::allocator<int> ><int>()",
        ),
    ] {
        assert_eq!(demangle(symbol, DemangleMode::Full), name);
    }
}
