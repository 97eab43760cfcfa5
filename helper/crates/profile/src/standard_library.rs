//! Source files of languages' standard libraries: code that a program runs and nobody here has written.

/// Parts of paths below which they are kept.
const STANDARD: [&str; 5] = [
    "/rustc/",
    "/usr/include/",
    "/include/c++/",
    "/library/std/",
    "/library/core/",
];

/// `file`: as recorded. An empty one is none.
pub fn is_standard_library(file: &str) -> bool {
    STANDARD.iter().any(|part| file.contains(part))
}

/// The first parts of the names of Go's own packages.
const GO_PACKAGES: [&str; 50] = [
    "archive",
    "bufio",
    "bytes",
    "cmp",
    "compress",
    "container",
    "context",
    "crypto",
    "database",
    "debug",
    "embed",
    "encoding",
    "errors",
    "expvar",
    "flag",
    "fmt",
    "go",
    "hash",
    "html",
    "image",
    "index",
    "internal",
    "io",
    "iter",
    "log",
    "maps",
    "math",
    "mime",
    "net",
    "os",
    "path",
    "plugin",
    "reflect",
    "regexp",
    "runtime",
    "slices",
    "sort",
    "strconv",
    "strings",
    "structs",
    "sync",
    "syscall",
    "testing",
    "text",
    "time",
    "unicode",
    "unique",
    "unsafe",
    "vendor",
    "weak",
];

/// Whether a function of this name is of the library that comes with Go: a package of it, in the folder of this package.
/// `file`: as recorded, or below the folder of all packages (`-trimpath`).
pub fn is_go_standard_library(name: &str, file: &str) -> bool {
    let path_end = name.rfind('/').map_or(0, |at| at + 1);
    // The path of a type argument is not that of the function.
    let path_end = match name.find(['[', '(']) {
        Some(argument) if argument < path_end => 0,
        _ => path_end,
    };
    let Some(dot) = name[path_end..].find('.') else {
        return false;
    };
    let package = &name[..path_end + dot];
    let Some((folder, file)) = file.rsplit_once('/') else {
        return false;
    };
    let is_in_its_folder =
        (folder.strip_suffix(package)).is_some_and(|all| all.is_empty() || all.ends_with("/src/"));
    let first = package.split('/').next().unwrap_or(package);
    is_in_its_folder && file.ends_with(".go") && GO_PACKAGES.contains(&first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_go_is_of_its_library_by_package_and_folder() {
        for (name, file) in [
            ("os.(*File).Sync", "/opt/go/src/os/file_posix.go"),
            (
                "internal/poll.(*FD).Fsync",
                "/usr/lib/go-1.22/src/internal/poll/fd_posix.go",
            ),
            ("syscall.RawSyscall6", "syscall/syscall_linux.go"),
            (
                "slices.SortFunc[go.shape.[]example.com/x.T]",
                "/go/src/slices/sort.go",
            ),
        ] {
            assert!(is_go_standard_library(name, file), "{name}");
        }
        for (name, file) in [
            ("main.main", "/projects/src/main/main.go"),
            ("os.Sync", "/projects/os/sync.go"),
            ("journal/write.All", "/projects/src/journal/write/all.go"),
            (
                "example.com/os.Sync",
                "/projects/go/pkg/mod/example.com/os@v1/sync.go",
            ),
            ("log.write", "/projects/src/log/write.c"),
            ("log", ""),
        ] {
            assert!(!is_go_standard_library(name, file), "{name}");
        }
    }
}
