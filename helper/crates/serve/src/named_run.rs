//! Where the run is that a request names: the only place that knows the kinds of references (`protocol/runs.proto`).

use std::path::PathBuf;

use wire::{RunRef, run_ref};

use super::failure::Failure;

/// # Errors
/// `protocol` when the request names no run, or one in a way that this engine does not know.
pub fn path_of(run: Option<&RunRef>) -> Result<PathBuf, Failure> {
    match run.and_then(|run| run.run.as_ref()) {
        Some(run_ref::Run::File(path)) => Ok(PathBuf::from(path)),
        None => Err(Failure::protocol(
            "The request does not name the run to open: a file was expected.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_file_is_where_its_path_says() {
        let named = path_of(RunRef::file("a b.pb.gz").as_ref());
        assert_eq!(named.ok().as_deref(), Some(Path::new("a b.pb.gz")));
    }

    #[test]
    fn a_request_without_a_run_is_refused() {
        for run in [None, Some(&RunRef { run: None })] {
            let failure = path_of(run).expect_err("nothing is named");
            assert_eq!(failure.kind, "protocol");
        }
    }
}
