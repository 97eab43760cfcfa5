//! Compiles the BPF sampler's walk for user space, once for each machine whose stacks it walks.

use std::path::PathBuf;

fn main() {
    let bpf = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"))
        .join("../../bpf");
    // The names that libbpf has for machines.
    for (machine, library) in [
        ("__TARGET_ARCH_x86", "lineheat_walk_x86_64"),
        ("__TARGET_ARCH_arm64", "lineheat_walk_aarch64"),
    ] {
        cc::Build::new()
            .file("src/walk.c")
            .include(&bpf)
            .define(machine, None)
            .std("gnu11")
            .opt_level(2)
            .warnings_into_errors(true)
            .compile(library);
    }
    println!("cargo:rerun-if-changed=src/walk.c");
    println!("cargo:rerun-if-changed={}", bpf.display());
}
