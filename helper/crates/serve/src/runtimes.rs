//! Runtimes as the contract numbers them.

use analysis::Runtime;

pub fn on_wire(runtime: Runtime) -> wire::Runtime {
    match runtime {
        Runtime::Go => wire::Runtime::Go,
        Runtime::Rust => wire::Runtime::Rust,
        Runtime::Cpp => wire::Runtime::Cpp,
        Runtime::Ocaml => wire::Runtime::Ocaml,
        Runtime::Interrupts => wire::Runtime::Interrupts,
    }
}

/// `None`: there is no such number.
pub fn of_wire(number: i32) -> Option<Runtime> {
    (Runtime::ALL.into_iter()).find(|&runtime| i32::from(on_wire(runtime)) == number)
}
