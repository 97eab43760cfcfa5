//! Compiles the BPF program and writes its Rust skeleton.

use std::path::PathBuf;
use std::process::Command;

use libbpf_cargo::SkeletonBuilder;

fn main() {
    link_what_libelf_needs();
    write_map();
    let bpf = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"))
        .join("../../bpf");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo")).join("bpf.skel.rs");
    let folder = bpf.to_str().expect("a UTF-8 path");
    // The object's line information names its sources: the same wherever it is built.
    let mapped = format!("-fdebug-prefix-map={folder}=/lineheat/bpf");
    SkeletonBuilder::new()
        .source(bpf.join("sampler.bpf.c"))
        .clang_args(["-I", folder, &mapped, "-Wall", "-Wno-unused-function"])
        .build_and_generate(&out)
        .expect("the BPF program compiles (needs clang)");
    println!("cargo:rerun-if-changed={}", bpf.display());
}

/// What of which archive is linked, beside the binary, for the review of all that has its privileges.
fn write_map() {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    let built = out.ancestors().nth(3).expect("build/NAME-HASH/out");
    println!(
        "cargo:rustc-link-arg-bins=-Wl,-Map={}",
        built.join("lineheat-sampler.map").display()
    );
}

/// libelf and zlib are linked statically: a file with capabilities loads no library that others provide. What libelf.a
/// needs beside zlib differs between its versions (zstd since 0.189).
fn link_what_libelf_needs() {
    let output = Command::new("pkg-config")
        .args(["--static", "--libs", "libelf"])
        .output()
        .expect("pkg-config runs");
    let flags = String::from_utf8_lossy(&output.stdout);
    let libraries = flags
        .split_whitespace()
        .filter_map(|flag| flag.strip_prefix("-l"));
    for library in libraries.filter(|name| !["elf", "z"].contains(name)) {
        println!("cargo:rustc-link-arg=-l:lib{library}.a");
    }
}
