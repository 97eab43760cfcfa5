//! The lines where the holder of a lock and the waker of a thread were, as their reader would say it: not in the C library or another
//! standard library, but in what called it.

use std::collections::BTreeMap;

use profile::{LabelValue, LockHolder, Waker, is_c_library, is_standard_library};
use symbolize::Frame;

use super::evidence::Evidence;
use super::modules::ModuleIndex;
use super::stacks::{CodePlace, comm};
use super::symbols::Symbols;
use super::wait_causes;

/// A cause in the run; names of threads are owned, since they are made here.
pub struct CauseLine<'a> {
    holder: Option<(String, Line<'a>)>,
    waker: Option<(wait_causes::Waker, String, Line<'a>)>,
}

#[derive(Clone, Copy, Default)]
struct Line<'a> {
    function: &'a str,
    file: &'a str,
    line: u32,
}

impl CauseLine<'_> {
    pub fn labels(&self) -> impl Iterator<Item = (&'static str, LabelValue<'_>)> {
        let holder = self.holder.as_ref().map(|(thread, at)| LockHolder {
            thread,
            function: at.function,
            file: at.file,
            line: at.line,
        });
        let waker = self.waker.as_ref().map(|(of, thread, at)| Waker {
            kind: of.by.name(),
            thread,
            tid: of.tid,
            function: at.function,
            file: at.file,
            line: at.line,
        });
        let holder = holder.into_iter().flat_map(LockHolder::labels);
        holder.chain(waker.into_iter().flat_map(Waker::labels))
    }
}

/// By number of the cause.
pub fn cause_lines<'a>(
    seen: &Evidence,
    symbols: &'a BTreeMap<ModuleIndex, Symbols>,
) -> Vec<CauseLine<'a>> {
    let line = |stack: Option<u32>| {
        let frame = stack.and_then(|stack| own_frame(seen, symbols, stack));
        frame.map_or(Line::default(), |frame| Line {
            function: &frame.name,
            file: frame.file.as_deref().unwrap_or(""),
            line: frame.line,
        })
    };
    let causes = seen.stacks.causes.values().iter();
    causes
        .map(|of| CauseLine {
            holder: of.holder.map(|of| (comm(&of.name), line(of.stack))),
            waker: (of.waker).map(|of| (of, comm(&of.name), line(of.stack))),
        })
        .collect()
}

/// Beginning of the names of what parks and wakes goroutines.
const GO_RUNTIME: &str = "runtime.";

/// The innermost frame of the program's own, or if there is none, the innermost with a name outside of the C library.
fn own_frame<'a>(
    seen: &Evidence,
    symbols: &'a BTreeMap<ModuleIndex, Symbols>,
    stack: u32,
) -> Option<&'a Frame> {
    let places = seen.stacks.stacks.stack(stack).iter();
    let places = places.map(|place| seen.stacks.places.values()[*place as usize]);
    let frames = places.flat_map(|place| match place {
        CodePlace::InModule { module, vaddr } if !is_in_c_library(seen, module) => {
            let of_module = symbols.get(&module);
            let chain = of_module.and_then(|s| s.found.chains.get(s.place(vaddr)?));
            chain.map_or(&[][..], Vec::as_slice)
        }
        _ => &[],
    });
    let mut other = None;
    for frame in frames.filter(|frame| !frame.name.is_empty()) {
        let file = frame.file.as_deref().unwrap_or("");
        let is_of_runtime = is_standard_library(file) || frame.name.starts_with(GO_RUNTIME);
        if !is_of_runtime {
            return Some(frame);
        }
        other = other.or(Some(frame));
    }
    other
}

fn is_in_c_library(seen: &Evidence, module: ModuleIndex) -> bool {
    let path = &seen.modules.get(module).path;
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy();
    is_c_library(&name)
}
