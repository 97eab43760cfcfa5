//! Where a thread waits, as its reader would say it: not in `futex_wait`, but in the function that wanted to wait.

use std::collections::HashMap;

use profile::{
    OTHER_STACKS, SeededHash, StringId, is_c_library, is_go_standard_library, is_standard_library,
};

use crate::analyzed::Analyzed;
use crate::frames::{ChainFrame, FunctionKind, FunctionOf};

/// The innermost call that says more than how the thread waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WaitPlace {
    /// Its name.
    pub function: StringId,
    pub module: StringId,
    /// As recorded; empty: unknown.
    pub file: StringId,
    /// 0: unknown.
    pub line: u32,
    /// Somebody holds what is waited for, although the kernel saw no more than futex(2): a lock of a run time.
    pub is_lock: bool,
}

/// Each stack is looked at once.
pub(crate) struct WaitPlaces<'a> {
    analyzed: &'a Analyzed,
    by_node: HashMap<u32, Option<WaitPlace>, SeededHash>,
}

/// Words in the names of functions that only wait for their callers.
const WAITING: [&str; 10] = [
    "futex",
    "syscall",
    "sleep",
    "wait",
    "park",
    "poll",
    "block",
    "clone",
    "start_thread",
    "note",
];
/// Functions that take a lock which the kernel does not know: of Python, Go, Rust, WebKit and Abseil; and of glibc, where the owner
/// is not written down.
const LOCKS: [&str; 9] = [
    "take_gil",
    "lockSlow",
    "LockSlow",
    "lock_slow",
    "lock_contended",
    "pthread_mutex_lock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "lll_lock_wait",
];

impl<'a> WaitPlaces<'a> {
    pub fn of(analyzed: &'a Analyzed) -> WaitPlaces<'a> {
        WaitPlaces {
            analyzed,
            by_node: HashMap::default(),
        }
    }

    pub fn of_sample(&mut self, sample: usize) -> Option<WaitPlace> {
        let analyzed = self.analyzed;
        let node = analyzed.stacks().node_of_sample[sample];
        *(self.by_node.entry(node)).or_insert_with(|| place_of(analyzed, node))
    }
}

/// The first frame from the leaf that is the program's own, if possible one with a line: of a library without debug information, the
/// line that called it. In a thread that runs nothing but a runtime, the first whose name is not that of a wait.
fn place_of(analyzed: &Analyzed, mut node: u32) -> Option<WaitPlace> {
    let stacks = analyzed.stacks();
    let (mut on_line, mut own, mut other, mut innermost) = (None, None, None, None);
    let mut is_lock = false;
    while node != 0 {
        for frame in analyzed.chain(stacks.chain[node as usize]) {
            let function = analyzed.function(frame.function);
            let name = analyzed.text(function.name);
            // Without a name, different places look like one.
            if function.kind != FunctionKind::Native || name == OTHER_STACKS {
                continue;
            }
            is_lock |= own.is_none() && LOCKS.iter().any(|lock| name.contains(lock));
            if is_of_c_library(analyzed, &function) {
                continue;
            }
            innermost = innermost.or(Some(frame));
            let file = analyzed.text(function.file);
            let is_own = analyzed.runtime_of(&function).is_none()
                && !is_standard_library(file)
                && !is_go_standard_library(name, file);
            if is_own {
                own = own.or(Some(frame));
                on_line = on_line.or(Some(frame).filter(|frame| frame.line != 0));
            }
            if other.is_none() && !is_named_as_wait(name) {
                other = Some(frame);
            }
        }
        node = stacks.parent[node as usize];
    }
    let place = |frame: &ChainFrame| {
        let function = analyzed.function(frame.function);
        WaitPlace {
            function: function.name,
            module: function.module,
            file: function.file,
            line: frame.line,
            is_lock,
        }
    };
    (on_line.or(own).or(other).or(innermost)).map(place)
}

fn is_of_c_library(analyzed: &Analyzed, function: &FunctionOf) -> bool {
    is_c_library(analyzed.text(function.module))
}

/// By the last part of its name: the crate `tokio::park` may do other things.
fn is_named_as_wait(name: &str) -> bool {
    let plain = name.split('(').next().unwrap_or(name);
    let last = plain.rsplit([':', '.']).next().unwrap_or(plain);
    let last = last.split('<').next().unwrap_or(last).to_ascii_lowercase();
    WAITING.iter().any(|word| last.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_only_waits_is_known_by_its_last_part() {
        for name in [
            "runtime.futexsleep",
            "runtime.notesleep",
            "runtime.mPark",
            "<std::sys::sync::condvar::futex::Condvar>::wait_optional_timeout",
            "std::sys::sync::condvar::futex::Condvar::wait_optional_timeout",
            "rayon_core::registry::WorkerThread::wait_until_cold",
            "std::condition_variable::wait(std::unique_lock<std::mutex>&)",
        ] {
            assert!(is_named_as_wait(name), "{name}");
        }
        for name in ["runtime.stopm", "rayon_core::sleep::main_loop", "worker"] {
            assert!(!is_named_as_wait(name), "{name}");
        }
    }

    /// Where a thread with this stack waits, innermost function first, each with its name, file and line.
    fn place_in(stack: &[(&str, &str, u32)]) -> (String, u32) {
        use profile::{LineOf, MappingOf, ProfileBuilder};
        let mut builder = ProfileBuilder::new(&[("wait", "nanoseconds")]);
        let mapping = builder.add_mapping(MappingOf {
            filename: "/bin/prices",
            ..MappingOf::default()
        });
        let locations: Vec<u32> = (0..)
            .zip(stack)
            .map(|(address, &(name, file, line))| {
                let function = builder.add_function(name, name, file, 1);
                let lines = [LineOf {
                    function,
                    line,
                    column: 0,
                }];
                builder.add_location(Some(mapping), address, &lines)
            })
            .collect();
        builder.push_sample(&locations, &[7], &[]);
        let analyzed = Analyzed::new(builder.finish());
        let place = WaitPlaces::of(&analyzed).of_sample(0).expect("a place");
        (analyzed.text(place.function).to_owned(), place.line)
    }

    #[test]
    fn a_wait_in_a_header_of_the_standard_library_is_that_of_its_caller() {
        let header = "/usr/include/x86_64-linux-gnu/c++/12/bits/gthr-default.h";
        let place = place_in(&[
            ("__gthread_mutex_lock", header, 749),
            ("Cache::price", "/src/main.cpp", 28),
            ("main", "/src/main.cpp", 40),
        ]);
        assert_eq!(place, ("Cache::price".to_owned(), 28));
    }

    #[test]
    fn a_wait_in_a_function_without_a_line_is_that_of_the_line_that_called_it() {
        let place = place_in(&[
            ("unix_sleep", "", 0),
            ("Feed.produce", "/src/feed.ml", 14),
            ("Feed.entry", "/src/feed.ml", 20),
        ]);
        assert_eq!(place, ("Feed.produce".to_owned(), 14));
        let place = place_in(&[("tick", "", 0), ("start", "", 0)]);
        assert_eq!(place, ("tick".to_owned(), 0), "where there is none");
    }
}
