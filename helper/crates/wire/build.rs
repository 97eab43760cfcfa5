//! Makes Rust types of `protocol/wire.proto` and what it imports, without a protoc binary.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const PROTOCOL: &str = "../../../protocol";
    println!("cargo::rerun-if-changed={PROTOCOL}");
    let files = protox::compile(["wire.proto"], [PROTOCOL])?;
    prost_build::Config::new().compile_fds(files)?;
    Ok(())
}
