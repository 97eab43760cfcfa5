//! Says by which code rows are made, so that rows that an earlier version has kept are never taken for those of this one.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// What a rule means is also said where it is laid out.
const SOURCES: [&str; 2] = ["src", "../records/src/layout.rs"];

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo:rerun-if-changed={source}");
        add_files(Path::new(source), &mut files)?;
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        (&file, fs::read(&file)?).hash(&mut hasher);
    }
    println!("cargo:rustc-env=ROWS_MADE_BY={:016x}", hasher.finish());
    Ok(())
}

fn add_files(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        add_files(&entry?.path(), files)?;
    }
    Ok(())
}
