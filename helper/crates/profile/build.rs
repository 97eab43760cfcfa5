//! Makes the Rust type of `protocol/run.proto`, without a protoc binary.

fn main() {
    let protocol = "../../../protocol";
    println!("cargo:rerun-if-changed={protocol}/run.proto");
    let files = protox::compile(["run.proto"], [protocol]).expect("protocol/run.proto compiles");
    prost_build::Config::new()
        .compile_fds(files)
        .expect("Rust types of protocol/run.proto are written");
}
