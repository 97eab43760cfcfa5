//! Parts of recorded paths, which need not be of this machine.

/// `long` ends with all components of `short`.
pub(crate) fn ends_with_path(long: &str, short: &str) -> bool {
    let short = short.strip_prefix("./").unwrap_or(short);
    match long.strip_suffix(short) {
        Some(rest) => !short.is_empty() && (rest.is_empty() || rest.ends_with('/')),
        None => false,
    }
}

pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
