//! Which modules belong to the C library.

/// What the names of their files begin with.
const C_LIBRARY: [&str; 5] = ["libc.so", "libc-", "ld-", "libpthread", "[vdso]"];

/// Whether a module, by the name of its file, only hands on to the kernel what its callers want. The vDSO is one.
pub fn is_c_library(module: &str) -> bool {
    C_LIBRARY.iter().any(|library| module.starts_with(library))
}
