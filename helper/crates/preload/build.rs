//! Builds the library that is preloaded, beside the binaries. It is C, since stable Rust has no thread-local variables of the
//! initial-exec model: those of a Rust library are allocated, at the first use in each thread.

use std::path::PathBuf;

/// The programs that it is loaded into bring their C library: it links none.
const FLAGS: &[&str] = &[
    "-shared",
    "-nostdlib",
    "-fPIC",
    "-O2",
    "-std=gnu11",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-address",
    "-fvisibility=hidden",
    "-ftls-model=initial-exec",
    "-fasynchronous-unwind-tables",
    "-fno-builtin",
    "-fno-stack-protector",
    "-Wl,-soname,liblineheat_alloc.so",
    "-Wl,-Bsymbolic-functions",
    "-Wl,--build-id=sha1",
    // Exceptions pass through operators new.
    "-Wl,--eh-frame-hdr",
    "-Wl,-z,relro,-z,now,-z,noexecstack",
];

fn main() {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    let beside_binaries = out.ancestors().nth(3).expect("build/NAME-HASH/out");
    let built = beside_binaries.join("liblineheat_alloc.so");
    let made = out.join("liblineheat_alloc.so");
    let mut compiler = cc::Build::new().get_compiler().to_command();
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "aarch64") {
        // Atomic operations by instructions of Armv8.0, not by functions of libgcc.
        compiler.arg("-mno-outline-atomics");
    }
    let status = compiler
        .args(FLAGS)
        .args(["src/allocations.c", "-o"])
        .arg(&made)
        .status();
    assert!(status.expect("a C compiler").success());
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    std::fs::set_permissions(&made, mode).expect("our own file");
    // Renamed: a program may have the old one mapped.
    std::fs::copy(&made, built.with_extension("new")).expect("copied");
    std::fs::rename(built.with_extension("new"), &built).expect("renamed");
    println!("cargo:rerun-if-changed=src/allocations.c");
    println!("cargo:rerun-if-changed=src/operators_new.c");
    println!("cargo:rerun-if-changed=build.rs");
}
