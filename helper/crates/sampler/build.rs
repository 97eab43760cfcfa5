//! Compiles the BPF program and writes its Rust skeleton.

use std::path::PathBuf;

use libbpf_cargo::SkeletonBuilder;

fn main() {
    let bpf = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"))
        .join("../../bpf");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo")).join("bpf.skel.rs");
    SkeletonBuilder::new()
        .source(bpf.join("sampler.bpf.c"))
        .clang_args([
            "-I",
            bpf.to_str().expect("a UTF-8 path"),
            "-Wall",
            "-Wno-unused-function",
        ])
        .build_and_generate(&out)
        .expect("the BPF program compiles (needs clang)");
    println!("cargo:rerun-if-changed={}", bpf.display());
}
